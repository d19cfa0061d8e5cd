//! Virtual memory management.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc_sys::{
    CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationType, CUmemLocation, CUmemLocationType,
};

use crate::role::{Resource, close};
use crate::{Descriptor, FabricHandle, MemProperties, Physical, Pointer};

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;

/// Fills the output of `cuMemGetAccess` before the call.
const UNWRITTEN: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// The flags that `cuMemGetAccess` returned. A value that no flags have, or none at all, becomes `u32::MAX`.
fn flags_of(output: u64) -> u32 {
    u32::try_from(output).unwrap_or(u32::MAX)
}

impl From<MemProperties> for CUmemAllocationProp {
    fn from(properties: MemProperties) -> Self {
        Self {
            type_: CUmemAllocationType(properties.allocation_type),
            requestedHandleTypes: CUmemAllocationHandleType(properties.handle_types),
            location: CUmemLocation::new(CUmemLocationType(properties.location_type), properties.location),
            ..Default::default()
        }
    }
}

calls! {
    /// `cuMemGetAllocationGranularity`.
    fn mem_get_allocation_granularity(session, properties: MemProperties, option: u32) -> u64 {
        let mut granularity = 0;
        let option = CUmemAllocationGranularity_flags(option);
        cuda!(session.cuMemGetAllocationGranularity(&mut granularity, &properties.into(), option));
        Ok(granularity as u64)
    }

    /// `cuMemGetAllocationGranularity` without properties, or without an output.
    fn mem_get_allocation_granularity_in_part(session, properties: Option<MemProperties>, output_wanted: bool) -> () {
        let mut granularity = 0;
        let output = if output_wanted { &raw mut granularity } else { ptr::null_mut() };
        let properties = properties.map(CUmemAllocationProp::from);
        let properties = properties.as_ref().map_or(ptr::null(), ptr::from_ref);
        cuda!(session.cuMemGetAllocationGranularity(output, properties, CUmemAllocationGranularity_flags(0)));
        Ok(())
    }

    /// `cuMemAddressReserve`.
    fn mem_address_reserve(session, size: u64, alignment: u64, hint: Pointer, flags: u64) -> Pointer {
        let mut address = 0;
        cuda!(session.cuMemAddressReserve(&mut address, size as usize, alignment as usize, hint.0, flags));
        session.ledger.add(Resource::Reservation(address, size as usize));
        Ok(Pointer(address))
    }

    /// `cuMemAddressFree`.
    fn mem_address_free(session, address: Pointer, size: u64) -> () {
        cuda!(session.cuMemAddressFree(address.0, size as usize));
        session.ledger.remove(&Resource::Reservation(address.0, size as usize));
        Ok(())
    }

    /// `cuMemCreate`.
    fn mem_create(session, size: u64, properties: MemProperties, flags: u64) -> Physical {
        let mut handle = 0;
        cuda!(session.cuMemCreate(&mut handle, size as usize, &properties.into(), flags));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemCreate` without properties, or without an output.
    fn mem_create_in_part(session, size: u64, properties: Option<MemProperties>, output_wanted: bool) -> () {
        let mut handle = 0;
        let output = if output_wanted { &raw mut handle } else { ptr::null_mut() };
        let properties = properties.map(CUmemAllocationProp::from);
        let properties = properties.as_ref().map_or(ptr::null(), ptr::from_ref);
        cuda!(session.cuMemCreate(output, size as usize, properties, 0));
        if output_wanted {
            session.ledger.add(Resource::Physical(handle));
        }
        Ok(())
    }

    /// `cuMemCreate` with an address in `win32HandleMetaData`, a field for Windows.
    fn mem_create_with_windows_data(session, size: u64, properties: MemProperties) -> Physical {
        let mut handle = 0;
        let mut data = [0_u64; 8];
        let mut properties = CUmemAllocationProp::from(properties);
        properties.win32HandleMetaData = data.as_mut_ptr().cast();
        cuda!(session.cuMemCreate(&mut handle, size as usize, &properties, 0));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemCreate` of memory that GPUDirect RDMA can access.
    fn mem_create_for_rdma(session, size: u64, properties: MemProperties) -> Physical {
        let mut handle = 0;
        let mut properties = CUmemAllocationProp::from(properties);
        properties.allocFlags.gpuDirectRDMACapable = 1;
        cuda!(session.cuMemCreate(&mut handle, size as usize, &properties, 0));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemRelease`.
    fn mem_release(session, physical: Physical) -> () {
        cuda!(session.cuMemRelease(physical.0));
        session.ledger.remove(&Resource::Physical(physical.0));
        Ok(())
    }

    /// `cuMemGetAllocationPropertiesFromHandle`.
    fn mem_get_allocation_properties(session, physical: Physical) -> MemProperties {
        let mut found = CUmemAllocationProp::default();
        cuda!(session.cuMemGetAllocationPropertiesFromHandle(&mut found, physical.0));
        Ok(MemProperties {
            allocation_type: found.type_.0,
            handle_types: found.requestedHandleTypes.0,
            location_type: found.location.type_.0,
            location: found.location.id(),
        })
    }

    /// `cuMemGetAllocationPropertiesFromHandle`, of which it returns the type of compression and whether the memory is
    /// capable of GPUDirect RDMA.
    fn mem_get_allocation_flags(session, physical: Physical) -> [u8; 2] {
        let mut found = CUmemAllocationProp::default();
        cuda!(session.cuMemGetAllocationPropertiesFromHandle(&mut found, physical.0));
        Ok([found.allocFlags.compressionType, found.allocFlags.gpuDirectRDMACapable])
    }

    /// `cuMemGetAllocationPropertiesFromHandle` without an output.
    fn mem_get_allocation_properties_into_null(session, physical: Physical) -> () {
        cuda!(session.cuMemGetAllocationPropertiesFromHandle(ptr::null_mut(), physical.0));
        Ok(())
    }

    /// `cuMemMap`.
    fn mem_map(session, address: Pointer, size: u64, offset: u64, physical: Physical, flags: u64) -> () {
        cuda!(session.cuMemMap(address.0, size as usize, offset as usize, physical.0, flags));
        session.ledger.add(Resource::Mapping(address.0, size as usize));
        Ok(())
    }

    /// `cuMemMap` of one allocation at `count` consecutive addresses, each followed by `cuMemSetAccess` for the role's
    /// device.
    fn mem_map_in_a_row(session, address: Pointer, size: u64, physical: Physical, count: u64) -> () {
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let description = CUmemAccessDesc { location: CUmemLocation::device(session.device), flags };
        for index in 0..count {
            let address = address.offset(index * size).0;
            cuda!(session.cuMemMap(address, size as usize, 0, physical.0, 0));
            session.ledger.add(Resource::Mapping(address, size as usize));
            cuda!(session.cuMemSetAccess(address, size as usize, &description, 1));
        }
        Ok(())
    }

    /// `cuMemUnmap`.
    fn mem_unmap(session, address: Pointer, size: u64) -> () {
        cuda!(session.cuMemUnmap(address.0, size as usize));
        session.ledger.unmapped(address.0, size as usize);
        Ok(())
    }

    /// `cuMemSetAccess` for one device.
    fn mem_set_access(session, address: Pointer, size: u64, device: i32, access: u32) -> () {
        let description = CUmemAccessDesc { location: CUmemLocation::device(device), flags: CUmemAccess_flags(access) };
        cuda!(session.cuMemSetAccess(address.0, size as usize, &description, 1));
        Ok(())
    }

    /// One `cuMemSetAccess` for several devices, each with its access.
    fn mem_set_access_of_all(session, address: Pointer, size: u64, access: Vec<(i32, u32)>) -> () {
        let description = |(device, access): (i32, u32)| CUmemAccessDesc {
            location: CUmemLocation::device(device),
            flags: CUmemAccess_flags(access),
        };
        let descriptions: Vec<_> = access.into_iter().map(description).collect();
        cuda!(session.cuMemSetAccess(address.0, size as usize, descriptions.as_ptr(), descriptions.len()));
        Ok(())
    }

    /// `cuMemSetAccess` of several ranges at once for one device, each on a thread of its own.
    fn mem_set_access_from_threads(session, addresses: Vec<Pointer>, size: u64, device: i32, access: u32) -> () {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(addresses.len(), |session| {
            let address = addresses[next.fetch_add(1, Ordering::Relaxed)].0;
            let (location, flags) = (CUmemLocation::device(device), CUmemAccess_flags(access));
            let description = CUmemAccessDesc { location, flags };
            cuda!(session.cuMemSetAccess(address, size as usize, &description, 1));
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuMemSetAccess` for the host memory of a NUMA node.
    fn mem_set_access_of_numa_node(session, address: Pointer, size: u64, node: i32) -> () {
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let description = CUmemAccessDesc { location: CUmemLocation::host_numa(node), flags };
        cuda!(session.cuMemSetAccess(address.0, size as usize, &description, 1));
        Ok(())
    }

    /// `cuMemSetAccess` for any location, with any flags and any count.
    fn mem_set_access_as(
        session,
        address: Pointer,
        size: u64,
        location_type: u32,
        location: i32,
        access: u32,
        count: u64
    ) -> () {
        let location = CUmemLocation::new(CUmemLocationType(location_type), location);
        let description = CUmemAccessDesc { location, flags: CUmemAccess_flags(access) };
        cuda!(session.cuMemSetAccess(address.0, size as usize, &description, count as usize));
        Ok(())
    }

    /// `cuMemSetAccess` with a null `CUmemAccessDesc` and a count of 1.
    fn mem_set_access_of_null(session, address: Pointer, size: u64) -> () {
        cuda!(session.cuMemSetAccess(address.0, size as usize, ptr::null(), 1));
        Ok(())
    }

    /// `cuMemGetAccess` of any location.
    fn mem_get_access_as(session, address: Pointer, location_type: u32, location: i32) -> u32 {
        let mut flags = UNWRITTEN;
        let location = CUmemLocation::new(CUmemLocationType(location_type), location);
        cuda!(session.cuMemGetAccess(&mut flags, &location, address.0));
        Ok(flags_of(flags))
    }

    /// `cuMemGetAccess` of one device.
    fn mem_get_access(session, address: Pointer, device: i32) -> u32 {
        let mut flags = UNWRITTEN;
        cuda!(session.cuMemGetAccess(&mut flags, &CUmemLocation::device(device), address.0));
        Ok(flags_of(flags))
    }

    /// `cuMemRetainAllocationHandle`.
    fn mem_retain_allocation_handle(session, address: Pointer) -> Physical {
        let mut handle = 0;
        cuda!(session.cuMemRetainAllocationHandle(&mut handle, address.0 as *mut c_void));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemExportToShareableHandle` as a file descriptor.
    fn mem_export_to_descriptor(session, physical: Physical) -> Descriptor {
        let mut descriptor = -1;
        let output = ptr::from_mut(&mut descriptor).cast();
        cuda!(session.cuMemExportToShareableHandle(output, physical.0, DESCRIPTOR, 0));
        session.ledger.add(Resource::Descriptor(descriptor));
        Ok(Descriptor(descriptor))
    }

    /// `cuMemExportToShareableHandle` as a fabric handle.
    fn mem_export_to_fabric(session, physical: Physical) -> FabricHandle {
        let mut bytes = [0_u8; 64];
        cuda!(session.cuMemExportToShareableHandle(bytes.as_mut_ptr().cast(), physical.0, FABRIC, 0));
        Ok(FabricHandle::from_bytes(bytes))
    }

    /// `cuMemExportToShareableHandle` as any handle type, with any flags. The driver must refuse it.
    fn mem_export_as(session, physical: Physical, handle_type: u32, flags: u64) -> () {
        let mut bytes = [0_u8; 64];
        let handle_type = CUmemAllocationHandleType(handle_type);
        cuda!(session.cuMemExportToShareableHandle(bytes.as_mut_ptr().cast(), physical.0, handle_type, flags));
        Ok(())
    }

    /// `cuMemExportToShareableHandle` without an output.
    fn mem_export_into_null(session, physical: Physical) -> () {
        cuda!(session.cuMemExportToShareableHandle(ptr::null_mut(), physical.0, DESCRIPTOR, 0));
        Ok(())
    }

    /// `cuMemExportToShareableHandle` as a file descriptor and `close`, a number of times.
    fn mem_export_and_close(session, physical: Physical, times: u64) -> () {
        for _ in 0..times {
            let mut descriptor = -1;
            let output = ptr::from_mut(&mut descriptor).cast();
            cuda!(session.cuMemExportToShareableHandle(output, physical.0, DESCRIPTOR, 0));
            close(descriptor)?;
        }
        Ok(())
    }

    /// `cuMemImportFromShareableHandle` of a file descriptor, by its number.
    fn mem_import_from_descriptor(session, descriptor: Descriptor) -> Physical {
        let mut handle = 0;
        let number = descriptor.0 as isize as *mut c_void;
        cuda!(session.cuMemImportFromShareableHandle(&mut handle, number, DESCRIPTOR));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemImportFromShareableHandle` of several file descriptors at once, each on a thread of its own. Returns their
    /// imports in the same order.
    fn mem_import_from_threads(session, descriptors: Vec<Descriptor>) -> Vec<Physical> {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(descriptors.len(), |session| {
            let (index, mut handle) = (next.fetch_add(1, Ordering::Relaxed), 0);
            let number = descriptors[index].0 as isize as *mut c_void;
            cuda!(session.cuMemImportFromShareableHandle(&mut handle, number, DESCRIPTOR));
            Ok((index, handle))
        })?;
        for (_, handle) in answers.iter().flatten() {
            session.ledger.add(Resource::Physical(*handle));
        }
        let mut imports = answers.into_iter().collect::<Result<Vec<_>, _>>()?;
        imports.sort_unstable();
        Ok(imports.into_iter().map(|(_, handle)| Physical(handle)).collect())
    }

    /// `cuMemImportFromShareableHandle` with the address of a file descriptor's number.
    fn mem_import_from_address_of_descriptor(session, descriptor: Descriptor) -> Physical {
        let (mut handle, mut number) = (0, descriptor.0);
        let address = ptr::from_mut(&mut number).cast();
        cuda!(session.cuMemImportFromShareableHandle(&mut handle, address, DESCRIPTOR));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemImportFromShareableHandle` of a fabric handle.
    fn mem_import_from_fabric(session, handle: FabricHandle) -> Physical {
        let (mut physical, mut bytes) = (0, handle.to_bytes());
        cuda!(session.cuMemImportFromShareableHandle(&mut physical, bytes.as_mut_ptr().cast(), FABRIC));
        session.ledger.add(Resource::Physical(physical));
        Ok(Physical(physical))
    }

    /// `cuMemImportFromShareableHandle` of any value as any handle type.
    fn mem_import_as(session, shared: u64, handle_type: u32) -> Physical {
        let mut handle = 0;
        let handle_type = CUmemAllocationHandleType(handle_type);
        cuda!(session.cuMemImportFromShareableHandle(&mut handle, shared as *mut c_void, handle_type));
        session.ledger.add(Resource::Physical(handle));
        Ok(Physical(handle))
    }

    /// `cuMemImportFromShareableHandle` without an output.
    fn mem_import_into_null(session, descriptor: Descriptor) -> () {
        let number = descriptor.0 as isize as *mut c_void;
        cuda!(session.cuMemImportFromShareableHandle(ptr::null_mut(), number, DESCRIPTOR));
        Ok(())
    }

    /// Creates and maps physical memory of the role's device and makes it accessible: `cuMemCreate`,
    /// `cuMemAddressReserve`, `cuMemMap`, `cuMemSetAccess`.
    fn mem_create_and_map(session, size: u64, handle_types: u32) -> Pointer {
        let properties = MemProperties::device(session.device).exportable(handle_types);
        let location = CUmemLocation::device(session.device);
        let size = size as usize;
        let mut handle = 0;
        cuda!(session.cuMemCreate(&mut handle, size, &properties.into(), 0));
        session.ledger.add(Resource::Physical(handle));
        let mut address = 0;
        cuda!(session.cuMemAddressReserve(&mut address, size, 0, 0, 0));
        session.ledger.add(Resource::Reservation(address, size));
        cuda!(session.cuMemMap(address, size, 0, handle, 0));
        session.ledger.add(Resource::Mapping(address, size));
        let access = CUmemAccessDesc { location, flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
        cuda!(session.cuMemSetAccess(address, size, &access, 1));
        Ok(Pointer(address))
    }
}
