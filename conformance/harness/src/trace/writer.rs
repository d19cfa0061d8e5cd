//! Appends to the trace. All processes of a run write to one file, so its order is the order of the events.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::sync::OnceLock;

use rustix::fs::OFlags;

use super::{Comparison, Event, Expectation, NAMESPACE_VARIABLE, Namespace, VARIABLE};

thread_local! {
    /// The case that runs in this thread of the runner.
    static CASE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
        let opened = File::options().append(true).create(true).open(&path);
        Some(opened.unwrap_or_else(|error| {
            // A report without the calls would be wrong.
            eprintln!("conformance: cannot write the trace {}: {error}", path.display());
            std::process::exit(1)
        }))
    })
    .as_ref()
}

/// Whether this run has a trace.
pub(crate) fn is_on() -> bool {
    file().is_some()
}

/// Appends an event, which is only made if this run has a trace.
pub(crate) fn write(event: impl FnOnce() -> Event) {
    let Some(mut file) = file() else { return };
    let written = serde_json::to_vec(&event()).map_err(std::io::Error::other).and_then(|mut line| {
        line.push(b'\n');
        // One write of a file that is open for appending is not mixed with those of other processes.
        file.write_all(&line)
    });
    if let Err(error) = written {
        let path = std::env::var_os(VARIABLE).unwrap_or_default();
        eprintln!("conformance: cannot write the trace {}: {error}", path.display());
        std::process::exit(1);
    }
}

/// Returns an id for a process or thread of this role that no other role has: ids start again at 1 in a new PID namespace.
pub(crate) fn unique_id(id: u32) -> u32 {
    static NAMESPACE: OnceLock<u32> = OnceLock::new();
    let read = || std::env::var(NAMESPACE_VARIABLE).ok()?.parse().ok();
    let namespace = *NAMESPACE.get_or_init(|| read().unwrap_or_default());
    Namespace::of(namespace, id).process
}

/// Writes that a case began in this thread.
pub(crate) fn case_began(case: &str, gpus: usize, (cuda, cuda_before): (Option<u32>, Option<u32>)) {
    CASE.with_borrow_mut(|running| case.clone_into(running));
    write(|| Event::Case { case: case.to_owned(), gpus, cuda, cuda_before });
}

/// Writes that a case ended.
pub(crate) fn case_ended(case: &str, verdict: &str, reason: Option<&str>) {
    write(|| Event::End { case: case.to_owned(), verdict: verdict.to_owned(), reason: reason.map(str::to_owned) });
}

/// Writes what a descriptor is that a role got or sends.
pub(crate) fn descriptor(descriptor: BorrowedFd<'_>) {
    write(|| {
        let mode = rustix::fs::fcntl_getfl(descriptor).unwrap_or(OFlags::RDWR) & OFlags::ACCMODE;
        Event::Descriptor {
            process: unique_id(std::process::id()),
            target: target(descriptor),
            write_only: mode == OFlags::WRONLY,
            size: rustix::fs::fstat(descriptor).map_or(0, |status| status.st_size.cast_unsigned()),
        }
    });
}

/// Writes that the runner closes a descriptor that a process sent to it.
pub(crate) fn closed(descriptor: BorrowedFd<'_>, process: u32) {
    write(|| Event::Closed { process, target: target(descriptor) });
}

/// Writes that the runner puts a descriptor into a socket that nobody reads.
pub(crate) fn unread(descriptor: BorrowedFd<'_>, process: u32) {
    write(|| Event::Unread { process, target: target(descriptor) });
}

/// Writes that the runner closes the socket with an unread descriptor.
pub(crate) fn discarded() {
    write(|| Event::Discarded { case: CASE.with_borrow(Clone::clone) });
}

fn target(descriptor: BorrowedFd<'_>) -> String {
    let target = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.as_raw_fd())).unwrap_or_default();
    target.to_string_lossy().into_owned()
}

/// Writes what the case expects of a step that succeeded, or that this function refused.
pub(crate) fn expect(refused: Option<&str>, expectation: impl FnOnce() -> Expectation) {
    let refused = refused.map(str::to_owned);
    write(|| Event::Expect { case: CASE.with_borrow(Clone::clone), expectation: expectation(), refused });
}

/// Writes a comparison of a check.
pub fn check<L: fmt::Debug + ?Sized, R: fmt::Debug + ?Sized>(
    text: &str,
    left: &L,
    operator: &str,
    right: &R,
    holds: bool,
) {
    write(|| Event::Check {
        case: CASE.with_borrow(Clone::clone),
        text: text.to_owned(),
        comparison: Some(Comparison {
            left: format!("{left:?}"),
            operator: operator.to_owned(),
            right: format!("{right:?}"),
        }),
        holds,
        awaited: false,
    });
}

/// Writes that the case repeated the last step until its output was another one, and whether it became so.
pub(crate) fn awaited_change<T: fmt::Debug>(text: &str, last: &T, from: &T, holds: bool) {
    write(|| Event::Check {
        case: CASE.with_borrow(Clone::clone),
        text: text.to_owned(),
        comparison: Some(Comparison {
            left: format!("{last:?}"),
            operator: "!=".to_owned(),
            right: format!("{from:?}"),
        }),
        holds,
        awaited: true,
    });
}

/// Writes a condition of a check that is not a comparison. Returns it.
#[must_use]
pub fn condition(text: &str, holds: bool) -> bool {
    write(|| Event::Check {
        case: CASE.with_borrow(Clone::clone),
        text: text.to_owned(),
        comparison: None,
        holds,
        awaited: false,
    });
    holds
}

/// Writes how the case computed a number from what calls returned, in C with `{0}`, `{1}` for these. Returns the number.
#[must_use]
pub fn computed(value: u64, expression: &str, from: &[u64]) -> u64 {
    write(|| Event::Computed {
        case: CASE.with_borrow(Clone::clone),
        value,
        expression: expression.to_owned(),
        from: from.to_owned(),
    });
    value
}
