//! Output to a closed pipe, as in `conformance run | head`: the run ends without a message.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::process::exit;

/// The exit code with which a shell reports a process that SIGPIPE ended.
const ENDED_BY_SIGPIPE: i32 = 128 + libc::SIGPIPE;

/// Exits without a message if a panic says that standard output is a closed pipe: libtest-mimic panics if it cannot
/// print. SIGPIPE itself stays ignored, because a send to a role that has ended must not end the runner.
pub(crate) fn end_without_a_word() {
    let otherwise = take_hook();
    set_hook(Box::new(move |panic| {
        if is_of_output(panic) {
            exit(ENDED_BY_SIGPIPE);
        }
        otherwise(panic);
    }));
}

fn is_of_output(panic: &PanicHookInfo<'_>) -> bool {
    let Some(text) = panic.payload().downcast_ref::<String>() else { return false };
    let is_libtests = || panic.location().is_some_and(|location| location.file().contains("libtest-mimic"));
    // The panics of `println!` and of an `unwrap` of the result of `write!`.
    (text.starts_with("failed printing to stdout") && text.contains("Broken pipe"))
        || (text.contains("kind: BrokenPipe") && is_libtests())
}
