//! The compute mode, which limits the contexts on a device.

use conformance::Beginning;
use conformance::{Expect as _, Outcome, Role, check};
use cuda_ipc_sys::{CUdevice_attribute, CUresult};
use rstest::rstest;

use crate::support::fixtures::uninitialised;

const COMPUTE_MODE: u32 = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE.0;
/// The values of `CUcomputemode`, which the bindings lack because no bound function takes them.
const DEFAULT: i32 = 0;
const PROHIBITED: i32 = 2;
const EXCLUSIVE_PROCESS: i32 = 3;

/// In the default compute mode, a second process gets a context. In the modes PROHIBITED and EXCLUSIVE_PROCESS, the
/// driver returns CUDA_ERROR_DEVICE_UNAVAILABLE.
#[rstest]
#[conformance::test("PROC-011")]
fn the_compute_mode_limits_contexts(uninitialised: Role) -> Outcome {
    // The run's keeper always has a context on the device, so this is at least the second process.
    let second = uninitialised.use_the_driver(Beginning::Init);
    let mode = uninitialised.device_get_attribute(COMPUTE_MODE, 0)?;
    if second.accepted_or(&[CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE])?.is_some() {
        check!(mode == DEFAULT);
        return Ok(());
    }
    check!([PROHIBITED, EXCLUSIVE_PROCESS].contains(&mode), "the second process got no context in compute mode {mode}");
    Ok(())
}
