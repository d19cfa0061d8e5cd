//! Memory pools.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::{
    CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation,
    CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemPoolPtrExportData,
};

use crate::message::Refused;
use crate::role::{Resource, Session, ThreadSession, close};
use crate::{Descriptor, FabricHandle, MemProperties, Pointer, Pool, PoolPointer, Stream};

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
/// What an output holds that the driver did not write.
const UNWRITTEN: CUmemAccess_flags = CUmemAccess_flags(0xa5a5_a5a5);
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;

fn pool_properties(properties: MemProperties, maximum: u64, reserved: u8) -> CUmemPoolProps {
    let mut of_pool = CUmemPoolProps {
        allocType: CUmemAllocationType(properties.allocation_type),
        handleTypes: CUmemAllocationHandleType(properties.handle_types),
        location: CUmemLocation::new(CUmemLocationType(properties.location_type), properties.location),
        maxSize: maximum as usize,
        ..Default::default()
    };
    of_pool.reserved[of_pool.reserved.len() - 1] = reserved;
    of_pool
}

calls! {
    /// `cuMemPoolCreate` on the role's device.
    fn mem_pool_create(session, handle_types: u32) -> Pool {
        let properties = CUmemPoolProps {
            allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: CUmemAllocationHandleType(handle_types),
            location: CUmemLocation::device(session.device),
            ..Default::default()
        };
        let mut pool = ptr::null_mut();
        cuda!(session.cuMemPoolCreate(&mut pool, &properties));
        session.ledger.add(Resource::Pool(pool as u64));
        Ok(Pool(pool as u64))
    }

    /// `cuMemPoolCreate` with a maximum size (0 for the default) and a value of the last reserved byte.
    fn mem_pool_create_with(session, properties: MemProperties, maximum: u64, reserved: u8) -> Pool {
        let mut pool = ptr::null_mut();
        cuda!(session.cuMemPoolCreate(&mut pool, &pool_properties(properties, maximum, reserved)));
        session.ledger.add(Resource::Pool(pool as u64));
        Ok(Pool(pool as u64))
    }

    /// `cuMemPoolCreate` without an output or without properties. The driver must refuse it.
    fn mem_pool_create_in_part(session, output_wanted: bool, properties_wanted: bool) -> () {
        let (mut pool, properties) = (ptr::null_mut(), pool_properties(MemProperties::device(session.device), 0, 0));
        let output = if output_wanted { &raw mut pool } else { ptr::null_mut() };
        let input = if properties_wanted { &raw const properties } else { ptr::null() };
        cuda!(session.cuMemPoolCreate(output, input));
        Ok(())
    }

    /// `cuMemPoolDestroy`.
    fn mem_pool_destroy(session, pool: Pool) -> () {
        cuda!(session.cuMemPoolDestroy(pool.0 as _));
        session.ledger.remove(&Resource::Pool(pool.0));
        session.ledger.remove(&Resource::ImportedPool(pool.0));
        Ok(())
    }

    /// `cuDeviceGetDefaultMemPool` of the role's device.
    fn device_get_default_mem_pool(session) -> Pool {
        let mut pool = ptr::null_mut();
        let device = session.device;
        cuda!(session.cuDeviceGetDefaultMemPool(&mut pool, device));
        Ok(Pool(pool as u64))
    }

    /// `cuDeviceSetMemPool` of the role's device.
    fn device_set_mem_pool(session, pool: Pool) -> () {
        let device = session.device;
        cuda!(session.cuDeviceSetMemPool(device, pool.0 as _));
        Ok(())
    }

    /// `cuMemAllocFromPoolAsync` in the default stream, then `cuStreamSynchronize`.
    fn mem_alloc_from_pool_async(session, size: u64, pool: Pool) -> Pointer {
        let pointer = session.allocate_from_pool(size, pool, Stream::DEFAULT)?;
        cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
        Ok(pointer)
    }

    /// `cuMemAllocFromPoolAsync` in a stream, without synchronisation.
    fn mem_alloc_from_pool_async_in(session, size: u64, pool: Pool, stream: Stream) -> Pointer {
        session.allocate_from_pool(size, pool, stream)
    }

    /// `cuMemFreeAsync` in the default stream, then `cuStreamSynchronize`.
    fn mem_free_async_and_wait(session, pointer: Pointer) -> () {
        session.free_in_order(pointer, Stream::DEFAULT)?;
        cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
        Ok(())
    }

    /// `cuMemFreeAsync` in a stream, without synchronisation.
    fn mem_free_async_in(session, pointer: Pointer, stream: Stream) -> () {
        session.free_in_order(pointer, stream)
    }

    /// `cuMemFree` of an imported pointer.
    fn mem_free_imported_pointer(session, pointer: Pointer) -> () {
        cuda!(session.cuMemFree(pointer.0));
        session.ledger.remove(&Resource::ImportedPointer(pointer.0));
        Ok(())
    }

    /// `cuMemPoolExportToShareableHandle` as a file descriptor.
    fn mem_pool_export_to_descriptor(session, pool: Pool) -> Descriptor {
        let mut descriptor = -1;
        let output = ptr::from_mut(&mut descriptor).cast();
        cuda!(session.cuMemPoolExportToShareableHandle(output, pool.0 as _, DESCRIPTOR, 0));
        session.ledger.add(Resource::Descriptor(descriptor));
        Ok(Descriptor(descriptor))
    }

    /// `cuMemPoolExportToShareableHandle` as a file descriptor and `close`, `count` times.
    fn mem_pool_export_and_close(session, pool: Pool, count: usize) -> () {
        let session = ThreadSession { driver: session.driver };
        (0..count).try_for_each(|_| session.export_and_close(pool.0))
    }

    /// Creates a pool, exports it and memory from it, and destroys it. Does this on many threads at once, several times
    /// per thread.
    fn mem_pool_export_and_destroy_from_threads(session, threads: usize, rounds: usize) -> () {
        let properties = MemProperties::device(session.device).exportable(DESCRIPTOR.0);
        let answers = session.on_threads(threads, |session| {
            (0..rounds).try_for_each(|_| session.export_and_destroy(properties))
        })?;
        if answers.iter().any(Result::is_err) {
            session.spoil("a thread did not destroy its pool");
        }
        answers.into_iter().collect()
    }

    /// `cuMemPoolExportToShareableHandle` as a fabric handle.
    fn mem_pool_export_to_fabric(session, pool: Pool) -> FabricHandle {
        let mut bytes = [0_u8; 64];
        cuda!(session.cuMemPoolExportToShareableHandle(bytes.as_mut_ptr().cast(), pool.0 as _, FABRIC, 0));
        Ok(FabricHandle::from_bytes(bytes))
    }

    /// `cuMemPoolExportToShareableHandle` as any handle type, with any flags. The driver must refuse it.
    fn mem_pool_export_as(session, pool: Pool, handle_type: u32, flags: u64) -> () {
        let mut bytes = [0_u8; 64];
        let handle_type = CUmemAllocationHandleType(handle_type);
        cuda!(session.cuMemPoolExportToShareableHandle(bytes.as_mut_ptr().cast(), pool.0 as _, handle_type, flags));
        Ok(())
    }

    /// `cuMemPoolExportToShareableHandle` without an output.
    fn mem_pool_export_into_null(session, pool: Pool) -> () {
        cuda!(session.cuMemPoolExportToShareableHandle(ptr::null_mut(), pool.0 as _, DESCRIPTOR, 0));
        Ok(())
    }

    /// `cuMemPoolImportFromShareableHandle` of a file descriptor, by its number.
    fn mem_pool_import_from_descriptor(session, descriptor: Descriptor) -> Pool {
        session.import_pool(descriptor, DESCRIPTOR, 0)
    }

    /// The same on many threads at once. Returns the output or the code of each thread.
    fn mem_pool_import_from_threads(session, descriptor: Descriptor, threads: usize) -> Vec<Result<Pool, u32>> {
        let answers = session.on_threads(threads, |session| {
            let (mut pool, number) = (ptr::null_mut(), descriptor.0 as isize as *mut c_void);
            cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, number, DESCRIPTOR, 0));
            Ok(pool as u64)
        })?;
        for pool in answers.iter().flatten() {
            session.ledger.add(Resource::ImportedPool(*pool));
        }
        answers.into_iter().map(|answer| code_of(answer.map(Pool))).collect()
    }

    /// `cuMemPoolImportFromShareableHandle` of a file descriptor as any handle type, with any flags. The driver must
    /// refuse it.
    fn mem_pool_import_as(session, descriptor: Descriptor, handle_type: u32, flags: u64) -> Pool {
        session.import_pool(descriptor, CUmemAllocationHandleType(handle_type), flags)
    }

    /// `cuMemPoolImportFromShareableHandle` without an output.
    fn mem_pool_import_into_null(session, descriptor: Descriptor) -> () {
        let number = descriptor.0 as isize as *mut c_void;
        cuda!(session.cuMemPoolImportFromShareableHandle(ptr::null_mut(), number, DESCRIPTOR, 0));
        Ok(())
    }

    /// `cuMemPoolImportFromShareableHandle` of a fabric handle.
    fn mem_pool_import_from_fabric(session, handle: FabricHandle) -> Pool {
        let (mut pool, mut bytes) = (ptr::null_mut(), handle.to_bytes());
        cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, bytes.as_mut_ptr().cast(), FABRIC, 0));
        session.ledger.add(Resource::ImportedPool(pool as u64));
        Ok(Pool(pool as u64))
    }

    /// `cuMemPoolImportFromShareableHandle` with the address of a file descriptor's number.
    fn mem_pool_import_from_address_of_descriptor(session, descriptor: Descriptor) -> Pool {
        let (mut pool, mut number) = (ptr::null_mut(), descriptor.0);
        cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, ptr::from_mut(&mut number).cast(), DESCRIPTOR, 0));
        session.ledger.add(Resource::ImportedPool(pool as u64));
        Ok(Pool(pool as u64))
    }

    /// `cuMemPoolExportPointer`.
    fn mem_pool_export_pointer(session, pointer: Pointer) -> PoolPointer {
        let mut data = CUmemPoolPtrExportData::default();
        cuda!(session.cuMemPoolExportPointer(&mut data, pointer.0));
        Ok(PoolPointer(data))
    }

    /// `cuMemPoolImportPointer`.
    fn mem_pool_import_pointer(session, pool: Pool, data: PoolPointer) -> Pointer {
        let (mut pointer, mut data) = (0, data.0);
        cuda!(session.cuMemPoolImportPointer(&mut pointer, pool.0 as _, &mut data));
        session.ledger.add(Resource::ImportedPointer(pointer));
        Ok(Pointer(pointer))
    }

    /// The same on many threads at once. Returns the output or the code of each thread.
    fn mem_pool_import_pointer_from_threads(
        session,
        pool: Pool,
        data: PoolPointer,
        threads: usize
    ) -> Vec<Result<Pointer, u32>> {
        let answers = session.on_threads(threads, |session| {
            let (mut pointer, mut data) = (0, data.0);
            cuda!(session.cuMemPoolImportPointer(&mut pointer, pool.0 as _, &mut data));
            Ok(pointer)
        })?;
        for pointer in answers.iter().flatten() {
            session.ledger.add(Resource::ImportedPointer(*pointer));
        }
        answers.into_iter().map(|answer| code_of(answer.map(Pointer))).collect()
    }

    /// `cuMemPoolSetAccess` for one device.
    fn mem_pool_set_access(session, pool: Pool, device: i32, access: u32) -> () {
        let description = CUmemAccessDesc { location: CUmemLocation::device(device), flags: CUmemAccess_flags(access) };
        cuda!(session.cuMemPoolSetAccess(pool.0 as _, &description, 1));
        Ok(())
    }

    /// `cuMemPoolSetAccess` for several devices, each with its access.
    fn mem_pool_set_access_of_each(session, pool: Pool, wanted: Vec<(i32, u32)>) -> () {
        let description = |(device, access)| CUmemAccessDesc {
            location: CUmemLocation::device(device),
            flags: CUmemAccess_flags(access),
        };
        let wanted: Vec<_> = wanted.into_iter().map(description).collect();
        cuda!(session.cuMemPoolSetAccess(pool.0 as _, wanted.as_ptr(), wanted.len()));
        Ok(())
    }

    /// `cuMemPoolSetAccess` with a null `CUmemAccessDesc` and a count of 1.
    fn mem_pool_set_access_from_null(session, pool: Pool) -> () {
        cuda!(session.cuMemPoolSetAccess(pool.0 as _, ptr::null(), 1));
        Ok(())
    }

    /// `cuMemPoolGetAccess` of one device.
    fn mem_pool_get_access(session, pool: Pool, device: i32) -> u32 {
        let (mut flags, mut location) = (UNWRITTEN, CUmemLocation::device(device));
        cuda!(session.cuMemPoolGetAccess(&mut flags, pool.0 as _, &mut location));
        Ok(flags.0)
    }

    /// `cuMemPoolGetAccess` of any location.
    fn mem_pool_get_access_of(session, pool: Pool, location_type: u32, location: i32) -> u32 {
        let mut flags = UNWRITTEN;
        let mut location = CUmemLocation::new(CUmemLocationType(location_type), location);
        cuda!(session.cuMemPoolGetAccess(&mut flags, pool.0 as _, &mut location));
        Ok(flags.0)
    }

    /// `cuMemPoolGetAccess` of the role's device without an output or without a location. The driver must refuse it.
    fn mem_pool_get_access_in_part(session, pool: Pool, output_wanted: bool, location_wanted: bool) -> () {
        let (mut flags, mut location) = (CUmemAccess_flags(0), CUmemLocation::device(session.device));
        let output = if output_wanted { &raw mut flags } else { ptr::null_mut() };
        let input = if location_wanted { &raw mut location } else { ptr::null_mut() };
        cuda!(session.cuMemPoolGetAccess(output, pool.0 as _, input));
        Ok(())
    }

    /// `cuMemPoolGetAttribute`, read as 64 bits.
    fn mem_pool_get_attribute(session, pool: Pool, attribute: u32) -> u64 {
        let mut value = 0_u64;
        let output = ptr::from_mut(&mut value).cast();
        cuda!(session.cuMemPoolGetAttribute(pool.0 as _, CUmemPool_attribute(attribute), output));
        Ok(value)
    }

    /// `cuMemPoolSetAttribute` of 64 bits.
    fn mem_pool_set_attribute(session, pool: Pool, attribute: u32, value: u64) -> () {
        let mut value = value;
        let input = ptr::from_mut(&mut value).cast();
        cuda!(session.cuMemPoolSetAttribute(pool.0 as _, CUmemPool_attribute(attribute), input));
        Ok(())
    }

    /// `cuMemPoolTrimTo`.
    fn mem_pool_trim_to(session, pool: Pool, size: u64) -> () {
        cuda!(session.cuMemPoolTrimTo(pool.0 as _, size as usize));
        Ok(())
    }
}

impl Session {
    /// Allocates from a pool. The memory is in the ledger even if the stream fails afterwards.
    fn allocate_from_pool(&mut self, size: u64, pool: Pool, stream: Stream) -> Result<Pointer, Refused> {
        let session = self;
        let mut pointer = u64::MAX;
        cuda!(session.cuMemAllocFromPoolAsync(&mut pointer, size as usize, pool.0 as _, stream.0 as _));
        session.ledger.add(Resource::StreamOrdered(pointer));
        Ok(Pointer(pointer))
    }

    fn import_pool(
        &mut self,
        descriptor: Descriptor,
        handle_type: CUmemAllocationHandleType,
        flags: u64,
    ) -> Result<Pool, Refused> {
        let session = self;
        let mut pool = ptr::null_mut();
        let number = descriptor.0 as isize as *mut c_void;
        cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, number, handle_type, flags));
        session.ledger.add(Resource::ImportedPool(pool as u64));
        Ok(Pool(pool as u64))
    }

    fn free_in_order(&mut self, pointer: Pointer, stream: Stream) -> Result<(), Refused> {
        let session = self;
        cuda!(session.cuMemFreeAsync(pointer.0, stream.0 as _));
        session.ledger.remove(&Resource::StreamOrdered(pointer.0));
        session.ledger.remove(&Resource::ImportedPointer(pointer.0));
        Ok(())
    }
}

/// Returns a thread's output, or the code that the driver returned to it.
fn code_of<T>(answer: Result<T, Refused>) -> Result<Result<T, u32>, Refused> {
    match answer {
        Ok(value) => Ok(Ok(value)),
        Err(Refused::Driver { code, .. }) => Ok(Err(code)),
        Err(other) => Err(other),
    }
}

impl ThreadSession {
    fn export_and_close(&self, pool: u64) -> Result<(), Refused> {
        let (session, mut descriptor) = (self, -1);
        let output = ptr::from_mut(&mut descriptor).cast();
        cuda!(session.cuMemPoolExportToShareableHandle(output, pool as _, DESCRIPTOR, 0));
        close(descriptor)?;
        Ok(())
    }

    fn export_and_destroy(&self, properties: MemProperties) -> Result<(), Refused> {
        const SIZE: usize = 2 << 20;
        let (session, stream) = (self, ptr::null_mut());
        let (mut pool, mut pointer, mut data) = (ptr::null_mut(), 0, CUmemPoolPtrExportData::default());
        cuda!(session.cuMemPoolCreate(&mut pool, &pool_properties(properties, 0, 0)));
        self.export_and_close(pool as u64)?;
        cuda!(session.cuMemAllocFromPoolAsync(&mut pointer, SIZE, pool, stream));
        cuda!(session.cuMemPoolExportPointer(&mut data, pointer));
        cuda!(session.cuMemFreeAsync(pointer, stream));
        cuda!(session.cuStreamSynchronize(stream));
        cuda!(session.cuMemPoolDestroy(pool));
        Ok(())
    }
}
