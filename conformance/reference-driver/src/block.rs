//! Physical memory: a memfd, mapped once in this process.
//!
//! Behind the data lies a page area with one serial for every 512 bytes: not zero where an allocation begins and
//! lives. An importer reads there whether what a handle names is still the same allocation.

use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::ptr;
use std::sync::atomic::AtomicU64;

use cuda_ipc_sys::CUresult;

use crate::answer::{NOT_PERMITTED, OUT_OF_MEMORY, Result};
use crate::environment::environment;

/// The granularity of physical memory, 2 MiB as on every GPU of the last years.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Where an allocation may begin in a shared block.
pub(crate) const UNIT: u64 = 512;

const SERIALS: u64 = GRANULARITY / UNIT * 8;

#[derive(Debug)]
pub(crate) struct Block {
    file: File,
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) inode: u64,
    serials: u64,
}

impl Block {
    /// Fresh zeroed memory of a device. CUDA_ERROR_OUT_OF_MEMORY where the device has no more.
    pub(crate) fn new(device: usize, size: u64) -> Result<Self> {
        let size = size.checked_next_multiple_of(GRANULARITY).ok_or(OUT_OF_MEMORY)?;
        if size > free_memory(device) {
            return Err(OUT_OF_MEMORY);
        }
        let name = CString::new(file_name(device)).map_err(|_| OUT_OF_MEMORY)?;
        // SAFETY: the name is a C string; the call has no other input.
        let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(OUT_OF_MEMORY);
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(size + SERIALS).map_err(|_| OUT_OF_MEMORY)?;
        Self::map(file)
    }

    /// A block of another process, through the kernel's link to that process's descriptor: `gone` where there is no
    /// such descriptor, NOT_PERMITTED where it is something else by now.
    pub(crate) fn of_process(process: u32, descriptor: u32, inode: u64, gone: CUresult) -> Result<Self> {
        let link = format!("/proc/{process}/fd/{descriptor}");
        let file = File::options().read(true).write(true).open(link).map_err(|_| gone)?;
        if file.metadata().map_or(true, |metadata| metadata.ino() != inode) {
            return Err(NOT_PERMITTED);
        }
        Self::map(file)
    }

    fn map(file: File) -> Result<Self> {
        let metadata = file.metadata().map_err(|_| OUT_OF_MEMORY)?;
        let size = metadata.len().checked_sub(SERIALS).ok_or(OUT_OF_MEMORY)?;
        let base = map_shared(&file, 0, size)?;
        let serials = match map_shared(&file, size, SERIALS) {
            Ok(serials) => serials,
            Err(error) => {
                unmap(base, size);
                return Err(error);
            }
        };
        Ok(Self { file, base, size, inode: metadata.ino(), serials })
    }

    pub(crate) fn descriptor(&self) -> u32 {
        self.file.as_raw_fd().cast_unsigned()
    }

    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// The serial of what begins at an offset.
    pub(crate) fn serial(&self, offset: u64) -> &AtomicU64 {
        let index = (offset / UNIT).min(SERIALS / 8 - 1);
        // SAFETY: the area is mapped as long as the block lives, aligned, and only ever read and written atomically.
        unsafe { AtomicU64::from_ptr((self.serials + index * 8) as *mut u64) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unmap(self.base, self.size);
        unmap(self.serials, SERIALS);
    }
}

/// Map a part of a file, shared with everyone who maps it.
pub(crate) fn map_shared(file: &File, offset: u64, size: u64) -> Result<u64> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    let offset = libc::off_t::try_from(offset).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(ptr::null_mut(), size as usize, protection, flags, file.as_raw_fd(), offset) };
    if address == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(address as u64) }
}

pub(crate) fn unmap(address: u64, size: u64) {
    // SAFETY: callers pass mappings that they own and do not use again.
    unsafe { libc::munmap(address as *mut _, size as usize) };
}

fn file_name(device: usize) -> String {
    format!("cuda:{}:{device}", environment().machine)
}

/// What a device has left: its size without every block that any process of this machine holds. The descriptors are
/// counted, not the allocations, so the account is right whatever way a process ended.
pub(crate) fn free_memory(device: usize) -> u64 {
    let target = format!("/memfd:{} (deleted)", file_name(device));
    let mut blocks = std::collections::HashMap::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        if !process.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for descriptor in std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten() {
            let path = descriptor.path();
            let is_ours = std::fs::read_link(&path).is_ok_and(|link| link.as_os_str() == target.as_str());
            if is_ours && let Ok(metadata) = std::fs::metadata(&path) {
                blocks.insert(metadata.ino(), metadata.len().saturating_sub(SERIALS));
            }
        }
    }
    environment().memory.saturating_sub(blocks.values().sum())
}
