//! Scopes that watch a process end with it, and not before it.

use std::cell::Cell;
use std::time::Duration;

use cuda_ipc::event::Awaited;
use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Error, Parcel, SharedBuffer, Stream};

use crate::common::{context, device};
use crate::peer::{Peer, roles, say, wait_for_the_end};
use crate::{Gate, alone, buffer, words};

/// A process that dies when a function says so.
struct Process<F>(F);

impl<F: Fn() -> bool> Awaited for Process<F> {
    fn dies_within(&self, _: Duration) -> Result<bool, Error> {
        Ok(self.0())
    }
}

#[test]
fn a_scope_ends_when_the_awaited_process_is_killed() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let memory = SharedBuffer::new(&context, 4096).unwrap();
    memory.fill(0).unwrap();
    let mut producer = Peer::start(module_path!(), "role_writes_once");
    memory.share().unwrap().send(&producer.connection).unwrap();
    let watch = ProcessWatch::by_hang_up(&producer.connection).unwrap();
    assert_eq!(producer.process.hear(), "written");
    let (received, mut read) = (buffer([9; 2]), [7_u32; 1]);
    let [filled, word] = [0, 1].map(|place| memory.slice::<u32>(place..=place).unwrap());
    let ended = stream::scope_watching(&watch, |scope| {
        let stream = scope.on(&stream);
        stream.wait_value(filled, WaitValue::GreaterOrEqual, 1)?;
        stream.copy(received.slice(..1)?, word)?;
        // The copy to host memory waits for the first message, which has come.
        stream.read(word, &mut read)?;
        stream.wait_value(filled, WaitValue::GreaterOrEqual, 2)?;
        stream.copy(received.slice(1..)?, word)?;
        producer.process.kill();
        Ok(())
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
    assert!(stream.query().unwrap());
    assert_eq!((words(&received), read), (vec![33, 33], [33]));
    assert_eq!(filled.memory().snapshot::<u32>(..1).unwrap()[0], 2, "the scope wrote the number itself");
}

/// A process that cannot be watched at first, and is dead then.
struct Flaky(Cell<u32>);

impl Awaited for Flaky {
    fn dies_within(&self, _: Duration) -> Result<bool, Error> {
        let asked = self.0.replace(self.0.get() + 1);
        if asked < 3 { Err(Error::NotTheOwner) } else { Ok(true) }
    }
}

#[test]
fn a_scope_goes_on_watching_after_an_error() {
    let _alone = alone();
    let context = context();
    let (stream, number) = (Stream::non_blocking(&context).unwrap(), buffer([0; 1]));
    let ended = stream::scope_watching(&Flaky(Cell::new(0)), |scope| {
        scope.on(&stream).wait_value(number.slice::<u32>(..)?, WaitValue::Equal, 1)
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
    assert_eq!(words(&number), [1]);
}

#[test]
fn a_wait_that_begins_after_the_death_is_ended() {
    let _alone = alone();
    let context = context();
    let (stream, number, gate) = (Stream::non_blocking(&context).unwrap(), buffer([1; 1]), Gate::closed(&context));
    let ended = std::thread::scope(|threads| {
        stream::scope_watching(&Process(|| true), |scope| {
            let word = number.slice::<u32>(..)?;
            // SAFETY: the gate outlives the scope.
            unsafe { stream.wait_value32(&gate.memory, 0, WaitValue::Equal, 1)? };
            // The number meets the condition until the stream itself resets it.
            scope.on(&stream).write_value(word, 0)?;
            scope.on(&stream).wait_value(word, WaitValue::Equal, 1)?;
            // Meanwhile the scope looks at the number.
            threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                gate.open();
            });
            Ok(())
        })
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
}

#[test]
fn every_kind_of_wait_is_ended() {
    let _alone = alone();
    let context = context();
    let streams = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    let (numbers, done) = (buffer([0; 4]), buffer([0; 2]));
    let ended = stream::scope_watching(&Process(|| true), |scope| {
        let [one, other] = [0, 1].map(|place| scope.on(&streams[place]));
        let (word, wide) = (numbers.slice::<u32>(..1)?, numbers.part(8..)?.slice::<u64>(..)?);
        one.wait_value(word, WaitValue::Equal, 5)?;
        one.wait_value(word, WaitValue::And, 8)?;
        one.wait_value(wide, WaitValue::GreaterOrEqual, 1 << 40)?;
        one.write_value(done.slice::<u32>(..1)?, 1)?;
        other.write_value(wide, u64::MAX)?;
        other.wait_value(wide, WaitValue::Nor, u64::MAX - 1)?;
        other.write_value(done.slice::<u32>(1..)?, 1)
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
    assert_eq!(words(&done), [1, 1]);
}

#[test]
fn waits_for_different_values_of_one_number_are_ended() {
    let _alone = alone();
    let context = context();
    let streams = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    let (numbers, gate) = (buffer([0; 1]), Gate::closed(&context));
    let ended = stream::scope_watching(&Process(|| true), |scope| {
        let [one, other] = [0, 1].map(|place| scope.on(&streams[place]));
        let number = numbers.slice::<u32>(..)?;
        // This wait begins only when the one below is over, for which the number must have another value. The scope does
        // not know of the gate.
        // SAFETY: the gate outlives the scope.
        unsafe { streams[0].wait_value32(&gate.memory, 0, WaitValue::Equal, 1)? };
        one.wait_value(number, WaitValue::Equal, 1)?;
        other.wait_value(number, WaitValue::Equal, 2)?;
        other.write_value(gate.number(), 1)
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
}

#[test]
fn a_number_that_was_written_before_the_death_stays_and_the_work_is_done() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (number, memory, spin) = (buffer([7]), buffer([0]), crate::kernel::spin(&context));
    let asked = Cell::new(false);
    // The process is dead, and the stream is still busy.
    let dead = Process(|| {
        asked.set(true);
        true
    });
    stream::scope_watching(&dead, |scope| {
        let stream = scope.on(&stream);
        stream.wait_value(number.slice::<u32>(..)?, WaitValue::GreaterOrEqual, 5)?;
        stream.launch(&spin, LaunchShape::linear(1, 1), (20_000_000,))?;
        stream.fill(memory.slice(..)?, 1_u32)
    })
    .unwrap();
    assert_eq!((asked.get(), words(&number), words(&memory)), (true, vec![7], vec![1]));
}

#[test]
fn a_scope_waits_as_long_as_the_process_lives() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, memory) = (Gate::closed(&context), buffer([0; 1]));
    let asked = Cell::new(0);
    // The scope asks while it waits. So nothing opens the gate if it does not wait.
    let process = Process(|| {
        asked.set(asked.get() + 1);
        if asked.get() == 3 {
            gate.open();
        }
        false
    });
    stream::scope_watching(&process, |scope| {
        let stream = scope.on(&stream);
        stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
        stream.fill(memory.slice(..)?, 4_u32)
    })
    .unwrap();
    assert!(stream.query().unwrap() && asked.get() >= 3);
    assert_eq!(words(&memory), [4]);
}

#[test]
fn work_that_was_done_before_the_death_is_no_error() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (memory, mut read) = (buffer([1; 2]), [0_u32; 2]);
    stream::scope_watching(&Process(|| true), |scope| {
        let stream = scope.on(&stream);
        stream.wait_value(memory.slice::<u32>(..1)?, WaitValue::Equal, 1)?;
        stream.stream().synchronize()?;
        stream.read(memory.slice(..)?, &mut read)
    })
    .unwrap();
    assert_eq!(read, [1; 2]);
}

#[test]
fn work_that_is_done_as_the_process_dies_is_no_error() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let gate = Gate::closed(&context);
    // The number has changed since the stream waited for it, and the stream is done.
    let dies = Process(|| {
        gate.open();
        stream.synchronize().unwrap();
        gate.memory.write(0, &[2_u32]).is_ok()
    });
    stream::scope_watching(&dies, |scope| scope.on(&stream).wait_value(gate.number(), WaitValue::Equal, 1)).unwrap();
    assert_eq!(gate.memory.snapshot::<u32>(..1).unwrap()[..], [2]);
}

#[test]
fn a_copy_to_the_host_does_not_wait_for_the_dead() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (memory, mut read) = (buffer([0; 1]), [9_u32; 1]);
    let ended = stream::scope_watching(&Process(|| true), |scope| {
        let stream = scope.on(&stream);
        stream.wait_value(memory.slice::<u32>(..)?, WaitValue::Equal, 1)?;
        let refused = stream.read(memory.slice(..)?, &mut read);
        assert!(matches!(refused, Err(Error::PeerDied)), "{refused:?}");
        refused
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
    assert_eq!(read, [9], "nothing was read");
}

/// CUDA waits in the call for a copy from host to host, so nothing could end a wait before it.
#[test]
fn a_copy_from_host_to_host_does_not_wait_for_the_dead() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let [pages, others] = [(); 2].map(|()| SharedPages::<u32>::new(&context, 1).unwrap());
    let (memory, mut pinned) = (buffer([0; 1]), PinnedBuffer::copy_of(&context, &[9_u32]).unwrap());
    let sent = PinnedBuffer::copy_of(&context, &[9_u32]).unwrap();
    let ended = stream::scope_watching(&Process(|| true), |scope| {
        let (stream, mut waited_for) = (scope.on(&stream), 0);
        let (page, other) = (pages.memory().slice::<u32>(..)?, others.memory().slice(..)?);
        let mut wait = || {
            waited_for += 1;
            stream.wait_value(memory.slice::<u32>(..)?, WaitValue::Equal, waited_for)
        };
        let mut refused = Vec::new();
        wait()?;
        refused.push(stream.read(page, &mut pinned));
        wait()?;
        refused.push(stream.write(page, &sent));
        wait()?;
        refused.push(stream.copy(page, other));
        assert!(refused.iter().all(|result| matches!(result, Err(Error::PeerDied))), "{refused:?}");
        // A copy between host and device goes on in the background.
        wait()?;
        stream.copy(memory.slice(..)?, page)
    });
    assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
    assert_eq!(pinned[..], [9], "nothing was read");
}

/// The scope could not end such a wait.
#[test]
fn a_watching_scope_waits_only_for_numbers_that_it_can_write() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let memory = Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap();
    memory.fill(0).unwrap();
    memory.set_access(device(), Access::Read).unwrap();
    let number = memory.slice::<u32>(..1).unwrap();
    let refused = stream::scope_watching(&Process(|| true), |scope| {
        scope.on(&stream).wait_value(number, WaitValue::GreaterOrEqual, 1)
    });
    let expected = matches!(refused, Err(Error::NoAccess { found: Access::Read, wanted: Access::ReadWrite, .. }));
    assert!(expected, "{refused:?}");
    // Another scope only reads it.
    stream.scope(|stream| stream.wait_value(number, WaitValue::GreaterOrEqual, 0)).unwrap();
}

/// What watches the process is code of the caller.
#[test]
fn a_scope_whose_watch_panics_has_waited() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, asked) = (Gate::closed(&context), Cell::new(0));
    let panics_once = Process(|| {
        asked.set(asked.get() + 1);
        if asked.get() == 3 {
            gate.open();
        }
        assert!(asked.get() > 1, "the first time");
        false
    });
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stream::scope_watching(&panics_once, |scope| scope.on(&stream).wait_value(gate.number(), WaitValue::Equal, 1))
    }));
    assert!(unwound.is_err() && asked.get() >= 3 && stream.query().unwrap());
}

/// A panic while a panic unwinds would end the process.
#[test]
fn a_scope_whose_watch_always_panics_has_waited() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, asked) = (Gate::closed(&context), Cell::new(0));
    let panics = Process(|| {
        asked.set(asked.get() + 1);
        if asked.get() == 2 {
            gate.open();
        }
        panic!("each time");
    });
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stream::scope_watching(&panics, |scope| scope.on(&stream).wait_value(gate.number(), WaitValue::Equal, 1))
    }));
    assert!(unwound.is_err() && asked.get() == 2 && stream.query().unwrap());
}

roles! {
    fn role_writes_once(connection) {
        let context = context();
        let memory = Parcel::receive(&connection).unwrap().map(&context).unwrap();
        memory.write(4, &[33_u32]).unwrap();
        memory.write(0, &[1_u32]).unwrap();
        say("written");
        wait_for_the_end();
    }
}
