//! Faults only: what a driver with a leak leaves behind.

use std::fs::File;
use std::mem::forget;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use cuda_ipc_sys::CUresult;

use crate::account::account;
use crate::answer::Result;
use crate::block::GRANULARITY;
use crate::memfd::new_file;
use crate::process::state;

/// Leaves an open descriptor.
pub(crate) fn descriptor() -> Result<()> {
    forget(File::open("/dev/null").map_err(|_| CUresult::CUDA_ERROR_OPERATING_SYSTEM)?);
    Ok(())
}

/// Leaves a file in /dev/shm, with a name as NVIDIA's driver gives it. The harness removes such files after the process.
pub(crate) fn file() -> Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // SAFETY: the call has no preconditions.
    let user = unsafe { libc::getuid() };
    let process = std::process::id();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = format!("/dev/shm/cuda.shm.{user:x}.{process:x}.{number:x}");
    File::create_new(path).map(drop).map_err(|_| CUresult::CUDA_ERROR_OPERATING_SYSTEM)
}

/// Leaves a file in /dev/shm when the process exits, if it then has memory of another process open. The harness does not
/// know such a file.
pub(crate) fn file_at_exit() {
    static ONCE: Once = Once::new();
    extern "C" fn at_exit() {
        if state().is_ok_and(|state| state.imports.pointers().next().is_some()) {
            let _ = File::create_new(format!("/dev/shm/reference-driver-{}", std::process::id()));
        }
    }
    // SAFETY: the handler is a function of this library, which is never unloaded.
    ONCE.call_once(|| assert_eq!(unsafe { libc::atexit(at_exit) }, 0));
}

/// Leaves a mapping with every fourth call.
pub(crate) fn mapping_of_every_fourth() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    if CALLS.fetch_add(1, Ordering::Relaxed) % 4 == 3 {
        mapping();
    }
}

/// Leaves a mapping. It is shared, because the kernel joins private ones that lie side by side.
pub(crate) fn mapping() {
    map(libc::MAP_SHARED, 4 << 10);
}

/// Leaves host memory that adds no mapping, because the kernel joins it with what lies beside it.
pub(crate) fn private_memory() {
    map(libc::MAP_PRIVATE, 64 << 10);
}

fn map(kind: i32, size: usize) {
    let flags = kind | libc::MAP_ANONYMOUS;
    // SAFETY: the kernel selects an unused address, and nothing uses it.
    unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ, flags, -1, 0) };
}

/// Leaves a child process: one that has ended, and that its parent does not wait for.
pub(crate) fn process() -> Result<()> {
    // SAFETY: the child does nothing but end, without exit handlers.
    match unsafe { libc::fork() } {
        -1 => Err(CUresult::CUDA_ERROR_OPERATING_SYSTEM),
        // SAFETY: the call does not return.
        0 => unsafe { libc::_exit(0) },
        _ => Ok(()),
    }
}

/// Leaves device memory, and nothing else: one file counts for more and more memory.
pub(crate) fn device_memory(device: usize) -> Result<()> {
    static KEPT: Mutex<Option<(File, u64)>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, size) = match kept.take() {
        Some((file, size)) => (file, size + GRANULARITY),
        None => (new_file("cuda:kept", GRANULARITY)?, GRANULARITY),
    };
    account(&file, device, size)?;
    *kept = Some((file, size));
    Ok(())
}
