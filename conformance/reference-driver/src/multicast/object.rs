//! The file that the processes of a multicast object share.

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::CUresult;

use super::Bindable;
use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY, Result};
use crate::block::Block;
use crate::environment::environment;
use crate::handle::fnv1a;
use crate::memfd::{is_memfd, is_sealed, new_descriptor, new_sealed};
use crate::process::{own_number, own_start_time, start_time};
use crate::range::{Access, Span};
use crate::vmm::Allocation;

/// The number of words of an object's description, which follows the table. The last word is a checksum of the others.
const WORDS: usize = 4;
const DESCRIPTION_SIZE: usize = WORDS * 8;

/// The number of devices and of bindings that the file has room for, and the words of a binding.
const DEVICES: usize = 64;
const BINDING: usize = 10;
const BINDINGS: usize = 512;
const TABLE_SIZE: usize = (DEVICES + BINDING * BINDINGS) * 8;

fn file_name() -> String {
    format!("multicast:{}", environment().machine)
}

#[derive(Debug)]
pub(crate) struct Object {
    file: File,
    pub(crate) size: u64,
    devices: usize,
    /// Whether other processes can import the object. If so, only memory that they can import too may be bound to it.
    pub(crate) is_shareable: bool,
    /// Whether this process may export the object.
    is_exportable: bool,
    /// The bound memory that this process keeps mapped.
    kept: Mutex<HashMap<Name, Kept>>,
}

/// Names a binding: the PID and the start time of the process that made it, and how many it had made before.
type Name = (u32, u64, u64);

/// Memory that stays mapped as long as this value lives.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    Allocation(Arc<Allocation>),
    Block(Arc<Block>),
}

impl Kept {
    pub(super) fn block(&self) -> &Block {
        match self {
            Self::Allocation(allocation) => &allocation.block,
            Self::Block(block) => block,
        }
    }

    fn span(self, address: u64, size: u64) -> Span {
        match self {
            Self::Allocation(allocation) => Span::kept(address, size, allocation),
            Self::Block(block) => Span::kept(address, size, block),
        }
    }
}

/// Memory of one device at an offset of the object, and how any process finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Binding {
    device: usize,
    offset: u64,
    size: u64,
    memory_offset: u64,
    process: u32,
    start_time: u64,
    number: u64,
    descriptor: u32,
    inode: u64,
}

impl Binding {
    const fn name(&self) -> Name {
        (self.process, self.start_time, self.number)
    }

    const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Returns the words of a slot. An empty slot begins with 0.
    fn to_words(self) -> [u64; BINDING] {
        let (process, descriptor) = (self.process.into(), self.descriptor.into());
        let Self { offset, size, memory_offset, start_time, number, inode, .. } = self;
        [1, self.device as u64, offset, size, memory_offset, process, start_time, number, descriptor, inode]
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let &[1, device, offset, size, memory_offset, process, start_time, number, descriptor, inode] = words else {
            return None;
        };
        let (process, descriptor) = (process as u32, descriptor as u32);
        let device = device as usize;
        Some(Self { device, offset, size, memory_offset, process, start_time, number, descriptor, inode })
    }
}

/// The contents of the file.
#[derive(Debug, Default)]
struct Table {
    devices: Vec<usize>,
    bindings: Vec<Binding>,
}

impl Table {
    fn read(file: &File) -> Result<Self> {
        let mut bytes = vec![0; TABLE_SIZE];
        file.read_exact_at(&mut bytes, 0).map_err(|_| OUT_OF_MEMORY)?;
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let (devices, bindings) = words.split_at(DEVICES);
        let devices = devices.iter().take_while(|word| **word != 0).map(|word| (*word - 1) as usize).collect();
        Ok(Self { devices, bindings: bindings.chunks_exact(BINDING).filter_map(Binding::from_words).collect() })
    }

    fn write(&self, file: &File) -> Result<()> {
        if self.devices.len() > DEVICES || self.bindings.len() > BINDINGS {
            return Err(OUT_OF_MEMORY);
        }
        let mut words: Vec<u64> = self.devices.iter().map(|device| *device as u64 + 1).collect();
        words.resize(DEVICES, 0);
        words.extend(self.bindings.iter().flat_map(|binding| binding.to_words()));
        words.resize(TABLE_SIZE / 8, 0);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        file.write_all_at(&bytes, 0).map_err(|_| OUT_OF_MEMORY)
    }
}

/// Locks the table against other processes. If a process dies, the system releases its lock.
struct Locked<'file>(&'file File);

impl<'file> Locked<'file> {
    fn new(file: &'file File) -> Result<Self> {
        if lock(file, libc::F_WRLCK) { Ok(Self(file)) } else { Err(OUT_OF_MEMORY) }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        lock(self.0, libc::F_UNLCK);
    }
}

fn lock(file: &File, kind: libc::c_int) -> bool {
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_len = 1;
    // SAFETY: the call only reads the lock, which is a local.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &raw const lock) == 0 }
}

impl Object {
    pub(crate) fn new(size: u64, devices: u32, handle_types: u64) -> Result<Self> {
        let file = new_sealed(&file_name(), (TABLE_SIZE + DESCRIPTION_SIZE) as u64)?;
        let words = [size, devices.into(), handle_types];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(fnv1a(bytes.iter().copied()).to_le_bytes());
        file.write_all_at(&bytes, TABLE_SIZE as u64).map_err(|_| OUT_OF_MEMORY)?;
        let is_shareable = handle_types != 0;
        let devices = devices as usize;
        Ok(Self { file, size, devices, is_shareable, is_exportable: is_shareable, kept: Mutex::default() })
    }

    /// Opens the object behind a descriptor from `export`. Returns `None` for any other file.
    pub(crate) fn of_descriptor(descriptor: i32) -> Result<Option<Self>> {
        let path = format!("/proc/thread-self/fd/{descriptor}");
        if !std::fs::read_link(&path).is_ok_and(|target| is_memfd(&target, &file_name())) {
            return Ok(None);
        }
        // The file is opened again, because a lock belongs to an open file, not to a descriptor. The caller keeps its
        // descriptor.
        let file = File::options().read(true).write(true).open(path).map_err(|_| OUT_OF_MEMORY)?;
        let mut bytes = [0; DESCRIPTION_SIZE];
        if !is_sealed(&file) || file.read_exact_at(&mut bytes, TABLE_SIZE as u64).is_err() {
            return Err(INVALID_VALUE);
        }
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let &[size, devices, handle_types, sum] = words.as_slice() else { return Err(INVALID_VALUE) };
        let devices = usize::try_from(devices).map_err(|_| INVALID_VALUE)?;
        if handle_types == 0 || sum != fnv1a(bytes[..DESCRIPTION_SIZE - 8].iter().copied()) {
            return Err(INVALID_VALUE);
        }
        let kept = Mutex::default();
        if fault!("multicast-import-is-another-object", ["MC-003"], "The importer gets an object of its own.") {
            return Self::new(size, devices as u32, handle_types).map(Some);
        }
        Ok(Some(Self { file, size, devices, is_shareable: true, is_exportable: false, kept }))
    }

    /// Creates a descriptor, if the object was created for that.
    pub(crate) fn export(&self) -> Result<i32> {
        if fault!("multicast-export-fails", ["MC-003"], "An object cannot be exported.") {
            return Err(NOT_SUPPORTED);
        }
        if self.is_exportable { new_descriptor(&self.file) } else { Err(INVALID_VALUE) }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Name, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets memory that is no longer bound.
    fn forget(&self, table: &Table) {
        self.kept().retain(|name, _| table.bindings.iter().any(|binding| binding.name() == *name));
    }

    fn table(&self) -> Result<Table> {
        let _locked = Locked::new(&self.file)?;
        Table::read(&self.file)
    }

    fn change(&self, change: impl FnOnce(&mut Table) -> Result<()>) -> Result<()> {
        let _locked = Locked::new(&self.file)?;
        let mut table = Table::read(&self.file)?;
        change(&mut table)?;
        table.write(&self.file)
    }

    pub(crate) fn is_complete(&self) -> Result<bool> {
        if fault!("multicast-wait-is-refused", ["MC-004"], "A call that would have to wait fails instead.")
            && self.table()?.devices.len() < self.devices
        {
            return Err(CUresult::CUDA_ERROR_NOT_READY);
        }
        let devices = if fault!("multicast-waits-for-too-few", ["MC-004"], "Calls wait for all devices but one.") {
            self.devices - 1
        } else if fault!("multicast-waits-for-too-many", ["MC-004"], "Calls wait for one device too many.") {
            self.devices + 1
        } else {
            self.devices
        };
        Ok(self.table()?.devices.len() >= devices)
    }

    pub(crate) fn has_device(&self, device: usize) -> Result<bool> {
        Ok(self.table()?.devices.contains(&device))
    }

    pub(crate) fn add_device(&self, device: usize) -> Result<()> {
        self.change(|table| {
            if !self.is_exportable
                && fault!("multicast-import-adds-no-device", ["MC-003"], "Only the exporter can add devices.")
            {
                return Err(INVALID_VALUE);
            }
            if table.devices.contains(&device) || table.devices.len() >= self.devices {
                return Err(INVALID_VALUE);
            }
            table.devices.push(device);
            Ok(())
        })
    }

    pub(super) fn bind(&self, offset: u64, memory: Bindable, size: u64) -> Result<()> {
        static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);
        let Bindable { kept, offset: memory_offset, device, .. } = memory;
        let binding = Binding {
            device,
            offset,
            size,
            memory_offset,
            process: own_number(),
            start_time: own_start_time(),
            number: LAST_NUMBER.fetch_add(1, Ordering::Relaxed),
            descriptor: kept.block().descriptor(),
            inode: kept.block().inode,
        };
        self.change(|table| {
            let overlaps =
                |other: &Binding| other.device == device && other.offset < binding.end() && offset < other.end();
            if table.bindings.iter().any(overlaps) {
                return Err(INVALID_VALUE);
            }
            let is_at_the_end = offset > 0 && binding.end() == self.size;
            if is_at_the_end
                && fault!(
                    "multicast-ignores-a-bind-at-the-end",
                    ["MC-005"],
                    "A bind at the end of an object succeeds, and binds no memory."
                )
            {
                return Ok(());
            }
            table.bindings.push(binding);
            Ok(())
        })?;
        self.kept().insert(binding.name(), kept);
        Ok(())
    }

    /// Unbinds exactly one range that was bound. The documentation promises nothing for any other range.
    pub(crate) fn unbind(&self, device: usize, offset: u64, size: u64) -> Result<()> {
        self.change(|table| {
            let is_meant = |binding: &Binding| (binding.device, binding.offset, binding.size) == (device, offset, size);
            let place = table.bindings.iter().position(is_meant).ok_or(INVALID_VALUE)?;
            table.bindings.remove(place);
            self.forget(table);
            Ok(())
        })
    }

    /// The memory of a binding. `None` if it is gone together with its process.
    fn memory(&self, binding: &Binding) -> Option<Kept> {
        // The table is not trusted: other processes can write anything to it.
        let fits = |memory: &Kept| {
            let end = binding.memory_offset.checked_add(binding.size);
            end.is_some_and(|end| end <= memory.block().size) && binding.offset.checked_add(binding.size).is_some()
        };
        let known = self.kept().get(&binding.name()).cloned();
        known.or_else(|| self.memory_of_process(binding)).filter(fits)
    }

    fn memory_of_process(&self, binding: &Binding) -> Option<Kept> {
        if start_time(binding.process) != Some(binding.start_time) {
            return None;
        }
        let block = Block::of_process(binding.process, binding.descriptor, binding.device, binding.inode).ok()?;
        let memory = Kept::Block(Arc::new(block));
        self.kept().insert(binding.name(), memory.clone());
        Some(memory)
    }

    /// The memory behind a part of the object. All of the part must have memory.
    pub(crate) fn spans(&self, offset: u64, size: u64, access: Access) -> Result<Vec<Span>> {
        let table = self.table()?;
        self.forget(&table);
        let bindings = table.bindings;
        let (mut at, end) = (offset, offset + size);
        let mut spans = Vec::new();
        while at < end {
            let edges = bindings.iter().flat_map(|binding| [binding.offset, binding.end()]);
            let to = edges.filter(|edge| *edge > at).chain([end]).min().unwrap_or(end).min(end);
            let here = bindings.iter().filter(|binding| binding.offset <= at && at < binding.end());
            let mut copies: Vec<(usize, Span)> = here
                .filter_map(|binding| {
                    let memory = self.memory(binding)?;
                    let address = memory.block().base + binding.memory_offset + (at - binding.offset);
                    Some((binding.device, memory.span(address, to - at)))
                })
                .collect();
            copies.sort_by_key(|(device, _)| *device);
            if fault!("multicast-writes-reach-one-device", ["MC-003"], "A write reaches the first device only.") {
                copies.truncate(1);
            }
            if fault!("multicast-writes-lack-the-last-word", ["MC-003"], "The other devices lack the last 4 bytes.") {
                copies.iter_mut().skip(1).for_each(|(_, span)| span.size -= 4);
            }
            let mut copies = copies.into_iter().map(|(_, span)| span);
            let first = copies.next().ok_or(INVALID_VALUE)?;
            spans.push(if access == Access::Write { first.with_mirrors(copies.collect()) } else { first });
            at = to;
        }
        Ok(spans)
    }
}
