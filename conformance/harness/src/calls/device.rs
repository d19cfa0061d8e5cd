//! Devices and their attributes.

use std::ffi::CString;
use std::ptr;

use cuda_ipc_sys::{CUcliqueType, CUdevice_P2PAttribute, CUdevice_attribute, CUdriverProcAddressQueryResult};

use crate::Pointer;
use crate::machine::Machine;
use crate::message::Refused;

/// The contents of an output before the call, which no attribute has.
const UNWRITTEN: i32 = i32::MIN + 0xA5;
/// Each byte of an output of several bytes before the call.
pub const UNWRITTEN_BYTE: u8 = 0xA5;
/// A count before the call.
pub const UNWRITTEN_COUNT: u64 = u64::MAX - 0xA5;
/// The type and the id of each entry of an array of cliques before the call.
pub const UNWRITTEN_CLIQUE: (u32, u32) = (0xA5A5, 0xA5A5);

calls! {
    /// `cuDeviceGetAttribute` of an attribute by number.
    fn device_get_attribute(session, attribute: u32, device: i32) -> i32 {
        let mut value = UNWRITTEN;
        cuda!(session.cuDeviceGetAttribute(&mut value, CUdevice_attribute(attribute), device));
        Ok(value)
    }

    /// `cuDeviceGetUuid`.
    fn device_get_uuid(session, device: i32) -> [u8; 16] {
        let mut uuid = cuda_ipc_sys::CUuuid::default();
        cuda!(session.cuDeviceGetUuid(&mut uuid, device));
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// `cuDeviceCanAccessPeer`.
    fn device_can_access_peer(session, device: i32, peer: i32) -> bool {
        let mut value = 0;
        cuda!(session.cuDeviceCanAccessPeer(&mut value, device, peer));
        Ok(value != 0)
    }

    /// `cuDeviceGetP2PAttribute`.
    fn device_get_p2p_attribute(session, attribute: u32, device: i32, peer: i32) -> i32 {
        let mut value = UNWRITTEN;
        cuda!(session.cuDeviceGetP2PAttribute(&mut value, CUdevice_P2PAttribute(attribute), device, peer));
        Ok(value)
    }

    /// `cuDeviceGetP2PAttribute` without an output.
    fn device_get_p2p_attribute_into_null(session, attribute: u32, device: i32, peer: i32) -> () {
        cuda!(session.cuDeviceGetP2PAttribute(std::ptr::null_mut(), CUdevice_P2PAttribute(attribute), device, peer));
        Ok(())
    }

    /// `cuDeviceGetCount`.
    fn device_get_count(session) -> i32 {
        session.device_count()
    }

    /// `cuDeviceGetFabricClusterUuid`.
    fn device_get_fabric_cluster_uuid(session, device: i32) -> [u8; 16] {
        let mut uuid = cuda_ipc_sys::CUuuid { bytes: [UNWRITTEN_BYTE as _; 16] };
        cuda!(session.cuDeviceGetFabricClusterUuid(&mut uuid, device));
        Ok(uuid.bytes.map(|byte| byte as u8))
    }

    /// `cuDeviceGetCliqueCount`.
    fn device_get_clique_count(session, device: i32) -> u64 {
        let mut count = UNWRITTEN_COUNT as usize;
        cuda!(session.cuDeviceGetCliqueCount(&mut count, device));
        Ok(count as u64)
    }

    /// `cuDeviceGetCliqueInfo` with an array of some length: the count that the driver wrote, and the type and id of
    /// each entry of the array.
    fn device_get_clique_info(session, device: i32, room: u64) -> (u64, Vec<(u32, u32)>) {
        let mut count = room as usize;
        let unwritten = cuda_ipc_sys::CUcliqueInfo { type_: CUcliqueType(UNWRITTEN_CLIQUE.0), id: UNWRITTEN_CLIQUE.1 };
        let mut cliques = vec![unwritten; count];
        cuda!(session.cuDeviceGetCliqueInfo(cliques.as_mut_ptr(), &mut count, device));
        Ok((count as u64, cliques.iter().map(|clique| (clique.type_.0, clique.id)).collect()))
    }

    /// `cuGetProcAddress`: the address of a function for callers of a CUDA version, or null if the driver does not have
    /// it.
    fn get_proc_address(session, name: String, version: i32) -> Pointer {
        let name = CString::new(name).map_err(|error| Refused::Role(error.to_string()))?;
        let (mut address, mut found) = (ptr::null_mut(), CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS);
        cuda!(session.cuGetProcAddress(name.as_ptr(), &mut address, version, 0, &mut found));
        Ok(Pointer(address as u64))
    }

    /// Probes the machine.
    fn probe_machine(session) -> Machine {
        session.probe_machine()
    }
}
