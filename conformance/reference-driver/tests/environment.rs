//! Environment variables that the driver does not understand: `cuInit` fails, and the message says why.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Output};
use std::ptr;

use cuda_ipc_sys::{
    CUevent_flags, CUmemAllocationHandleType, CUmemAllocationType, CUmemLocation, CUmemPoolProps,
    CUmulticastObjectProp, CUresult, CUuuid,
};

/// Runs a test of this file in a process with the given variables, because the driver reads them only once.
fn run(test: &str, variables: &[(&str, impl AsRef<OsStr>)]) -> (Output, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).env("REFERENCE_DRIVER_MACHINE", "environment");
    let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, errors)
}

#[test]
#[ignore = "started by other tests, as another process"]
fn refused() {
    for _ in 0..2 {
        assert_eq!(code!(cuInit(0)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    let mut count = 0;
    assert_eq!(code!(cuDeviceGetCount(&mut count)), CUresult::CUDA_ERROR_NOT_INITIALIZED);
}

#[test]
#[ignore = "started by other tests, as another process"]
fn accepted() {
    call!(cuInit(0));
}

#[test]
fn an_invalid_value_is_refused_with_what_is_expected() {
    for (name, value, expected) in [
        ("PROFILE", "h20O", "expected one of h200, t4, l4, "),
        ("DEVICES", "x", "expected a number from 0 to 64"),
        ("DEVICES", "-1", "expected a number from 0 to 64"),
        ("DEVICES", "65", "expected a number from 0 to 64"),
        ("MEMORY", "16G", "expected a number of bytes"),
        ("TOPOLOGY", "0-1", "invalid entry `0-1`; expected a pair such as 0-1:none"),
        ("TOPOLOGY", "0-1:none", "`0-1:none` names a nonexistent device"),
        ("FABRIC", "banana", "expected absent, no-channel, channel, channel:NUMBER or not-ready"),
        ("VERSION", "12.7", "expected a release of CUDA from 11.8 to 13.5"),
        ("FAULT", "no-such-fault", "no fault has this name"),
        ("NOTES", "yes", "expected on or off"),
    ] {
        let variable = format!("REFERENCE_DRIVER_{name}");
        let (output, errors) = run("refused", &[(&variable, value)]);
        assert!(output.status.success(), "{variable}={value}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(errors.contains(&format!("{variable}: invalid value `{value}`: {expected}")), "{errors}");
        assert_eq!(errors.matches(&variable).count(), 1, "{errors}");
    }
}

#[test]
fn a_variable_with_an_unknown_name_is_refused() {
    let (output, errors) = run("refused", &[("REFERENCE_DRIVER_DEVICE", "2")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(errors.contains("REFERENCE_DRIVER_DEVICE: unknown variable; expected REFERENCE_DRIVER_"), "{errors}");
}

#[test]
fn an_empty_variable_counts_as_unset() {
    // The last name is unknown.
    let names = ["PROFILE", "DEVICES", "MEMORY", "TOPOLOGY", "FABRIC", "VERSION", "FAULT", "DEVICE"];
    let names = names.map(|name| format!("REFERENCE_DRIVER_{name}"));
    let (output, errors) = run("accepted", &names.each_ref().map(|name| (name.as_str(), "")));
    assert!(output.status.success() && errors.is_empty(), "{errors}{}", String::from_utf8_lossy(&output.stdout));
}

/// Creates one of each file that has the machine's name.
#[test]
#[ignore = "started by other tests, as another process"]
fn uses_the_machine() {
    let (mut context, mut pointer, mut event, mut pool, mut multicast) =
        (ptr::null_mut(), 0, ptr::null_mut(), ptr::null_mut(), 0);
    call!(cuInit(0));
    call!(cuDevicePrimaryCtxRetain(&mut context, 0));
    call!(cuCtxSetCurrent(context));
    call!(cuMemAlloc(&mut pointer, 1));
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS.0 | CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
    call!(cuEventCreate(&mut event, flags));
    let types = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let properties = CUmemPoolProps {
        allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: types,
        location: CUmemLocation::device(0),
        ..Default::default()
    };
    call!(cuMemPoolCreate(&mut pool, &properties));
    let properties =
        CUmulticastObjectProp { numDevices: 2, size: 2 << 20, handleTypes: types.0.into(), ..Default::default() };
    call!(cuMulticastCreate(&mut multicast, &properties));
    let mut id = CUuuid::default();
    call!(cuDeviceGetUuid(&mut id, 0));
    println!("device: {:?}", id.bytes);
}

/// Uses a machine with this name, and returns the line that shows its device.
fn device_of(machine: &[u8]) -> String {
    let variables =
        [("REFERENCE_DRIVER_MACHINE", OsStr::from_bytes(machine)), ("REFERENCE_DRIVER_DEVICES", OsStr::new("2"))];
    let (output, errors) = run("uses_the_machine", &variables);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{errors}{text}");
    text.lines().find(|line| line.starts_with("device: ")).expect("it prints its device").to_owned()
}

/// The name is part of the names of files, which the system limits to 249 bytes.
#[test]
fn a_machine_can_have_a_long_name() {
    let long = "\u{e9}".repeat(1000);
    let devices = ["a", "b", "b"].map(|end| device_of(format!("{long}{end}").as_bytes()));
    assert_ne!(devices[0], devices[1], "only the end of the name differs");
    assert_eq!(devices[1], devices[2]);
}

/// Two names that differ only in bytes that are not UTF-8 are those of two machines.
#[test]
fn a_machine_can_have_a_name_that_is_not_utf_8() {
    let devices = [&b"\xff"[..], b"\xfe", b"\xfe", "\u{fffd}".as_bytes()].map(device_of);
    assert_ne!(devices[0], devices[1]);
    assert_eq!(devices[1], devices[2]);
    assert!(!devices[..3].contains(&devices[3]), "a replacement character is another name");
}

/// Code that the driver refuses, with the note for it. The first kernel has the name of one of the driver's own kernels.
const OTHERS: [(&CStr, &str); 4] = [
    (
        c".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry scale()\n{\nret;\n}\n",
        "the kernel `scale` cannot be loaded: only the reference driver's own kernels run on the CPU",
    ),
    (c"\x7fELF", "machine code cannot be loaded: only the reference driver's own kernels run on the CPU"),
    (c".version 6.0\n.target sm_70\n#define X\n", "PTX with directives of the preprocessor cannot be loaded"),
    (
        c".version 6.0\n.target sm_70\n.global .u32 one = 1;\n",
        "`.global .u32 one` cannot be loaded: a variable needs a known size, no initial value, and a place in its module",
    ),
];

#[test]
#[ignore = "started by other tests, as another process"]
fn loads_code_of_others() {
    let (mut context, mut module) = (ptr::null_mut(), ptr::null_mut());
    call!(cuInit(0));
    call!(cuDevicePrimaryCtxRetain(&mut context, 0));
    call!(cuCtxSetCurrent(context));
    for (image, _) in OTHERS.iter().chain(&OTHERS) {
        let code = code!(cuModuleLoadData(&mut module, image.as_ptr().cast()));
        assert_eq!((code, module), (CUresult::CUDA_ERROR_NOT_SUPPORTED, ptr::null_mut()));
    }
}

#[test]
#[ignore = "started by other tests, as another process"]
fn asks_for_a_private_table() {
    let mut table = ptr::null();
    call!(cuInit(0));
    for _ in 0..2 {
        let code = code!(cuGetExportTable(&mut table, &CUuuid::default()));
        assert_eq!((code, table), (CUresult::CUDA_ERROR_INVALID_VALUE, ptr::null()));
    }
}

/// NVIDIA's libcudart fails without saying that it lacks the table.
#[test]
fn a_private_table_is_refused_with_a_note() {
    for (notes, count) in [("on", 1), ("off", 0)] {
        let (output, errors) = run("asks_for_a_private_table", &[("REFERENCE_DRIVER_NOTES", notes)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(errors.matches("asked for a private table; if it was libcudart").count(), count, "{errors}");
    }
}

/// A kernel runs only if all of its code is ours: a name says nothing of what others' code does.
#[test]
fn code_of_others_is_refused_with_a_note() {
    for (notes, count) in [("", 1), ("on", 1), ("off", 0)] {
        let (output, errors) = run("loads_code_of_others", &[("REFERENCE_DRIVER_NOTES", notes)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        for (_, note) in OTHERS {
            assert_eq!(errors.matches(&format!("reference driver: {note}")).count(), count, "{errors}");
        }
        assert_eq!(errors.matches("reference driver:").count(), count * OTHERS.len(), "{errors}");
    }
}

#[test]
#[ignore = "started by another test, as another process"]
fn fails_in_device_code() {
    const NOWHERE: u64 = 0x1000;
    let _context = calls::Context::new();
    let _ = calls::fill(NOWHERE, 4, 1);
}

/// With the profile `mps`, an error of device code ends the process. It says so even with notes off.
#[test]
fn a_process_that_ends_says_why_whatever_the_notes() {
    let variables = [("REFERENCE_DRIVER_PROFILE", "mps"), ("REFERENCE_DRIVER_NOTES", "off")];
    let (output, errors) = run("fails_in_device_code", &variables);
    assert!(!output.status.success(), "{errors}");
    let reason = "in device code; MPS would end every client of the device, so this process ends\n";
    assert!(errors.contains(reason), "{errors}");
}
