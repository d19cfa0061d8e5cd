//! Pinned buffers: slices of the host whose copies run while the program goes on.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};

use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::memory::MemoryKind;
use cuda_ipc::stream::{self, ScopedStream, WaitValue};
use cuda_ipc::sys::{CUdeviceptr, CUresult};
use cuda_ipc::{Context, DeviceBuffer, Error, ProcessIdentity, Stream};
use rstest::rstest;

use crate::alone;
use crate::common::{context, device};
use crate::peer::LONG;

#[test]
fn values_are_copied_from_and_to_a_buffer() {
    let _alone = alone();
    let context = context();
    let from = PinnedBuffer::copy_of(&context, &[1.5_f64, -2.0, 7.25]).unwrap();
    let mut to = PinnedBuffer::<f64>::new(&context, 3).unwrap();
    assert_eq!(*to, [0.0; 3]);
    let kind = MemoryKind::of_pointer(&context, to.as_ptr().addr() as CUdeviceptr).unwrap();
    assert_eq!(kind, MemoryKind::Host);
    let memory = DeviceBuffer::new(&context, 24).unwrap();
    memory.write(0, &from).unwrap();
    memory.read(0, &mut to).unwrap();
    assert_eq!(*to, [1.5, -2.0, 7.25]);
    to[1] = 3.0;
    assert_eq!(format!("{to:?}"), "PinnedBuffer([1.5, 3.0, 7.25])");
    to.free().unwrap();
    from.free().unwrap();
}

/// Makes a stream wait for a number, and then read. Signals when both calls have returned.
fn enqueue<'scope>(
    stream: ScopedStream<'scope, '_>,
    (awaited, from): (&'scope SharedPages<u32>, &'scope DeviceBuffer),
    to: &'scope mut [u32],
    signal: Sender<()>,
) -> Result<(), Error> {
    stream.wait_value(awaited.memory().slice(..1)?, WaitValue::Equal, 1_u32)?;
    stream.read(from.slice(..1)?, to)?;
    signal.send(()).unwrap();
    Ok(())
}

/// With other memory, the read would wait for the number that is stored after it.
#[rstest]
#[case::in_a_scope(false)]
#[case::in_a_scope_that_watches_a_process(true)]
fn a_read_into_a_buffer_returns_before_the_stream_reaches_it(#[case] watches: bool) {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let pages = SharedPages::<u32>::new(&context, 1).unwrap();
    let memory = DeviceBuffer::new(&context, 4).unwrap();
    memory.write(0, &[6_u32]).unwrap();
    let mut to = PinnedBuffer::<u32>::new(&context, 1).unwrap();
    let this = ProcessWatch::of(ProcessIdentity::current().unwrap()).unwrap();
    let (signal, has_returned) = channel();
    let in_time = std::thread::scope(|threads| {
        let number = &pages.numbers()[0];
        let releases = threads.spawn(move || {
            let in_time = has_returned.recv_timeout(LONG).is_ok();
            number.store(1, Ordering::Release);
            in_time
        });
        let from = (&pages, &memory);
        let done = if watches {
            stream::scope_watching(&this, |scope| enqueue(scope.on(&stream), from, &mut to, signal))
        } else {
            stream.scope(|stream| enqueue(stream, from, &mut to, signal))
        };
        done.unwrap();
        releases.join().unwrap()
    });
    assert!(in_time, "the call waited for the stream");
    assert_eq!(*to, [6]);
}

#[test]
fn mirrors_and_snapshots_keep_their_values_in_a_buffer() {
    let _alone = alone();
    let context = context();
    let memory = DeviceBuffer::new(&context, 12).unwrap();
    memory.write(0, &[1_u32, 2, 3]).unwrap();
    let slice = memory.slice::<u32>(1..).unwrap();
    let mut mirror = slice.mirror_in(PinnedBuffer::new(&context, 2).unwrap()).unwrap();
    assert_eq!(*mirror, [2, 3]);
    mirror[0] = 20;
    drop(mirror);
    let mut snapshot = slice.snapshot_in(PinnedBuffer::new(&context, 2).unwrap()).unwrap();
    assert_eq!(*snapshot, [20, 3]);
    memory.write(0, &[7_u32; 3]).unwrap();
    snapshot.refresh().unwrap();
    assert_eq!(*snapshot.into_values(), [7, 7]);
    slice.mirror_with(PinnedBuffer::copy_of(&context, &[8, 9]).unwrap()).unwrap().flush().unwrap();
    let mut all = PinnedBuffer::<u32>::new(&context, 3).unwrap();
    memory.read(0, &mut all).unwrap();
    assert_eq!(*all, [7, 8, 9]);
    let short = slice.mirror_in(PinnedBuffer::new(&context, 1).unwrap()).unwrap_err();
    assert!(matches!(short, Error::Length { .. }), "{short}");
}

#[test]
fn a_buffer_of_no_bytes_is_an_empty_slice() {
    let _alone = alone();
    let empty = PinnedBuffer::<u64>::new(&context(), 0).unwrap();
    assert!(empty.is_empty());
    DeviceBuffer::new(&context(), 8).unwrap().write(8, &empty).unwrap();
    empty.free().unwrap();
    assert_eq!(PinnedBuffer::<[u8; 0]>::new(&context(), 5).unwrap().len(), 5);
}

#[test]
fn values_are_aligned_or_refused() {
    #[derive(Clone, Copy)]
    #[repr(align(65536))]
    struct Wide(u8);
    let _alone = alone();
    // Buffers of one page between the others, so that not all of them lie at the same distance from a multiple.
    let buffers = (0..32).map(|_| {
        let wide = PinnedBuffer::copy_of(&context(), &[Wide(7)]);
        (wide, PinnedBuffer::<u8>::new(&context(), 1).unwrap())
    });
    for (buffer, _between) in buffers.collect::<Vec<_>>() {
        match buffer {
            Ok(buffer) => assert_eq!((buffer[0].0, buffer.as_ptr().addr() % 65536), (7, 0)),
            Err(error) => assert!(matches!(error, Error::Misaligned { alignment: 65536, .. }), "{error}"),
        }
    }
}

#[test]
fn more_than_the_machine_can_lock_is_refused() {
    let _alone = alone();
    for length in [usize::MAX, isize::MAX as usize / 8 + 1] {
        let error = PinnedBuffer::<u64>::new(&context(), length).unwrap_err();
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_OUT_OF_MEMORY), "{error}");
        assert!(error.to_string().contains("RLIMIT_MEMLOCK"), "{error}");
    }
}

#[test]
fn a_buffer_holds_its_context_and_crosses_threads() {
    let _alone = alone();
    let context = Context::new(device()).unwrap();
    let mut buffer = PinnedBuffer::<u32>::new(&context, 2).unwrap();
    context.release().unwrap();
    let buffer = std::thread::spawn(move || {
        buffer[1] = 4;
        buffer
    });
    let buffer = buffer.join().unwrap();
    assert_eq!(*buffer, [0, 4]);
    buffer.free().unwrap();
}
