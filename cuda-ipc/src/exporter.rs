//! The identity of an exporter.
#![allow(unsafe_code)] // Shares the identity among threads without a lock.

use std::fmt;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use rustix::io::retry_on_intr;
use rustix::rand::{GetRandomFlags, getrandom};
use uuid::Uuid;

use crate::fork::{self, Mark};
use crate::identity::namespace;
use crate::{ProcessIdentity, SystemError};

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

/// What this copy of the crate knows of its own identity.
struct Own {
    identity: ExporterIdentity,
    mark: Option<&'static Mark>,
}

impl Own {
    /// Returns whether this process still is the one that read the identity, and not a child that inherited it.
    fn is_ours(&self) -> io::Result<bool> {
        // A child that shares its parent's memory has the mark.
        let is_pid = self.identity.process.pid == std::process::id();
        match self.mark {
            Some(mark) => Ok(is_pid && mark.is_there()),
            // Without a mark, the child of a raw system call looks like its parent, if both have PID 1.
            None => Ok(is_pid && self.identity.process.pid_namespace == namespace("self")?),
        }
    }
}

/// The identity of this process and of this copy of the crate, or null before anyone asks. A lock in its place could be
/// held for ever in a forked child.
static OWN: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());

impl ExporterIdentity {
    /// `/proc/self`, `getrandom`: returns the identity that this process states in its tickets.
    ///
    /// The first call reads it, and all threads share it. A forked child gets an identity of its own, and never waits
    /// for a lock of its parent. A child that shares its parent's memory (`CLONE_VM`) counts as a part of the parent, and
    /// must not call this.
    ///
    /// # Errors
    /// Fails if `/proc` is not mounted or not readable, or if the kernel has no random numbers.
    pub fn current() -> Result<Self, SystemError> {
        Self::read().map_err(|error| SystemError::new("ExporterIdentity::current", error))
    }

    fn read() -> io::Result<Self> {
        let known = OWN.load(Ordering::Acquire);
        // SAFETY: the pointer is null, or leads to an identity that is never changed or freed.
        if let Some(own) = unsafe { known.as_ref() }
            && own.is_ours()?
        {
            return Ok(own.identity);
        }
        forget_in_children()?;
        // First, because a child that is forked from here on has no mark, and does not take this identity for its own.
        let mark = Mark::set();
        let process = ProcessIdentity::read_own(std::process::id(), namespace("self")?)?;
        let identity = Self { process, nonce: draw()? };
        let own = Box::leak(Box::new(Own { identity, mark }));
        // If another thread was faster, this one takes the same identity.
        let _ = OWN.compare_exchange(known, own, Ordering::AcqRel, Ordering::Acquire);
        Self::read()
    }
}

impl fmt::Display for ExporterIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { process, nonce } = self;
        write!(f, "{process}, nonce {}", Uuid::from_bytes_ref(nonce))
    }
}

/// Ensures, where the kernel cannot mark memory, that a forked child draws a nonce of its own, even if it gets the PID of
/// an ancestor that has ended.
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
