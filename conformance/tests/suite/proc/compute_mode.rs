//! How many processes a device takes.

use conformance::Beginning;
use conformance::{Expect as _, Outcome, Role, Stop};
use cuda_ipc_sys::{CUdevice_attribute, CUresult};
use rstest::rstest;

use crate::support::fixtures::uninitialised;

const COMPUTE_MODE: u32 = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE.0;
/// `CUcomputemode`, which no function of the table takes.
const DEFAULT: i32 = 0;
const PROHIBITED: i32 = 2;
const EXCLUSIVE_PROCESS: i32 = 3;

/// The compute mode says whether a process has a context beside another's: in the default mode it has, and otherwise the
/// device is unavailable to it.
#[rstest]
#[conformance::test("PROC-011")]
fn the_compute_mode_says_who_has_a_context(uninitialised: Role) -> Outcome {
    // The keeper of the run has a context on the device, whatever else lives.
    let second = uninitialised.use_the_driver(Beginning::Init);
    match uninitialised.device_get_attribute(COMPUTE_MODE, 0)? {
        DEFAULT => second,
        PROHIBITED | EXCLUSIVE_PROCESS => second.refused(&[CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE]).map(drop),
        mode => Err(Stop::failed(format!("there is no compute mode {mode}"))),
    }
}
