//! `cuEventDestroy` on either side.

use std::time::Duration;

use conformance::{Expect as _, Outcome, Role, Stream};
use rstest::rstest;

use super::latch::Latch;
use super::share;
use crate::fixtures::{exporter, importer, observer};

/// The importer's destroy leaves the exporter's event as it is.
#[rstest]
#[conformance::test("IPCEVT-024")]
fn the_importers_destroy_leaves_the_exporters_event(exporter: Role, importer: Role) -> Outcome {
    let (event, imported) = share(&exporter, &importer)?;
    importer.event_destroy(imported)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    exporter.event_synchronize(event)?;
    exporter.event_query(event)
}

/// After the exporter's destroy every use of the import is undefined: nobody else suffers.
#[rstest]
#[conformance::test("IPCEVT-025")]
fn uses_after_the_exporters_destroy_are_recorded(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let (event, imported) = share(&exporter, &sacrifice)?;
    exporter.event_destroy(event)?;
    sacrifice.set_deadline(Duration::from_secs(3));
    let alive = sacrifice.event_query(imported).survived_or_not("query")?.is_some()
        && sacrifice.event_synchronize(imported).survived_or_not("synchronize")?.is_some()
        && sacrifice.stream_wait_event(Stream::DEFAULT, imported).survived_or_not("wait")?.is_some()
        && sacrifice.event_record(imported, Stream::DEFAULT).survived_or_not("record")?.is_some();
    if alive {
        sacrifice.event_destroy(imported).survived_or_not("destroy")?;
    }
    sacrifice.kill()?;
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// The exporter's destroy while an importer waits does not keep the importer from its end.
#[rstest]
#[conformance::test("IPCEVT-026")]
fn destroying_under_a_waiting_importer_is_recorded(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let (event, imported) = share(&exporter, &sacrifice)?;
    let stream = exporter.stream_create()?;
    let latch = Latch::hold(&exporter, stream)?;
    exporter.event_record(event, stream)?;
    sacrifice.stream_wait_event(Stream::DEFAULT, imported)?;
    exporter.event_destroy(event)?;
    latch.release()?;
    sacrifice.set_deadline(Duration::from_secs(3));
    sacrifice.stream_synchronize(Stream::DEFAULT).survived_or_not("synchronize")?;
    sacrifice.kill()?;
    exporter.ctx_synchronize()?;
    observer.ctx_synchronize()
}

/// The exporter's context may go while an importer holds its event: others stay sound.
#[rstest]
#[conformance::test("IPCEVT-040")]
fn destroying_the_exporters_context_is_recorded(
    exporter: Role,
    #[from(importer)] sacrifice: Role,
    observer: Role,
) -> Outcome {
    let created = exporter.ctx_create(0)?;
    let (_, imported) = share(&exporter, &sacrifice)?;
    exporter.ctx_destroy(created)?;
    sacrifice.set_deadline(Duration::from_secs(3));
    sacrifice.event_query(imported).survived_or_not("query")?;
    sacrifice.kill()?;
    observer.ctx_synchronize()
}
