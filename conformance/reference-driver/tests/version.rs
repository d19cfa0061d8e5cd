//! The driver as an older CUDA version: later additions are hidden, and calls that the version refused are refused.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;
#[path = "common/remote.rs"]
mod remote;

use calls::*;
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CudaVersion};
use remote::Remote;

#[test]
#[ignore = "started by other tests, as another process"]
fn remote() {
    remote::perform();
}

/// Starts a process whose driver serves the given version.
fn of(version: &str) -> Remote {
    Remote::new(&[("REFERENCE_DRIVER_VERSION", version), ("REFERENCE_DRIVER_FABRIC", "channel")])
}

#[test]
fn attributes_of_later_versions_are_unknown() {
    let events = Attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
    assert_eq!(of("11.8").attribute(events), Err(INVALID_VALUE), "it came with CUDA 12.0");
    assert_eq!(of("12.0").attribute(events), Ok(1));
    let host = Attribute::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    assert_eq!((of("12.9").attribute(host), of("13.0").attribute(host)), (Err(INVALID_VALUE), Ok(1)));
}

#[test]
fn later_versions_have_their_attributes() {
    let (mmap, reduction) = (
        Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED,
        Attribute::CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED,
    );
    assert_eq!((of("13.0").attribute(reduction), of("13.1").attribute(reduction)), (Err(INVALID_VALUE), Ok(0)));
    assert_eq!((of("13.2").attribute(mmap), of("13.3").attribute(mmap)), (Err(INVALID_VALUE), Ok(0)));
}

#[test]
fn fabric_handles_came_with_12_3() {
    assert_eq!(of("12.2").create(GRANULE, FABRIC), Err(INVALID_VALUE));
    assert!(of("12.3").create(GRANULE, FABRIC).is_ok());
}

/// Runs in a process of its own, because the driver reads its environment only once, at the first use.
#[test]
#[ignore = "started by the next test, as another process"]
fn missing() {
    let driver = common::driver();
    assert_eq!(driver.version(), CudaVersion(12_000));
    let missing: Vec<_> = driver.missing_symbols().map(|missing| missing.name).collect();
    let newer = cuda_ipc_sys::SYMBOLS.iter().filter(|symbol| symbol.since.0 > 12_000).map(|symbol| symbol.name);
    assert_eq!(newer.filter(|name| !missing.contains(name)).collect::<Vec<_>>(), [] as [&std::ffi::CStr; 0]);
    assert!(missing.contains(&c"cuMulticastCreate") && !missing.contains(&c"cuMemCreate"));
}

#[test]
fn functions_of_later_versions_are_missing() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "missing", "--ignored"]).env("REFERENCE_DRIVER_VERSION", "12.0");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
