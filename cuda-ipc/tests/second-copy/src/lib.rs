//! Steps that share memory between two copies of cuda-ipc in one process. A test executable takes them with its own copy,
//! through the Rust functions, and with the copy in this package's library, through the C functions.

use std::ffi::{CStr, OsStr, c_char};
use std::fmt::Display;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Driver, Error, ImportedMemory, Parcel, Stream};

/// The bytes of a buffer, and of a buffer of a pool: a multiple of the driver's blocks, which nothing else then uses.
const SIZE: usize = 2 << 20;
const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

/// What a copy does. The number is the step's in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Step {
    /// Creates virtual memory, and fills it with the byte.
    NewMapping = 0,
    /// Creates a pool and memory in it, and fills that with the byte.
    NewPool = 1,
    /// Creates a buffer, and fills it with the byte.
    NewBuffer = 2,
    /// Shares the memory of the slot over the connection.
    Share = 3,
    /// Receives what the other copy has shared, and opens it in the slot.
    Open = 4,
    /// Fills the memory of the slot with the byte.
    Fill = 5,
    /// Checks that all bytes of the memory of the slot are this one.
    Check = 6,
    /// Drops the value of the slot.
    Drop = 7,
}

/// How a step ended. The number is the answer in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Answer {
    /// The step was taken.
    Done = 0,
    /// The driver refused the step. It refuses to open a legacy handle of the same process.
    Refused = 1,
    /// The step failed in any other way, or memory has wrong bytes. The standard error output says how.
    Failed = 2,
}

/// The values of one copy.
pub struct Machine {
    context: Context,
    stream: Stream,
    connection: Connection,
    slots: Vec<Option<Value>>,
}

enum Value {
    Mapping(Mapping),
    Pool(PoolBuffer),
    Buffer(DeviceBuffer),
    Import(ImportedMemory),
}

impl Value {
    fn memory(&self) -> &DeviceMemory {
        match self {
            Self::Mapping(memory) => memory,
            Self::Pool(memory) => memory,
            Self::Buffer(memory) => memory,
            Self::Import(memory) => memory,
        }
    }

    fn share(&self) -> Result<Option<Parcel>, Error> {
        Ok(Some(match self {
            Self::Mapping(memory) => memory.share(.., Access::ReadWrite)?,
            Self::Pool(memory) => memory.share(..)?,
            Self::Buffer(memory) => memory.share(..)?,
            Self::Import(_) => return Ok(None),
        }))
    }
}

impl Machine {
    /// Begins with empty slots, at one end of a connection between the copies.
    ///
    /// # Errors
    /// Those of the first calls of the driver.
    ///
    /// # Safety
    /// The library is a driver.
    pub unsafe fn new(library: &OsStr, socket: OwnedFd, slots: usize) -> Result<Self, Error> {
        // SAFETY: the caller's promise.
        let driver = unsafe { Driver::load_from(library)? };
        let context = Context::primary(driver.device(0)?)?;
        let mut connection = Connection::from(UnixStream::from(socket));
        connection.set_timeout(Some(Duration::from_secs(30)));
        let stream = Stream::default_of(&context);
        Ok(Self { context, stream, connection, slots: (0..slots).map(|_| None).collect() })
    }

    /// Takes a step.
    pub fn step(&mut self, step: Step, slot: usize, byte: u8) -> Answer {
        match self.take(step, slot, byte) {
            Ok(()) => Answer::Done,
            Err(error) if error.code().is_some() => Answer::Refused,
            Err(error) => failed(step, error),
        }
    }

    fn take(&mut self, step: Step, slot: usize, byte: u8) -> Result<(), Error> {
        let device = self.context.device();
        let made = match step {
            Step::NewMapping => {
                let allocation = Allocation::new(device, granularity(device, DESCRIPTORS)?, DESCRIPTORS)?;
                Value::Mapping(Mapping::new(&self.context, &[&allocation], Access::ReadWrite)?)
            }
            Step::NewPool => {
                let pool = Pool::new(device, DESCRIPTORS, None)?;
                Value::Pool(PoolBuffer::new(&pool, SIZE, &self.stream)?)
            }
            Step::NewBuffer => Value::Buffer(DeviceBuffer::new(&self.context, SIZE)?),
            Step::Open => {
                let parcel = Parcel::receive(&self.connection)?;
                // SAFETY: the test drops imports before the memory that they are of, and one copy imports what the other
                // has exported.
                Value::Import(unsafe { parcel.open(&self.context)? })
            }
            Step::Share => {
                let parcel = self.value(slot).share()?.expect("memory of this copy");
                return parcel.send(&self.connection);
            }
            Step::Fill => return self.value(slot).memory().fill(byte),
            Step::Check => {
                let bytes = self.value(slot).memory().snapshot::<u8>(..)?;
                // As slices, because a test is not optimised.
                assert!(*bytes == vec![byte; bytes.len()], "{byte} was written, and {} is read", bytes[0]);
                return Ok(());
            }
            Step::Drop => {
                self.slots[slot] = None;
                return Ok(());
            }
        };
        if step != Step::Open {
            made.memory().fill(byte)?;
        }
        self.slots[slot] = Some(made);
        Ok(())
    }

    fn value(&self, slot: usize) -> &Value {
        self.slots[slot].as_ref().expect("a value")
    }
}

fn failed(what: impl std::fmt::Debug, error: impl Display) -> Answer {
    eprintln!("{what:?}: {error}");
    Answer::Failed
}

/// Creates a machine with the copy of cuda-ipc in this library. Returns null if that fails.
///
/// # Safety
/// `driver` is the path of a driver, as a string of C. `socket` is an open descriptor, which the machine takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn second_copy_new(driver: *const c_char, socket: RawFd, slots: usize) -> *mut Machine {
    // SAFETY: the caller's promise.
    let (driver, socket) = unsafe { (CStr::from_ptr(driver), OwnedFd::from_raw_fd(socket)) };
    // SAFETY: the caller's promise.
    match unsafe { Machine::new(OsStr::from_bytes(driver.to_bytes()), socket, slots) } {
        Ok(machine) => Box::into_raw(Box::new(machine)),
        Err(error) => {
            failed("new", error);
            std::ptr::null_mut()
        }
    }
}

/// Takes a step with the copy of cuda-ipc in this library. A panic is a failure.
///
/// # Safety
/// The machine is one of [`second_copy_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn second_copy_step(machine: *mut Machine, step: Step, slot: usize, byte: u8) -> Answer {
    // SAFETY: the caller's promise.
    let machine = unsafe { &mut *machine };
    let take = std::panic::AssertUnwindSafe(|| machine.step(step, slot, byte));
    std::panic::catch_unwind(take).unwrap_or(Answer::Failed)
}

/// Ends a machine: drops its values.
///
/// # Safety
/// The machine is one of [`second_copy_new`], and is not used later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn second_copy_drop(machine: *mut Machine) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(machine) });
}
