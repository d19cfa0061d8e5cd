//! The harness of the conformance suite. A case is a short script that directs several processes.
//!
//! The runner never loads a driver. A case talks to [`Role`]s: processes that run the same executable again. Each
//! method of a role sends one message. The process performs one driver call and returns its code and outputs. So a
//! crash or a hang fails only one case, a process can be killed or stopped between any two steps, and a case reads from
//! top to bottom.
//!
//! # Where things are
//!
//! | module | runs in | contents |
//! |---|---|---|
//! | [`runner`] | runner | the options, the run itself, the command that runs a case again |
//! | [`driver`] | runner | selects the driver under test and probes it |
//! | `case`, `needs` | runner | the registered cases, the running case, and what a case needs of a machine |
//! | `check`, `expect`, `outcome`, [`failure`], `verdict` | runner | what a case expects, why it stops, and how it ends |
//! | `warm` | runner | roles that wait for the next case; the balance of device memory |
//! | `process` | runner | the runner's end of a role: start, send, receive, kill |
//! | [`calls`] (with `macros`) | both | one message per driver call: its arguments, and what the role does with it |
//! | `role` | role | the process that performs calls, and the resources that it holds |
//! | `message`, [`mod@values`], [`machine`], `mounts` | both | answers and plain data, which `conformance-peer` transports; mounts of one process |
//! | [`trace`] | both, command | every driver call with its arguments, if the run is to be turned into a C program |
//! | [`identity`], `step`, [`report`] | runner, command | the driver under test, the steps of a case, reports |
//! | [`records`], [`diff`], [`fleet`], [`deviations`], [`catalogue`] | runner, command | golden records, comparisons, listed bugs, requirement rows |
//!
//! Imports follow one order: `runner` → `driver`, `case` → `warm` → [`calls`] → `process`, `role`. No two modules
//! import each other.
//!
//! # How a run works
//!
//! The [`Options`](runner::Options) select a driver. A role probes the [`machine`] once. Each registered case becomes a
//! trial of libtest-mimic and ends as a [`Verdict`] in the [`report`].

#[macro_use]
mod check;
#[macro_use]
#[path = "calls/macros.rs"]
mod macros;

mod awaited;
pub mod calls;
mod case;
pub mod catalogue;
pub mod deviations;
pub mod diff;
pub mod driver;
mod expect;
pub mod failure;
pub mod fleet;
pub mod identity;
mod library;
mod log;
pub mod machine;
mod message;
mod models;
mod mounts;
mod needs;
mod outcome;
mod process;
pub mod records;
pub mod report;
mod role;
pub mod runner;
mod step;
pub mod trace;
pub mod values;
mod verdict;
mod warm;

pub use awaited::until_changed;
pub use calls::descriptor::{SentDescriptor, UnreadDescriptor};
pub use case::{
    Registered, all_memory_is_free, annotate, begin_anew, disclose, forget_ended_roles, forget_observations,
    forget_steps, full_load, is_documented, is_listed, models, need, observe, random, seed, tell,
};
pub use conformance_macros::test;
#[doc(hidden)]
pub use conformance_macros::{check_shown, check_told};
pub use expect::Expect;
pub use failure::{Defect, Failure};
pub use models::{Again, Models, Note};
pub use needs::{KERNEL_PARAMETERS, Needs};
pub use outcome::{Outcome, Refusal, Stop};
pub use process::{Pending, PidNamespace, Placement, Role};
pub use role::{BLOCKS, Beginning, ChildEnd, Cleanness, Problem, THREADS};
pub use values::*;
pub use verdict::Verdict;

#[doc(hidden)]
pub use inventory;
#[doc(hidden)]
pub use process::shown;

/// 1024 bytes.
pub const KIB: u64 = 1 << 10;
/// 1024 KiB.
pub const MIB: u64 = 1 << 20;
/// 1024 MiB.
pub const GIB: u64 = 1 << 30;
