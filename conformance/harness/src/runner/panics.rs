//! Panics that are no mistakes of the suite: output that cannot be written ends the run, and a fixture ends its case.

use std::io::{Error, Write as _, stderr};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::process::exit;
use std::sync::{Arc, OnceLock};

use crate::Stop;
use crate::warm::WarmRoles;

/// The exit code with which a shell reports a process that SIGPIPE ended.
const ENDED_BY_SIGPIPE: i32 = 128 + libc::SIGPIPE;

/// The exit code of a run whose results cannot be written.
const UNWRITTEN: i32 = 1;

/// The roles that end before a run whose output is lost.
static ROLES: OnceLock<Arc<WarmRoles>> = OnceLock::new();

/// Names the roles of the run. A driver can leave files of a killed process, so if the run ends early, its roles still exit
/// in order.
pub(super) fn end_in_order(roles: &Arc<WarmRoles>) {
    // A process has one run.
    let _ = ROLES.set(Arc::clone(roles));
}

/// Exits if a panic says that the output cannot be written: `println!` and libtest-mimic panic then. A closed pipe, as in
/// `conformance run | head`, is no mistake, so nothing is said of it. SIGPIPE itself stays ignored, because a send to a role
/// that has ended must not end the runner.
///
/// A panic with a [`Stop`] is not printed: it is how a fixture ends its case, whose verdict says what happened. `printed_to` is
/// where libtest-mimic prints.
pub(super) fn tell_apart(printed_to: &'static str) {
    let otherwise = take_hook();
    set_hook(Box::new(move |panic| {
        if panic.payload().is::<Stop>() {
            return;
        }
        match lost_output(panic, printed_to) {
            Some(lost) => end(lost),
            None => otherwise(panic),
        }
    }));
}

/// A stream that cannot be written, and the number of the error, if it is known.
#[derive(Clone, Copy)]
struct Lost {
    stream: &'static str,
    error: Option<i32>,
}

/// Ends the process and its roles. A panic here would abort it, so the message may be lost too.
fn end(Lost { stream, error }: Lost) -> ! {
    let is_closed = error == Some(libc::EPIPE);
    if !is_closed {
        let why = error.map_or_else(|| "unknown error".to_owned(), |code| Error::from_raw_os_error(code).to_string());
        let _ = writeln!(stderr(), "conformance: cannot write to {stream}: {why}; the run ends here");
    }
    if let Some(roles) = ROLES.get() {
        roles.clear();
    }
    exit(if is_closed { ENDED_BY_SIGPIPE } else { UNWRITTEN })
}

/// Returns what a panic says of a stream of this process; `None` if it is about something else.
fn lost_output(panic: &PanicHookInfo<'_>, printed_to: &'static str) -> Option<Lost> {
    let text = panic.payload().downcast_ref::<String>()?;
    // The panics of `println!`, of `eprintln!`, of libtest-mimic if it cannot create its log file, and of an `unwrap` of the
    // result of `write!`.
    let (stream, number) = if text.starts_with("failed printing to stdout") {
        ("standard output", "(os error ")
    } else if text.starts_with("failed printing to stderr") {
        ("standard error", "(os error ")
    } else if text.starts_with("failed to create logfile: Os { code: ")
        || text.starts_with("called `Result::unwrap()` on an `Err` value: Os { code: ")
            && panic.location()?.file().contains("libtest-mimic")
    {
        (printed_to, " Os { code: ")
    } else {
        return None;
    };
    let digits = text.split_once(number).map_or("", |(_, rest)| rest);
    let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
    Some(Lost { stream, error: digits.parse().ok() })
}
