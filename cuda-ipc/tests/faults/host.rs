//! Host memory that a driver does not clear, or does not let go.

use std::fs::read_to_string;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DropError, set_drop_hook};

use crate::{alone, context};

/// As in `driver.c`.
const BUSY: u32 = 0xb5b5;

/// Returns how many shared pages this process has mapped.
fn mapped() -> usize {
    read_to_string("/proc/self/maps").unwrap().lines().filter(|line| line.contains("memfd:cuda-ipc-pages")).count()
}

fn pages(length: usize) -> SharedPages<u32> {
    SharedPages::new(&context(), length).unwrap()
}

#[test]
fn a_new_buffer_has_no_bytes_of_others() {
    let _alone = alone();
    assert_eq!(*PinnedBuffer::<u16>::new(&context(), 5000).unwrap(), [0; 5000]);
    assert_eq!(*PinnedBuffer::copy_of(&context(), &[true, false]).unwrap(), [true, false]);
}

#[test]
fn pages_are_unmapped_after_the_driver_has_let_them_go() {
    let _alone = alone();
    let before = mapped();
    let (closed, dropped) = (pages(1), pages(5000));
    assert_eq!(mapped(), before + 2);
    closed.unmap().unwrap();
    drop(dropped);
    assert_eq!(mapped(), before);
}

#[test]
fn pages_that_the_driver_keeps_stay_mapped() {
    static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());
    let _alone = alone();
    let before = mapped();
    let previous = set_drop_hook(|error| MET.lock().unwrap().push(error));
    let (closed, dropped) = (pages(1), pages(1));
    for pages in [&closed, &dropped] {
        pages.numbers()[0].store(BUSY, Ordering::Relaxed);
    }
    let error = closed.unmap().unwrap_err();
    drop(dropped);
    set_drop_hook(previous);
    let met = MET.lock().unwrap();
    assert_eq!(met.iter().map(|error| error.resource).collect::<Vec<_>>(), ["SharedPages"]);
    for error in [&error, &met[0].error] {
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_UNKNOWN));
        assert!(error.to_string().starts_with("cuMemHostUnregister("), "{error}");
    }
    // Memory in their place would be mistaken for them.
    assert_eq!(mapped(), before + 2);
}
