//! Shared pages in one process: the CPU and the device see the same numbers.

use std::os::fd::AsFd as _;
use std::ptr;
use std::sync::atomic::Ordering;

use cuda_ipc::host::SharedPages;
use cuda_ipc::memory::MemoryKind;
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::{Context, DeviceBuffer, Error, Stream};
use rstest::rstest;

use crate::common::{context, device};
use crate::{alone, answer, is_done, see};

#[rstest]
#[case::one(1)]
#[case::a_page(1024)]
#[case::more_than_a_page(1025)]
fn the_device_and_the_cpu_see_the_same(#[case] length: usize) {
    let _alone = alone();
    let pages = SharedPages::<u32>::new(&context(), length).unwrap();
    assert_eq!((pages.numbers().len(), pages.memory().size()), (length, 4 * length));
    assert!(pages.numbers().iter().all(|number| number.load(Ordering::Relaxed) == 0));
    let values: Vec<u32> = (1..=length as u32).map(|number| number.wrapping_mul(0x0101_0101)).collect();
    pages.store(0, &values).unwrap();
    let mut seen = vec![0; length];
    pages.memory().read(0, &mut seen).unwrap();
    assert_eq!(seen, values);
    pages.memory().fill(0x5a).unwrap();
    pages.load(0, &mut seen).unwrap();
    assert_eq!(seen, vec![0x5a5a_5a5a; length]);
    assert_eq!(MemoryKind::of_pointer(&context(), pages.memory().pointer()).unwrap(), MemoryKind::Host);
    pages.unmap().unwrap();
}

#[test]
fn numbers_of_64_bits_are_written_and_awaited() {
    let _alone = alone();
    let context = context();
    let pages = SharedPages::<u64>::new(&context, 3).unwrap();
    assert_eq!(pages.memory().size(), 24);
    let stream = Stream::non_blocking(&context).unwrap();
    let numbers = pages.memory().slice::<u64>(..).unwrap();
    stream
        .scope(|stream| {
            stream.wait_value(numbers.value(1)?, WaitValue::Equal, u64::MAX)?;
            stream.write_value(numbers.value(2)?, 1 << 40)?;
            assert!(!is_done(stream));
            pages.numbers()[1].store(u64::MAX, Ordering::Release);
            Ok(())
        })
        .unwrap();
    let mut read = [0; 3];
    pages.load(0, &mut read).unwrap();
    assert_eq!(read, [0, u64::MAX, 1 << 40]);
}

#[test]
fn a_cpu_store_ends_a_wait_of_this_process() {
    let _alone = alone();
    let context = context();
    let pages = SharedPages::new(&context, 40).unwrap();
    let stream = Stream::non_blocking(&context).unwrap();
    stream
        .scope(|stream| {
            answer(stream, &pages, (0, 3), (39, 4));
            assert!(!is_done(stream));
            pages.numbers()[0].store(3, Ordering::Release);
            see(&pages.numbers()[39], 4);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_part_is_copied_and_nothing_beside_it() {
    let _alone = alone();
    let pages = SharedPages::<u32>::new(&context(), 8).unwrap();
    pages.store(2, &[1, 2, 3]).unwrap();
    pages.store(8, &[]).unwrap();
    let mut part = [9; 4];
    pages.load(3, &mut part).unwrap();
    assert_eq!(part, [2, 3, 0, 0]);
    for (first, length) in [(8, 1), (0, 9), (7, 2), (9, 0), (usize::MAX, 2)] {
        let stored = pages.store(first, &vec![5; length]).unwrap_err();
        let loaded = pages.load(first, &mut vec![0; length]).unwrap_err();
        for error in [stored, loaded] {
            assert!(matches!(error, Error::OutOfBounds { size: 32, .. }), "{first} {length}: {error}");
        }
    }
    let mut all = [9; 8];
    pages.load(0, &mut all).unwrap();
    assert_eq!(all, [0, 0, 1, 2, 3, 0, 0, 0]);
}

#[test]
fn streams_use_whole_numbers_within_the_pages() {
    let _alone = alone();
    let context = context();
    let pages = SharedPages::<u32>::new(&context, 2).unwrap();
    let stream = Stream::non_blocking(&context).unwrap();
    // SAFETY: the layer refuses each of these, so nothing is enqueued.
    let (beside, beyond) =
        unsafe { (stream.write_value32(pages.memory(), 2, 1), stream.write_value32(pages.memory(), 8, 1)) };
    assert!(matches!(beside.unwrap_err(), Error::Misaligned { alignment: 4, .. }));
    // The rest of the page is mapped, but is not part of the memory.
    assert!(matches!(beyond.unwrap_err(), Error::OutOfBounds { offset: 8, size: 8, .. }));
}

#[test]
fn copies_and_kernels_use_the_pages() {
    const COUNT: usize = 3000;
    let _alone = alone();
    let context = context();
    let pages = SharedPages::<u32>::new(&context, COUNT).unwrap();
    let buffer = DeviceBuffer::new(&context, 4 * COUNT).unwrap();
    let stream = Stream::new(&context).unwrap();
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(&context, kernels::FILL.ptx) }.unwrap();
    let function = module.function(kernels::FILL.entry).unwrap();
    let (mut words, mut count, mut seed) = (pages.memory().pointer(), COUNT as u64, 3_u32);
    let mut parameters =
        [ptr::from_mut(&mut words).cast(), ptr::from_mut(&mut count).cast(), ptr::from_mut(&mut seed).cast()];
    // SAFETY: the kernel takes these three, and the pages of `COUNT` words live until the stream is done.
    unsafe { function.launch(LaunchShape::linear(4, 64), &stream, &mut parameters) }.unwrap();
    stream.synchronize().unwrap();
    let expected: Vec<u32> = (0..COUNT as u64).map(|index| kernels::pattern(seed, index)).collect();
    let mut seen = vec![0; COUNT];
    pages.load(0, &mut seen).unwrap();
    assert_eq!(seen, expected);
    buffer.copy_from(0, pages.memory(), 0, 4 * COUNT).unwrap();
    pages.memory().fill(0).unwrap();
    pages.memory().copy_from(4, &buffer, 0, 4 * (COUNT - 1)).unwrap();
    pages.load(0, &mut seen).unwrap();
    assert_eq!((seen[0], &seen[1..]), (0, &expected[..COUNT - 1]));
}

#[test]
fn pages_hold_their_context() {
    let _alone = alone();
    let context = Context::new(device()).unwrap();
    let pages = SharedPages::<u32>::new(&context, 1).unwrap();
    context.release().unwrap();
    pages.memory().write(0, &[6_u32]).unwrap();
    assert_eq!(pages.numbers()[0].load(Ordering::Acquire), 6);
    pages.unmap().unwrap();
}

#[test]
fn leaked_pages_stay_registered_and_disturb_no_others() {
    let _alone = alone();
    let context = context();
    let leaked = SharedPages::<u32>::new(&context, 16).unwrap();
    let again = SharedPages::<u32>::import(&context, leaked.as_fd(), 16).unwrap();
    let pointer = leaked.memory().pointer();
    std::mem::forget(leaked);
    for _ in 0..4 {
        SharedPages::<u32>::new(&context, 16).unwrap().unmap().unwrap();
    }
    assert_eq!(MemoryKind::of_pointer(&context, pointer).unwrap(), MemoryKind::Host);
    again.numbers()[3].store(8, Ordering::Release);
    again.unmap().unwrap();
    assert_eq!(MemoryKind::of_pointer(&context, pointer).unwrap(), MemoryKind::Host);
}
