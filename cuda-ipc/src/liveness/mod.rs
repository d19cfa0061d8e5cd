//! Whether the other process still lives, and whether it still has what it was given.
//!
//! - A [`ProcessWatch`] tells that a process has ended.
//! - A [`Lease`] tells an exporter that all importers are done with its memory, or dead, and its [`Tenancy`] tells an
//!   importer that the exporter is.
//!
//! The kernel answers both: there is no thread, no message, and nothing that a process which is killed would fail to
//! do. Each is one descriptor, which a poll loop of your own takes in through [`AsFd`](std::os::fd::AsFd).
//!
//! A process that is stopped, or hangs, lives.

mod error;
mod lease;
mod process;

pub use error::LivenessError;
pub use lease::{Lease, Tenancy};
pub use process::ProcessWatch;
