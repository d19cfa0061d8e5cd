//! Memfds, which hold the memory that processes share, and mappings of them.

use std::ffi::CString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::ptr;

use cuda_ipc_sys::CUresult;

use crate::answer::{OUT_OF_MEMORY, Result};
use crate::process::look_at;

/// The seals of a file that was created to be shared.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// Creates a memfd of zeros. Other processes of the machine recognise the file by its name.
pub(crate) fn new_file(name: &str, size: u64) -> Result<File> {
    new_memfd(name, size, close_on_exec())
}

/// Creates a memfd whose size no process can change.
pub(crate) fn new_sealed(name: &str, size: u64) -> Result<File> {
    let file = new_memfd(name, size, close_on_exec() | libc::MFD_ALLOW_SEALING)?;
    // SAFETY: the descriptor is the file's; the argument is a number.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) };
    if answer < 0 { Err(OUT_OF_MEMORY) } else { Ok(file) }
}

pub(crate) fn is_sealed(file: &File) -> bool {
    // SAFETY: the descriptor is the file's.
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    seals >= 0 && seals & SEALS == SEALS
}

/// Duplicates the descriptor of a file. The new descriptor is close-on-exec.
pub(crate) fn new_descriptor(file: &File) -> Result<i32> {
    // SAFETY: the descriptor is the file's, and the call creates a new one.
    let descriptor = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 0) };
    // VMM-EXP-010: the process has no descriptor left.
    if descriptor < 0 { Err(OUT_OF_MEMORY) } else { Ok(descriptor) }
}

/// The flag with which no program that this process starts inherits the file.
fn close_on_exec() -> libc::c_uint {
    if fault!("memory-is-inherited-over-exec", ["VMM-IMP-023"], "A program that a process starts keeps its memory.") {
        return 0;
    }
    libc::MFD_CLOEXEC
}

/// Does the same as `new_file`, with flags for `memfd_create`.
pub(crate) fn new_memfd(name: &str, size: u64, flags: u32) -> Result<File> {
    let name = CString::new(name).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: the name is a C string; the call has no other input.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    if descriptor < 0 {
        return Err(OUT_OF_MEMORY);
    }
    // SAFETY: the descriptor is new, and nothing else owns it.
    let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    file.set_len(size).map_err(|_| OUT_OF_MEMORY)?;
    Ok(file)
}

/// Why a file of another process cannot be opened.
#[derive(Debug)]
pub(crate) enum Elsewhere {
    /// The process, or its descriptor, no longer exists.
    Gone,
    /// The descriptor's number now refers to another file.
    Replaced,
    /// The system does not let this process access the files of that process.
    Forbidden,
    Failed(CUresult),
}

/// Opens the memfd that another process has at a descriptor, if it still has that name and, if one is given, that inode.
pub(crate) fn file_of_process(
    process: u32,
    descriptor: u32,
    name: &str,
    inode: impl Into<Option<u64>>,
) -> std::result::Result<File, Elsewhere> {
    let refused = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Elsewhere::Gone,
        ErrorKind::PermissionDenied => Elsewhere::Forbidden,
        // CUDA_ERROR_OUT_OF_MEMORY, for example because this process has no descriptor left.
        _ => Elsewhere::Failed(OUT_OF_MEMORY),
    };
    let open = |folder: &Path| {
        let link = folder.join(format!("fd/{descriptor}"));
        if !is_memfd(&std::fs::read_link(&link)?, name) {
            return Ok(None);
        }
        File::options().read(true).write(true).open(link).map(Some)
    };
    let file = look_at(process, open).map_err(refused)?.ok_or(Elsewhere::Replaced)?;
    let found = file.metadata().map_err(refused)?.ino();
    let same = inode.into().is_none_or(|inode| inode == found);
    same.then_some(file).ok_or(Elsewhere::Replaced)
}

/// Faults only: for each other process that has a file mapped, the number of its descriptors of the file.
pub(crate) fn descriptors_of_mappers(inode: u64) -> Vec<usize> {
    let of_process = |process: std::fs::DirEntry| {
        let number: u32 = process.file_name().to_str()?.parse().ok()?;
        let maps = std::fs::read_to_string(process.path().join("maps")).ok()?;
        let is_mapped = maps.lines().any(|line| line.split_whitespace().nth(4) == Some(&*inode.to_string()));
        let descriptors = std::fs::read_dir(process.path().join("fd")).ok()?.flatten();
        let is_same = |path| std::fs::metadata(path).is_ok_and(|metadata| metadata.ino() == inode);
        let count = descriptors.filter(|descriptor| is_same(descriptor.path())).count();
        (is_mapped && number != crate::process::own_number()).then_some(count)
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(of_process).collect()
}

/// Maps a part of a file, shared with all processes that map it.
pub(crate) fn map_shared(file: &File, offset: u64, size: u64) -> Result<u64> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
    let offset = libc::off_t::try_from(offset).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let address = unsafe { libc::mmap(ptr::null_mut(), size as usize, protection, flags, file.as_raw_fd(), offset) };
    if address == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(address as u64) }
}

/// Makes reserved addresses inaccessible to the host again.
pub(crate) fn close_to_host(address: u64, size: u64) -> Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    map_fixed(address, size, libc::PROT_NONE, flags, -1, 0)
}

/// Maps memory at addresses that this driver has reserved.
pub(crate) fn map_fixed(
    address: u64,
    size: u64,
    protection: i32,
    flags: i32,
    descriptor: i32,
    offset: u64,
) -> Result<()> {
    let offset = libc::off_t::try_from(offset).map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: callers pass addresses of a reservation, where only this driver maps anything.
    let mapped = unsafe {
        libc::mmap(address as *mut _, size as usize, protection, flags | libc::MAP_FIXED, descriptor, offset)
    };
    if mapped == libc::MAP_FAILED { Err(OUT_OF_MEMORY) } else { Ok(()) }
}

pub(crate) fn unmap(address: u64, size: u64) {
    // SAFETY: callers pass mappings that they own and do not use again.
    unsafe { libc::munmap(address as *mut _, size as usize) };
}

/// Whether a descriptor's link leads to a memfd with this name.
pub(crate) fn is_memfd(target: &Path, name: &str) -> bool {
    let text = target.as_os_str().as_encoded_bytes();
    text.strip_prefix(b"/memfd:").and_then(|text| text.strip_suffix(b" (deleted)")) == Some(name.as_bytes())
}
