//! The harness of the conformance suite: cases are short scripts over processes.
//!
//! The runner never loads a driver. A case talks to [`Role`]s, which are re-executions of the same program; each of
//! their methods sends one message, performs one driver call there and brings back its code and outputs. So a crash
//! or a hang is one failed case, a process can be killed or stopped between any two steps, and a case reads from top
//! to bottom.
//!
//! How data flows: [`Options`](options::Options) choose a driver, the [`machine`] is probed once, the registry of
//! cases becomes libtest-mimic trials, each trial runs through [`runner`] and ends as a [`Verdict`] in the [`report`].

#[macro_use]
mod check;
#[macro_use]
#[path = "calls/macros.rs"]
mod macros;

mod again;
mod broken_pipe;
pub mod calls;
mod case;
pub mod catalogue;
pub mod deviations;
pub mod diff;
pub mod driver;
pub mod machine;
mod needs;
mod nextest;
pub mod options;
mod outcome;
pub mod probe;
pub mod records;
pub mod report;
pub mod role;
pub mod runner;
mod verdict;
pub mod wire;

pub use calls::types::*;
pub use case::{Registered, observe, random, seed};
pub use conformance_macros::test;
pub use needs::{KERNEL_PARAMETERS, Needs};
pub use outcome::{Expect, Outcome, Refusal, Stop};
pub use role::Role;
pub use verdict::Verdict;

#[doc(hidden)]
pub use inventory;

/// 1024 bytes.
pub const KIB: u64 = 1 << 10;
/// 1024 KiB.
pub const MIB: u64 = 1 << 20;
/// 1024 MiB.
pub const GIB: u64 = 1 << 30;
