//! What is refused says which call it was, the code by name, what was passed, and what helps.

mod common;

use std::error::Error as _;
use std::fmt::Debug;
use std::sync::OnceLock;

use common::driver;
use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ipc::{EventHandle, ImportedBuffer, ImportedEvent, MemHandle};
use cuda_ipc::sys::{CUdevice_attribute, CUresult};
use cuda_ipc::{Context, DeviceBuffer, Driver, Error};

/// One for all tests: making a context takes long on a GPU.
fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(common::context).clone()
}

/// A refusal with the code, whose message has all the parts.
fn assert_refused<T: Debug>(result: Result<T, Error>, code: CUresult, parts: &[&str]) {
    let error = result.expect_err("this must be refused");
    let message = error.to_string();
    assert_eq!(error.code(), Some(code), "{message}");
    let way_out = error.way_out().expect("for these calls it is known");
    for part in parts.iter().copied().chain([&*code.to_string(), way_out]) {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
}

#[test]
fn a_process_does_not_open_its_own_handles() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    let (memory_handle, event_handle) = (buffer.ipc_handle().unwrap(), event.ipc_handle().unwrap());
    // SAFETY: the handles are genuine; it is the driver that refuses them here.
    let (memory, event) =
        unsafe { (ImportedBuffer::open(&context, &memory_handle), ImportedEvent::open(&context, &event_handle)) };
    let help = "opened in the process that exported it";
    assert_refused(memory, CUresult::CUDA_ERROR_INVALID_CONTEXT, &["cuIpcOpenMemHandle", "(201)", help]);
    assert_refused(event, CUresult::CUDA_ERROR_INVALID_CONTEXT, &["cuIpcOpenEventHandle", "(201)", help]);
}

#[test]
fn garbage_is_no_handle() {
    let context = context();
    for byte in [0, 0xFF] {
        let bytes = [byte; 64];
        // SAFETY: not what `open` asks for, but every driver is known to refuse these bytes.
        let (memory, event) = unsafe {
            (
                ImportedBuffer::open(&context, &MemHandle::from_bytes(bytes)),
                ImportedEvent::open(&context, &EventHandle::from_bytes(bytes)),
            )
        };
        let passed = &format!("{byte:02x}").repeat(64);
        assert_refused(memory, CUresult::CUDA_ERROR_INVALID_VALUE, &["cuIpcOpenMemHandle", passed, "altered"]);
        assert_refused(event, CUresult::CUDA_ERROR_MAP_FAILED, &["cuIpcOpenEventHandle", passed, "altered"]);
    }
}

#[test]
fn only_memory_of_the_driver_has_a_handle() {
    let context = context();
    let (on_the_heap, on_the_stack) = (vec![0_u8; 64], [0_u8; 64]);
    for pointer in [0, on_the_heap.as_ptr() as u64, on_the_stack.as_ptr() as u64] {
        let passed = &format!("{pointer:#x}");
        let parts = ["cuIpcGetMemHandle", passed, "only memory of cuMemAlloc has a legacy handle"];
        assert_refused(MemHandle::of_pointer(&context, pointer), CUresult::CUDA_ERROR_INVALID_VALUE, &parts);
    }
}

#[test]
fn a_handle_is_the_same_for_every_pointer_into_the_memory() {
    let context = context();
    let (buffer, other) = (DeviceBuffer::new(&context, 4096).unwrap(), DeviceBuffer::new(&context, 4096).unwrap());
    let handle = buffer.ipc_handle().unwrap();
    assert_eq!(handle, buffer.ipc_handle().unwrap());
    assert_eq!(handle, MemHandle::of_pointer(&context, buffer.pointer() + 4095).unwrap());
    assert_eq!(handle, MemHandle::from_bytes(handle.to_bytes()));
    assert_ne!(handle, other.ipc_handle().unwrap());
}

#[test]
fn a_buffer_is_not_left_at_its_ends() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 100).unwrap();
    buffer.fill(7).unwrap();
    buffer.write(90, &[1; 10]).unwrap();
    let mut bytes = [0; 20];
    buffer.read(80, &mut bytes).unwrap();
    assert_eq!(bytes, [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    buffer.write::<u8>(100, &[]).unwrap();
    for (offset, length) in [(81, 20), (100, 1), (101, 0), (usize::MAX, 1), (usize::MAX, 2)] {
        let mut bytes = vec![0_u8; length];
        for error in [buffer.read(offset, &mut bytes).unwrap_err(), buffer.write(offset, &bytes).unwrap_err()] {
            assert!(matches!(error, Error::OutOfBounds { size: 100, .. }), "{error:?}");
            assert!(error.to_string().contains("100 bytes of memory"), "{error}");
        }
    }
}

#[test]
fn impossible_sizes_and_ordinals_are_refused() {
    let context = context();
    let new = |size| DeviceBuffer::new(&context, size);
    assert_refused(new(0), CUresult::CUDA_ERROR_INVALID_VALUE, &["cuMemAlloc(0 bytes)", "must not be 0"]);
    assert_refused(new(1 << 50), CUresult::CUDA_ERROR_OUT_OF_MEMORY, &["cuMemAlloc(1125899906842624 bytes)"]);
    let count = driver().device_count().unwrap();
    assert!(count > 0);
    for ordinal in [count, usize::MAX] {
        let parts = ["cuDeviceGet", &ordinal.to_string(), "device_count"];
        assert_refused(driver().device(ordinal), CUresult::CUDA_ERROR_INVALID_DEVICE, &parts);
    }
}

#[test]
fn a_process_has_one_driver() {
    let loaded = driver();
    assert_eq!(Driver::get().unwrap().path(), loaded.path());
    let error = Driver::load_from("/nowhere/libcuda.so.1").unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::OtherDriver { .. }) && error.source().is_none(), "{message}");
    assert!(message.contains("/nowhere/libcuda.so.1") && message.contains(&loaded.path().display().to_string()));
}

#[test]
fn a_device_tells_who_it_is() {
    let device = driver().device(0).unwrap();
    assert!(!device.name().unwrap().is_empty());
    assert_ne!(device.uuid().unwrap(), [0; 16]);
    assert_eq!(device.uuid().unwrap(), context().device().uuid().unwrap());
    assert_eq!(device.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING).unwrap(), 1);
    let error = device.attribute(CUdevice_attribute(100_000)).unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    assert!(error.to_string().contains("attribute 100000, device 0"), "{error}");
}
