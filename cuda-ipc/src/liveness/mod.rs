//! Watching whether another process is alive, and whether it still holds the memory that was shared with it.
//!
//! - A [`ProcessWatch`] reports that a process has ended.
//! - A [`Lease`] reports to an exporter that every importer of its memory is done or has died. The [`Tenancy`] of a
//!   lease reports to an importer that the exporter is done or has died.
//! - A [`FileLease`] does the same for processes that share only a path, together with a [`FileTenancy`].
//!
//! The kernel reports all of them. This needs no thread and no message, and works even if a process is killed. The
//! first two are one descriptor each, which your own poll loop can watch through [`AsFd`](std::os::fd::AsFd).
//!
//! A process that is stopped, or hangs, is alive. So is a process that executes another program (`execve`), although
//! its memory is gone: only its leases end.

mod error;
mod file;
mod file_lock;
mod lease;
mod process;

pub use error::LivenessError;
pub use file::{FileLease, FileTenancy};
pub use lease::{Lease, Tenancy};
pub use process::ProcessWatch;
