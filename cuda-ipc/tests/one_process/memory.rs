//! Typed copies, copies between buffers, and facts about an allocation.

use std::os::fd::AsFd as _;

use cuda_ipc::memory::{MemoryKind, allocation_of};
use cuda_ipc::pool::{ImportedPool, Pool, PoolBuffer};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{DeviceBuffer, Error, Stream};

use crate::common::{context, device};

#[test]
fn values_of_any_plain_type_come_back() {
    let buffer = DeviceBuffer::new(&context(), 4096).unwrap();
    let (floats, pairs) = ([1.5_f64, -0.0, f64::INFINITY], [[1_u16, 2], [3, 4]]);
    buffer.write(8, &floats).unwrap();
    buffer.write(1001, &pairs).unwrap();
    let (mut read_floats, mut read_pairs) = ([0_f64; 3], [[0_u16; 2]; 2]);
    buffer.read(8, &mut read_floats).unwrap();
    buffer.read(1001, &mut read_pairs).unwrap();
    assert_eq!((read_floats, read_pairs), (floats, pairs));
    let mut second = [0_f64; 1];
    buffer.read(16, &mut second).unwrap();
    assert!(second[0] == 0.0 && second[0].is_sign_negative());
    // Lengths are counted in values, bounds in bytes.
    assert!(matches!(buffer.write(4089, &[1_u64]), Err(Error::OutOfBounds { length: 8, offset: 4089, .. })));
}

#[test]
fn parts_are_copied_between_buffers() {
    let context = context();
    let (from, to) = (DeviceBuffer::new(&context, 100).unwrap(), DeviceBuffer::new(&context, 50).unwrap());
    let bytes: Vec<u8> = (0..100).collect();
    from.write(0, &bytes).unwrap();
    to.fill(0xff).unwrap();
    to.copy_from(10, &from, 60, 40).unwrap();
    let mut read = [0_u8; 50];
    to.read(0, &mut read).unwrap();
    assert!(read[..10].iter().all(|byte| *byte == 0xff) && read[10..] == bytes[60..]);
    for (offset, from_offset, length) in [(11, 60, 40), (10, 61, 40), (0, 0, 51), (usize::MAX, 0, 1)] {
        let error = to.copy_from(offset, &from, from_offset, length).unwrap_err();
        assert!(matches!(error, Error::OutOfBounds { .. }), "{error}");
    }
}

#[test]
fn parts_that_overlap_are_not_copied() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 100).unwrap();
    let bytes: Vec<u8> = (0..100).collect();
    buffer.write(0, &bytes).unwrap();
    let stream = Stream::non_blocking(&context).unwrap();
    for (offset, from_offset, length) in [(0, 1, 99), (1, 0, 99), (10, 10, 1), (50, 41, 10), (0, 0, 100)] {
        let now = buffer.copy_from(offset, &buffer, from_offset, length).unwrap_err();
        // SAFETY: the buffer lives until the stream is done, below.
        let later = unsafe { buffer.copy_from_async(offset, &buffer, from_offset, length, &stream) }.unwrap_err();
        for error in [now, later] {
            assert!(matches!(error, Error::Overlap { length: found, .. } if found == length), "{error}");
            let (to, from) = (buffer.pointer() + offset as u64, buffer.pointer() + from_offset as u64);
            let parts = [format!("{length} bytes"), format!("{to:#x}"), format!("{from:#x}")];
            assert!(parts.iter().all(|part| error.to_string().contains(part)), "{error}");
        }
    }
    // Parts that only touch, and empty parts, overlap nothing.
    buffer.copy_from(50, &buffer, 0, 50).unwrap();
    buffer.copy_from(10, &buffer, 10, 0).unwrap();
    // SAFETY: as above.
    unsafe { buffer.copy_from_async(0, &buffer, 99, 1, &stream) }.unwrap();
    stream.synchronize().unwrap();
    let mut read = [0_u8; 100];
    buffer.read(0, &mut read).unwrap();
    assert_eq!(read[0], 49);
    assert!(read[1..50] == bytes[1..50] && read[50..] == bytes[..50]);
}

/// Two imports of one pointer are two values with one address.
#[test]
fn parts_that_overlap_through_two_values_are_not_copied() {
    let context = context();
    let pool = Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let buffer = PoolBuffer::new(&pool, 4096, &Stream::new(&context).unwrap()).unwrap();
    let import = ImportedPool::import(device(), pool.export().unwrap().as_fd()).unwrap();
    let pointer = buffer.export().unwrap();
    // SAFETY: the buffer outlives the imports, and there is one import of the pool.
    let [one, other] = [(); 2].map(|()| unsafe { import.open(&context, &pointer) }.unwrap());
    let error = one.copy_from(1, &other, 0, 1024).unwrap_err();
    assert!(matches!(error, Error::Overlap { .. }), "{error}");
    // Two mappings of one memory have two addresses. The bytes are a mixture, and nothing else happens.
    one.copy_from(1, &buffer, 0, 1024).unwrap();
}

#[test]
fn a_stream_copies_in_its_order() {
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (one, other) = (DeviceBuffer::new(&context, 4096).unwrap(), DeviceBuffer::new(&context, 4096).unwrap());
    let (sent, mut received) = ([7_u32; 1024], [0_u32; 1024]);
    // SAFETY: the buffers and arrays live until the stream is done, below.
    unsafe {
        one.write_async(0, &sent, &stream).unwrap();
        other.fill_async(0, &stream).unwrap();
        other.copy_from_async(4, &one, 0, 4092, &stream).unwrap();
        other.read_async(0, &mut received, &stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert!(received[0] == 0 && received[1..] == sent[1..]);
}

#[test]
fn an_allocation_is_known_by_any_address_in_it() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 5000).unwrap();
    for offset in [0, 1, 4999] {
        let (base, size) = allocation_of(&context, buffer.pointer() + offset).unwrap();
        assert_eq!((base, size), (buffer.pointer(), 5000));
    }
    assert_eq!(allocation_of(&context, 0).unwrap_err().code(), Some(CUresult::CUDA_ERROR_NOT_FOUND));
    assert_eq!(MemoryKind::of_pointer(&context, buffer.pointer() + 4999).unwrap(), MemoryKind::Linear);
}

#[test]
fn no_allocation_has_the_id_of_another() {
    let context = context();
    let mut ids = Vec::new();
    for _ in 0..10 {
        // The driver is likely to reuse the same address.
        let buffer = DeviceBuffer::new(&context, 2 << 20).unwrap();
        let id = buffer.buffer_id().unwrap();
        assert_eq!(id, buffer.buffer_id().unwrap());
        assert!(!ids.contains(&id), "{id} after {ids:?}");
        ids.push(id);
    }
}
