//! Waits of the host that a case begins while the work is pending.

use std::time::Duration;

use conformance::calls::event::Call as EventCall;
use conformance::calls::stream::Call as StreamCall;
use conformance::trace::condition;
use conformance::{Event, Pending, Role, Stop, Stream};

/// Begins a host wait for an event whose work is pending, and checks that it waits.
pub(crate) fn begin_to_wait(role: &Role, event: Event) -> Result<Pending<()>, Stop> {
    still_waits(role.begin(EventCall::event_synchronize { event })?)
}

/// Begins a host wait for a stream whose work is pending, and checks that it waits.
pub(crate) fn begin_to_wait_for_stream(role: &Role, stream: Stream) -> Result<Pending<()>, Stop> {
    still_waits(role.begin(StreamCall::stream_synchronize { stream })?)
}

/// Waits for a while, and returns whether a wait has ended that no pending work may delay.
pub(crate) fn has_ended(waiting: &Pending<()>) -> Result<bool, Stop> {
    const LONG_ENOUGH_TO_END: Duration = Duration::from_millis(600);
    Ok(condition("the wait has ended", !waiting.still_waits_after(LONG_ENOUGH_TO_END)?))
}

fn still_waits(waiting: Pending<()>) -> Result<Pending<()>, Stop> {
    const LONG_ENOUGH_TO_BEGIN: Duration = Duration::from_millis(50);
    let still_waits = waiting.still_waits_after(LONG_ENOUGH_TO_BEGIN)?;
    if condition("the wait has not ended", still_waits) {
        return Ok(waiting);
    }
    waiting.finish()?;
    Err(Stop::failed("the wait ended while the work was pending"))
}
