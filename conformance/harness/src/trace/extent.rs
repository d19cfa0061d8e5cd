//! How much memory an argument of a driver call points to.

use std::io::IoSliceMut;

use cuda_ipc_sys::{
    CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEMCPY2D, CUlaunchConfig, CUmemAllocationProp, CUmemPoolProps,
    CUmulticastObjectProp,
};

use super::Argument;

const HANDLE: usize = 64;
const ACCESS_DESCRIPTION: usize = size_of::<cuda_ipc_sys::CUmemAccessDesc>();
const FABRIC: u64 = cuda_ipc_sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0 as u64;
/// The longest array that a trace has.
const MOST: u64 = 4096;

/// Returns how many bytes a pointer argument points to, before and after the call. `None` if it is no pointer, or an
/// address that the driver does not read through.
pub(super) fn extent(function: &str, arguments: &[Argument], place: usize) -> Option<usize> {
    let number = |place: usize| arguments[place].value;
    let array = |size: usize, count: u64| Some(size * usize::try_from(count.min(MOST)).unwrap_or_default());
    let handle = |kind: u64| Some(if kind == FABRIC { HANDLE } else { 4 });
    match (function, place) {
        ("cuMemcpyHtoD" | "cuMemcpyHtoDAsync", 1) | ("cuMemcpyDtoH" | "cuMemcpyDtoHAsync", 0) => {
            usize::try_from(number(2)).ok()
        }
        ("cuMemSetAccess", 2) => array(ACCESS_DESCRIPTION, number(3)),
        ("cuMemPoolSetAccess", 1) => array(ACCESS_DESCRIPTION, number(2)),
        ("cuMemExportToShareableHandle" | "cuMemPoolExportToShareableHandle", 0) => handle(number(2)),
        // A descriptor is passed as a number, in place of a pointer.
        ("cuMemImportFromShareableHandle" | "cuMemPoolImportFromShareableHandle", 1) => {
            (number(1) > 1 << 32).then(|| handle(number(2)))?
        }
        ("cuMemGetHandleForAddressRange", 0) => Some(4),
        ("cuPointerGetAttribute", 0) | ("cuMemPoolGetAttribute" | "cuMemPoolSetAttribute", 2) => Some(8),
        ("cuPointerSetAttribute", 0) => Some(4),
        ("cuDeviceGetCliqueInfo", 0) => None,
        _ => of_type(&arguments[place].kind),
    }
}

/// Returns the size of what a pointer of this type points to.
fn of_type(kind: &str) -> Option<usize> {
    let target = kind.strip_prefix("*mut ").or_else(|| kind.strip_prefix("*const "))?;
    Some(match target {
        "u64" | "i64" | "usize" => 8,
        "CUipcMemHandle" | "CUipcEventHandle" | "CUmemPoolPtrExportData" => HANDLE,
        "cudaIpcMemHandle_st" | "cudaIpcEventHandle_st" | "cudaIpcMemHandle_t" | "cudaIpcEventHandle_t" => HANDLE,
        "CUmemAllocationProp" => size_of::<CUmemAllocationProp>(),
        "CUmemPoolProps" => size_of::<CUmemPoolProps>(),
        "CUmemLocation" => size_of::<cuda_ipc_sys::CUmemLocation>(),
        "CUuuid" => 16,
        "CUmulticastObjectProp" => size_of::<CUmulticastObjectProp>(),
        "CUDA_MEM_ALLOC_NODE_PARAMS" => size_of::<CUDA_MEM_ALLOC_NODE_PARAMS>(),
        "CUDA_MEMCPY2D" => size_of::<CUDA_MEMCPY2D>(),
        "CUlaunchConfig" => size_of::<CUlaunchConfig>(),
        // A pointer to an object, such as `*mut *mut CUctx_st`.
        _ if target.starts_with('*') => 8,
        // An object, which only the driver reads.
        _ if target.ends_with("_st") || matches!(target, "c_void" | "i8" | "u8") => return None,
        // A number of 32 bits, or an enumeration.
        _ => 4,
    })
}

/// Copies memory of this process. Returns false if not all of it can be read: some cases pass invalid addresses.
pub(super) fn read_memory(address: u64, into: &mut [u8]) -> bool {
    let length = into.len();
    let local = [IoSliceMut::new(into)];
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length };
    // SAFETY: the kernel checks the remote range, and the local one is a slice.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), local.as_ptr().cast(), 1, &raw const remote, 1, 0) };
    usize::try_from(read).is_ok_and(|read| read == length)
}
