//! Two copies of this crate in one process, as a program has that loads a plug-in: the copy of this test, and the one in
//! the library of the package `second-copy`. Neither knows of the other.

use std::ffi::{CString, OsStr, c_char, c_int};
use std::os::fd::{IntoRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use second_copy::{Answer, Machine, Step};

use crate::common::driver;
use crate::{Holdings, alone, context, met};

const SLOTS: usize = 4;

/// The functions of the library that contains the second copy.
struct Library {
    new: unsafe extern "C" fn(*const c_char, c_int, usize) -> *mut Machine,
    step: unsafe extern "C" fn(*mut Machine, Step, usize, u8) -> Answer,
    drop: unsafe extern "C" fn(*mut Machine),
}

impl Library {
    /// Loads the library, which Cargo builds next to the test executables. It stays loaded.
    fn load() -> Self {
        let path = std::env::current_exe().unwrap().with_file_name("libsecond_copy.so");
        // SAFETY: the library's initialisers do nothing.
        let library = Box::leak(Box::new(unsafe { libloading::Library::new(&path) }.unwrap()));
        // SAFETY: these are the functions' types.
        unsafe {
            Self {
                new: *library.get(b"second_copy_new\0").unwrap(),
                step: *library.get(b"second_copy_step\0").unwrap(),
                drop: *library.get(b"second_copy_drop\0").unwrap(),
            }
        }
    }
}

/// The values of both copies.
struct Both<'a> {
    ours: Machine,
    theirs: *mut Machine,
    library: &'a Library,
}

impl<'a> Both<'a> {
    fn new(library: &'a Library) -> Self {
        let [ours, theirs] = UnixStream::pair().map(<[UnixStream; 2]>::from).unwrap().map(OwnedFd::from);
        let path = driver().path();
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is that of the driver under test, and the descriptor is passed on.
        let theirs = unsafe { (library.new)(name.as_ptr(), theirs.into_raw_fd(), SLOTS) };
        assert!(!theirs.is_null());
        // SAFETY: as above.
        Self { ours: unsafe { Machine::new(OsStr::new(path), ours, SLOTS) }.unwrap(), theirs, library }
    }

    fn step(&mut self, copy: usize, step: Step, slot: usize, byte: u8) -> Answer {
        if copy == 0 {
            return self.ours.step(step, slot, byte);
        }
        // SAFETY: the machine lives until this value is dropped.
        unsafe { (self.library.step)(self.theirs, step, slot, byte) }
    }
}

impl Drop for Both<'_> {
    fn drop(&mut self) {
        // SAFETY: the machine is not used later.
        unsafe { (self.library.drop)(self.theirs) };
    }
}

/// What a slot of a copy has: memory by its number, and whether it is an import.
#[derive(Clone, Copy)]
struct Slot {
    memory: usize,
    is_import: bool,
}

fn step() -> impl Strategy<Value = (Step, usize, usize, usize)> {
    const STEPS: [Step; 7] =
        [Step::NewMapping, Step::NewPool, Step::NewBuffer, Step::Share, Step::Share, Step::Fill, Step::Drop];
    (prop::sample::select(STEPS.as_slice()), 0..2_usize, 0..SLOTS, 0..SLOTS)
}

/// Takes the steps, and checks after each that both copies read the bytes that were written last.
fn run(steps: &[(Step, usize, usize, usize)], library: &Library) -> usize {
    let mut both = Both::new(library);
    let mut slots = [[None::<Slot>; SLOTS]; 2];
    let (mut bytes, mut kinds, mut opened) = (Vec::new(), Vec::new(), 0);
    for (number, (step, copy, slot, to)) in steps.iter().copied().enumerate() {
        let (byte, other) = (number as u8, 1 - copy);
        let here = slots[copy][slot];
        match step {
            Step::NewMapping | Step::NewPool | Step::NewBuffer if here.is_none() => {
                assert_eq!(both.step(copy, step, slot, byte), Answer::Done);
                slots[copy][slot] = Some(Slot { memory: bytes.len(), is_import: false });
                bytes.push(byte);
                kinds.push(step);
            }
            Step::Share if here.is_some_and(|here| !here.is_import) && slots[other][to].is_none() => {
                let memory = here.unwrap().memory;
                assert_eq!(both.step(copy, Step::Share, slot, 0), Answer::Done);
                // CUDA opens no legacy handle in the process that exported it.
                let wanted = if kinds[memory] == Step::NewBuffer { Answer::Refused } else { Answer::Done };
                assert_eq!(both.step(other, Step::Open, to, 0), wanted, "{:?}", kinds[memory]);
                if wanted == Answer::Done {
                    slots[other][to] = Some(Slot { memory, is_import: true });
                    opened += 1;
                }
            }
            Step::Fill if here.is_some() => {
                assert_eq!(both.step(copy, step, slot, byte), Answer::Done);
                bytes[here.unwrap().memory] = byte;
            }
            Step::Drop if here.is_some() => {
                let here = here.unwrap();
                // Memory of a pool must not be freed while it is open elsewhere: that is what `Parcel::open` requires.
                if !here.is_import && kinds[here.memory] == Step::NewPool {
                    for (slot, open) in slots[other].iter_mut().enumerate() {
                        if open.is_some_and(|open| open.memory == here.memory) {
                            assert_eq!(both.step(other, Step::Drop, slot, 0), Answer::Done);
                            *open = None;
                        }
                    }
                }
                assert_eq!(both.step(copy, step, slot, 0), Answer::Done);
                slots[copy][slot] = None;
            }
            _ => continue,
        }
        for (copy, slots) in slots.iter().enumerate() {
            for (slot, here) in slots.iter().enumerate().filter_map(|(slot, here)| Some((slot, (*here)?))) {
                assert_eq!(both.step(copy, Step::Check, slot, bytes[here.memory]), Answer::Done);
            }
        }
    }
    // Imports first, as above.
    for is_import in [true, false] {
        for (copy, slot) in (0..2).flat_map(|copy| (0..SLOTS).map(move |slot| (copy, slot))) {
            if slots[copy][slot].is_some_and(|here| here.is_import == is_import) {
                assert_eq!(both.step(copy, Step::Drop, slot, 0), Answer::Done);
            }
        }
    }
    opened
}

#[test]
fn two_copies_share_memory_in_any_order_and_leave_nothing() {
    let _alone = alone();
    let (context, library) = (context(), Library::load());
    // The driver creates some resources at their first use and keeps them. `before` includes them.
    let every = [Step::NewMapping, Step::NewPool, Step::NewBuffer];
    let every: Vec<_> =
        (0..3).flat_map(|slot| [(every[slot], slot % 2, slot, 0), (Step::Share, slot % 2, slot, slot)]).collect();
    assert_eq!(run(&every, &library), 2);
    let before = Holdings::now(&context);
    let opened = std::cell::Cell::new(0);
    let persistence = Some(Box::new(FileFailurePersistence::Off) as _);
    let config = Config { cases: 60, failure_persistence: persistence, ..Config::default() };
    proptest!(config, |(steps in vec(step(), 1..40))| {
        opened.set(opened.get() + run(&steps, &library));
        let errors = met();
        prop_assert!(errors.is_empty(), "{errors:?}");
        prop_assert_eq!(Holdings::now(&context), before.clone());
    });
    assert!(opened.get() > 20, "few sequences opened memory: {}", opened.get());
}
