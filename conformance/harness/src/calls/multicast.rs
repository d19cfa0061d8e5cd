//! Multicast objects. Cases that use these calls need `simulated`: only the reference driver creates such objects.

use cuda_ipc_sys::CUmulticastObjectProp;

use crate::Physical;
use crate::role::Resource;

calls! {
    /// `cuMulticastCreate`.
    fn multicast_create(session, devices: u32, size: u64, handle_types: u32) -> Physical {
        let properties = CUmulticastObjectProp {
            numDevices: devices,
            size: size as usize,
            handleTypes: handle_types.into(),
            flags: 0,
        };
        let mut object = 0;
        cuda!(session.cuMulticastCreate(&mut object, &properties));
        session.ledger.add(Resource::Physical(object));
        Ok(Physical(object))
    }

    /// `cuMulticastAddDevice`.
    fn multicast_add_device(session, object: Physical, device: i32) -> () {
        cuda!(session.cuMulticastAddDevice(object.0, device));
        Ok(())
    }

    /// `cuMulticastBindMem` of memory, from the beginning of the memory.
    fn multicast_bind_mem(session, object: Physical, offset: u64, memory: Physical, size: u64) -> () {
        cuda!(session.cuMulticastBindMem(object.0, offset as usize, memory.0, 0, size as usize, 0));
        Ok(())
    }
}
