//! Devices, found by UUID and by PCI bus ID, and their contexts.

use crate::common::{context, device, driver};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{Context, Device};
use rstest::rstest;

#[test]
fn a_device_is_found_by_its_uuid() {
    for device in driver().devices().unwrap() {
        assert_eq!(driver().device_by_uuid(device.uuid().unwrap()).unwrap(), Some(device));
    }
    assert_eq!(driver().device_by_uuid([0; 16]).unwrap(), None);
}

#[test]
fn a_device_is_found_by_its_place_on_the_bus() {
    for device in driver().devices().unwrap() {
        let place = device.pci_bus_id().unwrap();
        assert_eq!(driver().device_by_pci_bus_id(&place).unwrap(), device, "{place}");
    }
}

#[rstest]
#[case::empty("")]
#[case::no_place("the first")]
#[case::nobody_there("ffff:fe:1d.0")]
#[case::nul("0000:00\0:00.0")]
fn where_no_device_is_none_is_found(#[case] place: &str) {
    let error = driver().device_by_pci_bus_id(place).unwrap_err();
    assert!(error.code().is_some_and(|code| code != CUresult::CUDA_SUCCESS), "{error}");
    assert!(error.to_string().contains(&format!("cuDeviceGetByPCIBusId({place:?})")), "{error}");
}

#[test]
fn devices_differ() {
    let devices = driver().devices().unwrap();
    assert_eq!(devices.len(), driver().device_count().unwrap());
    let names: Vec<_> = devices.iter().map(|device| (device.uuid().unwrap(), device.pci_bus_id().unwrap())).collect();
    for (place, name) in names.iter().enumerate() {
        assert!(!names[..place].contains(name), "{names:?}");
    }
    assert!(device().total_memory().unwrap() > 0);
}

#[test]
fn a_context_of_its_own_is_another_one() {
    let primary = context();
    let own = Context::new(device()).unwrap();
    assert_ne!(own, primary);
    assert_eq!(own.device(), primary.device());
    let current = |context: &Context| context.within(current).unwrap();
    assert_eq!((current(&own), current(&primary)), (own.raw(), primary.raw()));
    let (free, total) = own.memory_info().unwrap();
    assert!(free <= total && total <= Device::total_memory(device()).unwrap());
    own.synchronize().unwrap();
    own.release().unwrap();
}

#[test]
fn what_was_current_is_current_again_after_a_panic() {
    let context = Context::new(device()).unwrap();
    let before = current();
    let panicked = std::panic::catch_unwind(|| context.within(|| std::panic::resume_unwind(Box::new(()))));
    assert!(panicked.is_err());
    assert_eq!(current(), before);
}

fn current() -> cuda_ipc::sys::CUcontext {
    let mut context = std::ptr::null_mut();
    // SAFETY: the output is a local.
    assert_eq!(unsafe { driver().raw().cuCtxGetCurrent(&mut context) }, Ok(CUresult::CUDA_SUCCESS));
    context
}
