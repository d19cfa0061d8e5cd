//! Calls on events that the driver must refuse, and that must change nothing.

use conformance::{Event, EventHandle, Expect as _, Outcome, Role, Stream};

use super::super::operation::Live;
use super::super::world::{Name, World};
use crate::support::constants::{DISABLE_TIMING, INTERPROCESS, INVALID_HANDLE, INVALID_VALUE};

/// `CU_EVENT_BLOCKING_SYNC`.
const BLOCKING: u32 = 1;

/// A call that must be refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    CreateWithTiming {
        blocking: bool,
    },
    GetLocal {
        flags: u32,
    },
    GetNull,
    GetImport(Name),
    ElapsedFromImport(Name),
    ElapsedToImport(Name),
    OpenBytes(u8),
    OpenMemory,
    /// Not refused: an event whose waits block the thread is exported too.
    ExportBlocking,
}

impl Misuse {
    /// Every misuse that is possible, with the process that may commit it.
    pub(crate) fn possible(world: &World) -> Vec<(usize, Self)> {
        let of_process = [
            Self::CreateWithTiming { blocking: false },
            Self::CreateWithTiming { blocking: true },
            Self::GetLocal { flags: 0 },
            Self::GetLocal { flags: DISABLE_TIMING },
            Self::GetNull,
            Self::OpenBytes(0),
            Self::OpenBytes(0xff),
            Self::OpenMemory,
            Self::ExportBlocking,
        ];
        let every = (0..world.processes.len()).flat_map(|by| of_process.map(|misuse| (by, misuse)));
        let imports = world.event_views.iter().filter(|(_, view)| !view.is_own);
        let of_import = [Self::GetImport, Self::ElapsedFromImport, Self::ElapsedToImport];
        every.chain(imports.flat_map(|(name, view)| of_import.map(|misuse| (view.by, misuse(*name))))).collect()
    }

    pub(crate) const fn row(self) -> &'static str {
        match self {
            Self::CreateWithTiming { .. } => "IPCEVT-002",
            Self::GetLocal { flags: 0 } => "IPCEVT-005",
            Self::GetLocal { .. } | Self::GetImport(_) => "IPCEVT-004",
            Self::GetNull => "IPCEVT-006",
            Self::ElapsedFromImport(_) | Self::ElapsedToImport(_) => "IPCEVT-023",
            Self::OpenBytes(_) => "IPCEVT-014",
            Self::OpenMemory => "IPCEVT-016",
            Self::ExportBlocking => "IPCEVT-003",
        }
    }

    pub(crate) fn is_possible(self, by: usize, before: &World) -> bool {
        let is_import = |name| {
            let view = before.event_views.get(&name).filter(|view| view.by == by && !view.is_own);
            view.is_some_and(|view| before.events.get(&view.event).is_some_and(|event| event.held_by.is_empty()))
        };
        match self {
            Self::GetImport(name) => is_import(name),
            // The default stream records the other event, and waits for nothing.
            Self::ElapsedFromImport(name) | Self::ElapsedToImport(name) => is_import(name) && !before.is_busy(by),
            // Allocations and exports may wait for the device.
            Self::OpenMemory => before.machine.legacy_memory && !before.is_busy(by),
            _ => true,
        }
    }

    pub(crate) fn perform(self, role: &Role, live: &Live) -> Outcome {
        match self {
            Self::CreateWithTiming { blocking } => role.event_create(timing(blocking)).refused(INVALID_VALUE),
            Self::GetLocal { flags } => role.ipc_get_event_handle(role.event_create(flags)?).refused(INVALID_HANDLE),
            Self::GetNull => role.ipc_get_event_handle(Event::NULL).refused(&[]),
            Self::GetImport(name) => role.ipc_get_event_handle(live.event(name)?).refused(&[]),
            Self::ElapsedFromImport(name) => {
                let local = recorded(role)?;
                role.event_elapsed_time(live.event(name)?, local).refused(INVALID_HANDLE)
            }
            Self::ElapsedToImport(name) => {
                let local = recorded(role)?;
                role.event_elapsed_time(local, live.event(name)?).refused(INVALID_HANDLE)
            }
            Self::OpenBytes(byte) => role.ipc_open_event_handle(EventHandle::from_bytes([byte; 64])).refused(&[]),
            Self::OpenMemory => {
                let memory = role.ipc_get_mem_handle(role.mem_alloc(4096)?)?;
                role.ipc_open_event_handle(EventHandle::from_bytes(memory.to_bytes())).refused(&[])
            }
            Self::ExportBlocking => role.ipc_get_event_handle(role.event_create(INTERPROCESS | BLOCKING)?).map(drop),
        }
    }

    pub(crate) fn lines(self, by: usize) -> String {
        let recorded = format!("let local = p{by}.event_create(0)?;\np{by}.event_record(local, Stream::DEFAULT)?;\n");
        match self {
            Self::CreateWithTiming { blocking } => {
                format!("p{by}.event_create({}).refused(INVALID_VALUE)?;", timing(blocking))
            }
            Self::GetLocal { flags } => {
                format!("p{by}.ipc_get_event_handle(p{by}.event_create({flags})?).refused(INVALID_HANDLE)?;")
            }
            Self::GetNull => format!("p{by}.ipc_get_event_handle(Event::NULL).refused(&[])?;"),
            Self::GetImport(name) => format!("p{by}.ipc_get_event_handle(e{name}).refused(&[])?;"),
            Self::ElapsedFromImport(name) => {
                format!("{recorded}p{by}.event_elapsed_time(e{name}, local).refused(INVALID_HANDLE)?;")
            }
            Self::ElapsedToImport(name) => {
                format!("{recorded}p{by}.event_elapsed_time(local, e{name}).refused(INVALID_HANDLE)?;")
            }
            Self::OpenBytes(byte) => {
                format!("p{by}.ipc_open_event_handle(EventHandle::from_bytes([{byte}; 64])).refused(&[])?;")
            }
            Self::OpenMemory => format!(
                "let memory = p{by}.ipc_get_mem_handle(p{by}.mem_alloc(4096)?)?;\n\
                 p{by}.ipc_open_event_handle(EventHandle::from_bytes(memory.to_bytes())).refused(&[])?;"
            ),
            Self::ExportBlocking => {
                format!("p{by}.ipc_get_event_handle(p{by}.event_create({})?)?;", INTERPROCESS | BLOCKING)
            }
        }
    }
}

/// The flags of an interprocess event with timing, which cannot be.
const fn timing(blocking: bool) -> u32 {
    INTERPROCESS & !DISABLE_TIMING | if blocking { BLOCKING } else { 0 }
}

/// An event of the process with timing, recorded and complete.
fn recorded(role: &Role) -> Result<Event, conformance::Stop> {
    let local = role.event_create(0)?;
    role.event_record(local, Stream::DEFAULT)?;
    role.event_synchronize(local)?;
    Ok(local)
}
