//! The identity of an exporter.
#![allow(unsafe_code)] // Shares the identity among threads without a lock.

use std::fmt;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use rustix::io::retry_on_intr;
use rustix::rand::{GetRandomFlags, getrandom};
use uuid::Uuid;

use crate::identity::namespace;
use crate::{ProcessIdentity, SystemError, fork};

/// Identifies one exporter among those of all machines: one copy of this crate in one run of a program.
///
/// The process alone is not enough. A process that executes another program (`execve`) stays the same process, and one
/// process can contain two copies of this crate. Each of these numbers its memory from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExporterIdentity {
    /// The process of the exporter.
    pub process: ProcessIdentity,
    /// `getrandom`: 128 random bits, which no other exporter has.
    pub nonce: [u8; 16],
}

/// The identity of this process and of this copy of the crate, or null before anyone asks. A lock in its place could be
/// held for ever in a forked child.
static OWN: AtomicPtr<ExporterIdentity> = AtomicPtr::new(ptr::null_mut());

impl ExporterIdentity {
    /// `/proc/self`, `getrandom`: returns the identity that this process states in its tickets.
    ///
    /// The first call reads it, and all threads share it. A forked child gets an identity of its own, and never waits
    /// for a lock of its parent.
    ///
    /// # Errors
    /// Fails if `/proc` is not mounted or not readable, or if the kernel has no random numbers.
    pub fn current() -> Result<Self, SystemError> {
        Self::read().map_err(|error| SystemError::new("ExporterIdentity::current", error))
    }

    fn read() -> io::Result<Self> {
        let (pid, pid_namespace) = (std::process::id(), namespace("self")?);
        let known = OWN.load(Ordering::Acquire);
        // SAFETY: the pointer is null, or leads to an identity that is never changed or freed.
        if let Some(own) = unsafe { known.as_ref() }
            // The child of a raw system call does not run the handler, and inherits its parent's identity.
            && (own.process.pid, own.process.pid_namespace) == (pid, pid_namespace)
        {
            return Ok(*own);
        }
        forget_in_children()?;
        let own = Self { process: ProcessIdentity::read_own(pid, pid_namespace)?, nonce: draw()? };
        match OWN.compare_exchange(known, Box::leak(Box::new(own)), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(own),
            // Another thread was faster, and this one takes the same identity.
            Err(_) => Self::read(),
        }
    }
}

impl fmt::Display for ExporterIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, nonce } = self;
        write!(f, "{process}, nonce {}", Uuid::from_bytes_ref(nonce))
    }
}

/// Ensures that a forked child draws a nonce of its own, even if it gets the PID of an ancestor that has ended.
fn forget_in_children() -> io::Result<()> {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Relaxed) {
        // Two threads may both register it, which does no harm.
        // SAFETY: the handler only stores to an atomic.
        unsafe { fork::call_in_children(forget)? };
        REGISTERED.store(true, Ordering::Relaxed);
    }
    Ok(())
}

extern "C" fn forget() {
    OWN.store(ptr::null_mut(), Ordering::Relaxed);
}

fn draw() -> io::Result<[u8; 16]> {
    let mut nonce = [0; 16];
    let drawn = retry_on_intr(|| getrandom(&mut nonce, GetRandomFlags::empty()))
        .map_err(|error| io::Error::new(error.kind(), format!("getrandom: {error}")))?;
    if drawn == nonce.len() {
        Ok(nonce)
    } else {
        let message = format!("getrandom returned {drawn} of {} random bytes", nonce.len());
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
    }
}
