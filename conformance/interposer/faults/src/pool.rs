//! Memory pools.

use std::ffi::{c_ulonglong, c_void};
use std::ptr;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAccess_flags, CUmemAllocationHandleType as HandleType, CUmemLocation,
    CUmemPool_attribute, CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool, CUstream,
};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, SUCCESS, UNKNOWN, hang, instead, refusal};
use crate::table::driver;

faults! {
    real = cuMemPoolCreate(output: *mut CUmemoryPool, properties: *const CUmemPoolProps);

    "pool-create-writes-no-handle", ["POOL-CREATE-001"], "A creation succeeds without writing the handle." => {
        real(&mut ptr::null_mut(), properties)
    };

    "pool-create-refuses-descriptors", ["POOL-CREATE-001", "POOL-CREATE-002"], "A pool for descriptors is refused." => {
        if (*properties).handleTypes.0 == 1 { NOT_SUPPORTED } else { real(output, properties) }
    };

    "pool-create-accepts-windows-handles", ["POOL-CREATE-002"], "A pool for Windows handles is created." => {
        let handle_types = HandleType((*properties).handleTypes.0 & !6);
        real(output, &CUmemPoolProps { handleTypes: handle_types, ..*properties })
    };

    "pool-create-ignores-reserved-bytes", ["POOL-CREATE-003"], "The reserved bytes are not checked." => {
        real(output, &CUmemPoolProps { reserved: [0; 53], ..*properties })
    };

    "pool-create-forgets-the-maximum", ["POOL-CREATE-009"], "The maximum size has no effect." => {
        real(output, &CUmemPoolProps { maxSize: 0, ..*properties })
    };

    "pool-create-forgets-the-handle-types", ["POOL-CREATE-001", "POOL-EXP-001"], "No pool can be exported." => {
        real(output, &CUmemPoolProps { handleTypes: HandleType(0), ..*properties })
    };
}

faults! {
    real = cuMemPoolDestroy(pool: CUmemoryPool);

    "pool-destroy-takes-the-default-pool", ["POOL-CREATE-010"], "The default pool can be destroyed." => {
        refusal(real(pool), SUCCESS)
    };

    "pool-destroy-of-the-default-has-another-code", ["POOL-CREATE-010"],
        "Destroying the default pool returns UNKNOWN." => {
        refusal(real(pool), UNKNOWN)
    };

    "pool-destroy-is-refused", ["POOL-CREATE-011"], "No pool can be destroyed." => INVALID_VALUE;
}

faults! {
    real = cuMemPoolExportToShareableHandle(
        output: *mut c_void, pool: CUmemoryPool, kind: HandleType, flags: c_ulonglong,
    );

    "pool-export-is-refused", ["POOL-EXP-001"], "No pool is exported." => NOT_SUPPORTED;

    "pool-export-writes-no-descriptor", ["POOL-EXP-001"], "An export succeeds without writing the descriptor." => {
        let mut other = [0_u64; 8];
        real(other.as_mut_ptr().cast(), pool, kind, flags)
    };

    "pool-export-takes-any-pool", ["POOL-EXP-002", "POOL-EXP-003", "POOL-EXP-007"], "No pool is refused." => {
        refusal(real(output, pool, kind, flags), SUCCESS)
    };

    "pool-export-of-a-private-pool-has-another-code", ["POOL-EXP-002"], "Exporting a private pool returns UNKNOWN." => {
        refusal(real(output, pool, kind, flags), UNKNOWN)
    };

    "pool-export-ignores-flags", ["POOL-EXP-004"], "The flags of an export are ignored." => real(output, pool, kind, 0);

    "pool-export-takes-unknown-types", ["POOL-EXP-004"], "An unknown handle type is taken for a descriptor." => {
        real(output, pool, HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, flags)
    };
}

faults! {
    real = cuMemPoolImportFromShareableHandle(
        output: *mut CUmemoryPool, handle: *mut c_void, kind: HandleType, flags: c_ulonglong,
    );

    "pool-import-refuses-descriptors", ["POOL-IMP-001"], "A descriptor is refused." => INVALID_VALUE;

    "pool-import-writes-no-handle", ["POOL-IMP-001"], "An import succeeds without writing the handle." => {
        real(&mut ptr::null_mut(), handle, kind, flags)
    };

    "pool-import-ignores-flags", ["POOL-IMP-005"], "The flags of an import are ignored." => {
        real(output, handle, kind, 0)
    };

    "pool-import-takes-unknown-types", ["POOL-IMP-005"], "An unknown handle type is taken for a descriptor." => {
        real(output, handle, HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, flags)
    };

    "pool-import-hangs", ["POOL-IMP-001"], "An import never returns." => hang();
}

faults! {
    real = cuMemPoolExportPointer(output: *mut CUmemPoolPtrExportData, pointer: CUdeviceptr);

    "pool-export-pointer-writes-nothing", ["POOL-PTR-001"], "The export data of a pointer are not written." => {
        real(&mut CUmemPoolPtrExportData::default(), pointer)
    };

    "pool-export-pointer-inverts-its-data", ["POOL-PTR-001"], "Every bit of the export data is wrong." => {
        let code = real(output, pointer);
        if code == SUCCESS {
            (*output).reserved.iter_mut().for_each(|byte| *byte = !*byte);
        }
        code
    };

    "pool-export-pointer-takes-anything", ["POOL-PTR-002", "POOL-PTR-003"], "No pointer is refused." => {
        refusal(real(output, pointer), SUCCESS)
    };

    "pool-export-pointer-of-other-memory-has-another-code", ["POOL-PTR-003"],
        "Exporting a pointer of other memory returns INVALID_HANDLE." => {
        instead(real(output, pointer), INVALID_VALUE, INVALID_HANDLE)
    };
}

faults! {
    real = cuMemPoolImportPointer(output: *mut CUdeviceptr, pool: CUmemoryPool, data: *mut CUmemPoolPtrExportData);

    "pool-import-pointer-writes-nothing", ["POOL-PTR-001"], "The address of an import is not written." => {
        real(&mut 0, pool, data)
    };

    "pool-import-pointer-is-shifted", ["POOL-PTR-001"], "The address is 512 bytes too high." => {
        let code = real(output, pool, data);
        if code == SUCCESS {
            *output += 512;
        }
        code
    };

    "pool-import-pointer-crashes", ["POOL-PTR-001"], "An import ends the process." => std::process::abort();
}

faults! {
    real = cuMemPoolGetAccess(output: *mut CUmemAccess_flags, pool: CUmemoryPool, location: *mut CUmemLocation);

    "pool-get-access-writes-nothing", ["POOL-ACC-006"], "The access is not written." => SUCCESS;

    "pool-get-access-forgets-the-owner", ["POOL-ACC-006"], "The access of the owning device reads NONE." => {
        let code = real(output, pool, location);
        if code == SUCCESS {
            *output = CUmemAccess_flags(0);
        }
        code
    };
}

faults! {
    real = cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);

    "pool-attribute-sets-a-mark", ["POOL-ATTR-001"],
        "Setting a high-water mark to a value other than 0 returns CUDA_SUCCESS and changes nothing." => {
        refusal(real(pool, attribute, value), SUCCESS)
    };

    "pool-attribute-of-a-mark-has-another-code", ["POOL-ATTR-001"],
        "Setting a high-water mark to a value other than 0 returns NOT_SUPPORTED." => {
        refusal(real(pool, attribute, value), NOT_SUPPORTED)
    };

    "pool-attribute-ignores-the-reset", ["POOL-ATTR-001"], "Setting a high-water mark has no effect." => SUCCESS;
}

faults! {
    real = cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);

    "pool-attribute-of-later-versions-is-known", ["POOL-ATTR-003"],
        "A query of an unknown pool attribute returns CUDA_SUCCESS and writes nothing." => {
        refusal(real(pool, attribute, value), SUCCESS)
    };

    "pool-attribute-of-later-versions-has-another-code", ["POOL-ATTR-003"],
        "An unknown pool attribute returns NOT_SUPPORTED." => {
        instead(real(pool, attribute, value), INVALID_VALUE, NOT_SUPPORTED)
    };

    "pool-usage-is-constant", ["POOL-IMP-014"], "The usage of a pool is always 1." => {
        let code = real(pool, attribute, value);
        let used = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        if code == SUCCESS && attribute == used {
            value.cast::<u64>().write(1);
        }
        code
    };
}

faults! {
    real = cuMemPoolTrimTo(pool: CUmemoryPool, bytes: usize);

    "pool-trim-refuses-a-shared-pool", ["POOL-IMP-015"], "cuMemPoolTrimTo refuses every pool." => NOT_SUPPORTED;
}

faults! {
    real = cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool);

    "pool-set-current-takes-an-import", ["POOL-IMP-007"], "An imported pool can become the current pool." => {
        refusal(real(device, pool), SUCCESS)
    };
}

faults! {
    real = cuMemAllocFromPoolAsync(output: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream);

    "pool-allocate-takes-an-import", ["POOL-IMP-006"], "Memory can be allocated from an imported pool." => {
        match (real(output, size, pool, stream), driver().functions().cuMemAllocAsync) {
            (SUCCESS, _) => SUCCESS,
            (code, None) => code,
            (_, Some(allocate)) => allocate(output, size, stream),
        }
    };

    "pool-allocate-beyond-the-maximum-has-another-code", ["POOL-CREATE-009"],
        "An allocation beyond the maximum returns INVALID_VALUE." => {
        refusal(real(output, size, pool, stream), INVALID_VALUE)
    };

    "pool-allocate-ignores-the-pool", ["POOL-PTR-001", "PTRATTR-003"], "Memory comes from the current pool." => {
        driver().functions().cuMemAllocAsync.map_or(NOT_SUPPORTED, |allocate| allocate(output, size, stream))
    };
}
