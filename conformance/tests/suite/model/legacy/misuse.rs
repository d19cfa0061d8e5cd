//! Calls on legacy memory that the driver must refuse, and that must change nothing.

use conformance::{Expect as _, MemHandle, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::CUresult;

use super::super::operation::Live;
use super::super::prelude::LEGACY_IPC_CAPABLE;
use super::super::world::{Kind, Name, View, World};
use crate::support::constants::{INVALID_CONTEXT, INVALID_VALUE};
use crate::support::pointer_kind::PointerKind;

/// The kinds of memory that a script tries to export. The attribute of the pointer must agree with the export.
const KINDS: [PointerKind; 18] = [
    PointerKind::Linear,
    PointerKind::Interior,
    PointerKind::Pitched,
    PointerKind::Null,
    PointerKind::OnePastTheEnd,
    PointerKind::Freed,
    PointerKind::Heap,
    PointerKind::Stack,
    PointerKind::Pinned,
    PointerKind::PinnedMapped,
    PointerKind::WriteCombined,
    PointerKind::Registered,
    PointerKind::Managed,
    PointerKind::ManagedTouched,
    PointerKind::DefaultPool,
    PointerKind::DescriptorPool,
    PointerKind::VirtualMemory,
    PointerKind::ShareableVirtualMemory,
];

/// Kinds that a machine may offer and that are rarer.
const RARE_KINDS: [PointerKind; 2] = [PointerKind::GraphOwned, PointerKind::Global];

/// Flags of an open that are not documented.
const FLAGS: [u32; 5] = [0, 2, 3, 123, u32::MAX];

/// A call that must be refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Misuse {
    CloseNull,
    CloseOwn(Name),
    CloseWithoutContext(Name),
    GetWithoutContext(Name),
    OpenWithoutContext(Name),
    OpenWithFlags(Name, u32),
    OpenIntoNull(Name),
    FreeImport(Name),
    FreeAsyncImport(Name),
    /// Not refused, but the attribute must agree.
    GetImport(Name),
    /// The same for memory of a pool and for virtual memory.
    GetOther(Name),
    CloseOther(Name),
    GetBesideOthers(Name),
    GetKind(PointerKind),
}

impl Misuse {
    /// Every misuse that is possible, with the process that may commit it.
    pub(crate) fn possible(world: &World) -> Vec<(usize, Self)> {
        let mut found: Vec<(usize, Self)> = Vec::new();
        for (name, view) in &world.views {
            let of_view: &[fn(Name) -> Self] = match view.kind {
                Kind::Own => &[Self::CloseOwn, Self::GetWithoutContext, Self::GetBesideOthers],
                Kind::Mapping { .. } | Kind::Pooled { .. } => &[],
                Kind::Import { .. } => {
                    &[Self::CloseWithoutContext, Self::FreeImport, Self::FreeAsyncImport, Self::GetImport]
                }
            };
            found.extend(of_view.iter().map(|misuse| (view.by, misuse(*name))));
        }
        for by in 0..world.processes.len() {
            for handle in world.handles.keys() {
                let flags = FLAGS[*handle as usize % FLAGS.len()];
                let of_handle = [
                    Self::OpenWithoutContext(*handle),
                    Self::OpenWithFlags(*handle, flags),
                    Self::OpenIntoNull(*handle),
                ];
                found.extend(of_handle.map(|misuse| (by, misuse)));
            }
            found.push((by, Self::CloseNull));
            // Many kinds of pointers, but no more of them than of other misuse.
            let turn = world.names.len() * 7 + by * 5;
            let kinds = (0..3).map(|more| KINDS[(turn + more * 4) % KINDS.len()]);
            found.extend(kinds.map(|kind| (by, Self::GetKind(kind))));
            found.push((by, Self::GetKind(RARE_KINDS[turn % RARE_KINDS.len()])));
        }
        found
    }

    /// Every misuse of memory of a pool and of virtual memory, with the process that may commit it.
    pub(crate) fn of_other_memory(world: &World) -> Vec<(usize, Self)> {
        let others = world.views.iter().filter(|(_, view)| is_other(view.kind));
        others
            .flat_map(|(name, view)| [Self::GetOther(*name), Self::CloseOther(*name)].map(|it| (view.by, it)))
            .collect()
    }

    pub(crate) const fn is_of_other_memory(self) -> bool {
        matches!(self, Self::GetOther(_) | Self::CloseOther(_))
    }

    pub(crate) const fn row(self) -> &'static str {
        match self {
            Self::CloseNull => "IPCMEM-CLOSE-006",
            Self::CloseOwn(_) => "IPCMEM-CLOSE-004",
            Self::CloseWithoutContext(_) => "IPCMEM-CLOSE-008",
            Self::GetWithoutContext(_) => "IPCMEM-GET-023",
            Self::OpenWithoutContext(_) => "IPCMEM-OPEN-035",
            Self::OpenWithFlags(_, 0) => "IPCMEM-OPEN-010",
            Self::OpenWithFlags(..) => "IPCMEM-OPEN-011",
            Self::OpenIntoNull(_) => "IPCMEM-OPEN-012",
            Self::FreeImport(_) => "IPCMEM-OPEN-042",
            Self::FreeAsyncImport(_) => "IPCMEM-OPEN-043",
            Self::GetImport(_) => "IPCMEM-GET-018",
            Self::GetBesideOthers(_) => "IPCMEM-GET-001",
            Self::GetKind(_) | Self::GetOther(_) => "IPCMEM-GET-027",
            Self::CloseOther(_) => "IPCMEM-CLOSE-014",
        }
    }

    pub(crate) fn is_possible(self, by: usize, before: &World) -> bool {
        let is_own = |view| before.views.get(&view).is_some_and(|view| view.by == by && view.kind == Kind::Own);
        let is_import = |view| {
            let is_it = |view: &View| view.by == by && matches!(view.kind, Kind::Import { .. });
            before.views.get(&view).is_some_and(is_it) && before.memory_of(view).is_some()
        };
        let is_of_others = |view| {
            let is_it = |view: &View| view.by == by && is_other(view.kind);
            before.views.get(&view).is_some_and(is_it) && before.memory_of(view).is_some()
        };
        // A handle that this process can open.
        let opens = |handle| {
            let handle = before.handles.get(&handle);
            handle.is_some_and(|handle| handle.exporter != by && before.memory.contains_key(&handle.memory))
        };
        match self {
            Self::CloseNull | Self::GetKind(_) => true,
            Self::CloseOwn(view) | Self::GetWithoutContext(view) | Self::GetBesideOthers(view) => is_own(view),
            Self::GetOther(view) | Self::CloseOther(view) => is_of_others(view),
            Self::FreeAsyncImport(view) => before.machine.pools && is_import(view),
            Self::CloseWithoutContext(view) | Self::FreeImport(view) | Self::GetImport(view) => is_import(view),
            Self::OpenWithFlags(handle, _) => {
                // Without the flag, the address need not be usable on another device.
                let is_here = |memory| before.memory[&memory].device(before) == before.processes[by].device;
                opens(handle) && is_here(before.handles[&handle].memory)
            }
            Self::OpenWithoutContext(handle) | Self::OpenIntoNull(handle) => opens(handle),
        }
    }

    pub(crate) fn perform(self, role: &Role, live: &Live) -> Outcome {
        match self {
            Self::CloseNull => role.ipc_close_mem_handle(Pointer::NULL).refused(INVALID_VALUE)?,
            Self::CloseOwn(view) => role.ipc_close_mem_handle(live.pointer(view)?).refused(INVALID_VALUE)?,
            Self::CloseWithoutContext(view) => {
                let import = live.pointer(view)?;
                without_context(role, &|| role.ipc_close_mem_handle(import))?;
            }
            Self::GetWithoutContext(view) => {
                let buffer = live.pointer(view)?;
                without_context(role, &|| role.ipc_get_mem_handle(buffer).map(drop))?;
            }
            Self::OpenWithoutContext(handle) => {
                let handle = live.handle(handle)?;
                without_context(role, &|| role.ipc_open_mem_handle(handle).map(drop))?;
            }
            Self::OpenWithFlags(handle, flags) => {
                let opened = role.ipc_open_mem_handle_with_flags(live.handle(handle)?, flags);
                if let Some(import) = opened.recorded_among("open", INVALID_VALUE)? {
                    role.read(import, 4)?;
                    role.ipc_close_mem_handle(import)?;
                }
            }
            Self::OpenIntoNull(handle) => {
                role.ipc_open_mem_handle_into_null(live.handle(handle)?).refused(INVALID_VALUE)?;
            }
            Self::FreeImport(view) => role.mem_free(live.pointer(view)?).refused(&[])?,
            Self::FreeAsyncImport(view) => role.mem_free_async(live.pointer(view)?).refused(&[])?,
            Self::GetImport(view) | Self::GetOther(view) => agrees(role, live.pointer(view)?)?,
            Self::CloseOther(view) => role.ipc_close_mem_handle(live.pointer(view)?).refused(&[])?,
            Self::GetBesideOthers(view) => {
                let around = role.ipc_get_mem_handle_between_others(live.pointer(view)?)?;
                check!(around == [conformance::calls::ipc::UNWRITTEN; 2].concat(), "an export wrote beside the handle");
            }
            Self::GetKind(kind) => match kind.make(role) {
                // The machine has no such memory.
                Err(Stop::Unsupported(_)) => return Ok(()),
                pointer => {
                    let pointer = pointer?;
                    agrees(role, pointer)?;
                    if is_exportable(kind) == Some(false) {
                        role.ipc_get_mem_handle(pointer).refused(codes(kind))?;
                    }
                }
            },
        }
        role.ctx_synchronize()
    }

    pub(crate) fn lines(self, by: usize) -> String {
        let line = match self {
            Self::CloseNull => format!("p{by}.ipc_close_mem_handle(Pointer::NULL).refused(INVALID_VALUE)?;"),
            Self::CloseOwn(view) => format!("p{by}.ipc_close_mem_handle(m{view}).refused(INVALID_VALUE)?;"),
            Self::CloseWithoutContext(view) => lines_without_context(by, &format!("ipc_close_mem_handle(m{view})")),
            Self::GetWithoutContext(view) => lines_without_context(by, &format!("ipc_get_mem_handle(m{view})")),
            Self::OpenWithoutContext(handle) => lines_without_context(by, &format!("ipc_open_mem_handle(h{handle})")),
            Self::OpenWithFlags(handle, flags) => format!(
                "if let Some(import) = p{by}.ipc_open_mem_handle_with_flags(h{handle}, \
                 {flags}).recorded_among(\"open\", INVALID_VALUE)? {{\n    p{by}.read(import, 4)?;\n    \
                 p{by}.ipc_close_mem_handle(import)?;\n}}"
            ),
            Self::OpenIntoNull(handle) => {
                format!("p{by}.ipc_open_mem_handle_into_null(h{handle}).refused(INVALID_VALUE)?;")
            }
            Self::FreeImport(view) => format!("p{by}.mem_free(m{view}).refused(&[])?;"),
            Self::FreeAsyncImport(view) => format!("p{by}.mem_free_async(m{view}).refused(&[])?;"),
            Self::GetImport(view) | Self::GetOther(view) => lines_that_agree(by, &format!("m{view}")),
            Self::CloseOther(view) => format!("p{by}.ipc_close_mem_handle(m{view}).refused(&[])?;"),
            Self::GetBesideOthers(view) => format!(
                "check!(p{by}.ipc_get_mem_handle_between_others(m{view})? == [conformance::calls::ipc::UNWRITTEN; \
                 2].concat());"
            ),
            Self::GetKind(kind) => {
                let made = format!("let pointer = PointerKind::{kind:?}.make(&p{by})?;\n");
                let refused = if is_exportable(kind) == Some(false) {
                    let code = if codes(kind).is_empty() { "&[]" } else { "INVALID_VALUE" };
                    format!("\np{by}.ipc_get_mem_handle(pointer).refused({code})?;")
                } else {
                    String::new()
                };
                format!("{made}{}{refused}", lines_that_agree(by, "pointer"))
            }
        };
        format!("{line}\np{by}.ctx_synchronize()?;")
    }
}

/// Whether memory is of a protocol that has no legacy handles.
const fn is_other(kind: Kind) -> bool {
    matches!(kind, Kind::Mapping { .. } | Kind::Pooled { .. })
}

/// Whether memory of a kind can be exported, if the documentation says so.
const fn is_exportable(kind: PointerKind) -> Option<bool> {
    match kind {
        PointerKind::Linear => Some(true),
        PointerKind::Interior | PointerKind::Pitched | PointerKind::Global => None,
        // Another allocation of the script may begin there.
        PointerKind::OnePastTheEnd => None,
        _ => Some(false),
    }
}

/// The codes of an export of memory of a kind, or none if the documentation leaves them open.
const fn codes(kind: PointerKind) -> &'static [CUresult] {
    match kind {
        PointerKind::Null | PointerKind::Freed | PointerKind::DefaultPool => INVALID_VALUE,
        _ => &[],
    }
}

/// Checks that a call is refused without a current context, and that the context works afterwards.
fn without_context(role: &Role, call: &dyn Fn() -> Outcome) -> Outcome {
    let context = role.ctx_get_current()?;
    role.ctx_set_current(None)?;
    let refused = call().refused(INVALID_CONTEXT);
    role.ctx_set_current(Some(context))?;
    refused
}

fn lines_without_context(by: usize, call: &str) -> String {
    format!(
        "let context = p{by}.ctx_get_current()?;\np{by}.ctx_set_current(None)?;\n\
         p{by}.{call}.refused(INVALID_CONTEXT)?;\np{by}.ctx_set_current(Some(context))?;"
    )
}

/// Checks that memory can be exported if and only if its attribute says so.
fn agrees(role: &Role, pointer: Pointer) -> Outcome {
    let exported: Option<MemHandle> = role.ipc_get_mem_handle(pointer).recorded("get")?;
    let capable = role.pointer_get_attribute(LEGACY_IPC_CAPABLE, pointer).recorded("attribute")? == Some(1);
    check!(exported.is_some() == capable);
    Ok(())
}

fn lines_that_agree(by: usize, pointer: &str) -> String {
    format!(
        "let exported = p{by}.ipc_get_mem_handle({pointer}).recorded(\"get\")?.is_some();\n\
         let capable = p{by}.pointer_get_attribute(LEGACY_IPC_CAPABLE, {pointer}).recorded(\"attribute\")?;\n\
         check!(exported == (capable == Some(1)));"
    )
}
