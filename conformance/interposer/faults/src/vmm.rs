//! Virtual memory: reservations, physical memory, mappings and access.

use std::ffi::c_ulonglong;

use cuda_ipc_sys::{
    CUdeviceptr, CUmemAccessDesc, CUmemAllocationGranularity_flags as Granularity, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemGenericAllocationHandle, CUmemLocation,
};

use crate::answer::{
    INVALID_CONTEXT, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, SUCCESS, hang, instead, refusal,
};
use crate::context::has_a_context;
use crate::table::driver;

/// The granularity of physical memory on the GPUs of the records.
const GRANULE: usize = 2 << 20;

/// Some handle that names nothing.
const NO_HANDLE: u64 = 0x5a5a;

faults! {
    real = cuMemAddressReserve(
        output: *mut CUdeviceptr, size: usize, alignment: usize, hint: CUdeviceptr, flags: c_ulonglong,
    );

    "reserve-writes-no-address", ["VMM-RES-001"], "The reserved address is not returned." => {
        real(&mut 0, size, alignment, hint, flags)
    };

    "reserve-rounds-the-size-up", ["VMM-RES-003"], "A size is rounded up to granules." => {
        real(output, size.next_multiple_of(GRANULE), alignment, hint, flags)
    };

    "reserve-accepts-any-alignment", ["VMM-RES-004"], "An alignment that is no power of two is rounded up." => {
        real(output, size, if alignment == 0 { 0 } else { alignment.next_power_of_two() }, hint, flags)
    };

    "reserve-ignores-the-alignment", ["VMM-RES-005"], "The alignment has no effect." => {
        real(output, size, 0, hint, flags)
    };

    "reserve-refuses-a-hint", ["VMM-RES-006"], "Every hint is refused." => {
        if hint == 0 { real(output, size, alignment, hint, flags) } else { INVALID_VALUE }
    };

    "reserve-gives-every-hint", ["VMM-RES-007"],
        "A reservation with a hint returns the hint, but reserves nothing." => {
        if hint == 0 {
            return real(output, size, alignment, hint, flags);
        }
        *output = hint;
        SUCCESS
    };

    "reserve-ignores-flags", ["VMM-RES-008"], "Flags have no effect." => real(output, size, alignment, hint, 0);

    "reserve-needs-a-context", ["VMM-RES-013"], "Without a current context, nothing is reserved." => {
        if has_a_context() { real(output, size, alignment, hint, flags) } else { INVALID_CONTEXT }
    };

    "reserve-hangs", ["VMM-RES-001"], "A reservation never returns." => hang();
}

faults! {
    real = cuMemAddressFree(address: CUdeviceptr, size: usize);

    "address-free-accepts-any-range", ["VMM-RES-009"], "A range that was not reserved is accepted." => {
        refusal(real(address, size), SUCCESS)
    };

    "address-free-takes-0-for-the-whole", ["VMM-RES-009"], "Size 0 is accepted." => {
        if size == 0 { SUCCESS } else { real(address, size) }
    };

    "address-free-unmaps", ["VMM-RES-010"], "The mapping is unmapped silently, and the call succeeds." => {
        match (real(address, size), driver().functions().cuMemUnmap) {
            (SUCCESS, _) | (_, None) => SUCCESS,
            (_, Some(unmap)) => {
                let _ = unmap(address, size);
                real(address, size)
            }
        }
    };

    "address-free-keeps-the-reservation", ["VMM-MAP-007"], "Freed addresses stay reserved." => SUCCESS;
}

faults! {
    real = cuMemGetAllocationGranularity(
        output: *mut usize, properties: *const CUmemAllocationProp, option: Granularity,
    );

    "granularity-is-half-of-what-create-takes", ["VMM-CREATE-001"],
        "cuMemGetAllocationGranularity returns half of what cuMemCreate needs." => {
        let code = real(output, properties, option);
        if code == SUCCESS {
            *output /= 2;
        }
        code
    };

    "granularity-is-3-mib", ["VMM-CREATE-020"], "The granularity is not a power of two." => {
        let code = real(output, properties, option);
        if code == SUCCESS {
            *output = 3 << 20;
        }
        code
    };

    "granularity-recommended-is-too-small", ["VMM-CREATE-020"], "The recommended granularity is below the minimum." => {
        let code = real(output, properties, option);
        if code == SUCCESS && option == Granularity::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED {
            *output /= 2;
        }
        code
    };
}

faults! {
    real = cuMemCreate(
        output: *mut CUmemGenericAllocationHandle, size: usize, properties: *const CUmemAllocationProp,
        flags: c_ulonglong,
    );

    "create-is-refused", ["VMM-CREATE-001"], "Nothing is created." => OUT_OF_MEMORY;

    "create-writes-no-handle", ["VMM-CREATE-001"], "The handle is not written." => {
        real(&mut 0, size, properties, flags)
    };

    "create-gives-a-granule-less", ["VMM-CREATE-001"], "The allocation lacks its last granule." => {
        real(output, if size > GRANULE { size - GRANULE } else { size }, properties, flags)
    };

    "create-refuses-three-granules", ["VMM-CREATE-001"], "A size must be a power of two." => {
        if size.is_power_of_two() { real(output, size, properties, flags) } else { INVALID_VALUE }
    };

    "create-rounds-the-size-up", ["VMM-CREATE-002"], "A size is rounded up to granules." => {
        real(output, size.next_multiple_of(GRANULE), properties, flags)
    };

    "create-of-another-size-is-out-of-memory", ["VMM-CREATE-002"],
        "cuMemCreate of an unaligned size returns OUT_OF_MEMORY." => {
        instead(real(output, size, properties, flags), INVALID_VALUE, OUT_OF_MEMORY)
    };

    "create-takes-any-device", ["VMM-CREATE-006"], "cuMemCreate on a nonexistent device allocates on device 0." => {
        match real(output, size, properties, flags) {
            SUCCESS => SUCCESS,
            _ => {
                let location = CUmemLocation::device(0);
                real(output, size, &CUmemAllocationProp { location, ..*properties }, flags)
            }
        }
    };

    "create-ignores-flags", ["VMM-CREATE-007"], "Flags have no effect." => real(output, size, properties, 0);

    "create-checks-only-32-flags", ["VMM-CREATE-007"], "The upper half of the flags is not checked." => {
        real(output, size, properties, flags & 0xffff_ffff)
    };

    "create-refuses-descriptors", ["VMM-CREATE-008"], "Memory for descriptors is refused." => {
        if (*properties).requestedHandleTypes == CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            NOT_SUPPORTED
        } else {
            real(output, size, properties, flags)
        }
    };

    "create-accepts-windows-handles", ["VMM-CREATE-009"], "Memory for Windows handles is created." => {
        let requested = CUmemAllocationHandleType((*properties).requestedHandleTypes.0 & !6);
        real(output, size, &CUmemAllocationProp { requestedHandleTypes: requested, ..*properties }, flags)
    };

    "create-needs-a-context", ["VMM-CREATE-019"], "Without a current context, nothing is created." => {
        if has_a_context() { real(output, size, properties, flags) } else { INVALID_CONTEXT }
    };
}

faults! {
    real = cuMemGetAllocationPropertiesFromHandle(
        output: *mut CUmemAllocationProp, handle: CUmemGenericAllocationHandle,
    );

    "properties-are-not-written", ["VMM-CREATE-024"],
        "The call returns CUDA_SUCCESS and writes no properties." => SUCCESS;

    "properties-forget-the-handle-types", ["VMM-CREATE-024"], "No handle types are reported." => {
        let code = real(output, handle);
        if code == SUCCESS {
            (*output).requestedHandleTypes = CUmemAllocationHandleType(0);
        }
        code
    };

    "properties-invent-a-handle-type", ["VMM-CREATE-024"], "All memory is reported as exportable to a descriptor." => {
        let code = real(output, handle);
        if code == SUCCESS {
            (*output).requestedHandleTypes.0 |= 1;
        }
        code
    };

    "import-has-no-properties", ["VMM-IMP-013"],
        "cuMemGetAllocationPropertiesFromHandle refuses every handle." => INVALID_VALUE;

    "import-reports-the-host", ["VMM-IMP-013"], "Memory is reported as memory of the host." => {
        let code = real(output, handle);
        if code == SUCCESS {
            (*output).location = CUmemLocation::host();
        }
        code
    };
}

faults! {
    real = cuMemMap(
        address: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: c_ulonglong,
    );

    "map-does-nothing", ["VMM-MAP-001"], "A mapping succeeds, and maps nothing." => SUCCESS;

    "map-accepts-anything", ["VMM-MAP-004", "VMM-MAP-006", "VMM-MAP-007"], "No size and no address is refused." => {
        refusal(real(address, size, offset, handle, flags), SUCCESS)
    };

    "map-replaces-a-mapping", ["VMM-MAP-008"], "Mapping over a mapping replaces it." => {
        match (real(address, size, offset, handle, flags), driver().functions().cuMemUnmap) {
            (SUCCESS, _) => SUCCESS,
            (code, None) => code,
            (_, Some(unmap)) => {
                let _ = unmap(address, size);
                real(address, size, offset, handle, flags)
            }
        }
    };

    "map-ignores-flags", ["VMM-MAP-010"], "Flags have no effect." => real(address, size, offset, handle, 0);

    "map-hangs", ["VMM-MAP-001"], "A mapping never returns." => hang();
}

faults! {
    real = cuMemUnmap(address: CUdeviceptr, size: usize);

    "unmap-accepts-a-part", ["VMM-MAP-012"], "Unmapping a part succeeds, and does nothing." => {
        refusal(real(address, size), SUCCESS)
    };

    "unmap-does-nothing", ["VMM-MAP-014", "VMM-MAP-015"],
        "cuMemUnmap returns CUDA_SUCCESS and the mapping stays." => SUCCESS;
}

faults! {
    real = cuMemSetAccess(address: CUdeviceptr, size: usize, list: *const CUmemAccessDesc, count: usize);

    "set-access-does-nothing", ["VMM-MAP-001"], "No access is given." => SUCCESS;

    "set-access-ignores-none", ["VMM-MAP-022"], "Access is never taken away." => {
        if (*list).flags.0 == 0 { SUCCESS } else { real(address, size, list, count) }
    };

    "set-access-accepts-a-hole", ["VMM-MAP-023"], "A range that is not mapped is accepted." => {
        let code = real(address, size, list, count);
        if (*list).location.id() == 0 { refusal(code, SUCCESS) } else { code }
    };

    "set-access-takes-any-device", ["VMM-MAP-026"], "A nonexistent device is accepted." => {
        let code = real(address, size, list, count);
        if (*list).location.id() == 0 { code } else { refusal(code, SUCCESS) }
    };

    "set-access-gives-only-read", ["VMM-MAP-001"], "Setting READWRITE grants only READ." => {
        let mut list = *list;
        list.flags.0 &= 1;
        real(address, size, &list, 1)
    };
}

faults! {
    real = cuMemGetAccess(output: *mut c_ulonglong, location: *const CUmemLocation, address: CUdeviceptr);

    "get-access-knows-no-read-access", ["VMM-MAP-027"], "cuMemGetAccess reports READ as READWRITE." => {
        let code = real(output, location, address);
        if code == SUCCESS && *output == 1 {
            *output = 3;
        }
        code
    };

    "get-access-writes-no-0", ["VMM-MAP-027"], "cuMemGetAccess writes nothing if there is no access." => {
        let mut found = 0;
        let code = real(&mut found, location, address);
        if code == SUCCESS && found != 0 {
            *output = found;
        }
        code
    };

    "get-access-writes-half-of-its-answer", ["VMM-MAP-027"], "cuMemGetAccess writes only the low 32 bits." => {
        let mut found = 0;
        let code = real(&mut found, location, address);
        if code == SUCCESS {
            output.cast::<u32>().write(found as u32);
        }
        code
    };
}

faults! {
    real = cuMemRelease(handle: CUmemGenericAllocationHandle);

    "release-is-refused", ["VMM-IMP-025"], "No handle can be released." => INVALID_HANDLE;

    "release-does-nothing", ["VMM-MAP-017", "VMM-IMP-006"], "No memory is given back." => SUCCESS;
}

faults! {
    real = cuMemRetainAllocationHandle(output: *mut CUmemGenericAllocationHandle, address: *mut std::ffi::c_void);

    "retain-counts-nothing", ["VMM-IMP-030"], "The returned handle has no reference of its own." => {
        let code = real(output, address);
        if let (SUCCESS, Some(release)) = (code, driver().functions().cuMemRelease) {
            let _ = release(*output);
        }
        code
    };

    "retain-gives-a-new-handle", ["VMM-IMP-030"], "The handle has another value than the mapped one." => {
        let code = real(output, address);
        if code == SUCCESS {
            *output += 1;
        }
        code
    };

    "retain-of-anything-succeeds", ["VMM-IMP-031"],
    "For an unmapped address, a handle that names nothing is returned." => {
        let code = real(output, address);
        if code != SUCCESS {
            *output = NO_HANDLE;
        }
        SUCCESS
    };

    "retain-of-an-unmapped-address-has-another-code", ["VMM-IMP-031"],
        "Retaining an unmapped address returns INVALID_HANDLE." => {
        refusal(real(output, address), INVALID_HANDLE)
    };
}
