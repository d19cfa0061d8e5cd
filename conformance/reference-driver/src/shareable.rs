//! Physical memory for other processes: `cuMemExportToShareableHandle`, `cuMemImportFromShareableHandle`.
//!
//! A descriptor is one of the memory itself, so that the kernel keeps the memory for whoever has it: an importer, a
//! process that only passes it on, a socket that nobody reads. What an importer has to know stands behind the memory.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{BorrowedFd, IntoRawFd as _};

use cuda_ipc_sys::{CUmemAllocationHandleType, CUmemFabricHandle, CUmemGenericAllocationHandle, CUresult};

use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, OUT_OF_MEMORY, Output, Result};
use crate::block::{Block, GRANULARITY, description, is_sealed};
use crate::environment::environment;
use crate::handle::fnv1a;
use crate::multicast::Object;
use crate::process::state;
use crate::vmm::Location;

type T = CUmemAllocationHandleType;

const DESCRIPTOR: T = T::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: T = T::CU_MEM_HANDLE_TYPE_FABRIC;

/// What the description of an allocation begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"cuda vmm");

/// Words of a description; the last one is a sum over the others.
const WORDS: usize = 7;

/// Say in the memory's file what it is.
pub(crate) fn describe(block: &Block, location: Location, handle_types: T) -> Result<()> {
    let (kind, number) = match location {
        Location::Device(device) => (0, device as u64),
        Location::Host => (1, 0),
        Location::Numa(node) => (2, u64::from(node.cast_unsigned())),
    };
    let words = [MAGIC, environment().machine_number(), block.size, kind, number, handle_types.0.into()];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(fnv1a(bytes.iter().copied()).to_le_bytes());
    block.describe(&bytes)
}

/// What a descriptor leads to.
enum Shared {
    Memory(Block, Location),
    Multicast(Object),
}

/// Where the memory of a file lies, if it is an allocation that descriptors may lead to.
fn location_of(bytes: &[u8]) -> Result<Location> {
    let words = bytes.as_chunks::<8>().0;
    let word = |index: usize| words.get(index).map_or(0, |word| u64::from_le_bytes(*word));
    let is_whole = word(WORDS - 1) == fnv1a(bytes[..(WORDS - 1) * 8].iter().copied());
    // VMM-IMP-004: other memory of this driver is no allocation of `cuMemCreate`.
    if word(0) != MAGIC || !is_whole || word(5) & u64::from(DESCRIPTOR.0) == 0 || !word(2).is_multiple_of(GRANULARITY) {
        return Err(INVALID_VALUE);
    }
    match word(3) {
        // VMM-IMP-017: devices that this process does not see are fine; those of another machine are not.
        0 if word(1) == environment().machine_number() => {
            let device = usize::try_from(word(4)).ok().filter(|device| *device < environment().devices);
            device.map(Location::Device).ok_or(NOT_SUPPORTED)
        }
        2 => Ok(Location::Numa((word(4) as u32).cast_signed())),
        _ => Err(NOT_SUPPORTED),
    }
}

/// The file of a caller's descriptor, which stays his.
fn file_of(handle: *mut c_void) -> Result<File> {
    // VMM-IMP-002: the descriptor itself, not its address; -1 is extended to all bits.
    let number = i32::try_from(handle as i64).ok().filter(|number| *number >= 0);
    let number = number.ok_or(CUresult::CUDA_ERROR_UNKNOWN)?;
    // SAFETY: a number that is none fails in the next call, and is used for nothing else.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    // VMM-IMP-007, -008
    borrowed.try_clone_to_owned().map(File::from).map_err(|error| match error.raw_os_error() {
        Some(libc::EBADF) => CUresult::CUDA_ERROR_UNKNOWN,
        _ => OUT_OF_MEMORY,
    })
}

/// What is behind a caller's descriptor.
fn import(handle: *mut c_void) -> Result<Shared> {
    let file = file_of(handle)?;
    if !is_sealed(&file) {
        // A file of somebody else. VMM-IMP-003 wants another code than this one, which an H200 answers. VMM-IMP-036:
        // null is descriptor 0, which is refused in an own way.
        return Err(if handle.is_null() { INVALID_VALUE } else { CUresult::CUDA_ERROR_UNKNOWN });
    }
    let description = description(&file).ok_or(INVALID_VALUE)?;
    // MC-003
    if let Some(object) = Object::of_file(&file, &description)? {
        return Ok(Shared::Multicast(object));
    }
    let location = location_of(&description)?;
    let block = Block::map(file, location.device())?;
    Ok(Shared::Memory(block, location))
}

/// A descriptor of the caller's own. VMM-EXP-002: closed on exec. VMM-EXP-007: another each time. VMM-EXP-010: or none.
fn give_descriptor(output: Output<c_void>, file: &File) -> Result<()> {
    let file = file.try_clone().map_err(|_| OUT_OF_MEMORY)?;
    // SAFETY: for this type of handle the caller promises room for an int.
    unsafe { output.cast::<i32>() }.give(file.into_raw_fd())
}

entry_points! {
    // VMM-MAP-035: needs no context.
    fn cuMemExportToShareableHandle(
        output: Output<c_void>,
        handle: CUmemGenericAllocationHandle,
        handle_type: CUmemAllocationHandleType,
        flags: u64,
    ) {
        let state = state()?;
        // VMM-EXP-004, -005
        output.wanted()?;
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        if let Some(object) = state.multicasts.get(&handle) {
            let is_right = handle_type == DESCRIPTOR && object.is_exportable;
            return if is_right { give_descriptor(output, object.file()) } else { Err(INVALID_VALUE) };
        }
        let allocation = state.allocation(handle)?;
        // VMM-EXP-003, VMM-CREATE-010. VMM-EXP-008: an imported allocation has none.
        if ![DESCRIPTOR, FABRIC].contains(&handle_type) || (allocation.handle_types & handle_type).0 == 0 {
            return Err(INVALID_VALUE);
        }
        if handle_type == FABRIC {
            let bytes = crate::fabric::export(allocation)?;
            // SAFETY: for this type the caller promises room for a fabric handle.
            return unsafe { output.cast() }.give(CUmemFabricHandle::from_bytes(bytes));
        }
        give_descriptor(output, allocation.block.file())
    }

    // VMM-IMP-035: needs no context.
    fn cuMemImportFromShareableHandle(
        output: Output<CUmemGenericAllocationHandle>,
        shareable: *mut c_void,
        handle_type: CUmemAllocationHandleType,
    ) {
        let mut state = state()?;
        // VMM-IMP-011
        output.wanted()?;
        let (block, location) = match handle_type {
            DESCRIPTOR => match import(shareable)? {
                Shared::Memory(block, location) => (block, location),
                Shared::Multicast(object) => return output.give(state.add_multicast(object)),
            },
            // SAFETY: for this type the caller promises null or a fabric handle.
            FABRIC => crate::fabric::import(unsafe { Input::new(shareable.cast()) })?,
            // VMM-IMP-010
            _ => return Err(INVALID_VALUE),
        };
        // VMM-IMP-006, -009: a new handle each time, in the exporting process too.
        output.give(state.add_allocation(block, location, T::CU_MEM_HANDLE_TYPE_NONE, true))
    }
}
