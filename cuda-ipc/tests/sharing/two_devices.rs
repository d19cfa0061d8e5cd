//! Memory on another device than the context that exports it. These tests need two GPUs with peer access.

use std::os::fd::AsFd as _;

use cuda_ipc::pool::{ImportedPool, Pool, PoolBuffer, PoolPointerData};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, Device, Error, ImportedMemory, Parcel, Stream};

use crate::common::{context, device, driver};
use crate::peer::{Peer, roles};
use crate::{SIZE, contents};

fn other_device() -> Device {
    driver().device(1).expect("a second device")
}

#[test]
fn a_ticket_of_a_pool_names_the_pools_device() {
    let stream = Stream::new(&context()).unwrap();
    let pool = Pool::new(other_device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    pool.set_access(device(), Access::ReadWrite).unwrap();
    let buffer = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
    buffer.fill(1).unwrap();
    let importer = Peer::start(module_path!(), "role_opens_on_the_named_device");
    for parcel in [buffer.share(..).unwrap(), buffer.share_without_pool(..).unwrap()] {
        assert_eq!(parcel.ticket.device, other_device().uuid().unwrap());
        parcel.send(&importer.connection).unwrap();
    }
    importer.finish();
    assert!(contents(&buffer).iter().all(|byte| *byte == 2));
}

#[test]
fn a_ticket_of_virtual_memory_names_the_device_of_the_memory() {
    let types = HandleTypes::POSIX_FILE_DESCRIPTOR;
    let size = SIZE.next_multiple_of(granularity(other_device(), types).unwrap());
    let allocation = Allocation::new(other_device(), size, types).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(1).unwrap();
    let importer = Peer::start(module_path!(), "role_opens_on_the_named_device");
    for _ in 0..2 {
        let parcel = mapping.share(.., Access::ReadWrite).unwrap();
        assert_eq!(parcel.ticket.device, other_device().uuid().unwrap());
        parcel.send(&importer.connection).unwrap();
    }
    importer.finish();
    assert!(contents(&mapping).iter().all(|byte| *byte == 2));
}

/// An H200 does not know the memory in a context of a device that has no access to the pool.
#[test]
fn a_pointer_of_a_pool_without_access_is_refused_and_says_why() {
    let pool = Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let buffer = PoolBuffer::new(&pool, SIZE, &Stream::new(&context()).unwrap()).unwrap();
    buffer.fill(1).unwrap();
    let importer = Peer::start(module_path!(), "role_opens_without_access");
    let descriptor = pool.export().unwrap();
    importer.connection.send(&buffer.export().unwrap().to_bytes(), &[descriptor.as_fd()]).unwrap();
    importer.finish();
}

roles! {
    fn role_opens_without_access(connection) {
        let message = connection.receive().unwrap();
        let pointer = PoolPointerData::from_bytes(message.bytes.try_into().unwrap());
        let pool = ImportedPool::import(device(), message.descriptors[0].as_fd()).unwrap();
        let elsewhere = Context::primary(other_device()).unwrap();
        // SAFETY: the bytes came from a process that keeps the memory as long as this one runs.
        let open = || unsafe { pool.open(&elsewhere, &pointer) };
        let error = open().unwrap_err();
        let is_told = matches!(error, Error::NoAccess { device: 1, found: Access::None, wanted: Access::ReadWrite, .. });
        assert!(is_told, "{error}");
        pool.set_access(other_device(), Access::ReadWrite).unwrap();
        assert!(contents(&open().unwrap()).iter().all(|byte| *byte == 1));
    }

    fn role_opens_on_the_named_device(connection) {
        let parcels = [(); 2].map(|()| Parcel::receive(&connection).unwrap());
        let named = driver().device_by_uuid(parcels[0].ticket.device).unwrap().expect("the named device");
        assert_eq!(named, other_device());
        let context = Context::primary(named).unwrap();
        // SAFETY: the parcels came from a process that keeps the memory as long as this one runs.
        let memory: [ImportedMemory; 2] = parcels.map(|parcel| unsafe { parcel.open(&context) }.unwrap());
        assert!(contents(&memory[0]).iter().all(|byte| *byte == 1));
        memory[0].fill(2).unwrap();
        assert!(contents(&memory[1]).iter().all(|byte| *byte == 2));
    }
}
