//! Events in large numbers.

use conformance::{KIB, Outcome, Role, Stream, check, observe};
use rstest::rstest;

use super::INTERPROCESS_BLOCKING;
use crate::support::fixtures::exporter;

/// How many blocking interprocess events a process can record is recorded; once they are destroyed, there are as many
/// again.
#[rstest]
#[conformance::test("IPCEVT-033")]
fn the_limit_of_events_is_recorded(exporter: Role) -> Outcome {
    const COUNT: usize = 40_000;
    let first = exporter.event_create_and_record_many(INTERPROCESS_BLOCKING, Stream::DEFAULT, COUNT)?;
    observe("limit", first.limit());
    let count = first.given.len();
    exporter.ctx_synchronize()?;
    exporter.event_destroy_many(first.given)?;
    let second = exporter.event_create_and_record_many(INTERPROCESS_BLOCKING, Stream::DEFAULT, count)?;
    check!(second.given.len() == count, "{count} events, and after their end {}", second.given.len());
    exporter.ctx_synchronize()?;
    exporter.event_destroy_many(second.given)
}

/// Interprocess events come and go on several threads beside other calls, and no thread waits for ever.
#[rstest]
#[conformance::test("IPCEVT-034")]
fn events_come_and_go_beside_other_calls(exporter: Role) -> Outcome {
    const THREADS: usize = 4;
    const ROUNDS: usize = 250;
    // A neighbour of what the threads allocate: they need no new block of memory each time.
    exporter.mem_alloc(4 * KIB)?;
    exporter.use_events_from_threads(THREADS, ROUNDS)?;
    exporter.ctx_synchronize()
}
