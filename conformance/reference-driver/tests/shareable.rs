//! Physical memory that processes share with file descriptors.

#[macro_use]
mod common;
#[path = "common/calls.rs"]
mod calls;
#[path = "common/remote.rs"]
mod remote;
#[path = "common/waiting.rs"]
mod waiting;

use std::ffi::c_void;
use std::fs::File;
use std::io::pipe;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr;

use calls::*;
use common::turn::my_turn;
use cuda_ipc_sys::{CUmemLocation, CUresult};
use peer::wire::Channel;
use remote::Remote;

#[test]
#[ignore = "started by other tests, as another process"]
fn remote() {
    remote::perform();
}

/// Exports memory of this process and returns the descriptor.
fn exported(handle: u64) -> OwnedFd {
    let descriptor = export_descriptor(handle).unwrap();
    // SAFETY: the descriptor is new, and nothing else owns it.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("Linux has it").count()
}

/// Returns this process's descriptors that refer to device or host memory, including the driver's own.
fn memory_descriptors() -> Vec<i32> {
    let all = std::fs::read_dir("/proc/self/fd").expect("Linux has it").flatten();
    let of_memory = all.filter(|entry| {
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        target.to_string_lossy().starts_with("/memfd:cuda:")
    });
    of_memory.map(|entry| entry.file_name().to_string_lossy().parse().expect("a number")).collect()
}

fn memfd(flags: u32) -> File {
    // SAFETY: the name is a C string.
    let descriptor = unsafe { libc::memfd_create(c"foreign".as_ptr(), flags) };
    assert!(descriptor >= 0);
    // SAFETY: the descriptor is new, and nothing else owns it.
    unsafe { File::from_raw_fd(descriptor) }
}

#[test]
fn a_descriptor_carries_memory_both_ways() {
    let _turn = my_turn();
    let (mut exporter, mut importer) = (Remote::new(&[]), Remote::new(&[]));
    let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let descriptor = exporter.export_descriptor(made).unwrap();
    let handle = importer.import_descriptor(&descriptor).unwrap();
    drop(descriptor);
    let here = importer.open(handle, GRANULE).unwrap();
    assert_eq!(importer.release(handle), Ok(()), "the mapping keeps the memory");
    assert_eq!(importer.read(here), Ok(5));
    importer.write(here, 6).unwrap();
    assert_eq!(exporter.read(there), Ok(6));
}

#[test]
fn an_importer_starts_without_access_and_takes_its_own() {
    let _turn = my_turn();
    let (mut exporter, mut importer) = (Remote::new(&[]), Remote::new(&[]));
    let made = exporter.create(2 * GRANULE, DESCRIPTOR).unwrap();
    let there = exporter.open(made, 2 * GRANULE).unwrap();
    let handle = importer.import_descriptor(&exporter.export_descriptor(made).unwrap()).unwrap();
    assert_eq!(importer.map(handle, 4 * GRANULE), Err(INVALID_VALUE), "the allocation is smaller");
    let here = importer.map(handle, GRANULE).unwrap();
    assert_eq!(importer.read(here), Err(INVALID_VALUE));
    importer.grant(here, GRANULE, READ).unwrap();
    exporter.write(there, 5).unwrap();
    assert_eq!((importer.read(here), importer.write(here, 6)), (Ok(5), Err(INVALID_VALUE)));
}

#[test]
fn importers_see_memory_of_devices_that_are_hidden_from_them() {
    let _turn = my_turn();
    let (mut exporter, mut importer) = (Remote::new(&[]), Remote::new(&[("CUDA_VISIBLE_DEVICES", "1")]));
    let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let handle = importer.import_descriptor(&exporter.export_descriptor(made).unwrap()).unwrap();
    let here = importer.open(handle, GRANULE).unwrap();
    assert_eq!(importer.read(here), Ok(5));
}

#[test]
fn memory_of_another_machine_is_refused() {
    let _turn = my_turn();
    let (mut exporter, mut stranger) = (Remote::new(&[]), Remote::on("another", &[]));
    let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
    let descriptor = exporter.export_descriptor(made).unwrap();
    assert_eq!(stranger.import_descriptor(&descriptor), Err(INVALID_VALUE));
}

/// A handle, a mapping, an importer and a descriptor go in several orders.
#[test]
fn memory_lives_until_its_last_reference_anywhere() {
    let _turn = my_turn();
    let (mut watcher, mut exporter) = (Remote::on("lives", &[]), Remote::on("lives", &[]));
    let before = watcher.free_bytes();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
        let there = exporter.open(made, GRANULE).unwrap();
        let mut descriptor = Some(exporter.export_descriptor(made).unwrap());
        let mut importer = Some(Remote::on("lives", &[]));
        importer.as_mut().map(|importer| importer.import_descriptor(descriptor.as_ref().unwrap()).unwrap());
        for reference in order {
            assert_eq!(watcher.free_bytes(), before - GRANULE, "{order:?}, before {reference}");
            match reference {
                0 => exporter.release(made).unwrap(),
                1 => exporter.unmap(there, GRANULE).unwrap(),
                2 => importer.take().unwrap().kill(),
                _ => drop(descriptor.take()),
            }
        }
        assert_eq!(watcher.free_bytes(), before, "{order:?}");
    }
}

#[test]
fn a_descriptor_on_its_way_keeps_the_memory_of_a_killed_exporter() {
    let _turn = my_turn();
    let (mut exporter, mut importer) = (Remote::on("way", &[]), Remote::on("way", &[]));
    let before = importer.free_bytes();
    let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let (near, far) = Channel::pair().unwrap();
    near.send(&[], &[exporter.export_descriptor(made).unwrap().as_fd()], None).unwrap();
    exporter.kill();
    assert_eq!(importer.free_bytes(), before - GRANULE, "the descriptor on its way keeps the memory");
    let handle = importer.import_descriptor(&far.receive(None).unwrap().descriptors[0]).unwrap();
    let here = importer.open(handle, GRANULE).unwrap();
    assert_eq!(importer.read(here), Ok(5));
    importer.unmap(here, GRANULE).unwrap();
    importer.release(handle).unwrap();
    assert_eq!(importer.free_bytes(), before);
}

#[test]
fn an_importer_outlives_its_exporter_and_frees_the_memory_last() {
    let _turn = my_turn();
    let (mut exporter, mut importer) = (Remote::on("outlives", &[]), Remote::on("outlives", &[]));
    let before = importer.free_bytes();
    let made = exporter.create(GRANULE, DESCRIPTOR).unwrap();
    let there = exporter.open(made, GRANULE).unwrap();
    exporter.write(there, 5).unwrap();
    let handle = importer.import_descriptor(&exporter.export_descriptor(made).unwrap()).unwrap();
    let here = importer.open(handle, GRANULE).unwrap();
    exporter.kill();
    assert_eq!((importer.read(here), importer.write(here, 6), importer.read(here)), (Ok(5), Ok(()), Ok(6)));
    importer.release(handle).unwrap();
    assert_eq!(importer.free_bytes(), before - GRANULE);
    importer.unmap(here, GRANULE).unwrap();
    assert_eq!(importer.free_bytes(), before);
}

#[test]
fn memory_of_a_node_of_the_host_is_shared_as_well() {
    let _turn = my_turn();
    let _context = Context::new();
    let location = CUmemLocation::host_numa(0);
    let made = create_at(location, GRANULE, DESCRIPTOR).unwrap();
    let handle = import_descriptor(exported(made).as_raw_fd()).unwrap();
    let (one, other) = (map(made, GRANULE).unwrap(), map(handle, GRANULE).unwrap());
    for base in [one, other] {
        assert_eq!(grant_to(location, base, GRANULE, READ_WRITE), Ok(()));
    }
    // SAFETY: the host was given access.
    unsafe { (one as *mut u32).write(5) };
    assert_eq!(read(other), Ok(5));
    assert_eq!((unmap(one, GRANULE), unmap(other, GRANULE)), (Ok(()), Ok(())));
    assert_eq!((release(made), release(handle)), (Ok(()), Ok(())));
}

#[test]
fn the_exporting_process_can_import_again_and_again() {
    let _turn = my_turn();
    let _context = Context::new();
    let before = free_bytes();
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    let descriptor = exported(made);
    let [one, other] = [(); 2].map(|()| import_descriptor(descriptor.as_raw_fd()).unwrap());
    assert!(made != one && one != other && made != other);
    let (here, there) = (map(made, GRANULE).unwrap(), map(other, GRANULE).unwrap());
    assert_eq!((grant(here, GRANULE, READ_WRITE), grant(there, GRANULE, READ)), (Ok(()), Ok(())));
    assert_eq!((write(here, 5), read(there)), (Ok(()), Ok(5)));
    assert_eq!((unmap(here, GRANULE), unmap(there, GRANULE)), (Ok(()), Ok(())));
    assert_eq!((release(made), release(one)), (Ok(()), Ok(())));
    drop(descriptor);
    assert_eq!(free_bytes(), before - GRANULE, "each import needs its release");
    assert_eq!((release(other), free_bytes()), (Ok(()), before));
}

#[test]
fn exported_descriptors_are_new_and_closed_on_exec() {
    let _turn = my_turn();
    let _context = Context::new();
    let handle = create(GRANULE, DESCRIPTOR).unwrap();
    let before = descriptors();
    let (one, other) = (exported(handle), exported(handle));
    assert_ne!(one.as_raw_fd(), other.as_raw_fd());
    // The two exported descriptors and the driver's own.
    let memory = memory_descriptors();
    assert_eq!(memory.len(), 3);
    for number in memory {
        // SAFETY: the call has no input in memory.
        assert_eq!(unsafe { libc::fcntl(number, libc::F_GETFD) }, libc::FD_CLOEXEC);
    }
    drop(one);
    let imported = import_descriptor(other.as_raw_fd()).unwrap();
    assert_eq!(release(imported), Ok(()));
    // SAFETY: as above.
    assert!(unsafe { libc::fcntl(other.as_raw_fd(), libc::F_GETFD) } >= 0, "the import does not close it");
    drop(other);
    assert_eq!(descriptors(), before, "nothing else stays open");
    assert_eq!(release(handle), Ok(()));
}

#[test]
fn what_did_not_ask_for_descriptors_has_none() {
    let _turn = my_turn();
    let _context = Context::new();
    let (plain, made) = (create(GRANULE, NO_TYPE).unwrap(), create(GRANULE, DESCRIPTOR).unwrap());
    let mut output = [0_u64; 8];
    let output = output.as_mut_ptr().cast::<c_void>();
    let refused = |output, handle, kind, flags| {
        assert_eq!(code!(cuMemExportToShareableHandle(output, handle, kind, flags)), INVALID_VALUE);
    };
    refused(output, plain, DESCRIPTOR, 0);
    refused(output, made, FABRIC, 0);
    refused(output, made, NO_TYPE, 0);
    refused(output, made, DESCRIPTOR | FABRIC, 0);
    refused(output, made, DESCRIPTOR, 1);
    refused(ptr::null_mut(), made, DESCRIPTOR, 0);
    refused(output, 0, DESCRIPTOR, 0);
    let imported = import_descriptor(exported(made).as_raw_fd()).unwrap();
    refused(output, imported, DESCRIPTOR, 0);
    for handle in [plain, made, imported] {
        assert_eq!(release(handle), Ok(()));
    }
}

#[test]
fn a_retained_handle_can_be_exported() {
    let _turn = my_turn();
    let _context = Context::new();
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    let base = map(made, GRANULE).unwrap();
    assert_eq!(release(made), Ok(()));
    let mut handle = 0;
    call!(cuMemRetainAllocationHandle(&mut handle, (base + 100) as *mut c_void));
    let imported = import_descriptor(exported(handle).as_raw_fd()).unwrap();
    assert_eq!((release(handle), release(imported), unmap(base, GRANULE)), (Ok(()), Ok(()), Ok(())));
}

#[test]
fn foreign_descriptors_are_refused() {
    let _turn = my_turn();
    let _context = Context::new();
    let (file, (reader, _writer), (socket, _other)) =
        (File::open("/proc/self/exe").unwrap(), pipe().unwrap(), UnixStream::pair().unwrap());
    let (null, plain, sealed) =
        (File::open("/dev/null").unwrap(), memfd(libc::MFD_CLOEXEC), memfd(libc::MFD_ALLOW_SEALING));
    // SAFETY: the call has no input in memory; the descriptor is new, and nothing else owns it.
    let event = unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) };
    plain.set_len(GRANULE as u64).unwrap();
    let closed = null.try_clone().unwrap().as_raw_fd();
    for number in [file.as_raw_fd(), reader.as_raw_fd(), socket.as_raw_fd(), null.as_raw_fd(), event.as_raw_fd()] {
        assert_eq!(import_descriptor(number), Err(INVALID_VALUE), "{number}");
    }
    for number in [plain.as_raw_fd(), sealed.as_raw_fd(), closed, -1, i32::MIN, i32::MAX] {
        assert_eq!(import_descriptor(number), Err(INVALID_VALUE), "{number}");
    }
    // Now it has the size and the seals of the driver's memory, and only its name differs.
    sealed.set_len(2 * GRANULE as u64).unwrap();
    // SAFETY: the call has no input in memory.
    unsafe {
        libc::fcntl(sealed.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL)
    };
    assert_eq!(import_descriptor(sealed.as_raw_fd()), Err(INVALID_VALUE));
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    let descriptor = exported(made);
    let mut number = descriptor.as_raw_fd();
    assert_eq!(
        import((&raw mut number).cast(), DESCRIPTOR),
        Err(INVALID_VALUE),
        "the call takes the number itself, not its address"
    );
    let shareable = number as *mut c_void;
    assert_eq!(code!(cuMemImportFromShareableHandle(ptr::null_mut(), shareable, DESCRIPTOR)), INVALID_VALUE);
    assert_eq!(import(shareable, NO_TYPE), Err(INVALID_VALUE));
    assert_eq!(import(ptr::null_mut(), FABRIC), Err(INVALID_VALUE));
    assert_eq!(import(shareable, FABRIC), Err(INVALID_VALUE), "the number of a descriptor is not an address");
    assert_eq!(release(made), Ok(()));
}

/// The driver's own descriptors of this process's memory are refused if the memory was not created for export.
#[test]
fn other_memory_of_the_driver_is_refused() {
    let _turn = my_turn();
    let _context = Context::new();
    let mut linear = 0;
    call!(cuMemAlloc(&mut linear, GRANULE));
    let plain = create(GRANULE, NO_TYPE).unwrap();
    let found = memory_descriptors();
    for number in &found {
        assert_eq!(import_descriptor(*number), Err(INVALID_VALUE), "{number}");
    }
    assert_eq!(found.len(), 2, "the linear memory, and the memory that was created without a handle type");
    assert_eq!(release(plain), Ok(()));
}

#[test]
fn descriptor_0_is_refused_like_null() {
    let _turn = my_turn();
    let _context = Context::new();
    let input = File::from(std::os::fd::AsFd::as_fd(&std::io::stdin()).try_clone_to_owned().unwrap());
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    let null = File::open("/dev/null").unwrap();
    let with_input = |descriptor| {
        // SAFETY: nothing else in this process uses its standard input, which is restored below.
        assert_eq!(unsafe { libc::dup2(descriptor, 0) }, 0);
        import(ptr::null_mut(), DESCRIPTOR)
    };
    let of_null = with_input(null.as_raw_fd());
    let of_memory = with_input(exported(made).as_raw_fd());
    // SAFETY: as above.
    assert_eq!(unsafe { libc::dup2(input.as_raw_fd(), 0) }, 0);
    assert_eq!((of_null, of_memory), (Err(INVALID_VALUE), Err(INVALID_VALUE)), "as on an H200");
    assert_eq!(release(made), Ok(()));
}

#[test]
fn want_of_descriptors_is_an_error_that_goes_away() {
    let _turn = my_turn();
    let _context = Context::new();
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    // SAFETY: all zeros are a valid `rlimit`.
    let mut limit: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: the output is a local.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) }, 0);
    let none = libc::rlimit { rlim_cur: 0, ..limit };
    // SAFETY: the input is a local; tests take turns.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &none) }, 0);
    let refused = export_descriptor(made);
    // SAFETY: as above.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    assert_eq!(refused, Err(CUresult::CUDA_ERROR_OUT_OF_MEMORY));
    drop(exported(made));
    assert_eq!(release(made), Ok(()));
}

#[test]
fn nobody_can_take_the_memory_from_under_the_others() {
    let _turn = my_turn();
    let _context = Context::new();
    let made = create(GRANULE, DESCRIPTOR).unwrap();
    let file = File::from(exported(made));
    assert!(file.set_len(0).is_err());
    assert_eq!(release(made), Ok(()));
}

#[test]
fn memory_is_taken_by_one_process_at_a_time() {
    let _turn = my_turn();
    let machine = format!("turns-{}", std::process::id());
    let mut peer = Remote::on("turns", &[]);
    let id = peer.id();
    for types in [NO_TYPE, DESCRIPTOR] {
        let made = waiting::waits(&machine, 0, id, || peer.create(GRANULE, types));
        assert_eq!(peer.release(made.unwrap()), Ok(()));
    }
}
