//! Devices, peers and errors.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use cuda_ipc_sys::{
    CUdevice, CUdevice_P2PAttribute, CUdevice_attribute, CUlogsCallback, CUlogsCallbackHandle, CUresult,
};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED, SUCCESS, instead, refusal};

/// Returns a value in place of that of one attribute.
///
/// # Safety
/// The output can be written.
unsafe fn reads(value: c_int, output: *mut c_int, code: CUresult, is_asked: bool) -> CUresult {
    if code == SUCCESS && is_asked {
        // SAFETY: as this function's caller promises.
        unsafe { *output = value };
    }
    code
}

faults! {
    real = cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);

    "device-ipc-reads-zero", ["IPCEVT-038"], "IPC_EVENT_SUPPORTED reads 0." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
        reads(0, value, real(value, attribute, device), asked)
    };

    "device-ipc-reads-two", ["IPCEVT-038"], "IPC_EVENT_SUPPORTED reads 2." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
        reads(2, value, real(value, attribute, device), asked)
    };

    "device-ipc-unknown", ["DEVATTR-001"], "IPC_EVENT_SUPPORTED is refused as unknown." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
        if asked { INVALID_VALUE } else { real(value, attribute, device) }
    };

    "device-vmm-reads-zero", ["DEVATTR-002"], "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED reads 0." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
        reads(0, value, real(value, attribute, device), asked)
    };

    "device-descriptors-reads-zero", ["DEVATTR-003"], "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED reads 0." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
        reads(0, value, real(value, attribute, device), asked)
    };

    "device-pool-mask-reads-zero", ["DEVATTR-004"], "MEMPOOL_SUPPORTED_HANDLE_TYPES reads 0." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
        reads(0, value, real(value, attribute, device), asked)
    };

    "device-pool-mask-with-unused-bits", ["DEVATTR-004"], "MEMPOOL_SUPPORTED_HANDLE_TYPES has unused bits." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
        let code = real(value, attribute, device);
        reads(*value | 0x100, value, code, asked)
    };

    "device-unified-addressing-reads-zero", ["DEVATTR-006"], "UNIFIED_ADDRESSING reads 0." => {
        let asked = attribute == CUdevice_attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING;
        reads(0, value, real(value, attribute, device), asked)
    };

    "device-attribute-zero-is-known", ["DEVATTR-008"],
        "A query of attribute id 0 returns CUDA_SUCCESS and writes nothing." => {
        if attribute.0 == 0 { SUCCESS } else { real(value, attribute, device) }
    };

    "device-unknown-attribute-is-zero", ["DEVATTR-008"],
        "A query of an unknown device attribute returns CUDA_SUCCESS and writes nothing." => {
        refusal(real(value, attribute, device), SUCCESS)
    };

    "device-unknown-attribute-code", ["DEVATTR-008"], "An unknown device attribute returns NOT_SUPPORTED." => {
        instead(real(value, attribute, device), INVALID_VALUE, NOT_SUPPORTED)
    };
}

faults! {
    real = cuDeviceGetCount(count: *mut c_int);

    "device-count-before-init-is-zero", ["FORK-006"], "Before cuInit, there are 0 devices." => {
        let code = real(count);
        if code != SUCCESS {
            *count = 0;
        }
        SUCCESS
    };

    "device-count-wrong-code", ["FORK-006"], "Before cuInit, the code is NO_DEVICE." => {
        refusal(real(count), CUresult::CUDA_ERROR_NO_DEVICE)
    };
}

faults! {
    real = cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);

    "can-access-peer-accepts-any-device", ["P2P-001"],
        "cuDeviceCanAccessPeer with a nonexistent device returns CUDA_SUCCESS." => {
        refusal(real(can, device, peer), SUCCESS)
    };

    "can-access-peer-accepts-the-device-count", ["P2P-001"], "The device count is accepted as the peer." => {
        if peer > 0 { refusal(real(can, device, peer), SUCCESS) } else { real(can, device, peer) }
    };

    "can-access-peer-invalid-value", ["P2P-001"], "A query of a nonexistent device returns INVALID_VALUE." => {
        refusal(real(can, device, peer), INVALID_VALUE)
    };
}

faults! {
    real = cuDeviceGetP2PAttribute(value: *mut c_int, attribute: CUdevice_P2PAttribute, from: CUdevice, to: CUdevice);

    "p2p-same-device-accepted", ["P2P-008"],
        "cuDeviceGetP2PAttribute with the same device twice returns CUDA_SUCCESS and writes nothing." => {
        instead(real(value, attribute, from, to), INVALID_DEVICE, SUCCESS)
    };

    "p2p-same-device-invalid-value", ["P2P-008"], "The same device twice is INVALID_VALUE." => {
        instead(real(value, attribute, from, to), INVALID_DEVICE, INVALID_VALUE)
    };

    "p2p-unknown-attribute-is-zero", ["P2P-008"],
        "A query of an unknown P2P attribute returns CUDA_SUCCESS and writes nothing." => {
        instead(real(value, attribute, from, to), INVALID_VALUE, SUCCESS)
    };
}

faults! {
    real = cuGetErrorName(error: CUresult, name: *mut *const c_char);

    "error-name-forgets-invalid-handle", ["ERR-001"], "CUDA_ERROR_INVALID_HANDLE has no name." => {
        if error == CUresult::CUDA_ERROR_INVALID_HANDLE { INVALID_VALUE } else { real(error, name) }
    };

    "error-name-forgets-already-mapped", ["ERR-001"], "CUDA_ERROR_ALREADY_MAPPED has no name." => {
        if error == CUresult::CUDA_ERROR_ALREADY_MAPPED { INVALID_VALUE } else { real(error, name) }
    };

    "error-name-without-its-prefix", ["ERR-001"], "The names of codes lack CUDA_ERROR_." => {
        let code = real(error, name);
        if code == SUCCESS && error != SUCCESS {
            *name = (*name).add("CUDA_ERROR_".len());
        }
        code
    };

    "error-name-is-the-description", ["ERR-001"], "The name of a code is its description." => {
        crate::table::driver().functions().cuGetErrorString.map_or(NOT_SUPPORTED, |describe| describe(error, name))
    };

    "error-name-unknown-succeeds", ["ERR-002"], "An unknown code gives SUCCESS and a null pointer." => {
        refusal(real(error, name), SUCCESS)
    };

    "error-name-unknown-is-told", ["ERR-002"], "An unknown code has the name CUDA_ERROR_UNKNOWN." => {
        match real(error, name) {
            SUCCESS => SUCCESS,
            _ => real(CUresult::CUDA_ERROR_UNKNOWN, name),
        }
    };

    "error-name-unknown-is-not-null", ["ERR-002"], "An unknown code gives a name besides the error." => {
        let code = real(error, name);
        if code != SUCCESS {
            let _ = real(CUresult::CUDA_ERROR_UNKNOWN, name);
        }
        code
    };

    "error-name-unknown-is-not-written", ["ERR-002"], "An unknown code leaves the pointer untouched." => {
        let mut found = ptr::null();
        let code = real(error, &mut found);
        if code == SUCCESS {
            *name = found;
        }
        code
    };

    "error-name-unknown-wrong-code", ["ERR-002"], "cuGetErrorName of an unknown code returns NOT_FOUND." => {
        refusal(real(error, name), NOT_FOUND)
    };
}

faults! {
    real = cuLogsRegisterCallback(callback: CUlogsCallback, data: *mut c_void, handle: *mut CUlogsCallbackHandle);

    "log-is-silent", ["ERR-003"], "Log callbacks receive nothing." => SUCCESS;
}

faults! {
    real = cuLogsUnregisterCallback(handle: CUlogsCallbackHandle);

    "log-callback-stays", ["ERR-003"], "An unregistered log callback still receives lines." => SUCCESS;
}
