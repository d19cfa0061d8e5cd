//! The file that the processes of a multicast object share.

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::{INVALID_VALUE, OUT_OF_MEMORY, Result};
use crate::block::{Block, DESCRIPTION_SIZE, new_file};
use crate::environment::environment;
use crate::handle::fnv1a;
use crate::process::{own_start_time, start_time};
use crate::range::{Access, Span};

/// What the description of an object begins with.
const MAGIC: u64 = u64::from_le_bytes(*b"cuda mc\0");

/// Words of a description; the last one is a sum over the others.
const WORDS: usize = 6;

/// Devices that the file has room for, and words of a binding.
const DEVICES: usize = 64;
const BINDING: usize = 9;
const BINDINGS: usize = 512;
const TABLE_SIZE: usize = (DEVICES + BINDING * BINDINGS) * 8;

#[derive(Debug)]
pub(crate) struct Object {
    file: File,
    pub(crate) size: u64,
    devices: usize,
    /// Whether other processes can have it: only memory that they can have, too, is bound to it.
    pub(crate) is_shareable: bool,
    /// Whether it may be exported.
    pub(crate) is_exportable: bool,
    /// The bound memory that this process has, by inode.
    blocks: Mutex<HashMap<u64, Arc<Block>>>,
}

/// Memory of one device at a place of the object, and where any process finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Binding {
    device: usize,
    offset: u64,
    size: u64,
    memory_offset: u64,
    process: u32,
    start_time: u64,
    descriptor: u32,
    inode: u64,
}

impl Binding {
    const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// The words of a slot; an empty one begins with 0.
    fn to_words(self) -> [u64; BINDING] {
        let (process, descriptor) = (self.process.into(), self.descriptor.into());
        let place = [self.offset, self.size, self.memory_offset];
        let [offset, size, memory_offset] = place;
        [1, self.device as u64, offset, size, memory_offset, process, self.start_time, descriptor, self.inode]
    }

    fn from_words(words: &[u64]) -> Option<Self> {
        let &[1, device, offset, size, memory_offset, process, start_time, descriptor, inode] = words else {
            return None;
        };
        let (process, descriptor) = (process as u32, descriptor as u32);
        Some(Self { device: device as usize, offset, size, memory_offset, process, start_time, descriptor, inode })
    }
}

/// What the file says.
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

/// Keeps other processes from the table. The system takes the lock from a process that dies with it.
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
    // SAFETY: all zeros are a lock.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_len = 1;
    // SAFETY: the call reads the lock, which is a local.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLKW, &raw const lock) == 0 }
}

impl Object {
    pub(crate) fn new(size: u64, devices: u32, handle_types: u64) -> Result<Self> {
        let name = format!("multicast:{}", environment().machine);
        let file = new_file(&name, TABLE_SIZE as u64 + DESCRIPTION_SIZE)?;
        let words = [MAGIC, environment().machine_number(), size, devices.into(), handle_types];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(fnv1a(bytes.iter().copied()).to_le_bytes());
        file.write_all_at(&bytes, TABLE_SIZE as u64).map_err(|_| OUT_OF_MEMORY)?;
        let is_shareable = handle_types != 0;
        let devices = devices as usize;
        Ok(Self { file, size, devices, is_shareable, is_exportable: is_shareable, blocks: Mutex::default() })
    }

    /// The object that a file of another process, or of this one, is; `None` if it is none.
    pub(crate) fn of_file(file: &File, description: &[u8]) -> Result<Option<Self>> {
        let words: Vec<u64> =
            description.as_chunks().0.iter().take(WORDS).map(|word| u64::from_le_bytes(*word)).collect();
        let &[MAGIC, machine, size, devices, handle_types, sum] = words.as_slice() else { return Ok(None) };
        let is_whole = sum == fnv1a(description.iter().copied().take((WORDS - 1) * 8));
        if !is_whole || machine != environment().machine_number() || handle_types == 0 {
            return Err(INVALID_VALUE);
        }
        // Opened anew: locks tell openings apart, not descriptors.
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let file = File::options().read(true).write(true).open(path).map_err(|_| OUT_OF_MEMORY)?;
        let devices = usize::try_from(devices).map_err(|_| INVALID_VALUE)?;
        let blocks = Mutex::default();
        Ok(Some(Self { file, size, devices, is_shareable: true, is_exportable: false, blocks }))
    }

    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    fn blocks(&self) -> MutexGuard<'_, HashMap<u64, Arc<Block>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
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
        Ok(self.table()?.devices.len() >= self.devices)
    }

    pub(crate) fn has_device(&self, device: usize) -> Result<bool> {
        Ok(self.table()?.devices.contains(&device))
    }

    pub(crate) fn add_device(&self, device: usize) -> Result<()> {
        self.change(|table| {
            if table.devices.contains(&device) || table.devices.len() >= self.devices {
                return Err(INVALID_VALUE);
            }
            table.devices.push(device);
            Ok(())
        })
    }

    pub(crate) fn bind(
        &self,
        offset: u64,
        block: Arc<Block>,
        memory_offset: u64,
        size: u64,
        device: usize,
    ) -> Result<()> {
        let binding = Binding {
            device,
            offset,
            size,
            memory_offset,
            process: std::process::id(),
            start_time: own_start_time(),
            descriptor: block.descriptor(),
            inode: block.inode,
        };
        self.change(|table| {
            let overlaps =
                |other: &Binding| other.device == device && other.offset < binding.end() && offset < other.end();
            if table.bindings.iter().any(overlaps) {
                return Err(INVALID_VALUE);
            }
            table.bindings.push(binding);
            Ok(())
        })?;
        self.blocks().insert(block.inode, block);
        Ok(())
    }

    /// Exactly what was bound: for anything else the documentation promises nothing.
    pub(crate) fn unbind(&self, device: usize, offset: u64, size: u64) -> Result<()> {
        self.change(|table| {
            let is_meant = |binding: &Binding| (binding.device, binding.offset, binding.size) == (device, offset, size);
            let place = table.bindings.iter().position(is_meant).ok_or(INVALID_VALUE)?;
            table.bindings.remove(place);
            self.blocks().retain(|inode, _| table.bindings.iter().any(|binding| binding.inode == *inode));
            Ok(())
        })
    }

    /// The memory of a binding; `None` where it went with its process.
    fn block(&self, binding: &Binding) -> Option<Arc<Block>> {
        // Other processes can write into the table what they like.
        let fits = |block: &Arc<Block>| {
            let end = binding.memory_offset.checked_add(binding.size);
            end.is_some_and(|end| end <= block.size) && binding.offset.checked_add(binding.size).is_some()
        };
        let known = self.blocks().get(&binding.inode).map(Arc::clone);
        known.or_else(|| self.block_of_process(binding)).filter(fits)
    }

    fn block_of_process(&self, binding: &Binding) -> Option<Arc<Block>> {
        if start_time(binding.process) != Some(binding.start_time) {
            return None;
        }
        let block = Block::of_process(binding.process, binding.descriptor, binding.device, binding.inode).ok()?;
        let block = Arc::new(block);
        self.blocks().insert(binding.inode, Arc::clone(&block));
        Some(block)
    }

    /// The memory behind a part of the object, which has to have some everywhere.
    pub(crate) fn spans(&self, offset: u64, size: u64, access: Access) -> Result<Vec<Span>> {
        let bindings = self.table()?.bindings;
        self.blocks().retain(|inode, _| bindings.iter().any(|binding| binding.inode == *inode));
        let (mut at, end) = (offset, offset + size);
        let mut spans = Vec::new();
        while at < end {
            let edges = bindings.iter().flat_map(|binding| [binding.offset, binding.end()]);
            let to = edges.filter(|edge| *edge > at).chain([end]).min().unwrap_or(end).min(end);
            let here = bindings.iter().filter(|binding| binding.offset <= at && at < binding.end());
            let mut copies: Vec<(usize, Span)> = here
                .filter_map(|binding| {
                    let block = self.block(binding)?;
                    let address = block.base + binding.memory_offset + (at - binding.offset);
                    Some((binding.device, Span::kept(address, to - at, block)))
                })
                .collect();
            copies.sort_by_key(|(device, _)| *device);
            let mut copies = copies.into_iter().map(|(_, span)| span);
            let first = copies.next().ok_or(INVALID_VALUE)?;
            spans.push(if access == Access::Write { first.with_mirrors(copies.collect()) } else { first });
            at = to;
        }
        Ok(spans)
    }
}
