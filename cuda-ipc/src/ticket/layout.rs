//! Writes and reads the contents of a ticket: the part between its header and its checksum.

use super::handle::check_count;
use super::{Chunk, Chunks, Contents, Handle, PhysicalMemory, PoolHandle, PoolPointer, TicketError};
use crate::handle::{EventHandle, FabricHandle, MemHandle, PoolPointerData};
use crate::sys::CudaVersion;
use crate::vmm::Access;
use crate::{ExporterIdentity, ProcessIdentity};

const LEGACY_MEMORY: u32 = 1;
const EVENT: u32 = 2;
const CHUNKS_BY_DESCRIPTOR: u32 = 3;
const CHUNKS_BY_FABRIC: u32 = 4;
const POINTER: u32 = 5;
const POINTER_AND_DESCRIPTOR: u32 = 6;
const POINTER_AND_FABRIC: u32 = 7;

const READ: u32 = Access::Read.flags().0;
const READ_WRITE: u32 = Access::ReadWrite.flags().0;

pub(super) fn write(contents: &Contents, bytes: &mut Vec<u8>) {
    let Contents { exporter, device, driver, generation, size, offset, length, handle } = contents;
    let ExporterIdentity { process, nonce } = exporter;
    let ProcessIdentity { pid, pid_namespace, start_time, boot_id } = process;
    bytes.extend(device);
    bytes.extend(nonce);
    bytes.extend(boot_id);
    bytes.extend(pid_namespace.to_le_bytes());
    bytes.extend(start_time.to_le_bytes());
    bytes.extend(pid.to_le_bytes());
    bytes.extend(driver.0.to_le_bytes());
    bytes.extend(generation.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(kind(handle).to_le_bytes());
    match handle {
        Handle::LegacyMemory(handle) => bytes.extend(handle.to_bytes()),
        Handle::Event(handle) => bytes.extend(handle.to_bytes()),
        Handle::PhysicalMemory(memory) => write_physical_memory(memory, bytes),
        Handle::PoolPointer(pointer) => write_pool_pointer(pointer, bytes),
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Contents, TicketError> {
    let mut reader = Reader(bytes);
    let (device, nonce, boot_id) = (reader.array()?, reader.array()?, reader.array()?);
    let (pid_namespace, start_time, pid) = (reader.u64()?, reader.u64()?, reader.u32()?);
    let process = ProcessIdentity { pid, pid_namespace, start_time, boot_id };
    let contents = Contents {
        exporter: ExporterIdentity { process, nonce },
        device,
        driver: CudaVersion(reader.u32()?),
        generation: reader.u64()?,
        size: reader.u64()?,
        offset: reader.u64()?,
        length: reader.u64()?,
        handle: read_handle(&mut reader)?,
    };
    if reader.0.is_empty() { Ok(contents) } else { Err(TicketError::WrongLength) }
}

const fn kind(handle: &Handle) -> u32 {
    match handle {
        Handle::LegacyMemory(_) => LEGACY_MEMORY,
        Handle::Event(_) => EVENT,
        Handle::PhysicalMemory(memory) => match memory.chunks {
            Chunks::Descriptors(_) => CHUNKS_BY_DESCRIPTOR,
            Chunks::Fabric(_) => CHUNKS_BY_FABRIC,
        },
        Handle::PoolPointer(pointer) => match pointer.pool_handle {
            None => POINTER,
            Some(PoolHandle::Descriptor(_)) => POINTER_AND_DESCRIPTOR,
            Some(PoolHandle::Fabric(_)) => POINTER_AND_FABRIC,
        },
    }
}

fn read_handle(reader: &mut Reader<'_>) -> Result<Handle, TicketError> {
    let kind = reader.u32()?;
    Ok(match kind {
        LEGACY_MEMORY => Handle::LegacyMemory(MemHandle::from_bytes(reader.array()?)),
        EVENT => Handle::Event(EventHandle::from_bytes(reader.array()?)),
        CHUNKS_BY_DESCRIPTOR | CHUNKS_BY_FABRIC => Handle::PhysicalMemory(PhysicalMemory {
            granularity: reader.u64()?,
            access: read_access(reader)?,
            chunks: match kind {
                CHUNKS_BY_DESCRIPTOR => Chunks::Descriptors(read_chunks(reader, Reader::u16)?),
                _ => Chunks::Fabric(read_chunks(reader, Reader::fabric_handle)?),
            },
        }),
        POINTER | POINTER_AND_DESCRIPTOR | POINTER_AND_FABRIC => Handle::PoolPointer(PoolPointer {
            pool: reader.u64()?,
            pointer: PoolPointerData::from_bytes(reader.array()?),
            pool_handle: match kind {
                POINTER => None,
                POINTER_AND_DESCRIPTOR => Some(PoolHandle::Descriptor(reader.u16()?)),
                _ => Some(PoolHandle::Fabric(reader.fabric_handle()?)),
            },
        }),
        _ => return Err(TicketError::UnknownKind { kind }),
    })
}

fn write_physical_memory(memory: &PhysicalMemory, bytes: &mut Vec<u8>) {
    bytes.extend(memory.granularity.to_le_bytes());
    bytes.extend(memory.access.flags().0.to_le_bytes());
    match &memory.chunks {
        Chunks::Descriptors(chunks) => write_chunks(chunks, bytes, u16::to_le_bytes),
        Chunks::Fabric(chunks) => write_chunks(chunks, bytes, FabricHandle::to_bytes),
    }
}

fn read_access(reader: &mut Reader<'_>) -> Result<Access, TicketError> {
    match reader.u32()? {
        READ => Ok(Access::Read),
        READ_WRITE => Ok(Access::ReadWrite),
        access => Err(TicketError::UnknownAccess { access }),
    }
}

fn write_chunks<H: Copy, const N: usize>(chunks: &[Chunk<H>], bytes: &mut Vec<u8>, handle: impl Fn(H) -> [u8; N]) {
    // A ticket has at most MAX_CHUNKS chunks, so the number fits.
    bytes.extend((chunks.len() as u32).to_le_bytes());
    for chunk in chunks {
        bytes.extend(chunk.size.to_le_bytes());
        bytes.extend(handle(chunk.handle));
    }
}

fn read_chunks<'a, H>(
    reader: &mut Reader<'a>,
    handle: impl Fn(&mut Reader<'a>) -> Result<H, TicketError>,
) -> Result<Vec<Chunk<H>>, TicketError> {
    let count = reader.u32()?;
    check_count(count as usize)?;
    // Memory is allocated only as chunks are read: the count may be wrong, and alone allocates nothing.
    (0..count).map(|_| Ok(Chunk { size: reader.u64()?, handle: handle(reader)? })).collect()
}

fn write_pool_pointer(pointer: &PoolPointer, bytes: &mut Vec<u8>) {
    bytes.extend(pointer.pool.to_le_bytes());
    bytes.extend(pointer.pointer.to_bytes());
    match pointer.pool_handle {
        None => {}
        Some(PoolHandle::Descriptor(index)) => bytes.extend(index.to_le_bytes()),
        Some(PoolHandle::Fabric(handle)) => bytes.extend(handle.to_bytes()),
    }
}

/// Takes fields from the front of the remaining bytes.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], TicketError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(TicketError::WrongLength)?;
        self.0 = rest;
        Ok(*array)
    }

    fn u16(&mut self) -> Result<u16, TicketError> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, TicketError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, TicketError> {
        self.array().map(u64::from_le_bytes)
    }

    fn fabric_handle(&mut self) -> Result<FabricHandle, TicketError> {
        self.array().map(FabricHandle::from_bytes)
    }
}
