//! Tests that need two GPUs with peer access.

use cuda_ipc::peer::{self, PeerAccess};
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::{CUdevice_P2PAttribute, CUresult};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, Device, DeviceBuffer, Stream};

use crate::common::{context, device, driver};

fn other_device() -> Device {
    driver().device(1).expect("a second device")
}

fn other_context() -> Context {
    Context::primary(other_device()).unwrap()
}

#[test]
fn devices_are_peers_of_each_other_and_not_of_themselves() {
    assert!(peer::can_access(device(), other_device()).unwrap());
    assert!(peer::can_access(other_device(), device()).unwrap());
    assert!(!peer::can_access(device(), device()).unwrap());
    let supported = CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    assert_eq!(peer::attribute(supported, device(), other_device()).unwrap(), 1);
}

#[test]
fn peer_access_ends_with_its_value_and_leaves_what_others_enabled() {
    let (one, other) = (Context::new(device()).unwrap(), Context::new(other_device()).unwrap());
    let disable = |context: &Context| {
        // SAFETY: both contexts are live.
        context.within(|| unsafe { driver().raw().cuCtxDisablePeerAccess(other.raw()) }).unwrap()
    };
    let access = PeerAccess::enable(&one, &other).unwrap();
    let again = PeerAccess::enable(&one, &other).unwrap();
    again.disable().unwrap();
    assert_eq!(disable(&one), Ok(CUresult::CUDA_SUCCESS), "disabling the second value left the access enabled");
    drop(PeerAccess::enable(&one, &other).unwrap());
    assert_eq!(disable(&one), Ok(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED));
    assert_eq!(access.disable().unwrap_err().code(), Some(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED));
    assert!(PeerAccess::enable(&one, &one).is_err());
}

#[test]
fn memory_is_copied_from_device_to_device() {
    let (from, to) =
        (DeviceBuffer::new(&context(), 1 << 20).unwrap(), DeviceBuffer::new(&other_context(), 1 << 20).unwrap());
    from.fill(7).unwrap();
    to.fill(0).unwrap();
    to.copy_from(1, &from, 0, (1 << 20) - 1).unwrap();
    let stream = Stream::new(&context()).unwrap();
    let back = DeviceBuffer::new(&context(), 2).unwrap();
    // SAFETY: both buffers live until the stream is done.
    unsafe { back.copy_from_async(0, &to, 0, 2, &stream).unwrap() };
    stream.synchronize().unwrap();
    let mut bytes = [9_u8; 2];
    back.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 7]);
}

#[test]
fn a_mapping_is_accessible_where_access_was_given() {
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    assert_eq!(mapping.access(other_device()).unwrap(), Access::None);
    mapping.set_access(other_device(), Access::Read).unwrap();
    assert_eq!(mapping.access(other_device()).unwrap(), Access::Read);
    // The access of its own device has not changed.
    assert_eq!(mapping.access(device()).unwrap(), Access::ReadWrite);
}

#[test]
fn a_pool_is_accessible_where_access_was_given() {
    let pool = Pool::new(device(), HandleTypes::NONE, None).unwrap();
    let buffer = PoolBuffer::new(&pool, 4096, &Stream::new(&context()).unwrap()).unwrap();
    buffer.fill(3).unwrap();
    assert_eq!(pool.access(other_device()).unwrap(), Access::None);
    pool.set_access(other_device(), Access::ReadWrite).unwrap();
    assert_eq!(pool.access(other_device()).unwrap(), Access::ReadWrite);
    pool.set_access(other_device(), Access::None).unwrap();
    assert_eq!(pool.access(other_device()).unwrap(), Access::None);
}
