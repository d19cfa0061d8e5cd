//! Steps of legacy memory: `cuMemAlloc`, and handles of it.

mod misuse;

use conformance::{Expect as _, KIB, MIB, Outcome, check};

use super::operation::{Live, Operation};
use super::world::{Handle, Kind, Memory, Name, View, World};
use misuse::Misuse;

/// The sizes of allocations: within one block of the driver, a whole one, and more than one.
const SIZES: [u64; 5] = [256, 64 * KIB, 64 * KIB + 4, 2 * MIB, 2 * MIB + 64 * KIB];

/// The most threads that open a handle at the same time.
const THREADS: u32 = 3;

/// A step of legacy memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    by: usize,
    call: Call,
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Alloc { name: Name, size: u64 },
    Free { memory: Name },
    Get { name: Name, view: Name },
    Open { name: Name, handle: Name },
    OpenFromThreads { name: Name, handle: Name },
    Close { import: Name },
    Range { view: Name },
    Misuse(Misuse),
}

/// What an open must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opens {
    /// An address of its own.
    Anew,
    /// The address of the first open.
    Again(Name),
    /// The memory is gone.
    Stale,
    /// The process itself exported the memory.
    Own,
}

fn opens(world: &World, by: usize, handle: Name) -> Opens {
    let Handle { memory, exporter } = world.handles[&handle];
    match world.import_of(by, memory) {
        _ if !world.memory.contains_key(&memory) => Opens::Stale,
        _ if exporter == by => Opens::Own,
        Some(first) => Opens::Again(first),
        None => Opens::Anew,
    }
}

impl Step {
    pub(crate) const fn alloc(by: usize, name: Name) -> Self {
        Self { by, call: Call::Alloc { name, size: 2 * MIB } }
    }

    pub(crate) const fn get(by: usize, name: Name, view: Name) -> Self {
        Self { by, call: Call::Get { name, view } }
    }

    pub(crate) const fn open(by: usize, name: Name, handle: Name) -> Self {
        Self { by, call: Call::Open { name, handle } }
    }

    pub(crate) const fn close(by: usize, import: Name) -> Self {
        Self { by, call: Call::Close { import } }
    }

    pub(crate) const fn free(by: usize, memory: Name) -> Self {
        Self { by, call: Call::Free { memory } }
    }

    pub(crate) const fn misuses_other_memory(&self) -> bool {
        matches!(self.call, Call::Misuse(misuse) if misuse.is_of_other_memory())
    }
}

/// Every step that is possible, by kind, with the weight of the kind.
pub(crate) fn possible(world: &World) -> Vec<(u32, Vec<Step>)> {
    let name = world.new_name();
    let running = || (0..world.processes.len()).filter(|by| !world.processes[*by].is_stopped);
    let step = |by, call| Step { by, call };
    let views = |wanted: fn(&View) -> bool, call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        let of_kind = world.views.iter().filter(|(_, view)| wanted(view));
        of_kind.map(|(name, view)| step(view.by, call(*name))).collect()
    };
    let handles = |call: &dyn Fn(Name) -> Call| -> Vec<Step> {
        running().flat_map(|by| world.handles.keys().map(move |handle| step(by, call(*handle)))).collect()
    };
    let is_own: fn(&View) -> bool = |view| view.kind == Kind::Own;
    let is_import: fn(&View) -> bool = |view| matches!(view.kind, Kind::Import { .. });
    let sizes = |by| SIZES.iter().map(move |size| step(by, Call::Alloc { name, size: *size }));
    vec![
        (if world.views.len() < 6 { 4 } else { 1 }, running().flat_map(sizes).collect()),
        (2, views(is_own, &|memory| Call::Free { memory })),
        (4, views(is_own, &|view| Call::Get { name, view })),
        (8, handles(&|handle| Call::Open { name, handle })),
        (1, handles(&|handle| Call::OpenFromThreads { name, handle })),
        (4, views(is_import, &|import| Call::Close { import })),
        (1, views(is_import, &|view| Call::Range { view })),
        (4, Misuse::possible(world).into_iter().map(|(by, misuse)| step(by, Call::Misuse(misuse))).collect()),
        // Only scripts of several protocols have any.
        (8, Misuse::of_other_memory(world).into_iter().map(|(by, misuse)| step(by, Call::Misuse(misuse))).collect()),
    ]
}

impl Operation for Step {
    fn by(&self) -> usize {
        self.by
    }

    fn row(&self, before: &World) -> &'static str {
        match self.call {
            Call::Alloc { .. } => "IPCMEM-GET-026",
            Call::Free { .. } => "IPCMEM-CLOSE-015",
            Call::Get { .. } => "IPCMEM-GET-001",
            Call::Open { handle, .. } => match opens(before, self.by, handle) {
                Opens::Anew => "IPCMEM-OPEN-001",
                Opens::Again(_) => "IPCMEM-OPEN-002",
                Opens::Stale => "IPCMEM-OPEN-016",
                Opens::Own => "IPCMEM-OPEN-003",
            },
            Call::OpenFromThreads { .. } => "IPCMEM-OPEN-037",
            Call::Close { import } => match before.views[&import].kind {
                Kind::Import { opens: 2.. } => "IPCMEM-CLOSE-002",
                _ => "IPCMEM-CLOSE-001",
            },
            Call::Range { .. } => "IPCMEM-OPEN-044",
            Call::Misuse(misuse) => misuse.row(),
        }
    }

    fn is_possible(&self, before: &World) -> bool {
        let by = self.by;
        let is_own = |view: Name| before.views.get(&view).is_some_and(|view| view.by == by && view.kind == Kind::Own);
        let import = |view: Name| match before.views.get(&view) {
            Some(View { by: whose, kind: Kind::Import { opens }, .. }) if *whose == by => Some(*opens),
            _ => None,
        };
        match self.call {
            Call::Alloc { name, .. } => !before.names.contains(&name),
            // What an import of freed memory shows is undefined.
            Call::Free { memory } => is_own(memory) && !before.is_shared(before.views[&memory].memory),
            Call::Get { name, view } => !before.names.contains(&name) && is_own(view),
            Call::Open { name, handle } => {
                let is_known = before.handles.contains_key(&handle) && !before.names.contains(&name);
                // A process that still has ended memory open may open it again, or not: no row says which.
                let is_settled = || {
                    let is_open = before.import_of(by, before.handles[&handle].memory).is_some();
                    before.machine.refuses_stale_handles && !is_open
                };
                is_known && (opens(before, by, handle) != Opens::Stale || is_settled())
            }
            Call::OpenFromThreads { name, handle } => {
                let is_known = before.handles.contains_key(&handle) && !before.names.contains(&name);
                let is_open = || matches!(opens(before, by, handle), Opens::Anew | Opens::Again(_));
                before.machine.threads_may_open && is_known && is_open()
            }
            Call::Close { import: view } => import(view).is_some(),
            // The range of less than a granule may be that of its block.
            Call::Range { view } => {
                import(view).is_some() && before.memory_of(view).is_some_and(|memory| memory.size % (2 * MIB) == 0)
            }
            Call::Misuse(misuse) => misuse.is_possible(by, before),
        }
    }

    fn apply(&self, world: &mut World) {
        let by = self.by;
        match self.call {
            Call::Alloc { name, size } => {
                world.names.insert(name);
                world.memory.insert(name, Memory { owner: by, size, contents: None, outlives_owner: false });
                world.views.insert(name, View { by, memory: name, kind: Kind::Own });
            }
            Call::Free { memory } => {
                if let Some(view) = world.views.remove(&memory) {
                    world.memory.remove(&view.memory);
                }
            }
            Call::Get { name, view } => {
                world.names.insert(name);
                world.handles.insert(name, Handle { memory: world.views[&view].memory, exporter: by });
            }
            Call::Open { name, handle } => add_opens(world, by, name, handle, 1),
            Call::OpenFromThreads { name, handle } => add_opens(world, by, name, handle, THREADS),
            Call::Close { import } => match world.views.get_mut(&import) {
                Some(View { kind: Kind::Import { opens: opens @ 2.. }, .. }) => *opens -= 1,
                _ => drop(world.views.remove(&import)),
            },
            Call::Range { .. } | Call::Misuse(_) => {}
        }
    }

    fn perform(&self, before: &World, live: &mut Live) -> Outcome {
        let role = live.role(self.by);
        match self.call {
            Call::Alloc { name, size } => {
                let pointer = role.mem_alloc(size)?;
                live.pointers.insert(name, pointer);
                check!(pointer.0 % 256 == 0, "an allocation is at {pointer:?}, which is no multiple of 256");
                Ok(())
            }
            Call::Free { memory } => role.mem_free(live.pointer(memory)?),
            Call::Get { name, view } => {
                let handle = role.ipc_get_mem_handle(live.pointer(view)?)?;
                let of = before.views[&view].memory;
                let others = live.handles.iter().filter(|(other, _)| before.handles[other].memory != of);
                let is_new = !others.clone().any(|(_, other)| *other == handle);
                live.handles.insert(name, handle);
                check!(is_new || !before.machine.handles_are_unique, "the handle is that of other memory");
                Ok(())
            }
            Call::Open { name, handle } => {
                let opened = role.ipc_open_mem_handle(live.handle(handle)?);
                match opens(before, self.by, handle) {
                    Opens::Anew => drop(live.pointers.insert(name, opened?)),
                    Opens::Again(first) => {
                        let (again, first) = (opened?, live.pointer(first)?);
                        check!(again == first);
                    }
                    Opens::Stale | Opens::Own => opened.refused(&[])?,
                }
                Ok(())
            }
            Call::OpenFromThreads { name, handle } => {
                let opened = role.ipc_open_mem_handle_from_threads(live.handle(handle)?, THREADS as usize)?;
                let first = match opens(before, self.by, handle) {
                    Opens::Again(first) => live.pointer(first)?,
                    _ => opened[0],
                };
                live.pointers.insert(name, first);
                check!(opened.iter().all(|import| *import == first), "threads got different addresses: {opened:?}");
                Ok(())
            }
            Call::Close { import } => {
                let (pointer, is_orphan) = (live.pointer(import)?, before.memory_of(import).is_none());
                let closed = role.ipc_close_mem_handle(pointer);
                if is_orphan {
                    // Which code a close has after the exporter's end is open.
                    return closed.recorded("close after the exporter's end").map(|_| ());
                }
                closed?;
                if matches!(before.views[&import].kind, Kind::Import { opens: 1 }) {
                    role.read(pointer, 4).refused(&[])?;
                }
                Ok(())
            }
            Call::Range { view } => {
                let (pointer, size) = (live.pointer(view)?, before.memory_of(view).map_or(0, |memory| memory.size));
                for offset in [0, size / 2, size - 1] {
                    let range = role.mem_get_address_range(pointer.offset(offset))?;
                    check!(range.base == pointer);
                    check!(range.size == size);
                }
                Ok(())
            }
            Call::Misuse(misuse) => misuse.perform(&role, live),
        }
    }

    fn lines(&self, before: &World) -> String {
        let by = self.by;
        match self.call {
            Call::Alloc { name, size } => {
                format!("let m{name} = p{by}.mem_alloc({size})?;\ncheck!(m{name}.0 % 256 == 0);")
            }
            Call::Free { memory } => format!("p{by}.mem_free(m{memory})?;"),
            Call::Get { name, view } => {
                let of = before.views[&view].memory;
                let others =
                    before.handles.iter().filter(|(_, other)| before.machine.handles_are_unique && other.memory != of);
                let differs = |(other, _)| format!("\ncheck!(h{name} != h{other});");
                format!("let h{name} = p{by}.ipc_get_mem_handle(m{view})?;{}", others.map(differs).collect::<String>())
            }
            Call::Open { name, handle } => match opens(before, by, handle) {
                Opens::Anew => format!("let m{name} = p{by}.ipc_open_mem_handle(h{handle})?;"),
                Opens::Again(first) => format!("check!(p{by}.ipc_open_mem_handle(h{handle})? == m{first});"),
                Opens::Stale | Opens::Own => format!("p{by}.ipc_open_mem_handle(h{handle}).refused(&[])?;"),
            },
            Call::OpenFromThreads { name, handle } => {
                let first = match opens(before, by, handle) {
                    Opens::Again(first) => format!("let m{name} = m{first};\n"),
                    _ => String::new(),
                };
                let opened =
                    format!("let opened{name} = p{by}.ipc_open_mem_handle_from_threads(h{handle}, {THREADS})?;");
                let bound = if first.is_empty() { format!("\nlet m{name} = opened{name}[0];") } else { String::new() };
                format!("{first}{opened}{bound}\ncheck!(opened{name}.iter().all(|import| *import == m{name}));")
            }
            Call::Close { import } => match (before.memory_of(import), before.views[&import].kind) {
                (None, _) => format!("p{by}.ipc_close_mem_handle(m{import}).recorded(\"close\")?;"),
                (_, Kind::Import { opens: 1 }) => {
                    format!("p{by}.ipc_close_mem_handle(m{import})?;\np{by}.read(m{import}, 4).refused(&[])?;")
                }
                _ => format!("p{by}.ipc_close_mem_handle(m{import})?;"),
            },
            Call::Range { view } => {
                let size = before.memory_of(view).map_or(0, |memory| memory.size);
                format!(
                    "for offset in [0, {size} / 2, {size} - 1] {{\n    let range = \
                     p{by}.mem_get_address_range(m{view}.offset(offset))?;\n    check!(range.base == m{view} && \
                     range.size == {size});\n}}"
                )
            }
            Call::Misuse(misuse) => misuse.lines(by),
        }
    }
}

/// Counts opens of a handle that succeed.
fn add_opens(world: &mut World, by: usize, name: Name, handle: Name, more: u32) {
    world.names.insert(name);
    let memory = world.handles[&handle].memory;
    match opens(world, by, handle) {
        Opens::Anew => drop(world.views.insert(name, View { by, memory, kind: Kind::Import { opens: more } })),
        Opens::Again(first) => {
            if let Some(View { kind: Kind::Import { opens }, .. }) = world.views.get_mut(&first) {
                *opens += more;
            }
        }
        Opens::Stale | Opens::Own => {}
    }
}
