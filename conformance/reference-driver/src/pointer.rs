//! Pointer attributes.

use std::ffi::c_void;

use cuda_ipc_sys::{CUcontext, CUdeviceptr, CUmemorytype, CUpointer_attribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, Result, give, wanted};
use crate::memory::{Kind, Range};
use crate::process::{State, state};

type A = CUpointer_attribute;

/// Write one attribute of a range.
fn write(state: &State, range: &Range, pointer: u64, attribute: A, output: *mut c_void) -> Result<()> {
    let number = |value: u32| give(output.cast::<u32>(), value);
    let address = |value: u64| give(output.cast::<u64>(), value);
    let size = |value: u64| give(output.cast::<usize>(), value as usize);
    match attribute {
        A::CU_POINTER_ATTRIBUTE_CONTEXT => give(output.cast(), range.context as CUcontext),
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE => number(match range.kind {
            Kind::PinnedHost | Kind::RegisteredHost => CUmemorytype::CU_MEMORYTYPE_HOST.0,
            _ => CUmemorytype::CU_MEMORYTYPE_DEVICE.0,
        }),
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER => address(pointer),
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER => match range.kind {
            Kind::PinnedHost | Kind::RegisteredHost | Kind::Managed => address(pointer),
            _ => Err(INVALID_VALUE),
        },
        A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => number(range.sync_memops.into()),
        A::CU_POINTER_ATTRIBUTE_BUFFER_ID => give(output.cast(), range.buffer_id),
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED => number(matches!(range.kind, Kind::Managed).into()),
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => give(output.cast(), state.ordinal(range.device_index)),
        // PTRATTR-001, IPCMEM-GET-027: exactly what cuIpcGetMemHandle exports.
        A::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => number(matches!(range.kind, Kind::Linear { .. }).into()),
        A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR => address(range.base),
        A::CU_POINTER_ATTRIBUTE_RANGE_SIZE => size(range.size),
        A::CU_POINTER_ATTRIBUTE_MAPPED => number(1),
        A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => address(0),
        A::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE => number(0),
        A::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => number(state.access_flags(range)),
        A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => address(match range.kind {
            Kind::StreamOrdered { pool, .. } => pool,
            _ => 0,
        }),
        _ => Err(INVALID_VALUE),
    }
}

impl State {
    fn access_flags(&self, range: &Range) -> u32 {
        const READ_WRITE: u32 = 3;
        match (&range.kind, self.contexts.get(&crate::context::top())) {
            (Kind::Mapped { access, .. }, Some(context)) => access.get(&context.device).copied().unwrap_or(0),
            _ => READ_WRITE,
        }
    }
}

entry_points! {
    fn cuPointerGetAttribute(output: *mut c_void, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let state = state()?;
        if !state.contexts.contains_key(&crate::context::top()) {
            return Err(INVALID_CONTEXT);
        }
        wanted(output)?;
        // PTRATTR-013: unlike the plural form.
        let range = state.range(pointer).ok_or(INVALID_VALUE)?;
        write(&state, range, pointer, attribute, output)
    }

    fn cuPointerGetAttributes(
        count: u32, attributes: *mut CUpointer_attribute, outputs: *mut *mut c_void, pointer: CUdeviceptr,
    ) {
        let state = state()?;
        wanted(attributes)?;
        wanted(outputs)?;
        for index in 0..count as usize {
            // SAFETY: the caller promises `count` of both.
            let (attribute, output) = unsafe { (attributes.add(index).read(), outputs.add(index).read()) };
            let written = match state.range(pointer) {
                Some(range) => write(&state, range, pointer, attribute, output),
                None => Err(INVALID_VALUE),
            };
            // PTRATTR-013: what the pointer does not have reads as nothing.
            if written.is_err() && !output.is_null() {
                match attribute {
                    A::CU_POINTER_ATTRIBUTE_CONTEXT
                    | A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER
                    | A::CU_POINTER_ATTRIBUTE_HOST_POINTER
                    | A::CU_POINTER_ATTRIBUTE_BUFFER_ID
                    | A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR
                    | A::CU_POINTER_ATTRIBUTE_RANGE_SIZE
                    | A::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
                    | A::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => give(output.cast(), 0_u64)?,
                    _ => give(output.cast(), 0_u32)?,
                }
            }
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: *const c_void, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let mut state = state()?;
        state.current()?;
        let value = crate::answer::take(value.cast::<u32>())?;
        if attribute != A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(INVALID_VALUE);
        }
        let base = state.range(pointer).ok_or(CUresult::CUDA_ERROR_INVALID_VALUE)?.base;
        if let Some(range) = state.ranges.get_mut(&base) {
            range.sync_memops = value != 0;
        }
        Ok(())
    }
}
