//! Virtual memory management.

use cuda_ipc_sys::{
    CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemLocation,
};

use crate::Pointer;
use crate::role::ledger::Resource;

calls! {
    /// Physical memory of the role's device, mapped and accessible: `cuMemCreate`, `cuMemAddressReserve`, `cuMemMap`,
    /// `cuMemSetAccess`.
    fn mem_create_and_map(session, size: u64, handle_types: u32) -> Pointer {
        let location = CUmemLocation::device(session.device);
        let size = size as usize;
        let properties = CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: CUmemAllocationHandleType(handle_types),
            location,
            ..Default::default()
        };
        let mut handle = 0;
        cuda!(session.cuMemCreate(&mut handle, size, &properties, 0));
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
