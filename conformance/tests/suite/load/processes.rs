//! Processes that come and go.

use std::cell::Cell;

use conformance::{MIB, Needs, Outcome, Placement, Role, check, forget_ended_roles, need, observe};
use rstest::rstest;

use super::files::Files;
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
/// device memory with them. They leave no files in /dev/shm, except those that NVIDIA's driver is known to leave.
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
    let most_files = Cell::new(0);
    let live = |number: usize| -> Outcome {
        let files = Files::list()?;
        let importer = Role::new(&format!("importer {number}"), Placement::device(0).fresh())?;
        let import = importer.ipc_open_mem_handle(handle)?;
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
        match end {
            End::Exit => importer.exit()?,
            End::Kill => importer.kill()?,
        }
        most_files.set(most_files.get().max(files.left_by(&importer)?));
        drop(importer);
        forget_ended_roles();
        Ok(())
    };
    live(0)?;
    let importers = sized(8, 64);
    let watch = Watch::begin(&observer, [&exporter], importers)?;
    (1..=importers).try_for_each(live)?;
    observe("files_that_an_importer_leaves_in_dev_shm", most_files.get().to_string());
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    watch.end()
}
