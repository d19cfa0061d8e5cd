//! Events.

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::role::Resource;
use crate::{Event, Stream};

calls! {
    /// `cuEventCreate`.
    fn event_create(session, flags: u32) -> Event {
        let mut event = ptr::null_mut();
        cuda!(session.cuEventCreate(&mut event, flags));
        session.ledger.add(Resource::Event(event as u64));
        Ok(Event(event as u64))
    }

    /// `cuEventDestroy`.
    fn event_destroy(session, event: Event) -> () {
        cuda!(session.cuEventDestroy(event.0 as _));
        session.ledger.remove(&Resource::Event(event.0));
        session.ledger.remove(&Resource::ImportedEvent(event.0));
        Ok(())
    }

    /// `cuEventRecord`.
    fn event_record(session, event: Event, stream: Stream) -> () {
        cuda!(session.cuEventRecord(event.0 as _, stream.0 as _));
        Ok(())
    }

    /// `cuEventQuery`.
    fn event_query(session, event: Event) -> () {
        cuda!(session.cuEventQuery(event.0 as _));
        Ok(())
    }

    /// `cuEventSynchronize`.
    fn event_synchronize(session, event: Event) -> () {
        cuda!(session.cuEventSynchronize(event.0 as _));
        Ok(())
    }

    /// `cuEventElapsedTime`, in milliseconds.
    fn event_elapsed_time(session, start: Event, end: Event) -> f32 {
        let mut milliseconds = 0.0;
        cuda!(session.cuEventElapsedTime(&mut milliseconds, start.0 as _, end.0 as _));
        Ok(milliseconds)
    }

    /// `cuStreamWaitEvent`.
    fn stream_wait_event(session, stream: Stream, event: Event) -> () {
        cuda!(session.cuStreamWaitEvent(stream.0 as _, event.0 as _, 0));
        Ok(())
    }

    /// `cuEventRecord` of several events at once in one stream, each on a thread of its own.
    fn event_record_from_threads(session, events: Vec<Event>, stream: Stream) -> () {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(events.len(), |session| {
            let event = events[next.fetch_add(1, Ordering::Relaxed)];
            cuda!(session.cuEventRecord(event.0 as _, stream.0 as _));
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuEventQuery` of one event on several threads at once. A refusal of any thread is a refusal of the call.
    fn event_query_from_threads(session, event: Event, threads: usize) -> () {
        let answers = session.on_threads(threads, |session| {
            cuda!(session.cuEventQuery(event.0 as _));
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuEventSynchronize` of one event on several threads at once.
    fn event_synchronize_from_threads(session, event: Event, threads: usize) -> () {
        let answers = session.on_threads(threads, |session| {
            cuda!(session.cuEventSynchronize(event.0 as _));
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuStreamWaitEvent` of several streams at once for one event, each on a thread of its own.
    fn stream_wait_event_from_threads(session, streams: Vec<Stream>, event: Event) -> () {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(streams.len(), |session| {
            let stream = streams[next.fetch_add(1, Ordering::Relaxed)];
            cuda!(session.cuStreamWaitEvent(stream.0 as _, event.0 as _, 0));
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuEventRecord` a number of times, then one `cuStreamSynchronize`.
    fn event_record_repeatedly(session, event: Event, stream: Stream, rounds: usize) -> () {
        for _ in 0..rounds {
            cuda!(session.cuEventRecord(event.0 as _, stream.0 as _));
        }
        cuda!(session.cuStreamSynchronize(stream.0 as _));
        Ok(())
    }
}
