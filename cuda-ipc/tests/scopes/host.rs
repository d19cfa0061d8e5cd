//! Copies of pinned host memory do not wait in the call.

use std::sync::mpsc::channel;

use cuda_ipc::event::Awaited;
use cuda_ipc::host::PinnedBuffer;
use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::stream::{self, Scope, WaitValue};
use cuda_ipc::{Error, ProcessIdentity, Stream};
use rstest::rstest;

use crate::common::context;
use crate::peer::LONG;
use crate::{Gate, alone, buffer, words};

/// Runs a scope that watches this process, or none.
fn run<'env, R>(
    watch: Option<&'env dyn Awaited>,
    run: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
) -> Result<R, Error> {
    match watch {
        Some(process) => stream::scope_watching(process, run),
        None => stream::scope(run),
    }
}

#[rstest]
fn copies_of_pinned_memory_do_not_wait_in_the_call(#[values(false, true)] is_watching: bool) {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, memory) = (Gate::closed(&context), buffer([1, 2]));
    let sent = PinnedBuffer::copy_of(&context, &[7_u32]).unwrap();
    let mut received = PinnedBuffer::<u32>::new(&context, 2).unwrap();
    let this_process = ProcessWatch::of(ProcessIdentity::current().unwrap()).unwrap();
    let watch: Option<&dyn Awaited> = is_watching.then_some(&this_process);
    let (told, all_enqueued) = channel();
    std::thread::scope(|threads| {
        // A call that waits ends with the gate, and the check below fails.
        let gate = &gate;
        let opening = threads.spawn(move || {
            let in_time = all_enqueued.recv_timeout(LONG);
            gate.open();
            in_time
        });
        run(watch, |scope| {
            let stream = scope.on(&stream);
            stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
            stream.write(memory.slice(..1)?, &sent)?;
            stream.read(memory.slice(..)?, &mut received)?;
            told.send(()).unwrap();
            Ok(())
        })
        .unwrap();
        assert_eq!(opening.join().unwrap(), Ok(()), "a copy waited in the call");
    });
    assert_eq!((&received[..], &words(&memory)[..]), (&[7, 2][..], &[7, 2][..]));
}
