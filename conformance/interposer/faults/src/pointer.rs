//! Pointer attributes and address ranges.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::ptr;

use cuda_ipc_sys::{CUdeviceptr, CUpointer_attribute as Attribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED, SUCCESS, instead, refusal};

/// Returns a value in place of that of one attribute.
///
/// # Safety
/// The output can be written, and the attribute has this type.
unsafe fn reads<T>(value: T, output: *mut c_void, code: CUresult, is_asked: bool) -> CUresult {
    if code == SUCCESS && is_asked {
        // SAFETY: as this function's caller promises.
        unsafe { output.cast::<T>().write_unaligned(value) };
    }
    code
}

faults! {
    real = cuPointerGetAttribute(output: *mut c_void, attribute: Attribute, pointer: CUdeviceptr);

    "pointer-not-legacy-capable", ["PTRATTR-001", "IPCMEM-GET-027"], "IS_LEGACY_CUDA_IPC_CAPABLE is 0." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
        reads(false, output, real(output, attribute, pointer), asked)
    };

    "pointer-always-legacy-capable", ["PTRATTR-001", "IPCMEM-GET-027"], "IS_LEGACY_CUDA_IPC_CAPABLE is 1." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
        reads(true, output, real(output, attribute, pointer), asked)
    };

    "pointer-handle-types-missing", ["PTRATTR-002"], "ALLOWED_HANDLE_TYPES is 0." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
        reads::<c_ulonglong>(0, output, real(output, attribute, pointer), asked)
    };

    "pointer-handle-types-always-descriptors", ["PTRATTR-002"], "ALLOWED_HANDLE_TYPES is 1." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
        reads::<c_ulonglong>(1, output, real(output, attribute, pointer), asked)
    };

    "pointer-pool-null", ["PTRATTR-003"], "MEMPOOL_HANDLE is null." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
        reads::<*mut c_void>(ptr::null_mut(), output, real(output, attribute, pointer), asked)
    };

    "pointer-pool-of-everything", ["PTRATTR-003"], "MEMPOOL_HANDLE is never null." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
        reads(pointer, output, real(output, attribute, pointer), asked)
    };

    "range-start-is-the-pointer", ["PTRATTR-004"], "RANGE_START_ADDR is the pointer asked for." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR;
        reads(pointer, output, real(output, attribute, pointer), asked)
    };

    "range-size-is-one-page", ["PTRATTR-004"], "RANGE_SIZE is 4096." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE;
        reads(4096_usize, output, real(output, attribute, pointer), asked)
    };

    "mapping-base-is-the-pointer", ["PTRATTR-005"], "MAPPING_BASE_ADDR is the pointer asked for." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR;
        reads(pointer, output, real(output, attribute, pointer), asked)
    };

    "mapping-size-is-one-page", ["PTRATTR-005"], "MAPPING_SIZE is 4096." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MAPPING_SIZE;
        reads(4096_usize, output, real(output, attribute, pointer), asked)
    };

    "memory-block-id-is-constant", ["PTRATTR-005"], "All memory has the same MEMORY_BLOCK_ID." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
        reads(7_u64, output, real(output, attribute, pointer), asked)
    };

    "memory-block-id-by-pointer", ["PTRATTR-005"], "Each address has another MEMORY_BLOCK_ID." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
        reads(pointer, output, real(output, attribute, pointer), asked)
    };

    "buffer-id-is-constant", ["PTRATTR-007"], "All buffers have the same BUFFER_ID." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID;
        reads(7_u64, output, real(output, attribute, pointer), asked)
    };

    "buffer-id-by-pointer", ["PTRATTR-006", "PTRATTR-007"], "The BUFFER_ID is the address." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID;
        reads(pointer, output, real(output, attribute, pointer), asked)
    };

    "pointer-is-host", ["PTRATTR-009"], "MEMORY_TYPE is HOST." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        reads::<c_uint>(1, output, real(output, attribute, pointer), asked)
    };

    "pointer-has-no-device", ["PTRATTR-009"], "DEVICE_ORDINAL is refused." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        if asked { INVALID_VALUE } else { real(output, attribute, pointer) }
    };

    "pointer-is-managed", ["PTRATTR-010"], "IS_MANAGED is 1." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED;
        reads(true, output, real(output, attribute, pointer), asked)
    };

    "access-flags-are-always-3", ["PTRATTR-011"], "ACCESS_FLAGS is READWRITE." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS;
        reads::<c_int>(3, output, real(output, attribute, pointer), asked)
    };

    "mapped-is-zero", ["PTRATTR-012"], "MAPPED is 0 although memory is mapped at the address." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MAPPED;
        reads(false, output, real(output, attribute, pointer), asked)
    };

    "mapped-where-only-reserved", ["PTRATTR-012"], "MAPPED is 1 for an address that is only reserved." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_MAPPED;
        reads(true, output, real(output, attribute, pointer), asked)
    };

    "rdma-capability-refused", ["PTRATTR-017"], "IS_GPU_DIRECT_RDMA_CAPABLE is refused." => {
        let asked = attribute == Attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
        if asked { INVALID_VALUE } else { real(output, attribute, pointer) }
    };

    "pointer-of-foreign-memory-code", ["PTRATTR-013"], "Attributes of foreign memory return NOT_FOUND." => {
        instead(real(output, attribute, pointer), INVALID_VALUE, NOT_FOUND)
    };

    "pointer-of-foreign-memory-is-known", ["PTRATTR-013"], "Foreign memory has attributes." => {
        refusal(real(output, attribute, pointer), SUCCESS)
    };

    "pointer-attribute-zero-is-known", ["PTRATTR-015"],
        "A query of attribute id 0 returns CUDA_SUCCESS and writes nothing." => {
        if attribute.0 == 0 { SUCCESS } else { real(output, attribute, pointer) }
    };

    "pointer-unknown-attribute-code", ["PTRATTR-015"], "An unknown attribute is NOT_SUPPORTED." => {
        instead(real(output, attribute, pointer), INVALID_VALUE, NOT_SUPPORTED)
    };
}

faults! {
    real = cuPointerGetAttributes(
        count: c_uint,
        attributes: *mut Attribute,
        outputs: *mut *mut c_void,
        pointer: CUdeviceptr,
    );

    "pointer-attributes-of-foreign-memory-refused", ["PTRATTR-013"], "Attributes of foreign memory are refused." => {
        let mut kind: c_uint = 0;
        let is_known = crate::table::driver().functions().cuPointerGetAttribute.is_some_and(|get| {
            let kind = ptr::from_mut(&mut kind).cast();
            get(kind, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) == SUCCESS
        });
        if is_known { real(count, attributes, outputs, pointer) } else { INVALID_VALUE }
    };

    "pointer-attributes-write-nothing", ["PTRATTR-013"], "No attribute is written." => SUCCESS;
}

faults! {
    real = cuPointerSetAttribute(value: *const c_void, attribute: Attribute, pointer: CUdeviceptr);

    "sync-memops-not-kept", ["PTRATTR-008"], "Setting SYNC_MEMOPS succeeds and changes nothing." => SUCCESS;

    "sync-memops-refused", ["PTRATTR-008"], "SYNC_MEMOPS cannot be set." => NOT_SUPPORTED;

    "sync-memops-cannot-be-cleared", ["PTRATTR-008"], "SYNC_MEMOPS stays 1 after it is set to 0." => {
        real(ptr::from_ref(&1_u32).cast(), attribute, pointer)
    };
}

faults! {
    real = cuMemGetAddressRange(base: *mut CUdeviceptr, size: *mut usize, pointer: CUdeviceptr);

    "range-starts-at-the-pointer", ["RANGE-001"], "The base is the pointer asked for." => {
        let code = real(base, size, pointer);
        if code == SUCCESS && !base.is_null() {
            *base = pointer;
        }
        code
    };

    "range-is-one-byte-short", ["RANGE-001"], "The size lacks the last byte." => {
        let code = real(base, size, pointer);
        if code == SUCCESS && !size.is_null() {
            *size -= 1;
        }
        code
    };

    "range-is-rounded-up", ["RANGE-001"], "The size is rounded up to 2 MiB." => {
        let code = real(base, size, pointer);
        if code == SUCCESS && !size.is_null() {
            *size = (*size).next_multiple_of(2 << 20);
        }
        code
    };

    "range-null-base-refused", ["RANGE-001"], "A null base is refused." => {
        if base.is_null() { INVALID_VALUE } else { real(base, size, pointer) }
    };

    "range-null-size-refused", ["RANGE-001"], "A null size is refused." => {
        if size.is_null() { INVALID_VALUE } else { real(base, size, pointer) }
    };

    "range-of-unknown-memory-code", ["RANGE-002"], "An unknown pointer is INVALID_CONTEXT." => {
        refusal(real(base, size, pointer), INVALID_CONTEXT)
    };

    "range-of-unknown-memory-is-empty", ["RANGE-002"],
        "cuMemGetAddressRange of an unknown pointer returns CUDA_SUCCESS and writes no range." => {
        refusal(real(base, size, pointer), SUCCESS)
    };
}
