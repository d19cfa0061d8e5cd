//! The cache of imports.

use std::cell::OnceCell;

use cuda_ipc::cache::{Cache, CachedMemory};
use cuda_ipc::ticket::Contents;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Error, Parcel};
use rstest::rstest;

use crate::SIZE;
use crate::common::{context, device};
use crate::peer::{Peer, roles};

/// An exporter that shares memory on request, as its importer sees it.
struct Exporter(Peer);

impl Exporter {
    fn start() -> Self {
        Self(Peer::start(module_path!(), "role_shares_on_demand"))
    }

    /// Sends a request to share memory, and returns the parcel.
    fn share(&self, request: &[u8]) -> Parcel {
        self.0.connection.send(request, &[]).unwrap();
        Parcel::receive(&self.0.connection).unwrap()
    }

    fn free_last(&self) {
        self.0.connection.send(b"free", &[]).unwrap();
        self.0.connection.receive().unwrap();
    }
}

fn open(cache: &Cache, parcel: &Parcel) -> Result<CachedMemory, Error> {
    // SAFETY: the exporter frees no memory that is open here, or the test checks what happens if it does.
    unsafe { cache.open(&context(), parcel) }
}

fn first_byte(memory: &CachedMemory) -> u8 {
    let mut byte = [0_u8];
    memory.read(0, &mut byte).unwrap();
    byte[0]
}

#[test]
fn what_was_opened_is_found_again() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let parcel = exporter.share(b"new");
    let first = open(&cache, &parcel).unwrap();
    let pointer = first.pointer();
    assert_eq!((first.size(), cache.bytes()), (SIZE, SIZE));
    drop(first);
    assert_eq!(cache.bytes(), SIZE);
    let again = open(&cache, &parcel).unwrap();
    assert_eq!((again.pointer(), cache.bytes()), (pointer, SIZE));
    // Another part of the same allocation.
    let part = open(&cache, &exporter.share(b"part")).unwrap();
    assert_eq!((part.pointer(), part.size(), cache.bytes()), (pointer + 4096, 100, SIZE));
}

#[test]
fn the_least_recently_used_goes_first_and_nothing_that_is_used() {
    let (exporter, cache) = (Exporter::start(), Cache::new(2 * SIZE));
    let parcels: Vec<_> = (0..4).map(|_| exporter.share(b"new")).collect();
    let used = open(&cache, &parcels[0]).unwrap();
    drop(open(&cache, &parcels[1]).unwrap());
    drop(open(&cache, &parcels[2]).unwrap());
    // The first is in use, so the cache has closed the second.
    assert_eq!(cache.bytes(), 2 * SIZE);
    assert!(!cache.forget(&parcels[1].ticket) && cache.forget(&parcels[2].ticket));
    assert_eq!(cache.bytes(), SIZE);
    // Imports in use may exceed the budget. It is kept again when they are dropped.
    let all: Vec<_> = parcels.iter().map(|parcel| open(&cache, parcel).unwrap()).collect();
    assert_eq!(cache.bytes(), 4 * SIZE);
    drop(all);
    assert_eq!(cache.bytes(), 2 * SIZE);
    assert_eq!(used.size(), SIZE);
    cache.trim_to(0);
    assert_eq!(cache.bytes(), SIZE);
    drop(used);
    cache.trim_to(0);
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn a_later_generation_is_opened_anew() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let old = exporter.share(b"new");
    let memory = open(&cache, &old).unwrap();
    memory.fill(1).unwrap();
    drop(memory);
    // The reference driver and GPUs reuse the address, while the old import stays mapped.
    exporter.free_last();
    let new = exporter.share(b"new");
    assert_ne!(old.ticket.generation, new.ticket.generation);
    let memory = open(&cache, &new).unwrap();
    memory.fill(2).unwrap();
    assert_eq!(first_byte(&memory), 2);
    exporter.0.connection.send(b"check 2", &[]).unwrap();
    assert_eq!(exporter.0.connection.receive().unwrap().bytes, b"right");
}

#[test]
fn what_was_opened_to_be_read_is_opened_anew_to_be_written() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let (to_read, to_write) = (exporter.share(b"mapping to read"), exporter.share(b"mapping to write"));
    assert_eq!(to_read.ticket.generation, to_write.ticket.generation);
    let read = open(&cache, &to_read).unwrap();
    read.fill(1).unwrap_err();
    let written = open(&cache, &to_write).unwrap();
    written.fill(1).unwrap();
    assert_eq!(first_byte(&read), 1);
    read.fill(2).unwrap_err();
    // Either ticket makes the cache forget both imports.
    assert!(cache.forget(&to_read.ticket));
    assert_eq!(cache.bytes(), 0);
}

/// Safe code keeps virtual memory mapped. The kept import needs no descriptor.
#[test]
fn virtual_memory_is_found_again_without_its_descriptors() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let mut parcel = exporter.share(b"mapping to read");
    let first = cache.map(&context(), &parcel).unwrap();
    parcel.descriptors.clear();
    let again = cache.map(&context(), &parcel).unwrap();
    assert_eq!((again.pointer(), cache.bytes()), (first.pointer(), first.size()));
    assert!(cache.forget(&parcel.ticket));
    let error = cache.map(&context(), &parcel).unwrap_err();
    assert!(matches!(error, Error::Descriptors { found: 0, wanted: 1, .. }), "{error}");
    let error = cache.map(&context(), &exporter.share(b"new")).unwrap_err();
    assert!(matches!(error, Error::OtherTicket { found: "legacy memory", .. }), "{error}");
}

/// Nothing but a seal proves who made a ticket, and the descriptors of a GPU's driver do not tell their memory apart. So a
/// cache is for exporters that trust each other.
#[test]
fn a_forged_ticket_deceives_a_cache_that_its_maker_shares_with_others() {
    let (honest, forger, cache) = (Exporter::start(), Exporter::start(), Cache::new(usize::MAX));
    let (genuine, mut forged) = (honest.share(b"mapping to write"), forger.share(b"mapping to write"));
    for (parcel, byte) in [(&genuine, 1), (&forged, 2)] {
        parcel.map(&context()).unwrap().fill(byte).unwrap();
    }
    let named = genuine.ticket.clone().into_contents();
    let contents = forged.ticket.into_contents();
    let named = Contents { exporter: named.exporter, generation: named.generation, ..contents };
    forged.ticket = named.try_into().unwrap();
    assert_eq!(first_byte(&cache.map(&context(), &forged).unwrap()), 2);
    assert_eq!(first_byte(&cache.map(&context(), &genuine).unwrap()), 2, "the honest exporter's memory has 1");
    // A cache of its own does not meet the forged ticket.
    assert_eq!(first_byte(&Cache::new(usize::MAX).map(&context(), &genuine).unwrap()), 1);
}

#[test]
fn each_context_has_an_import_of_its_own() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let (parcel, other) = (exporter.share(b"mapping to write"), Context::new(device()).unwrap());
    let memory = open(&cache, &parcel).unwrap();
    // SAFETY: virtual memory lives as long as it is mapped.
    let in_other = unsafe { cache.open(&other, &parcel) }.unwrap();
    assert!(*memory.context() == context() && *in_other.context() == other);
    assert_ne!(memory.pointer(), in_other.pointer());
    in_other.fill(5).unwrap();
    assert_eq!(first_byte(&memory), 5);
}

#[rstest]
#[case::of_the_exporter(|later: &mut Contents| later.generation += 1)]
#[case::of_another_program_in_its_process(|later: &mut Contents| later.exporter.nonce[0] ^= 1)]
fn an_earlier_allocation_by_the_same_handle_is_forgotten(#[case] change: fn(&mut Contents)) {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let parcel = exporter.share(b"new");
    drop(open(&cache, &parcel).unwrap());
    let mut contents = parcel.ticket.clone().into_contents();
    change(&mut contents);
    let later = Parcel::of(contents.try_into().unwrap());
    drop(open(&cache, &later).unwrap());
    assert_eq!(cache.bytes(), SIZE, "one of the two is kept");
    assert!(!cache.forget(&parcel.ticket) && cache.forget(&later.ticket));
}

#[test]
fn what_an_exporter_asks_to_forget_is_closed_with_its_last_use() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let (one, other) = (exporter.share(b"new"), exporter.share(b"new"));
    let used = open(&cache, &one).unwrap();
    drop(open(&cache, &other).unwrap());
    assert!(cache.forget(&one.ticket) && !cache.forget(&one.ticket));
    used.fill(7).unwrap();
    assert_eq!(first_byte(&used), 7);
    assert!(cache.forget_exporter(&other.ticket.exporter) && !cache.forget_exporter(&other.ticket.exporter));
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn memory_under_a_lease_is_not_kept() {
    let (exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let parcel = exporter.share(b"leased");
    let (one, other) = (open(&cache, &parcel).unwrap(), open(&cache, &parcel).unwrap());
    assert_eq!((one.size(), other.size(), cache.bytes()), (SIZE, SIZE, 0));
    drop(parcel);
    drop((one, other));
    exporter.0.connection.send(b"wait for the lease", &[]).unwrap();
    assert_eq!(exporter.0.connection.receive().unwrap().bytes, b"over");
}

#[test]
fn threads_share_a_cache() {
    let (exporter, cache) = (Exporter::start(), Cache::new(2 * SIZE));
    let parcels: Vec<_> = (0..4).map(|_| exporter.share(b"new")).collect();
    for (place, parcel) in parcels.iter().enumerate() {
        open(&cache, parcel).unwrap().fill(place as u8).unwrap();
    }
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (cache, parcels) = (cache.clone(), &parcels);
            scope.spawn(move || {
                for round in 0..50 {
                    let place = (thread + round) % parcels.len();
                    let memory = open(&cache, &parcels[place]).unwrap();
                    assert_eq!(first_byte(&memory), place as u8);
                }
            });
        }
    });
    assert!(cache.bytes() <= 2 * SIZE);
}

#[test]
fn an_error_keeps_nothing() {
    let (mut exporter, cache) = (Exporter::start(), Cache::new(usize::MAX));
    let parcel = exporter.share(b"new");
    exporter.0.process.kill();
    assert!(open(&cache, &parcel).unwrap_err().code().is_some());
    assert_eq!(cache.bytes(), 0);
}

fn virtual_memory() -> Mapping {
    let size = granularity(device(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap();
    Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap()
}

roles! {
    fn role_shares_on_demand(connection) {
        let mut buffers = Vec::new();
        let mut lease = None;
        let mapping = OnceCell::new();
        let mapping = || mapping.get_or_init(virtual_memory);
        while let Ok(request) = connection.receive() {
            let last = |buffers: &Vec<DeviceBuffer>| buffers.len() - 1;
            match &*request.bytes {
                b"new" => {
                    buffers.push(DeviceBuffer::new(&context(), SIZE).unwrap());
                    buffers[last(&buffers)].share(..).unwrap().send(&connection).unwrap();
                }
                b"part" => buffers[last(&buffers)].share(4096..4196).unwrap().send(&connection).unwrap(),
                b"mapping to read" => mapping().share(.., Access::Read).unwrap().send(&connection).unwrap(),
                b"mapping to write" => mapping().share(.., Access::ReadWrite).unwrap().send(&connection).unwrap(),
                b"leased" => {
                    buffers.push(DeviceBuffer::new(&context(), SIZE).unwrap());
                    let mut parcel = buffers[last(&buffers)].share(..).unwrap();
                    lease = Some(parcel.lease().unwrap());
                    parcel.send(&connection).unwrap();
                }
                b"wait for the lease" => {
                    lease.take().expect("a lease").wait(crate::peer::LONG).unwrap();
                    connection.send(b"over", &[]).unwrap();
                }
                b"free" => {
                    buffers.pop().expect("a buffer").free().unwrap();
                    connection.send(b"freed", &[]).unwrap();
                }
                b"check 2" => {
                    let is_right = crate::contents(&buffers[last(&buffers)]).iter().all(|byte| *byte == 2);
                    connection.send(if is_right { b"right" } else { b"wrong" }, &[]).unwrap();
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
