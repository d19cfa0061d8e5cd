//! Pools for fabric handles, with the channel that they need and without it.

use cuda_ipc::Error;
use cuda_ipc::pool::Pool;
use cuda_ipc::sys::{CUmemPool_attribute, CUmemoryPool, CUresult};
use cuda_ipc::vmm::HandleTypes;

use crate::common::{device, driver};
use crate::peer::{Peer, roles};
use crate::{alone, start};

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
