//! Output that nobody reads any more, as of `conformance run | head`: the run ends without a word.

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::process::exit;

/// As a shell reports a process that SIGPIPE ended.
const ENDED_BY_SIGPIPE: i32 = 128 + libc::SIGPIPE;

/// libtest-mimic panics where it cannot print. SIGPIPE itself stays ignored: that a role has ended is an answer, and no end
/// of the runner.
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
    // Of `println!`, and of an `unwrap` of what `write!` gave.
    (text.starts_with("failed printing to stdout") && text.contains("Broken pipe"))
        || (text.contains("kind: BrokenPipe") && is_libtests())
}
