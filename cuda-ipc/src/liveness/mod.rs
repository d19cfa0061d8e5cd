//! Watching whether another process is alive, and whether it still holds the memory that was shared with it.
//!
//! - A [`ProcessWatch`] reports that a process has ended.
//! - A [`Lease`] reports to an exporter that every importer of its memory is done or has died. The [`Tenancy`] of a
//!   lease reports to an importer that the exporter is done or has died.
//!
//! The kernel reports both. This needs no thread and no message, and works even if a process is killed. Each of them is
//! one descriptor, which your own poll loop can watch through [`AsFd`](std::os::fd::AsFd).
//!
//! A process that is stopped, or hangs, is alive. So is a process that executes another program (`execve`), although its
//! memory is gone: only its leases end.

mod error;
mod lease;
mod process;

pub use error::LivenessError;
pub use lease::{Lease, Tenancy};
pub use process::ProcessWatch;
