//! Checks of the harness itself: that it reports processes, drivers and machines correctly. They need no GPU: the
//! checks that run cases run this program again on the reference driver.

use std::process::ExitCode;

use conformance::runner::{self, Program};

mod catalogue;
mod deviations;
mod disclosures;
mod drivers;
mod exits;
mod fire;
#[path = "../support/gate.rs"]
mod gate;
mod identify;
mod interposer;
mod nextest;
mod options;
mod orphans;
mod place;
#[path = "../support/planted.rs"]
mod planted;
mod repeat;
mod report;
mod roles;
mod runtime;
#[path = "../support/sample.rs"]
mod sample;
mod scarce;
mod select;
#[path = "../support/suite.rs"]
mod suite;
mod turns;
mod verdicts;

fn main() -> ExitCode {
    runner::main(Program::of_checks(env!("CARGO_PKG_NAME")))
}
