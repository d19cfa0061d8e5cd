//! Multicast objects.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;
#[path = "common/remote.rs"]
mod remote;

use std::ptr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use calls::*;
use common::turn::my_turn;
use cuda_ipc_sys::{CUdevice_attribute, CUmemLocation, CUmulticastGranularity_flags, CUmulticastObjectProp};
use remote::Remote;

#[test]
#[ignore = "started by other tests, as another process"]
fn remote() {
    remote::perform();
}

/// Creates a multicast object of both devices.
fn team(size: usize) -> u64 {
    let object = create_multicast(2, size, NO_TYPE).unwrap();
    assert_eq!((add_device(object, 0), add_device(object, 1)), (Ok(()), Ok(())));
    object
}

/// Creates memory on a device, and maps it with access for the first device.
fn memory_of(device: i32, size: usize) -> (u64, u64) {
    let handle = create_at(CUmemLocation::device(device), size, NO_TYPE).unwrap();
    let base = map(handle, size).unwrap();
    assert_eq!(grant(base, size, READ_WRITE), Ok(()));
    (handle, base)
}

fn unbind(object: u64, device: i32, offset: usize, size: usize) -> Answer<()> {
    code!(cuMulticastUnbind(object, device, offset, size)).result()
}

#[test]
fn what_is_written_reaches_every_device() {
    let _turn = my_turn();
    let _context = Context::new();
    let object = team(2 * GRANULE);
    let ((one, here), (other, there)) = (memory_of(0, 2 * GRANULE), memory_of(1, GRANULE));
    // The second device binds two allocations of one granule each.
    let (more, beyond) = memory_of(1, GRANULE);
    assert_eq!(bind(object, 0, other, 0, GRANULE), Ok(()));
    assert_eq!(bind(object, 0, one, 0, 2 * GRANULE), Ok(()));
    assert_eq!(code!(cuMulticastBindAddr(object, GRANULE, beyond, GRANULE, 0)).result(), Ok(()));
    let all = map(object, 2 * GRANULE).unwrap();
    assert_eq!(write(all, 1), Err(INVALID_VALUE), "no access yet");
    assert_eq!(grant(all, 2 * GRANULE, READ_WRITE), Ok(()));
    assert_eq!(granted(CUmemLocation::device(0), all), Ok(3));
    assert_eq!((write(here, 1), write(there, 2), read(all)), (Ok(()), Ok(()), Ok(1)), "read from the first device");

    assert_eq!((write(all + 4, 7), read(here + 4), read(there + 4)), (Ok(()), Ok(7), Ok(7)));
    call!(cuMemsetD32(all + 8, 9, 1));
    assert_eq!((read(here + 8), read(there + 8), read(all + 8)), (Ok(9), Ok(9), Ok(9)));
    let seam = GRANULE as u64 - 16;
    assert_eq!(fill(all + seam, 8, 5), Ok(()));
    for (pointer, index) in [(here + seam, 0), (there + seam, 0), (here + seam + 28, 7), (beyond + 12, 7)] {
        assert_eq!(read(pointer), Ok(kernels::pattern(5, index)));
    }

    assert_eq!(unbind(object, 1, 0, GRANULE), Ok(()));
    assert_eq!((write(all, 3), read(here), read(there)), (Ok(()), Ok(3), Ok(2)));
    assert_eq!(unbind(object, 0, 0, 2 * GRANULE), Ok(()));
    assert_eq!(write(all, 4), Err(INVALID_VALUE), "no memory is bound there");
    assert_eq!((release(object), unmap(all, 2 * GRANULE)), (Ok(()), Ok(())));
    for (handle, base, size) in [(one, here, 2 * GRANULE), (other, there, GRANULE), (more, beyond, GRANULE)] {
        assert_eq!((release(handle), unmap(base, size)), (Ok(()), Ok(())));
    }
}

#[test]
fn memory_of_a_pool_is_bound_by_its_address() {
    let _turn = my_turn();
    let _context = Context::new();
    let object = create_multicast(1, 2 * GRANULE, NO_TYPE).unwrap();
    assert_eq!(add_device(object, 0), Ok(()));
    let pooled = [(); 2].map(|()| {
        let mut pointer = 0;
        call!(cuMemAllocAsync(&mut pointer, GRANULE, ptr::null_mut()));
        pointer
    });
    for (index, pointer) in pooled.into_iter().enumerate() {
        assert_eq!(code!(cuMulticastBindAddr(object, index * GRANULE, pointer, GRANULE, 0)).result(), Ok(()));
    }
    let all = map(object, 2 * GRANULE).unwrap();
    assert_eq!(grant(all, 2 * GRANULE, READ_WRITE), Ok(()));
    assert_eq!((write(all, 5), write(all + GRANULE as u64, 6)), (Ok(()), Ok(())));
    assert_eq!(pooled.map(read), [Ok(5), Ok(6)]);
    assert_eq!((release(object), unmap(all, 2 * GRANULE)), (Ok(()), Ok(())));
    for pointer in pooled {
        call!(cuMemFree(pointer));
    }
}

#[test]
fn an_object_keeps_the_memory_that_is_bound() {
    let _turn = my_turn();
    let _context = Context::new();
    let before = free_bytes();
    let object = create_multicast(1, GRANULE, NO_TYPE).unwrap();
    let memory = create(GRANULE, NO_TYPE).unwrap();
    assert_eq!((add_device(object, 0), bind(object, 0, memory, 0, GRANULE)), (Ok(()), Ok(())));
    assert_eq!((release(memory), free_bytes()), (Ok(()), before - GRANULE));
    assert_eq!((unbind(object, 0, 0, GRANULE), free_bytes()), (Ok(()), before));
    let memory = create(GRANULE, NO_TYPE).unwrap();
    assert_eq!((bind(object, 0, memory, 0, GRANULE), release(memory)), (Ok(()), Ok(())));
    assert_eq!(free_bytes(), before - GRANULE);
    assert_eq!((release(object), free_bytes()), (Ok(()), before));
}

#[test]
fn objects_are_made_as_their_properties_say() {
    let _turn = my_turn();
    call!(cuInit(0));
    for (devices, size) in [(0, GRANULE), (3, GRANULE), (2, 0), (2, GRANULE - 4096)] {
        assert_eq!(create_multicast(devices, size, NO_TYPE), Err(INVALID_VALUE), "{devices} {size}");
    }
    let properties = CUmulticastObjectProp { numDevices: 2, size: GRANULE, flags: 1, ..Default::default() };
    let (mut handle, mut granularity) = (0, 0);
    assert_eq!(code!(cuMulticastCreate(&mut handle, &properties)), INVALID_VALUE);
    call!(cuMulticastGetGranularity(&mut granularity, &properties, CUmulticastGranularity_flags(1)));
    assert_eq!(granularity, GRANULE);
    let wrong = CUmulticastGranularity_flags(2);
    assert_eq!(code!(cuMulticastGetGranularity(&mut granularity, &properties, wrong)), INVALID_VALUE);
    let object = create_multicast(1, GRANULE, NO_TYPE).unwrap();
    assert_eq!(add_device(object, 2), Err(INVALID_DEVICE));
    assert_eq!((add_device(object, 1), add_device(object, 1)), (Ok(()), Err(INVALID_VALUE)));
    assert_eq!(add_device(object, 0), Err(INVALID_VALUE), "all devices have been added");
    assert_eq!((release(object), release(object)), (Ok(()), Err(INVALID_VALUE)));
}

#[test]
fn memory_is_bound_where_it_fits() {
    let _turn = my_turn();
    let _context = Context::new();
    let object = create_multicast(1, 2 * GRANULE, NO_TYPE).unwrap();
    assert_eq!(add_device(object, 0), Ok(()));
    let memory = create(2 * GRANULE, NO_TYPE).unwrap();
    for (offset, memory_offset, size) in [
        (0, 0, 0),
        (0, 0, 3 * GRANULE),
        (GRANULE, 0, 2 * GRANULE),
        (0, GRANULE, 2 * GRANULE),
        (4096, 0, GRANULE),
        (0, 4096, GRANULE),
        (0, 0, 4096),
    ] {
        let code = bind(object, offset, memory, memory_offset, size);
        assert_eq!(code, Err(INVALID_VALUE), "{offset} {memory_offset} {size}");
    }
    assert_eq!(code!(cuMulticastBindMem(object, 0, memory, 0, GRANULE, 1)), INVALID_VALUE);
    assert_eq!(bind(object, GRANULE, memory, GRANULE, GRANULE), Ok(()), "up to the end of both");
    assert_eq!(bind(object, GRANULE, memory, 0, GRANULE), Err(INVALID_VALUE), "memory is already bound there");
    assert_eq!(unbind(object, 0, 0, GRANULE), Err(INVALID_VALUE), "no memory was bound there");
    let foreign = create_at(CUmemLocation::device(1), GRANULE, NO_TYPE).unwrap();
    assert_eq!(bind(object, 0, foreign, 0, GRANULE), Err(INVALID_DEVICE), "its device is not part of the object");
    let mut linear = 0;
    call!(cuMemAlloc(&mut linear, GRANULE));
    assert_eq!(code!(cuMulticastBindAddr(object, 0, linear, GRANULE, 0)), INVALID_VALUE);
    for handle in [object, memory, foreign] {
        assert_eq!(release(handle), Ok(()));
    }
}

#[test]
fn what_can_be_shared_takes_only_what_can_be_shared() {
    let _turn = my_turn();
    let _context = Context::new();
    let object = create_multicast(1, GRANULE, DESCRIPTOR).unwrap();
    assert_eq!(add_device(object, 0), Ok(()));
    let (plain, shareable) = (create(GRANULE, NO_TYPE).unwrap(), create(GRANULE, DESCRIPTOR).unwrap());
    assert_eq!(bind(object, 0, plain, 0, GRANULE), Err(INVALID_VALUE));
    assert_eq!(bind(object, 0, shareable, 0, GRANULE), Ok(()));
    let private = create_multicast(1, GRANULE, NO_TYPE).unwrap();
    assert_eq!(export_descriptor(private), Err(INVALID_VALUE));
    for handle in [object, private, plain, shareable] {
        assert_eq!(release(handle), Ok(()));
    }
}

#[test]
fn binding_and_mapping_wait_for_the_last_device() {
    let _turn = my_turn();
    let _context = Context::new();
    let object = create_multicast(2, GRANULE, NO_TYPE).unwrap();
    let memory = create(GRANULE, NO_TYPE).unwrap();
    let base = reserve(GRANULE);
    assert_eq!(add_device(object, 0), Ok(()));
    let (done, is_done) = channel();
    let other = done.clone();
    std::thread::spawn(move || done.send(bind(object, 0, memory, 0, GRANULE)));
    std::thread::spawn(move || other.send(code!(cuMemMap(base, GRANULE, 0, object, 0)).result()));
    assert_eq!(is_done.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
    assert_eq!(add_device(object, 1), Ok(()));
    assert_eq!((is_done.recv(), is_done.recv()), (Ok(Ok(())), Ok(Ok(()))));
    assert_eq!((unmap(base, GRANULE), release(object), release(memory)), (Ok(()), Ok(()), Ok(())));
}

#[test]
fn a_device_alone_has_no_objects() {
    let _turn = my_turn();
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED;
    let mut peer = Remote::new(&[("REFERENCE_DRIVER_DEVICES", "1")]);
    assert_eq!((peer.attribute(attribute), peer.create_multicast(1, GRANULE)), (Ok(0), Err(NOT_SUPPORTED)));
    assert_eq!(Remote::new(&[]).attribute(attribute), Ok(1));
}

#[test]
fn two_processes_form_a_team() {
    let _turn = my_turn();
    let mut peers = [Remote::new(&[]), Remote::new(&[])];
    let object = peers[0].create_multicast(2, GRANULE).unwrap();
    let descriptor = peers[0].export_descriptor(object).unwrap();
    let objects = [object, peers[1].import_descriptor(&descriptor).unwrap()];
    assert_eq!(peers[1].export_descriptor(objects[1]).map(|_| ()), Err(INVALID_VALUE));
    let mut memory = [0; 2];
    for (index, peer) in peers.iter_mut().enumerate() {
        peer.add_device(objects[index], index as i32).unwrap();
    }
    for (index, peer) in peers.iter_mut().enumerate() {
        let handle = peer.create_on(index as i32, GRANULE, DESCRIPTOR).unwrap();
        peer.bind(objects[index], handle, GRANULE).unwrap();
        memory[index] = peer.open(handle, GRANULE).unwrap();
    }
    for writer in 0..2 {
        let all = peers[writer].open(objects[writer], GRANULE).unwrap();
        let word = 5 + writer as u32;
        peers[writer].write(all, word).unwrap();
        for (peer, memory) in peers.iter_mut().zip(memory) {
            assert_eq!(peer.read(memory), Ok(word.into()));
        }
    }
}
