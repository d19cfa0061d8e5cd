//! Pointer attributes: `cuPointerGetAttribute`, `cuPointerGetAttributes`, `cuPointerSetAttribute`.

mod access;
mod attribute;
mod kind;
mod sharing;
mod value;

use std::ffi::c_void;

use cuda_ipc_sys::{CUdeviceptr, CUpointer_attribute, CUresult};

use crate::answer::{INVALID_VALUE, Input, Output, Result};
use crate::process::{State, state};

use attribute::attribute;
use value::Value;

type A = CUpointer_attribute;

impl State {
    fn pointer_attribute(&self, pointer: u64, wanted: A) -> Result<Value> {
        match (self.range(pointer), self.reservation(pointer), wanted) {
            (Some(_), Some((base, _)), A::CU_POINTER_ATTRIBUTE_MAPPED)
                if base != pointer
                    && fault!(
                        "mapped-is-of-the-first-granule",
                        ["PTRATTR-012"],
                        "MAPPED is 0 inside a reservation."
                    ) =>
            {
                Ok(Value::Half(0))
            }
            (Some(range), _, _) => attribute(self, range, pointer, wanted),
            // PTRATTR-012: the address is reserved, but nothing is mapped there.
            (None, Some((base, _)), A::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) => Ok(Value::Whole(base)),
            (None, Some((_, size)), A::CU_POINTER_ATTRIBUTE_RANGE_SIZE) => Ok(Value::Whole(size)),
            (None, Some(_), A::CU_POINTER_ATTRIBUTE_MAPPED) => Ok(Value::Half(u32::from(fault!(
                "mapped-where-only-reserved",
                ["PTRATTR-012"],
                "MAPPED is 1 for an address that is only reserved."
            )))),
            (None, None, _)
                if fault!(
                    "pointer-of-foreign-memory-is-known",
                    ["PTRATTR-013"],
                    "cuPointerGetAttribute of memory that CUDA does not know succeeds, with 0."
                ) =>
            {
                Ok(Value::Half(0))
            }
            (None, None, _)
                if fault!(
                    "pointer-of-foreign-memory-code",
                    ["PTRATTR-013"],
                    "cuPointerGetAttribute of memory that CUDA does not know returns NOT_FOUND."
                ) =>
            {
                Err(CUresult::CUDA_ERROR_NOT_FOUND)
            }
            // PTRATTR-013 and -014: the address was never the driver's, or no longer is.
            (None, _, _) => Err(INVALID_VALUE),
        }
    }
}

entry_points! {
    // PTRATTR-016: CU_POINTER_ATTRIBUTE_DEVICE_POINTER depends on the current context and needs one, even if that
    // context no longer works.
    fn cuPointerGetAttribute(output: Output<c_void>, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let state = state()?;
        output.wanted()?;
        state.pointer_attribute(pointer, attribute)?.give(output)
    }

    fn cuPointerGetAttributes(
        count: u32,
        attributes: Input<CUpointer_attribute>,
        outputs: Input<*mut c_void>,
        pointer: CUdeviceptr,
    ) {
        let state = state()?;
        if count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `count` attributes and `count` outputs.
        let (attributes, outputs) = unsafe { (attributes.values(count as usize)?, outputs.values(count as usize)?) };
        for (attribute, output) in attributes.into_iter().zip(outputs) {
            let nothing = Value::nothing(attribute).ok_or(CUresult::CUDA_ERROR_INVALID_VALUE)?;
            // SAFETY: the caller promises null, or room for the attribute.
            let output = unsafe { Output::new(output) };
            let is_foreign = state.range(pointer).is_none();
            if is_foreign
                && fault!(
                    "pointer-attributes-of-foreign-memory-refused",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know fails."
                )
            {
                return Err(INVALID_VALUE);
            }
            if is_foreign
                && fault!(
                    "pointer-attributes-of-foreign-memory-unwritten",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know leaves the outputs as they were."
                )
            {
                continue;
            }
            if is_foreign
                && matches!(nothing, Value::Whole(_))
                && fault!(
                    "pointer-attributes-of-foreign-memory-half-written",
                    ["PTRATTR-013"],
                    "cuPointerGetAttributes of memory that CUDA does not know writes 4 bytes of a wide attribute."
                )
            {
                Value::Half(0).give(output)?;
                continue;
            }
            // PTRATTR-013: an attribute that the pointer does not have is not an error here.
            state.pointer_attribute(pointer, attribute).unwrap_or(nothing).give(output)?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: Input<u32>, attribute: CUpointer_attribute, pointer: CUdeviceptr) {
        let mut state = state()?;
        state.current_context()?;
        let value = value.value()?;
        if attribute != A::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(INVALID_VALUE);
        }
        // PTRATTR-008
        let range = state.range_mut(pointer).ok_or(INVALID_VALUE)?;
        if fault!("sync-memops-refused", ["PTRATTR-008"], "SYNC_MEMOPS cannot be set on device memory.") {
            return Err(CUresult::CUDA_ERROR_NOT_SUPPORTED);
        }
        if fault!("sync-memops-not-kept", ["PTRATTR-008"], "Setting SYNC_MEMOPS succeeds and changes nothing.") {
            return Ok(());
        }
        if fault!("sync-memops-cannot-be-cleared", ["PTRATTR-008"], "SYNC_MEMOPS stays 1 after it is set to 0.") {
            range.sync_memops = true;
            return Ok(());
        }
        range.sync_memops = value != 0;
        Ok(())
    }
}
