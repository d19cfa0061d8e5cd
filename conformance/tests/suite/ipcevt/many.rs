//! Events in large numbers.

use conformance::{KIB, Outcome, Role, Stream, check, observe};
use rstest::rstest;

use super::INTERPROCESS_BLOCKING;
use crate::support::fixtures::exporter;

/// A process that has destroyed its blocking interprocess events can create and record as many again. The limit is
/// recorded.
#[rstest]
#[conformance::test("IPCEVT-033")]
fn destroying_events_restores_the_limit(exporter: Role) -> Outcome {
    const COUNT: usize = 40_000;
    let first = exporter.event_create_and_record_many(INTERPROCESS_BLOCKING, Stream::DEFAULT, COUNT)?;
    observe("limit", first.limit());
    let count = first.given.len();
    exporter.ctx_synchronize()?;
    exporter.event_destroy_many(first.given)?;
    let second = exporter.event_create_and_record_many(INTERPROCESS_BLOCKING, Stream::DEFAULT, count)?;
    check!(
        second.given.len() == count,
        "{count} events were possible at first, but only {} after they were destroyed",
        second.given.len()
    );
    exporter.ctx_synchronize()?;
    exporter.event_destroy_many(second.given)
}

/// Several threads create and destroy interprocess events between other calls without a deadlock.
#[rstest]
#[conformance::test("IPCEVT-034")]
fn events_on_several_threads_do_not_deadlock(exporter: Role) -> Outcome {
    const THREADS: usize = 4;
    const ROUNDS: usize = 250;
    // This neighbour keeps a block of memory alive, so that the threads do not need a new block for each allocation.
    exporter.mem_alloc(4 * KIB)?;
    exporter.use_events_from_threads(THREADS, ROUNDS)?;
    exporter.ctx_synchronize()
}
