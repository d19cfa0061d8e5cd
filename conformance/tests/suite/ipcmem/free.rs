//! `cuMemFree` and `cuMemFreeHost`.

use conformance::{Expect as _, Outcome, Pointer, Role, Stop};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::exporter;

type Allocate = fn(&Role, u64) -> Result<Pointer, Stop>;
type Free = fn(&Role, Pointer) -> Outcome;

/// `cuMemFree` and `cuMemFreeHost` free memory without a current context, and refuse it a second time.
#[rstest]
#[case::device_memory(Role::mem_alloc, Role::mem_free)]
#[case::pinned_memory(Role::mem_alloc_host, Role::mem_free_host)]
#[conformance::test("IPCMEM-GET-033")]
fn memory_is_freed_without_a_context(exporter: Role, #[case] allocate: Allocate, #[case] free: Free) -> Outcome {
    let (context, memory) = (exporter.ctx_get_current()?, allocate(&exporter, SIZE)?);
    exporter.ctx_set_current(None)?;
    free(&exporter, memory)?;
    free(&exporter, memory).refused(INVALID_VALUE)?;
    exporter.ctx_set_current(Some(context))
}
