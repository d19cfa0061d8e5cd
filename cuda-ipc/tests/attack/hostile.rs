//! An importer that maps everything it receives keeps working.

use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use cuda_ipc::liveness::Tenancy;
use cuda_ipc::pool::{ImportedPool, Pool};
use cuda_ipc::sys::{CUmemGenericAllocationHandle, CUmulticastObjectProp, CUresult};
use cuda_ipc::ticket::{Chunk, Chunks, Contents, Handle, PhysicalMemory, Ticket, TicketError};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, ImportedAllocation, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Error, ExporterIdentity, Parcel, ProcessIdentity};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use rstest::rstest;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

use crate::common::{device, driver};
use crate::peer::{Peer, roles};
use crate::{Alone, Holdings, SIZE, alone, context, is_reference, met};

const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

fn unit() -> usize {
    granularity(device(), DESCRIPTORS).unwrap()
}

/// The kinds of descriptors that are sent in place of a descriptor of memory.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Memory,
    Pool,
    File,
    Folder,
    Pipe,
    Socket,
    Memfd,
    /// A memfd with the name of the reference driver's own memfds, but without seals. On a GPU it is an ordinary memfd.
    Imitation,
    SealedImitation,
}

impl Sent {
    fn open(self) -> OwnedFd {
        match self {
            Self::Memory => Allocation::new(device(), unit(), DESCRIPTORS).unwrap().export().unwrap(),
            Self::Pool => Pool::new(device(), DESCRIPTORS, None).unwrap().export().unwrap(),
            Self::File => std::fs::File::open("/dev/zero").unwrap().into(),
            Self::Folder => std::fs::File::open("/").unwrap().into(),
            Self::Pipe => std::io::pipe().unwrap().0.into(),
            Self::Socket => UnixStream::pair().unwrap().0.into(),
            Self::Memfd => memfd("memory", unit()),
            Self::Imitation => memfd(&name_of(&Self::Memory.open()), unit()),
            Self::SealedImitation => {
                let file = memfd(&name_of(&Self::Memory.open()), 5000);
                fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL).unwrap();
                file
            }
        }
    }
}

fn memfd(name: &str, size: usize) -> OwnedFd {
    let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
    ftruncate(&file, size as u64).unwrap();
    file
}

/// Returns the name of a memfd.
fn name_of(descriptor: &OwnedFd) -> String {
    use std::os::fd::AsRawFd as _;
    let target = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.as_raw_fd())).unwrap();
    let target = target.to_string_lossy();
    let name = target.strip_prefix("/memfd:").and_then(|name| name.strip_suffix(" (deleted)"));
    name.unwrap_or(&target).trim_start_matches('/').to_owned()
}

/// Generates sizes of chunks, of every kind that a ticket permits.
fn size() -> impl Strategy<Value = u64> {
    let unit = unit() as u64;
    prop_oneof![
        6 => Just(unit),
        2 => Just(2 * unit),
        1 => prop::sample::select([1, 4096, unit - 4096, 1 << 40, 1 << 62, 1 << 63, !(unit - 1)].to_vec()),
    ]
}

/// Generates tickets that obey every rule, but whose statements are false.
fn ticket() -> impl Strategy<Value = Ticket> {
    let chunks = vec((size(), 0..4_u16), 1..4);
    let part = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8);
    let rest =
        (any::<(u32, u64, u64, [u8; 16], [u8; 16])>(), any::<[u8; 16]>(), any::<u32>(), any::<u64>(), any::<bool>());
    (chunks, part, rest).prop_filter_map("breaks a rule", |(chunks, part, rest)| {
        let size = chunks.iter().try_fold(0_u64, |sum, (size, _)| sum.checked_add(*size))?;
        let place = |index: prop::sample::Index| index.index(usize::try_from(size).unwrap_or(usize::MAX)) as u64;
        let (offset, length) = match part {
            (.., 0) => (0, size),
            // The last byte.
            (.., 1) => (size - 1, 1),
            (offset, length, _) => (place(offset), place(length) + 1),
        };
        let ((pid, pid_namespace, start_time, boot_id, nonce), device, version, generation, is_read) = rest;
        let contents = Contents {
            exporter: ExporterIdentity { process: ProcessIdentity { pid, pid_namespace, start_time, boot_id }, nonce },
            device,
            driver: cuda_ipc::sys::CudaVersion(version),
            generation,
            size,
            offset,
            length: length.min(size - offset),
            handle: Handle::PhysicalMemory(PhysicalMemory {
                // The largest power of two that divides all sizes.
                granularity: chunks.iter().map(|(size, _)| 1 << size.trailing_zeros()).min()?,
                access: if is_read { Access::Read } else { Access::ReadWrite },
                chunks: Chunks::Descriptors(chunks.into_iter().map(|(size, handle)| Chunk { size, handle }).collect()),
            }),
        };
        Ticket::new(contents).ok()
    })
}

fn sent() -> impl Strategy<Value = Sent> {
    use Sent::*;
    const OTHERS: [Sent; 8] = [Pool, File, Folder, Pipe, Socket, Memfd, Imitation, SealedImitation];
    prop_oneof![3 => Just(Memory), 1 => prop::sample::select(OTHERS.as_slice())]
}

/// The number of parcels that were mapped, and the number that were refused.
#[derive(Default)]
struct Counted(usize, usize);

#[test]
fn whatever_is_mapped_is_memory_or_an_error() {
    let _alone: Alone = alone();
    let mut importer = Peer::start(module_path!(), "role_maps_anything");
    assert_eq!(importer.process.hear(), "ready");
    let counted = std::cell::RefCell::new(Counted::default());
    let send = |ticket: &Ticket, sent: &[Sent]| {
        let descriptors = sent.iter().map(|sent| sent.open()).collect();
        Parcel { ticket: ticket.clone(), descriptors, tenancy: None }.send(&importer.connection).unwrap();
        let answer = importer.connection.receive().expect("the importer is alive").bytes;
        match &*answer {
            b"memory" => counted.borrow_mut().0 += 1,
            b"refused" => counted.borrow_mut().1 += 1,
            other => panic!("{}", String::from_utf8_lossy(other)),
        }
    };
    proptest!(Config { cases: 400, failure_persistence: None, ..Config::default() },
        |(ticket in ticket(), sent in vec(sent(), 4), more in prop_oneof![8 => Just(0_usize), 1 => 1..3_usize, 1 => Just(9)])| {
        let count = ticket.descriptor_count();
        // Usually the number of descriptors that the ticket names.
        let count = if more == 9 { count - 1 } else { count + more };
        let sent: Vec<_> = sent.iter().copied().cycle().take(count).collect();
        send(&ticket, &sent);
    });
    let Counted(mapped, refused) = counted.into_inner();
    assert!(mapped > 0 && refused > 0, "{mapped} mapped, {refused} refused: expected some of both");
    importer.connection.send(b"", &[]).unwrap();
    importer.finish();
}

/// Returns a ticket of another process, for one chunk.
fn foreign(offset: u64, length: u64, size: u64) -> Result<Ticket, TicketError> {
    Ticket::new(Contents {
        exporter: ExporterIdentity {
            process: ProcessIdentity { pid: 1, pid_namespace: 2, start_time: 3, boot_id: [4; 16] },
            nonce: [5; 16],
        },
        device: device().uuid().unwrap(),
        driver: driver().version(),
        generation: 1,
        size,
        offset,
        length,
        handle: Handle::PhysicalMemory(PhysicalMemory {
            granularity: unit() as u64,
            access: Access::ReadWrite,
            chunks: Chunks::Descriptors(vec![Chunk { size, handle: 0 }]),
        }),
    })
}

#[test]
fn a_descriptor_that_is_missing_is_an_error() {
    let _alone = alone();
    let ticket = foreign(0, 1, unit() as u64).unwrap();
    let parcel = Parcel { ticket, descriptors: Vec::new(), tenancy: None };
    assert!(matches!(parcel.map(&context()), Err(Error::Descriptors { found: 0, wanted: 1, .. })));
}

#[rstest]
fn what_is_no_pool_is_not_imported_as_one(
    #[values(Sent::Memory, Sent::File, Sent::Folder, Sent::Pipe, Sent::Socket, Sent::Memfd, Sent::Imitation)]
    sent: Sent,
) {
    let _alone = alone();
    let error = ImportedPool::import(device(), sent.open().as_fd()).unwrap_err();
    assert!(error.code().is_some(), "{error}");
    assert!(Tenancy::try_from(sent.open()).is_err());
}

#[test]
fn many_descriptors_of_one_memory_are_that_memory_many_times() {
    const CHUNKS: usize = 200;
    let _alone = alone();
    let (one, unit) = (Sent::Memory.open(), unit() as u64);
    let chunks = (0..CHUNKS as u16).map(|handle| Chunk { size: unit, handle }).collect();
    let mut contents = foreign(0, 1, unit).unwrap().into_contents();
    (contents.size, contents.length) = (CHUNKS as u64 * unit, CHUNKS as u64 * unit);
    let (granularity, access) = (unit, Access::ReadWrite);
    contents.handle =
        Handle::PhysicalMemory(PhysicalMemory { granularity, access, chunks: Chunks::Descriptors(chunks) });
    let descriptors = (0..CHUNKS).map(|_| one.try_clone().unwrap()).collect();
    let parcel = Parcel { ticket: contents.try_into().unwrap(), descriptors, tenancy: None };
    let memory = parcel.map(&context()).unwrap();
    memory.write(0, &[7_u8]).unwrap();
    for chunk in 0..CHUNKS {
        let mut byte = [0_u8];
        memory.read(chunk * unit as usize, &mut byte).unwrap();
        assert_eq!(byte, [7]);
    }
    memory.close().unwrap();
}

#[test]
fn a_part_ends_where_the_memory_does() {
    let _alone = alone();
    let (context, size) = (context(), unit() as u64);
    let descriptors = vec![Sent::Memory.open()];
    let parcel = Parcel { ticket: foreign(size - 1, 1, size).unwrap(), descriptors, tenancy: None };
    let memory = parcel.map(&context).unwrap();
    memory.write(0, &[1_u8]).unwrap();
    assert!(matches!(memory.read(1, &mut [0_u8]), Err(Error::OutOfBounds { size: 1, .. })));
    assert!(matches!(memory.read(0, &mut [0_u8; 2]), Err(Error::OutOfBounds { size: 1, .. })));
}

/// Ordinary loads and stores at the addresses of a multicast object are undefined.
///
/// This test runs on the reference driver only (elsewhere, use `--skip multicast`). On a GPU, a multicast object takes
/// switch resources that other users of the machine may need.
#[test]
fn a_multicast_object_is_no_memory() {
    let _alone = alone();
    assert!(is_reference(), "this needs the reference driver: --skip multicast");
    let context = context();
    let properties =
        CUmulticastObjectProp { numDevices: 1, size: unit(), handleTypes: 1, ..CUmulticastObjectProp::default() };
    let (mut object, raw): (CUmemGenericAllocationHandle, _) = (0, driver().raw());
    // SAFETY: the outputs are locals, and the object is released below.
    let descriptor = unsafe {
        assert_eq!(raw.cuMulticastCreate(&mut object, &properties), Ok(CUresult::CUDA_SUCCESS));
        assert_eq!(raw.cuMulticastAddDevice(object, device().raw()), Ok(CUresult::CUDA_SUCCESS));
        let mut number = -1_i32;
        let output = std::ptr::from_mut(&mut number).cast();
        assert_eq!(raw.cuMemExportToShareableHandle(output, object, DESCRIPTORS.raw(), 0), Ok(CUresult::CUDA_SUCCESS));
        <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(number)
    };
    let size = unit() as u64;
    let import = ImportedAllocation::import(driver(), descriptor.as_fd(), unit());
    let parcel = Parcel { ticket: foreign(0, size, size).unwrap(), descriptors: vec![descriptor], tenancy: None };
    let mapped = parcel.map(&context);
    // SAFETY: the object is released once.
    assert_eq!(unsafe { raw.cuMemRelease(object) }, Ok(CUresult::CUDA_SUCCESS));
    assert!(import.is_err_and(|error| error.code().is_some()));
    assert!(mapped.is_err_and(|error| error.code().is_some()));
    assert!(met().is_empty());
}

/// Does what an ordinary process does.
fn work(context: &Context) {
    let buffer = DeviceBuffer::new(context, SIZE).unwrap();
    buffer.fill(3).unwrap();
    let allocation = Allocation::new(device(), unit(), DESCRIPTORS).unwrap();
    let mapping = Mapping::new(context, &[&allocation], Access::ReadWrite).unwrap();
    mapping.copy_from(0, &buffer, 0, SIZE).unwrap();
    let mut last = [0_u8];
    mapping.read(SIZE - 1, &mut last).unwrap();
    assert_eq!(last, [3]);
}

roles! {
    fn role_maps_anything(connection) {
        crate::start();
        let context = context();
        // The driver creates some resources at their first use and keeps them. `before` includes them.
        work(&context);
        let before = Holdings::now(&context);
        crate::peer::say("ready");
        loop {
            let answer: &[u8] = match Parcel::receive(&connection) {
                Err(Error::Ticket(TicketError::NoTicket | TicketError::Truncated { .. })) => break,
                Err(Error::Descriptors { .. } | Error::Liveness(_)) => b"refused",
                Err(error) => panic!("{error}"),
                Ok(parcel) => match parcel.map(&context) {
                    Err(Error::Refused { .. } | Error::OutOfBounds { .. }) => b"refused",
                    Err(error) => panic!("{error}"),
                    Ok(memory) => {
                        assert_eq!(memory.size() as u64, parcel.ticket.length);
                        // Reads every byte of small memory, and both ends of large memory.
                        let mut bytes = vec![0_u8; memory.size().min(8 * unit())];
                        memory.read(0, &mut bytes).unwrap();
                        memory.read(memory.size() - bytes.len(), &mut bytes).unwrap();
                        memory.read(memory.size(), &mut [0_u8]).unwrap_err();
                        // The write may be refused, but must cause nothing worse.
                        let _ = memory.write(memory.size() - 1, &[1_u8]);
                        memory.close().unwrap();
                        b"memory"
                    }
                },
            };
            let errors = met();
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(Holdings::now(&context).descriptors.len(), before.descriptors.len());
            connection.send(answer, &[]).unwrap();
        }
        // All memory of the parcels is free again, in both processes, and this process still works.
        assert_eq!(Holdings::now(&context), before);
        work(&context);
    }
}
