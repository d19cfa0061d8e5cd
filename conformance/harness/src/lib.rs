//! The harness of the conformance suite. A case is a short script over processes.
//!
//! The runner never loads a driver. A case talks to [`Role`]s: processes that re-execute the same program. Each method
//! of a role sends one message; the process performs one driver call and returns its code and outputs. So a crash or a
//! hang is one failed case, a process can be killed or stopped between any two steps, and a case reads from top to
//! bottom.
//!
//! # Where things are
//!
//! | module | runs in | contents |
//! |---|---|---|
//! | [`runner`] | runner | options, the run itself, the command that runs a case again |
//! | [`driver`] | runner | chooses the driver under test and probes it |
//! | `case` | runner | the registered cases and the running one |
//! | `warm` | runner | roles that wait for the next case; the balance of device memory |
//! | `process` | runner | the runner's end of a role: start, send, receive, kill |
//! | [`calls`] | both | one message for each driver call: what travels, and what the role does with it |
//! | `role` | role | the process that performs calls, and what it holds |
//! | `message`, [`mod@values`] | both | answers and plain data; the frames they travel in are `conformance-peer`'s |
//! | [`report`], [`records`], [`diff`], [`deviations`], [`catalogue`] | neither | files: reports, golden records, listed bugs, the rows |
//!
//! Modules import downwards in this list only within the order `runner` → `driver`, `case` → `warm` → [`calls`] →
//! `process`, `role`. No two modules import each other.
//!
//! # How a run goes
//!
//! [`Options`](runner::Options) choose a driver, a role probes the [`machine`] once, the registered cases become
//! libtest-mimic trials, and each trial ends as a [`Verdict`] in the [`report`].

#[macro_use]
mod check;
#[macro_use]
#[path = "calls/macros.rs"]
mod macros;

pub mod calls;
mod case;
pub mod catalogue;
pub mod deviations;
pub mod diff;
pub mod driver;
mod expect;
pub mod identity;
pub mod machine;
mod message;
mod mounts;
mod needs;
mod outcome;
mod process;
pub mod records;
pub mod report;
mod role;
pub mod runner;
mod step;
pub mod values;
mod verdict;
mod warm;

pub use case::{Registered, observe, random, seed};
pub use conformance_macros::test;
pub use expect::Expect;
pub use needs::{KERNEL_PARAMETERS, Needs};
pub use outcome::{Outcome, Refusal, Stop};
pub use process::{Pending, PidNamespace, Placement, Role};
pub use role::{Beginning, ChildEnd, Cleanness};
pub use values::*;
pub use verdict::Verdict;

#[doc(hidden)]
pub use inventory;

/// 1024 bytes.
pub const KIB: u64 = 1 << 10;
/// 1024 KiB.
pub const MIB: u64 = 1 << 20;
/// 1024 MiB.
pub const GIB: u64 = 1 << 30;
