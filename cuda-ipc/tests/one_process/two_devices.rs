//! Tests that need two GPUs with peer access.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc::peer::{self, PeerAccess};
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::{self, CUdevice_P2PAttribute, CUresult};
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

/// Makes a raw call in a context, past the safe layer.
fn raw(context: &Context, call: impl FnOnce(&sys::Driver) -> Result<CUresult, sys::MissingSymbol>) -> CUresult {
    context.within(|| call(driver().raw())).unwrap().unwrap()
}

#[test]
fn peer_access_ends_with_its_last_value() {
    let (one, other) = (Context::new(device()).unwrap(), Context::new(other_device()).unwrap());
    // SAFETY: both contexts are live.
    let enable =
        |from: &Context, to: &Context| raw(from, |driver| unsafe { driver.cuCtxEnablePeerAccess(to.raw(), 0) });
    // SAFETY: both contexts are live, and no work uses the access.
    let disable = |from: &Context, to: &Context| raw(from, |driver| unsafe { driver.cuCtxDisablePeerAccess(to.raw()) });
    let first = PeerAccess::enable(&one, &other).unwrap();
    let second = PeerAccess::enable(&one, &other).unwrap();
    let back = PeerAccess::enable(&other, &one).unwrap();
    first.disable().unwrap();
    assert_eq!(enable(&one, &other), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    drop(PeerAccess::enable(&one, &other).unwrap());
    assert_eq!(enable(&one, &other), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    second.disable().unwrap();
    assert_eq!(disable(&one, &other), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    // The opposite direction is counted by itself.
    assert_eq!(enable(&other, &one), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    drop(back);
    assert_eq!(disable(&other, &one), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);

    // Other code that enabled the access before disables it.
    assert_eq!(enable(&one, &other), CUresult::CUDA_SUCCESS);
    drop([(); 2].map(|()| PeerAccess::enable(&one, &other).unwrap()));
    assert_eq!(disable(&one, &other), CUresult::CUDA_SUCCESS);

    let access = PeerAccess::enable(&one, &other).unwrap();
    assert_eq!(disable(&one, &other), CUresult::CUDA_SUCCESS);
    let error = access.disable().unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED), "{error}");
    // An error counts nothing.
    assert!(PeerAccess::enable(&one, &one).is_err());
    PeerAccess::enable(&one, &other).unwrap().disable().unwrap();
    assert_eq!(disable(&one, &other), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

#[test]
fn threads_enable_and_disable_one_access() {
    let (one, other) = (Context::new(device()).unwrap(), Context::new(other_device()).unwrap());
    let enabled = || {
        // SAFETY: both contexts are live.
        let answer = raw(&one, |driver| unsafe { driver.cuCtxEnablePeerAccess(other.raw(), 0) });
        answer == CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
    };
    let (together, losses) = (Barrier::new(4), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let access = PeerAccess::enable(&one, &other);
                    // All have it now. Then each gives it up while others give it up or enable it again.
                    together.wait();
                    let was_lost = !enabled() || access.and_then(PeerAccess::disable).is_err();
                    losses.fetch_add(usize::from(was_lost), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(losses.into_inner(), 0);
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
