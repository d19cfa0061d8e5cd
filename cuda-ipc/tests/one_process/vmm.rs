//! Virtual memory within one process.

use std::os::fd::AsFd as _;

use cuda_ipc::fabric::{self, FabricSupport};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, ImportedAllocation, Mapping, Reservation, granularity};
use cuda_ipc::{DeviceMemory, Error};
use rstest::rstest;
use rustix::io::{FdFlags, fcntl_getfd};

use crate::common::{context, device, driver};

fn size() -> usize {
    granularity(device(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap()
}

fn allocation() -> Allocation {
    Allocation::new(device(), size(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap()
}

fn byte_at(memory: &DeviceMemory, offset: usize) -> u8 {
    let mut byte = [0_u8];
    memory.read(offset, &mut byte).unwrap();
    byte[0]
}

#[test]
fn a_mapping_is_read_and_written() {
    let allocation = allocation();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    assert_eq!((mapping.size(), allocation.size(), allocation.device()), (size(), size(), device()));
    mapping.write(size() - 1, &[9_u8]).unwrap();
    assert_eq!(byte_at(&mapping, size() - 1), 9);
    assert_eq!(mapping.access(device()).unwrap(), Access::ReadWrite);
    mapping.unmap().unwrap();
}

#[test]
fn memory_outlives_what_made_it() {
    let mapping = {
        let allocation = allocation();
        Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap()
    };
    mapping.fill(4).unwrap();
    let reservation = mapping.reservation().clone();
    mapping.unmap().unwrap();
    reservation.free().unwrap();
}

#[test]
fn chunks_lie_one_after_the_other() {
    let chunks = [allocation(), allocation(), allocation()];
    let physical: Vec<_> = chunks.iter().map(|chunk| &**chunk).collect();
    let all = Mapping::new(&context(), &physical, Access::ReadWrite).unwrap();
    assert_eq!(all.size(), 3 * size());
    // Writes across a border between chunks, then maps each chunk by itself at another address.
    all.fill(0).unwrap();
    all.write(size() - 1, &[1_u8, 2]).unwrap();
    all.write(2 * size(), &[3_u8]).unwrap();
    let alone = |chunk: &Allocation| Mapping::new(&context(), &[chunk], Access::Read).unwrap();
    assert_eq!(byte_at(&alone(&chunks[0]), size() - 1), 1);
    assert_eq!(byte_at(&alone(&chunks[1]), 0), 2);
    assert_eq!(byte_at(&alone(&chunks[2]), 0), 3);
}

#[test]
fn a_range_grows_chunk_by_chunk() {
    let range = Reservation::new(driver(), 2 * size(), 0).unwrap();
    let (context, chunk) = (context(), allocation());
    let first = Mapping::in_range(&context, &range, 0, &[&chunk], Access::ReadWrite).unwrap();
    first.fill(1).unwrap();
    // An address cannot be mapped twice, nor beyond the end of the range.
    let again = Mapping::in_range(&context, &range, 0, &[&chunk], Access::ReadWrite).unwrap_err();
    assert_eq!(again.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{again}");
    for offset in [2 * size(), 2 * size() + 1, usize::MAX] {
        let beyond = Mapping::in_range(&context, &range, offset, &[&chunk], Access::ReadWrite).unwrap_err();
        assert!(matches!(beyond, Error::OutOfBounds { .. }), "{beyond}");
    }
    let second = Mapping::in_range(&context, &range, size(), &[&chunk], Access::ReadWrite).unwrap();
    assert_eq!(second.pointer(), range.pointer() + size() as u64);
    assert_eq!(byte_at(&second, 0), 1);
    first.unmap().unwrap();
    assert_eq!(byte_at(&second, 0), 1);
}

#[test]
fn what_was_mapped_before_an_error_is_unmapped() {
    let range = Reservation::new(driver(), 2 * size(), 0).unwrap();
    let (context, chunk) = (context(), allocation());
    let taken = Mapping::in_range(&context, &range, size(), &[&chunk], Access::ReadWrite).unwrap();
    Mapping::in_range(&context, &range, 0, &[&chunk, &chunk], Access::ReadWrite).unwrap_err();
    drop(taken);
    Mapping::in_range(&context, &range, 0, &[&chunk, &chunk], Access::ReadWrite).unwrap();
}

#[test]
fn access_is_given_and_taken() {
    let allocation = allocation();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(1).unwrap();
    mapping.set_access(device(), Access::Read).unwrap();
    assert_eq!(mapping.access(device()).unwrap(), Access::Read);
    assert_eq!(byte_at(&mapping, 0), 1);
    mapping.fill(2).unwrap_err();
    mapping.set_access(device(), Access::None).unwrap();
    assert_eq!(mapping.access(device()).unwrap(), Access::None);
    mapping.read(0, &mut [0_u8]).unwrap_err();
    mapping.set_access(device(), Access::ReadWrite).unwrap();
    assert_eq!(byte_at(&mapping, 0), 1);
}

#[test]
fn a_descriptor_is_close_on_exec_and_gives_the_memory() {
    let allocation = allocation();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(6).unwrap();
    let descriptor = allocation.export().unwrap();
    assert!(fcntl_getfd(&descriptor).unwrap().contains(FdFlags::CLOEXEC));
    drop((mapping, allocation));
    let import = ImportedAllocation::import(driver(), descriptor.as_fd(), size()).unwrap();
    drop(descriptor);
    let mapping = Mapping::new(&context(), &[&import], Access::Read).unwrap();
    drop(import);
    assert_eq!(byte_at(&mapping, size() - 1), 6);
}

#[rstest]
#[case::twice(2)]
#[case::nothing(0)]
#[case::all_there_is(usize::MAX)]
fn an_import_is_not_larger_than_the_memory(#[case] times: usize) {
    let allocation = allocation();
    let wrong = size().saturating_mul(times);
    let descriptor = allocation.export().unwrap();
    let import = ImportedAllocation::import(driver(), descriptor.as_fd(), wrong).unwrap();
    let error = Mapping::new(&context(), &[&import], Access::ReadWrite).unwrap_err();
    assert!(error.code().is_some(), "{error}");
}

#[test]
fn descriptors_of_something_else_are_refused() {
    let file = std::fs::File::open("/dev/null").unwrap();
    let (pipe, _other) = std::io::pipe().unwrap();
    for descriptor in [file.as_fd(), pipe.as_fd()] {
        let error = ImportedAllocation::import(driver(), descriptor, size()).unwrap_err();
        assert!(error.to_string().starts_with("cuMemImportFromShareableHandle("), "{error}");
    }
}

#[test]
fn memory_is_exported_only_as_what_it_was_made_for() {
    let private = Allocation::new(device(), size(), HandleTypes::NONE).unwrap();
    assert_eq!(private.export().unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    assert_eq!(allocation().export_fabric().unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    let error = Allocation::new(device(), size() + 1, HandleTypes::NONE).unwrap_err();
    assert!(error.to_string().contains(&format!("granularity {}", size())), "{error}");
}

#[test]
fn the_fabric_is_what_the_probe_says() {
    let works = Allocation::new(device(), size(), HandleTypes::FABRIC).and_then(|memory| memory.export_fabric());
    let support = fabric::probe(device()).unwrap();
    assert_eq!(support.works(), works.is_ok(), "{support}");
    match (&support, works) {
        (FabricSupport::NoChannel(_), Err(error)) => {
            assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_NOT_PERMITTED));
            assert!(support.to_string().contains("IMEX channel"), "{support}");
        }
        (FabricSupport::Works | FabricSupport::Absent | FabricSupport::Fails(_), _) => {}
        (support, works) => panic!("{support:?}, {works:?}"),
    }
}
