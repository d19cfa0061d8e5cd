//! The runtime's error codes, their names and texts, and a thread's last error. Most codes are the driver's with other
//! names.

use std::ffi::c_char;

use cuda_ipc_sys::CUresult;
use cuda_ipc_sys::runtime::cudaError;

use super::answer::{Error, last, take_last};
use super::context::initialised;
use crate::error::{description, kept};

/// RT-001: the runtime's code for each code that this driver returns.
const TWINS: [(CUresult, cudaError); 37] = {
    type D = CUresult;
    type R = cudaError;
    [
        (D::CUDA_SUCCESS, R::cudaSuccess),
        (D::CUDA_ERROR_INVALID_VALUE, R::cudaErrorInvalidValue),
        (D::CUDA_ERROR_OUT_OF_MEMORY, R::cudaErrorMemoryAllocation),
        (D::CUDA_ERROR_NOT_INITIALIZED, R::cudaErrorInitializationError),
        (D::CUDA_ERROR_NO_DEVICE, R::cudaErrorNoDevice),
        (D::CUDA_ERROR_INVALID_DEVICE, R::cudaErrorInvalidDevice),
        (D::CUDA_ERROR_INVALID_IMAGE, R::cudaErrorInvalidKernelImage),
        (D::CUDA_ERROR_INVALID_CONTEXT, R::cudaErrorDeviceUninitialized),
        (D::CUDA_ERROR_MAP_FAILED, R::cudaErrorMapBufferObjectFailed),
        (D::CUDA_ERROR_ALREADY_MAPPED, R::cudaErrorAlreadyMapped),
        (D::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, R::cudaErrorPeerAccessUnsupported),
        (D::CUDA_ERROR_INVALID_PTX, R::cudaErrorInvalidPtx),
        (D::CUDA_ERROR_INVALID_HANDLE, R::cudaErrorInvalidResourceHandle),
        (D::CUDA_ERROR_NOT_FOUND, R::cudaErrorSymbolNotFound),
        (D::CUDA_ERROR_NOT_READY, R::cudaErrorNotReady),
        (D::CUDA_ERROR_ILLEGAL_ADDRESS, R::cudaErrorIllegalAddress),
        (D::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, R::cudaErrorPeerAccessAlreadyEnabled),
        (D::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, R::cudaErrorPeerAccessNotEnabled),
        (D::CUDA_ERROR_CONTEXT_IS_DESTROYED, R::cudaErrorContextIsDestroyed),
        (D::CUDA_ERROR_TOO_MANY_PEERS, R::cudaErrorTooManyPeers),
        (D::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, R::cudaErrorHostMemoryAlreadyRegistered),
        (D::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, R::cudaErrorHostMemoryNotRegistered),
        (D::CUDA_ERROR_FILE_NOT_FOUND, R::cudaErrorFileNotFound),
        (D::CUDA_ERROR_MISALIGNED_ADDRESS, R::cudaErrorMisalignedAddress),
        (D::CUDA_ERROR_LAUNCH_FAILED, R::cudaErrorLaunchFailure),
        (D::CUDA_ERROR_NOT_PERMITTED, R::cudaErrorNotPermitted),
        (D::CUDA_ERROR_NOT_SUPPORTED, R::cudaErrorNotSupported),
        (D::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, R::cudaErrorStreamCaptureUnsupported),
        (D::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, R::cudaErrorStreamCaptureInvalidated),
        (D::CUDA_ERROR_STREAM_CAPTURE_MERGE, R::cudaErrorStreamCaptureMerge),
        (D::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, R::cudaErrorStreamCaptureUnmatched),
        (D::CUDA_ERROR_STREAM_CAPTURE_UNJOINED, R::cudaErrorStreamCaptureUnjoined),
        (D::CUDA_ERROR_STREAM_CAPTURE_ISOLATION, R::cudaErrorStreamCaptureIsolation),
        (D::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, R::cudaErrorStreamCaptureImplicit),
        (D::CUDA_ERROR_CAPTURED_EVENT, R::cudaErrorCapturedEvent),
        (D::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, R::cudaErrorStreamCaptureWrongThread),
        (D::CUDA_ERROR_UNKNOWN, R::cudaErrorUnknown),
    ]
};

/// The runtime's code for one of the driver's.
pub(super) fn of_driver(code: CUresult) -> cudaError {
    type D = CUresult;
    type R = cudaError;
    match code {
        D::CUDA_ERROR_INVALID_HANDLE
            if fault!("runtime-code-of-invalid-handle", ["RT-001"], "The runtime's code for 400 is 1.") =>
        {
            return R::cudaErrorInvalidValue;
        }
        D::CUDA_ERROR_MAP_FAILED
            if fault!("runtime-code-of-map-failed", ["RT-001"], "The runtime's code for 205 is 999.") =>
        {
            return R::cudaErrorUnknown;
        }
        D::CUDA_ERROR_INVALID_CONTEXT
            if fault!("runtime-code-of-invalid-context", ["RT-001"], "The runtime's code for 201 is 400.") =>
        {
            return R::cudaErrorInvalidResourceHandle;
        }
        D::CUDA_ERROR_INVALID_VALUE
            if fault!("runtime-code-of-invalid-value", ["RT-001"], "The runtime's code for 1 is 11.") =>
        {
            return R::cudaErrorInvalidDevicePointer;
        }
        _ => {}
    }
    TWINS.iter().find(|(driver, _)| *driver == code).map_or(cudaError::cudaErrorUnknown, |(_, runtime)| *runtime)
}

/// Codes of the table that are newer than this runtime's version, or no longer in it.
const OTHER_VERSIONS: [cudaError; 5] = [
    cudaError::cudaErrorVersionTranslation,
    cudaError::cudaErrorInsufficientLoaderVersion,
    cudaError::cudaErrorStreamDetached,
    cudaError::cudaErrorGraphRecaptureFailure,
    cudaError::cudaErrorFabricNotReady,
];

/// Returns a text about a code, which the caller may keep forever.
fn say(code: cudaError, text: impl FnOnce(&str) -> String) -> *const c_char {
    let text = || code.name().filter(|_| !OTHER_VERSIONS.contains(&code)).map(text);
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(text)) {
        Ok(Some(text)) => kept(text),
        _ => c"unrecognized error code".as_ptr(),
    }
}

/// Turns `cudaErrorInvalidValue` into `invalid value`.
fn words(name: &str) -> String {
    let name = name.trim_start_matches("cudaError").trim_start_matches("cuda");
    let mut words = String::new();
    for character in name.chars() {
        if character.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
        }
        words.push(character);
    }
    words.to_lowercase()
}

extern "C" fn cudaGetErrorName(code: cudaError) -> *const c_char {
    type R = cudaError;
    let is_of_driver = code == R::cudaErrorInvalidResourceHandle
        && fault!("runtime-name-of-invalid-handle", ["RT-001"], "The runtime's name of 400 is another code's.")
        || code == R::cudaErrorMapBufferObjectFailed
            && fault!("runtime-name-of-map-failed", ["RT-001"], "The runtime's name of 205 is another code's.")
        || code == R::cudaErrorDeviceUninitialized
            && fault!("runtime-name-of-invalid-context", ["RT-001"], "The runtime's name of 201 is another code's.");
    if is_of_driver {
        return say(R::cudaErrorUnknown, str::to_owned);
    }
    say(code, str::to_owned)
}

extern "C" fn cudaGetErrorString(code: cudaError) -> *const c_char {
    say(code, |name| description(code.0).map_or_else(|| words(name), str::to_owned))
}

offer!(cudaGetErrorName cudaGetErrorString cudaGetLastError cudaPeekAtLastError);

/// Calls `answer` if the driver can be initialised, and otherwise returns the error of the initialisation. This is
/// documented for nearly every call, and was seen on a real runtime for these.
fn where_there_is_a_driver(answer: fn() -> cudaError) -> cudaError {
    match std::panic::catch_unwind(initialised) {
        Ok(Ok(())) => answer(),
        Ok(Err(Error(code))) => code,
        Err(_) => cudaError::cudaErrorUnknown,
    }
}

extern "C" fn cudaGetLastError() -> cudaError {
    where_there_is_a_driver(take_last)
}

extern "C" fn cudaPeekAtLastError() -> cudaError {
    where_there_is_a_driver(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_have_one_number() {
        for (driver, runtime) in TWINS {
            assert_eq!(driver.0, runtime.0, "{driver} and {runtime}");
        }
    }

    #[test]
    fn a_name_becomes_words() {
        let of = |name| words(name);
        assert_eq!(of("cudaErrorPeerAccessNotEnabled"), "peer access not enabled");
        assert_eq!(of("cudaErrorECCUncorrectable"), "eccuncorrectable");
        assert_eq!(of("cudaSuccess"), "success");
    }
}
