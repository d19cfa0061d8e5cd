//! Interprocess events.

mod create;
mod destroy;
mod exporter_death;
mod get;
mod latch;
mod open;
mod record;
mod wait;

use conformance::{Event, EventHandle, Role, Stop};
use cuda_ipc_sys::CUevent_flags;

const DISABLE_TIMING: u32 = CUevent_flags::CU_EVENT_DISABLE_TIMING.0;
const INTERPROCESS: u32 = CUevent_flags::CU_EVENT_INTERPROCESS.0 | DISABLE_TIMING;
const INTERPROCESS_BLOCKING: u32 = INTERPROCESS | CUevent_flags::CU_EVENT_BLOCKING_SYNC.0;

/// An event of one process and its handle for others.
fn export(role: &Role) -> Result<(Event, EventHandle), Stop> {
    let event = role.event_create(INTERPROCESS)?;
    Ok((event, role.ipc_get_event_handle(event)?))
}

/// One event, as the exporter and as the importer know it.
fn share(exporter: &Role, importer: &Role) -> Result<(Event, Event), Stop> {
    let (event, handle) = export(exporter)?;
    Ok((event, importer.ipc_open_event_handle(handle)?))
}
