//! The driver as the machines of its profiles.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;
#[path = "common/remote.rs"]
mod remote;

use calls::*;
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUresult};
use reference_driver::PROFILES;
use remote::Remote;

#[test]
#[ignore = "started by other tests, as another process"]
fn remote() {
    remote::perform();
}

fn on(profile: &str) -> Remote {
    Remote::new(&[("REFERENCE_DRIVER_PROFILE", profile)])
}

/// The rows of the table in `profiles.md`: name, CUDA version, devices.
fn documented() -> Vec<(String, String, usize)> {
    let rows = include_str!("../profiles.md").lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        (cells[1].trim_matches('`').to_owned(), cells[3].to_owned(), cells[4].parse().unwrap())
    };
    rows.map(row).collect()
}

#[test]
fn the_table_has_every_profile() {
    let row = |profile: &reference_driver::Profile| {
        let (major, minor) = (profile.cuda_version / 1000, profile.cuda_version % 1000 / 10);
        (profile.name.to_owned(), format!("{major}.{minor}"), profile.devices)
    };
    assert_eq!(documented(), PROFILES.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn what_a_machine_lacks_is_not_supported_and_its_attribute_says_so() {
    let virtual_memory = Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    let mut vgpu = on("vgpu");
    assert_eq!(
        (vgpu.attribute(virtual_memory), vgpu.create(GRANULE, DESCRIPTOR)),
        (Ok(0), Err(CUresult::CUDA_ERROR_NOT_SUPPORTED))
    );
    let mut orin = on("orin");
    assert_eq!(orin.attribute(virtual_memory), Ok(1));
    assert!(orin.create(GRANULE, DESCRIPTOR).is_ok());
    assert_eq!(orin.attribute(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED), Ok(1));
}

#[test]
fn a_variable_overrides_the_profile() {
    let with = |variables: &[(&str, &str)]| {
        let variables: Vec<_> = variables.iter().copied().chain([("REFERENCE_DRIVER_PROFILE", "b200")]).collect();
        Remote::new(&variables)
    };
    let mask = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED;
    assert_eq!(with(&[]).attribute(mask), Ok(1));
    assert_eq!(with(&[("REFERENCE_DRIVER_FABRIC", "absent")]).attribute(mask), Ok(0));
    let host = Attribute::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    assert_eq!(with(&[("REFERENCE_DRIVER_VERSION", "12.9")]).attribute(host), Err(INVALID_VALUE));
}
