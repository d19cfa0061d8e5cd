//! Interprocess events.

use conformance::{Event, EventHandle, Role, Stop};

use super::constants::INTERPROCESS;

/// Creates and exports an event. Returns the event and its handle.
pub(crate) fn export(role: &Role) -> Result<(Event, EventHandle), Stop> {
    let event = role.event_create(INTERPROCESS)?;
    Ok((event, role.ipc_get_event_handle(event)?))
}

/// Shares an event. Returns the exporter's event, then the importer's.
pub(crate) fn share(exporter: &Role, importer: &Role) -> Result<(Event, Event), Stop> {
    let (event, handle) = export(exporter)?;
    Ok((event, importer.ipc_open_event_handle(handle)?))
}
