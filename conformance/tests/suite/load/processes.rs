//! Processes that come and go.

use conformance::{MIB, Needs, Outcome, Placement, Role, check, forget_ended_roles, need};
use rstest::rstest;

use super::sized;
use super::watch::Watch;
use crate::support::fixtures::{exporter, observer};
use crate::support::legacy::filled;

/// How an importer ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Exit,
    Kill,
}

/// Importers that open memory and end without closing it, 64 in the full load, leave nothing in the exporter and take no
/// device memory with them.
#[rstest]
#[conformance::test("PROC-013", needs(legacy_memory))]
fn importers_that_come_and_go_leave_nothing(
    exporter: Role,
    observer: Role,
    #[values(End::Exit, End::Kill)] end: End,
) -> Outcome {
    const SIZE: u64 = 2 * MIB;
    // A daemon of MPS ends the processes of its other clients with one that was killed.
    need(&Needs::none().no_mps())?;
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let live = |number: usize| -> Outcome {
        let importer = Role::new(&format!("importer {number}"), Placement::device(0).fresh())?;
        let import = importer.ipc_open_mem_handle(handle)?;
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
        match end {
            End::Exit => importer.exit()?,
            End::Kill => importer.kill()?,
        }
        drop(importer);
        forget_ended_roles();
        Ok(())
    };
    live(0)?;
    let watch = Watch::begin(&observer, [&exporter])?;
    (1..=sized(8, 64)).try_for_each(live)?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    watch.end()
}
