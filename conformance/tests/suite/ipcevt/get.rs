//! `cuIpcGetEventHandle`.

use conformance::{Event, Expect as _, Outcome, Role, Stream, observe};
use rstest::rstest;

use super::{DISABLE_TIMING, INTERPROCESS, export, share};
use crate::support::constants::INVALID_HANDLE;
use crate::support::fixtures::{exporter, importer};

/// The driver refuses to export an event without the interprocess flag.
#[rstest]
#[case::without_timing(DISABLE_TIMING)]
#[case::with_timing(0)]
#[conformance::test("IPCEVT-004", "IPCEVT-005")]
fn a_local_event_is_refused(exporter: Role, #[case] flags: u32) -> Outcome {
    let event = exporter.event_create(flags)?;
    exporter.ipc_get_event_handle(event).refused(INVALID_HANDLE)?;
    exporter.ctx_synchronize()
}

/// The driver refuses to export a null event.
#[rstest]
#[conformance::test("IPCEVT-006")]
fn a_null_event_is_refused(exporter: Role) -> Outcome {
    exporter.ipc_get_event_handle(Event::NULL).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// An export with a null output leaves another process unaffected. The result, which may be a crash, is recorded.
#[rstest]
#[conformance::test("IPCEVT-007")]
fn a_null_output_leaves_others_unharmed(#[from(exporter)] sacrifice: Role, importer: Role) -> Outcome {
    let event = sacrifice.event_create(INTERPROCESS)?;
    sacrifice.ipc_get_event_handle_into_null(event).survived_or_not("get into null")?;
    importer.ctx_synchronize()
}

/// Exporting a destroyed event leaves another process unaffected. The result, which may be a crash, is recorded.
#[rstest]
#[conformance::test("IPCEVT-008")]
fn exporting_a_destroyed_event_leaves_others_unharmed(#[from(exporter)] sacrifice: Role, importer: Role) -> Outcome {
    let event = sacrifice.event_create(INTERPROCESS)?;
    sacrifice.event_destroy(event)?;
    sacrifice.ipc_get_event_handle(event).survived_or_not("get")?;
    sacrifice.kill()?;
    importer.ctx_synchronize()
}

/// The code of an export without a current context is recorded.
#[rstest]
#[conformance::test("IPCEVT-009")]
fn the_code_without_a_context(exporter: Role) -> Outcome {
    let event = exporter.event_create(INTERPROCESS)?;
    exporter.ctx_set_current(None)?;
    exporter.ipc_get_event_handle(event).recorded("get")?;
    Ok(())
}

/// An event can be exported more than once. Whether the handles are equal is recorded.
#[rstest]
#[conformance::test("IPCEVT-010")]
fn repeated_exports_succeed(exporter: Role, importer: Role) -> Outcome {
    let (event, first) = export(&exporter)?;
    let mut equal = true;
    for _ in 0..10 {
        equal &= exporter.ipc_get_event_handle(event)? == first;
    }
    observe("the bytes are equal", equal);
    importer.ipc_open_event_handle(first)?;
    Ok(())
}

/// The driver refuses to export an imported event, also after the importer has recorded it.
#[rstest]
#[conformance::test("IPCEVT-004")]
fn an_imported_event_is_refused(exporter: Role, importer: Role) -> Outcome {
    let (_, imported) = share(&exporter, &importer)?;
    importer.ipc_get_event_handle(imported).refused_and_recorded(&[])?;
    importer.event_record(imported, Stream::DEFAULT)?;
    importer.event_synchronize(imported)?;
    importer.ipc_get_event_handle(imported).refused(&[])?;
    importer.ctx_synchronize()
}
