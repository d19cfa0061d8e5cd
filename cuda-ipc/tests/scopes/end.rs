//! A scope ends after its work, whatever its function does.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use cuda_ipc::stream::{self, Scope, ScopedStream, WaitValue};
use cuda_ipc::{Error, Stream};
use rstest::rstest;

use crate::common::context;
use crate::peer::LONG;
use crate::{Gate, alone, buffer, words};

/// Longer than a scope takes that does not wait.
const SHORT: Duration = Duration::from_millis(50);

/// Checks that a thread does not say that it has returned before the gate is open, and says so then.
fn returns_with_the_gate(events: &Receiver<&str>, gate: &Gate) {
    assert_eq!(events.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout), "the gate is closed");
    gate.open();
    assert_eq!(events.recv_timeout(LONG), Ok("returned"));
}

/// Runs a scope whose stream waits for a gate, with a function at its end. Checks that the scope does not end before the
/// gate is open, and that all its work is done when it ends. Returns what came of the scope.
fn ends_after_its_work<R: Send>(
    end: impl FnOnce(ScopedStream<'_, '_>) -> Result<R, Error> + Send,
) -> std::thread::Result<Result<R, Error>> {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, buffer) = (Gate::closed(&context), buffer([0; 2]));
    let (told, events) = channel();
    std::thread::scope(|threads| {
        let _opens = gate.opens_on_failure();
        let scope = threads.spawn(|| {
            let result = catch_unwind(AssertUnwindSafe(|| {
                stream.scope(|stream| {
                    stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
                    stream.fill(buffer.slice(..)?, 7_u32)?;
                    told.send("enqueued").unwrap();
                    end(stream)
                })
            }));
            // At this moment, without waiting for anything.
            let (is_open, is_done) = (gate.is_open(), stream.query().unwrap());
            told.send("returned").unwrap();
            assert!(is_open && is_done, "the scope ended too early");
            result
        });
        assert_eq!(events.recv(), Ok("enqueued"));
        returns_with_the_gate(&events, &gate);
        let result = scope.join().unwrap();
        assert_eq!(words(&buffer), [7; 2]);
        result
    })
}

#[test]
fn a_scope_ends_after_its_work() {
    assert_eq!(ends_after_its_work(|_| Ok(5)).unwrap().unwrap(), 5);
}

#[test]
fn a_scope_ends_after_its_work_if_its_function_fails() {
    let failed = ends_after_its_work(|_| Err::<(), _>(Error::NotTheOwner)).unwrap();
    assert!(matches!(failed, Err(Error::NotTheOwner)), "{failed:?}");
}

#[test]
fn a_scope_ends_after_its_work_if_its_function_panics() {
    let panicked = ends_after_its_work(|_| -> Result<(), _> { resume_unwind(Box::new("a panic")) });
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"a panic"));
}

#[test]
fn nothing_in_a_scope_can_be_leaked_to_avoid_the_wait() {
    assert!(!std::mem::needs_drop::<ScopedStream<'_, '_>>());
    assert!(!std::mem::needs_drop::<&Scope<'_, '_>>());
}

/// A scope with seven streams, of which only this one has work that is not done.
#[rstest]
fn a_scope_waits_for_each_of_its_streams(#[values(0, 1, 3, 4, 5, 6)] late: usize) {
    let _alone = alone();
    let context = context();
    let streams = [(); 7].map(|()| Stream::non_blocking(&context).unwrap());
    let (gate, buffer) = (Gate::closed(&context), buffer([0; 2]));
    let (told, events) = channel();
    std::thread::scope(|threads| {
        let _opens = gate.opens_on_failure();
        let (streams, gate, buffer) = (&streams, &gate, &buffer);
        let scope = threads.spawn(move || {
            stream::scope(|scope| {
                for (place, stream) in streams.iter().enumerate() {
                    let stream = scope.on(stream);
                    if place == late {
                        stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
                        stream.fill(buffer.slice(..)?, 5_u32)?;
                    }
                }
                Ok(())
            })
            .unwrap();
            told.send("returned").unwrap();
        });
        returns_with_the_gate(&events, gate);
        scope.join().unwrap();
    });
    assert_eq!(words(&buffer), [5; 2]);
}

/// The default streams of two contexts have one handle, and are two streams.
#[test]
fn a_scope_waits_for_the_default_streams_of_two_contexts() {
    let _alone = alone();
    let contexts = [context(), cuda_ipc::Context::new(context().device()).unwrap()];
    let streams = contexts.each_ref().map(Stream::default_of);
    let buffers = contexts.each_ref().map(|context| cuda_ipc::DeviceBuffer::new(context, 4).unwrap());
    let gate = Gate::closed(&contexts[1]);
    let (told, events) = channel();
    std::thread::scope(|threads| {
        let _opens = gate.opens_on_failure();
        let (streams, gate, buffers) = (&streams, &gate, &buffers);
        let scope = threads.spawn(move || {
            stream::scope(|scope| {
                scope.on(&streams[0]).fill(buffers[0].slice(..)?, 1_u32)?;
                scope.on(&streams[1]).wait_value(gate.number(), WaitValue::Equal, 1)
            })
            .unwrap();
            told.send("returned").unwrap();
        });
        returns_with_the_gate(&events, gate);
        scope.join().unwrap();
    });
}

/// The default stream waits for a blocking stream, and a copy without a stream for the default stream.
#[test]
fn a_copy_without_a_stream_returns_when_it_is_done() {
    let _alone = alone();
    let context = context();
    let (waiting, gate) = (Stream::new(&context).unwrap(), Gate::closed(&context));
    let (from, to) = (buffer([7; 2]), buffer([0; 2]));
    let (told, events) = channel();
    waiting
        .scope(|stream| {
            let _opens = gate.opens_on_failure();
            stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
            std::thread::scope(|threads| {
                threads.spawn(|| {
                    to.copy_from(0, &from, 0, 8).unwrap();
                    told.send("returned").unwrap();
                });
                returns_with_the_gate(&events, &gate);
            });
            Ok(())
        })
        .unwrap();
    assert_eq!(words(&to), [7; 2]);
}

#[test]
fn a_scope_within_a_scope_ends_first() {
    let _alone = alone();
    let context = context();
    let (outer, inner) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
    let (gate, buffer) = (Gate::closed(&context), buffer([0; 2]));
    stream::scope(|scope| {
        let _opens = gate.opens_on_failure();
        let waiting = scope.on(&outer);
        waiting.wait_value(gate.number(), WaitValue::Equal, 1)?;
        waiting.fill(buffer.slice(..1)?, 2_u32)?;
        stream::scope(|scope| scope.on(&inner).fill(buffer.slice(1..)?, 3_u32))?;
        assert!(inner.query()? && !outer.query()?, "the inner scope waited for its own stream only");
        // What the inner scope borrowed is free again, and the outer scope goes on.
        scope.on(&inner).write_value(gate.number(), 1)
    })
    .unwrap();
    assert_eq!(words(&buffer), [2, 3]);
}

#[test]
fn an_empty_scope_ends_at_once() {
    let _alone = alone();
    let context = context();
    let (busy, gate) = (Stream::non_blocking(&context).unwrap(), Gate::closed(&context));
    stream::scope(|scope| {
        let _opens = gate.opens_on_failure();
        scope.on(&busy).wait_value(gate.number(), WaitValue::Equal, 1)?;
        assert_eq!(stream::scope(|_: &Scope<'_, '_>| Ok(1))?, 1);
        assert!(!busy.query()?);
        gate.open();
        Ok(())
    })
    .unwrap();
}
