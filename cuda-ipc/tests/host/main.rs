//! Host memory that devices access: pinned buffers, and pages that processes share.
//!
//! The tests run one at a time. While work of a context waits, a driver may block a call that frees memory in that
//! context, and with it every other call.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/peer.rs"]
mod peer;

mod pages;
mod pinned;
mod processes;
mod refusals;
mod two_devices;

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;
use std::time::Instant;

use cuda_ipc::DeviceSlice;
use cuda_ipc::host::SharedPages;
use cuda_ipc::stream::{ScopedStream, WaitValue};

use crate::peer::LONG;

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until the CPU sees a condition. A failure ends the process, because cleaning up could wait for a stream that
/// nothing releases any more.
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        if begin.elapsed() > LONG {
            // Not with `eprintln!`, whose text the test runner would keep to itself.
            let _ = writeln!(std::io::stderr(), "{what} did not happen within {LONG:?}");
            std::process::exit(1);
        }
        yield_now();
    }
}

fn see(number: &AtomicU32, value: u32) {
    until("the store of another side", || number.load(Ordering::Acquire) == value);
}

/// Returns a number of the pages, for streams.
fn number(pages: &SharedPages<u32>, index: usize) -> DeviceSlice<'_, u32> {
    pages.memory().slice(index..=index).unwrap()
}

/// Makes a stream wait for a number of pages, and then write another one.
fn answer<'scope>(
    stream: ScopedStream<'scope, '_>,
    pages: &'scope SharedPages<u32>,
    (awaited, question): (usize, u32),
    (written, reply): (usize, u32),
) {
    stream.wait_value(number(pages, awaited), WaitValue::GreaterOrEqual, question).unwrap();
    stream.write_value(number(pages, written), reply).unwrap();
}

fn is_done(stream: ScopedStream<'_, '_>) -> bool {
    stream.stream().query().unwrap()
}
