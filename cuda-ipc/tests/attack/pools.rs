//! Pools for fabric handles, with the channel that they need and without it, and pools that owners of streams call back.

use std::sync::mpsc;

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::{CUmemPool_attribute, CUmemoryPool, CUresult};
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Error, Stream};

use crate::common::{device, driver};
use crate::peer::{LONG, Peer, roles};
use crate::{SIZE, alone, context, start};

/// On a GPU, both processes find the fabric as it is.
#[test]
fn a_pool_for_the_fabric_is_destroyed_once_it_was_exported() {
    let _alone = alone();
    Peer::start(module_path!(), "role_has_a_channel").finish();
}

/// An H200 crashes when it destroys such a pool.
#[test]
fn a_pool_for_the_fabric_stays_if_its_export_is_refused() {
    let _alone = alone();
    Peer::start(module_path!(), "role_has_no_channel").finish();
}

/// The pool notes the streams in which its memory is freed, and forgets those that are done. What keeps such a stream
/// alive may be code that frees memory of the same pool.
#[test]
fn the_owner_of_a_stream_frees_memory_of_the_pool_that_forgets_the_stream() {
    struct Owner(#[expect(dead_code, reason = "it is only dropped")] PoolBuffer);

    let _alone = alone();
    let context = context();
    let [own, of_owner, last] = [(); 3].map(|()| Stream::non_blocking(&context).unwrap());
    let pool = Pool::new(device(), HandleTypes::NONE, None).unwrap();
    let owner = Owner(PoolBuffer::new(&pool, SIZE, &of_owner).unwrap());
    // SAFETY: the stream outlives the value.
    let borrowed = unsafe { Stream::borrow_raw(&context, own.raw(), owner) }.unwrap();
    PoolBuffer::new(&pool, SIZE, &borrowed).unwrap().free().unwrap();
    context.synchronize().unwrap();
    // From now on, only the pool holds the borrowed stream.
    drop(borrowed);
    let buffer = PoolBuffer::new(&pool, SIZE, &last).unwrap();
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        buffer.free().unwrap();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(LONG).expect("the pool's lock is held while the owner is dropped");
    pool.destroy().unwrap();
}

fn is_reference() -> bool {
    driver().path().ends_with("libreference_driver.so")
}

/// Exports a pool and destroys it. Returns whether it was exported.
fn export_and_destroy() -> Result<bool, Error> {
    let pool = Pool::new(device(), HandleTypes::FABRIC, None)?;
    let (raw, exported) = (pool.raw(), pool.export_fabric());
    match pool.destroy() {
        Ok(()) => assert!(exported.is_ok()),
        Err(error) => assert!(matches!(error, Error::NeverExported) && exported.is_err(), "{error}"),
    }
    assert!(!is_reference() || exists(raw) == exported.is_err());
    Ok(exported.is_ok())
}

fn exists(pool: CUmemoryPool) -> bool {
    let mut used = 0_u64;
    let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
    // SAFETY: the output is a local of the attribute's type. The reference driver refuses a pool that it does not have.
    let answer = unsafe { driver().raw().cuMemPoolGetAttribute(pool, attribute, (&raw mut used).cast()) };
    answer == Ok(CUresult::CUDA_SUCCESS)
}

roles! {
    fn role_has_a_channel(_connection) {
        // SAFETY: the driver is not loaded yet, and no other thread of this process uses the environment.
        unsafe { std::env::set_var("REFERENCE_DRIVER_FABRIC", "channel") };
        start();
        let exported = export_and_destroy();
        assert!(!is_reference() || exported.unwrap());
    }

    fn role_has_no_channel(_connection) {
        start();
        let exported = export_and_destroy();
        assert!(!is_reference() || !exported.unwrap());
    }
}
