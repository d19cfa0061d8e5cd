//! Checks of the `conformance` command, which runs as a child process. If it needs a suite, this program is the suite.

use std::process::ExitCode;

use conformance::runner::{self, Program};

mod agreement;
mod bad_ends;
mod broken_hosts;
mod bundle;
mod causes;
mod changes;
mod command;
mod compared;
mod deviations;
mod diff;
mod disclosures;
mod doctor;
mod fleet;
mod gate;
mod held;
mod hosts;
mod html;
mod identified;
mod identify;
mod junit;
mod model;
mod nearest;
mod night;
mod nights;
mod output;
#[path = "../../../harness/tests/support/planted.rs"]
mod planted;
mod program;
mod programs;
mod record;
mod repeats;
mod report;
mod reported;
mod run;
mod same;
#[path = "../../../harness/tests/support/sample.rs"]
mod sample;
mod schema;
mod score;
mod setting;
mod show;
mod stranger;
#[path = "../../../harness/tests/support/suite.rs"]
mod suite;
mod times;
mod trust;
mod unmet;

fn main() -> ExitCode {
    runner::main(Program::of_checks(env!("CARGO_PKG_NAME")))
}
