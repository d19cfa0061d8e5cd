//! Errors of refused calls name the call, the code and the arguments, and say what to do.

use std::error::Error as _;
use std::fmt::Debug;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ipc::{EventHandle, ImportedBuffer, ImportedEvent, MemHandle};
use cuda_ipc::kernel::{Kernel, Write};
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::sys::{CUdevice_attribute, CUdeviceptr, CUresult};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Driver, Error, SharedBuffer, Stream};
use rstest::rstest;

use crate::common::{context, driver};

/// Checks that a call was refused with the code, and that the message has all the parts, the code's name and the hint.
fn assert_refused<T: Debug>(result: Result<T, Error>, code: CUresult, parts: &[&str]) {
    let error = result.expect_err("the driver must refuse this call");
    let message = error.to_string();
    assert_eq!(error.code(), Some(code), "{message}");
    let hint = error.hint().expect("errors of these calls have a hint");
    for part in parts.iter().copied().chain([&*code.to_string(), hint]) {
        assert!(message.contains(part), "{part:?} is missing from: {message}");
    }
}

#[test]
fn a_process_does_not_open_its_own_handles() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    let (memory_handle, event_handle) = (buffer.ipc_handle().unwrap(), event.ipc_handle().unwrap());
    // SAFETY: the handles are genuine; the driver refuses them in the process that exported them.
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
        // SAFETY: the bytes are not the handle that `open` requires, but every known driver refuses them.
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

/// An address in memory of some kind, with the value that keeps the memory alive.
type Somewhere = (CUdeviceptr, Box<dyn std::any::Any>);

fn nowhere(_: &Context) -> Somewhere {
    (0, Box::new(()))
}

fn on_the_heap(_: &Context) -> Somewhere {
    let memory = vec![0_u8; 64];
    (memory.as_ptr() as CUdeviceptr, Box::new(memory))
}

fn stream_ordered(context: &Context) -> Somewhere {
    let pool = Pool::default_of(context.device()).unwrap();
    let buffer = PoolBuffer::new(&pool, 4096, &Stream::default_of(context)).unwrap();
    (buffer.pointer(), Box::new(buffer))
}

fn virtual_memory(context: &Context) -> Somewhere {
    let device = context.device();
    let size = granularity(device, HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device, size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(context, &[&allocation], Access::ReadWrite).unwrap();
    (mapping.pointer(), Box::new(mapping))
}

fn pinned(context: &Context) -> Somewhere {
    struct Pinned(*mut std::ffi::c_void);
    impl Drop for Pinned {
        fn drop(&mut self) {
            // SAFETY: the driver allocated it, below.
            let answer = crate::common::context().within(|| unsafe { driver().raw().cuMemFreeHost(self.0) }).unwrap();
            assert_eq!(answer, Ok(CUresult::CUDA_SUCCESS));
        }
    }
    let mut pointer = std::ptr::null_mut();
    // SAFETY: the output is a local.
    let answer = context.within(|| unsafe { driver().raw().cuMemAllocHost(&mut pointer, 4096) }).unwrap();
    assert_eq!(answer, Ok(CUresult::CUDA_SUCCESS));
    (pointer as CUdeviceptr, Box::new(Pinned(pointer)))
}

fn managed(context: &Context) -> Somewhere {
    struct Managed(CUdeviceptr);
    impl Drop for Managed {
        fn drop(&mut self) {
            // SAFETY: the driver allocated it, below.
            let answer = crate::common::context().within(|| unsafe { driver().raw().cuMemFree(self.0) }).unwrap();
            assert_eq!(answer, Ok(CUresult::CUDA_SUCCESS));
        }
    }
    let mut pointer = 0;
    let attached_to_all = 1;
    // SAFETY: the output is a local.
    let allocate = || unsafe { driver().raw().cuMemAllocManaged(&mut pointer, 4096, attached_to_all) };
    assert_eq!(context.within(allocate).unwrap(), Ok(CUresult::CUDA_SUCCESS));
    (pointer, Box::new(Managed(pointer)))
}

#[rstest]
#[case::null(nowhere, "memory that the driver does not know", "only device memory has a handle")]
#[case::heap(on_the_heap, "memory that the driver does not know", "only device memory has a handle")]
#[case::stream_ordered(stream_ordered, "stream-ordered memory", "allocate it from a pool that has a handle type")]
#[case::virtual_memory(virtual_memory, "virtual memory", "export the allocation that is mapped there")]
#[case::pinned(pinned, "host memory", "share it between the processes as host memory")]
#[case::managed(managed, "managed memory", "copy it to device memory")]
fn only_linear_memory_has_a_handle(
    #[case] somewhere: fn(&Context) -> Somewhere,
    #[case] kind: &str,
    #[case] hint: &str,
) {
    let context = context();
    let (pointer, _memory) = somewhere(&context);
    let parts = ["cuIpcGetMemHandle", &format!("pointer {pointer:#x}, {kind}"), hint];
    assert_refused(MemHandle::of_pointer(&context, pointer), CUresult::CUDA_ERROR_INVALID_VALUE, &parts);
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
    buffer.write(90, &[1_u8; 10]).unwrap();
    let mut bytes = [0_u8; 20];
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
    let no_buffer = SharedBuffer::new(&context, 0);
    assert_refused(no_buffer, CUresult::CUDA_ERROR_INVALID_VALUE, &["cuMemCreate(0 bytes", "must not be 0"]);
    let device = context.device();
    let size = granularity(device, HandleTypes::NONE).unwrap() << 30;
    let too_large = Allocation::new(device, size, HandleTypes::NONE);
    assert_refused(too_large, CUresult::CUDA_ERROR_OUT_OF_MEMORY, &["cuMemCreate(", "less free memory"]);
    let count = driver().device_count().unwrap();
    assert!(count > 0);
    for ordinal in [count, usize::MAX] {
        let parts = ["cuDeviceGet", &ordinal.to_string(), "device_count"];
        assert_refused(driver().device(ordinal), CUresult::CUDA_ERROR_INVALID_DEVICE, &parts);
    }
}

#[test]
fn mappings_and_peers_that_cannot_be_are_refused() {
    let context = context();
    let nothing = Mapping::new(&context, &[], Access::ReadWrite);
    assert_refused(nothing, CUresult::CUDA_ERROR_INVALID_VALUE, &["cuMemAddressReserve(", "at least one allocation"]);
    let itself = PeerAccess::enable(&context, &context);
    assert_refused(itself, CUresult::CUDA_ERROR_INVALID_CONTEXT, &["cuCtxEnablePeerAccess(", "two contexts"]);
}

#[test]
fn a_kernel_that_does_not_exist_or_does_not_fit_is_refused() {
    let context = context();
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(&context, kernels::SCALE.ptx).unwrap() };
    let nothing = module.function(c"nothing");
    assert_refused(nothing, CUresult::CUDA_ERROR_NOT_FOUND, &["cuModuleGetFunction(\"nothing\")", "extern \"C\""]);
    // SAFETY: these are its parameters.
    let scale: Kernel<(Write<u32>, u32)> = unsafe { Kernel::new(module.function(kernels::SCALE.entry).unwrap()) };
    let (buffer, stream) = (DeviceBuffer::new(&context, 4096).unwrap(), Stream::non_blocking(&context).unwrap());
    for shape in [LaunchShape::linear(0, 1), LaunchShape::linear(1, 1 << 20)] {
        let launched = stream.scope(|stream| stream.launch(&scale, shape, (buffer.slice(..)?, 1)));
        assert_refused(launched, CUresult::CUDA_ERROR_INVALID_VALUE, &["cuLaunchKernel(", "0 or too many threads"]);
    }
}

#[test]
fn a_process_has_one_driver() {
    let loaded = driver();
    assert_eq!(Driver::get().unwrap().path(), loaded.path());
    // SAFETY: the file does not exist.
    let error = unsafe { Driver::load_from("/nowhere/libcuda.so.1") }.unwrap_err();
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
