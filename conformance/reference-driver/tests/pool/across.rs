//! Pools that another process exports and this one imports.

use crate::*;

#[test]
fn memory_that_was_allocated_after_the_export_is_imported() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let (small, large) = (exporter.allocate(1000, 7), exporter.allocate(5 * MIB, 8));
    let (small, large) = (import_pointer(pool, small).unwrap(), import_pointer(pool, large).unwrap());
    assert_eq!((read(small), read(large), read(large + 5 * MIB - 4)), (Ok(7), Ok(8), Ok(8)));
    let (mut base, mut size) = (0, 0);
    call!(cuMemGetAddressRange(&mut base, &mut size, large + 3));
    assert_eq!((base, size as u64), (large, 5 * MIB));
    assert_eq!(used(pool), Ok(5 * MIB + 1000), "only imported memory is in use");
    call!(cuMemsetD32(large, 9, 1));
    call!(cuCtxSynchronize());
    assert_eq!(exporter.read(), 9, "the exporter sees what the importer writes");
    free(large);
    free(small);
    assert_eq!((used(pool), read(small)), (Ok(0), Err(INVALID_VALUE)));
    assert_eq!(exporter.read(), 9, "a free in the importer leaves the exporter's memory intact");
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn memory_outlives_a_killed_exporter_and_then_goes() {
    let _turn = turn();
    let before = free_bytes();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let (first, second) = (exporter.allocate(4 * MIB, 7), exporter.allocate(2 * MIB, 8));
    let first = import_pointer(pool, first).unwrap();
    let paths = exporter.paths();
    assert!(paths.iter().any(|path| path.starts_with("/memfd:")), "{paths:?}");
    assert!(!paths.iter().any(|path| path.starts_with("/dev/shm") || path.starts_with("/tmp")), "{paths:?}");
    exporter.kill();
    let second = import_pointer(pool, second).unwrap();
    assert_eq!((read(first), read(second)), (Ok(7), Ok(8)));
    assert_eq!(before - free_bytes(), 6 * MIB);
    call!(cuMemFree(first));
    call!(cuMemPoolDestroy(pool));
    assert_eq!(read(second), Ok(8), "imported pointers outlive their pool");
    call!(cuMemFree(second));
    assert_eq!(free_bytes(), before);
}

#[test]
fn what_the_exporter_freed_is_not_imported() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let stale = exporter.allocate(2 * MIB, 7);
    exporter.free();
    assert_eq!(import_pointer(pool, stale), Err(INVALID_VALUE));
    let fresh = exporter.allocate(2 * MIB, 8);
    assert_eq!(import_pointer(pool, stale), Err(INVALID_VALUE), "another allocation is there now");
    let pointer = import_pointer(pool, fresh).unwrap();
    exporter.free();
    exporter.destroy();
    assert_eq!(read(pointer), Ok(8), "it is still mapped here");
    free(pointer);
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn a_pool_of_an_invisible_device_needs_access() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "2");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let pointer = import_pointer(pool, exporter.allocate(4096, 7)).unwrap();
    assert_eq!(read(pointer), Err(INVALID_VALUE));
    assert_eq!(grant(pool, 0, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), SUCCESS);
    assert_eq!(read(pointer), Ok(7));
    free(pointer);
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn data_goes_with_its_pool() {
    let _turn = turn();
    // Both exporters make the same calls, so only the pool differs in their data.
    let mut exporters = [(); 2].map(|()| Exporter::start(&machine(), "0"));
    let pools = exporters.each_mut().map(|exporter| import(exporter.pool().as_raw_fd()).unwrap());
    let data = exporters.each_mut().map(|exporter| exporter.allocate(4096, 7));
    assert_ne!(pools[0], pools[1]);
    assert_eq!(import_pointer(pools[0], data[1]), Err(INVALID_VALUE));
    free(import_pointer(pools[1], data[1]).unwrap());
    for pool in pools {
        call!(cuMemPoolDestroy(pool));
    }
}
