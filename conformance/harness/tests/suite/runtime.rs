//! The runtime that roles use, and the cases that need one if none can be used.

use conformance::machine::{Device, Machine};
use conformance::runner::Requirements;
use conformance::{Needs, Outcome, check};
use rstest::rstest;

use crate::suite::{harness, run, suite};

/// If no runtime can be used, the cases that need one are unsupported with the reason, and `--require runtime` is not met.
/// Other cases still run.
#[rstest]
#[conformance::test()]
fn without_a_runtime_its_cases_are_unsupported() -> Outcome {
    let mut machine = Machine { devices: vec![Device::default()], ..Machine::default() };
    let required: Requirements = "runtime".parse().map_err(harness)?;
    check!(Needs::none().runtime().unmet(&machine).is_none() && required.unmet(&machine).is_empty());
    machine.runtime_problem = Some("libcudart.so.13: not here".to_owned());
    let reason = Needs::none().runtime().unmet(&machine).unwrap_or_default();
    check!(reason.contains("libcudart.so.13: not here"), "the reason is {reason:?}");
    let unmet = required.unmet(&machine);
    check!(unmet == ["runtime: libcudart.so.13: not here"], "{unmet:?}");
    check!(Needs::none().unmet(&machine).is_none());
    // Without a GPU, no runtime was tried.
    let unmet = required.unmet(&Machine::default());
    check!(unmet == ["runtime: there is no GPU"], "{unmet:?}");
    Ok(())
}

/// The reference driver has a runtime of its own, regardless of the environment.
#[rstest]
#[conformance::test()]
fn the_reference_driver_has_its_own_runtime() -> Outcome {
    const CASE: &str = "sample::there_is_a_runtime";
    let mut command = suite("reference")?;
    command.env("CUDA_IPC_RUNTIME", "/nonexistent/libcudart.so.13");
    command.args(["--require", "runtime", "--exact", CASE]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}", run.text());
    check!(run.report()?.summary()["pass"] == 1);
    Ok(())
}
