//! What processes share, and the steps that lead there.

use std::collections::BTreeSet;

use super::contents::{self, Access, Mover};
use super::process::{self, Event};
use super::script::Script;
use super::step::{Protocol, Step};
use super::world::{Kind, Name, Pool, World};
use super::{events, legacy, pools, virtual_memory};
use crate::support::constants::READ_WRITE;

/// Returns the processes that have memory or an event of a process by a protocol, and the processes that own it.
pub(crate) fn sharers(world: &World, protocol: Protocol) -> BTreeSet<usize> {
    let owner = |memory: Name| world.memory.get(&memory).map(|memory| memory.owner);
    let views = |wanted: fn(Kind) -> bool| {
        let views = world.views.values().filter(move |view| wanted(view.kind));
        views.filter_map(|view| Some((view.by, owner(view.memory)?))).collect::<Vec<_>>()
    };
    let pairs = match protocol {
        Protocol::Legacy => views(|kind| matches!(kind, Kind::Import { .. })),
        Protocol::Pools => views(|kind| matches!(kind, Kind::Pooled { is_own: false, .. })),
        Protocol::VirtualMemory => {
            let physicals = world.physicals.values();
            let physicals = physicals.filter_map(|physical| Some((physical.by, owner(physical.memory)?)));
            physicals.chain(views(|kind| matches!(kind, Kind::Mapping { .. }))).collect()
        }
        Protocol::Events => {
            let of = |event: Name| world.events.get(&event).map(|event| event.owner);
            world.event_views.values().filter_map(|view| Some((view.by, of(view.event)?))).collect()
        }
    };
    pairs.into_iter().filter(|(by, owner)| by != owner).flat_map(|(by, owner)| [by, owner]).collect()
}

/// Returns the processes that share something by any protocol, or that have an import of a pool or own such a pool.
pub(crate) fn sharers_or_importers(world: &World) -> BTreeSet<usize> {
    let by_any = Protocol::ALL.into_iter().flat_map(|protocol| sharers(world, protocol));
    let source = |pool: &Pool| Some((pool.by, world.pools.get(&pool.source)?.by));
    let pools = world.pools.values().filter_map(source).filter(|(by, owner)| by != owner);
    by_any.chain(pools.flat_map(|(by, owner)| [by, owner])).collect()
}

/// Returns the steps that bring a protocol nearest to sharing something.
pub(crate) fn leads(world: &World, protocol: Protocol) -> Vec<Step> {
    let name = world.new_name();
    let everyone = || 0..world.processes.len();
    let others = |owner: usize| everyone().filter(move |by| *by != owner);
    let kinds: Vec<Vec<Step>> = match protocol {
        Protocol::Legacy => {
            let own = world.views.iter().filter(|(_, view)| view.kind == Kind::Own);
            let handles = world.handles.iter().filter(|(_, handle)| world.memory.contains_key(&handle.memory));
            let opens = handles.flat_map(|(handle, of)| {
                others(of.exporter).map(move |by| Step::Legacy(legacy::Step::open(by, name, *handle)))
            });
            vec![
                opens.collect(),
                own.map(|(view, of)| Step::Legacy(legacy::Step::get(of.by, name, *view))).collect(),
                everyone().map(|by| Step::Legacy(legacy::Step::alloc(by, name))).collect(),
            ]
        }
        Protocol::Events => {
            let own = world.event_views.iter().filter(|(_, view)| view.is_own);
            let opens = world.event_handles.iter().flat_map(|(handle, of)| {
                others(of.exporter).map(move |by| Step::Event(events::Step::open(by, name, *handle)))
            });
            vec![
                opens.collect(),
                own.map(|(event, of)| Step::Event(events::Step::get(of.by, name, *event))).collect(),
                everyone().map(|by| Step::Event(events::Step::create(by, name))).collect(),
            ]
        }
        Protocol::VirtualMemory => {
            let own = world.physicals.iter().filter(|(_, physical)| physical.is_own);
            let imports = world.descriptors.iter().flat_map(|(descriptor, memory)| {
                let owner = world.memory.get(memory).map_or(usize::MAX, |memory| memory.owner);
                let import = |by| Step::VirtualMemory(virtual_memory::Step::import(by, name, *descriptor));
                others(owner).map(import).collect::<Vec<_>>()
            });
            let export = |by, physical| Step::VirtualMemory(virtual_memory::Step::export(by, name, physical));
            vec![
                imports.collect(),
                own.map(|(physical, of)| export(of.by, *physical)).collect(),
                everyone().map(|by| Step::VirtualMemory(virtual_memory::Step::create(by, name))).collect(),
            ]
        }
        Protocol::Pools => leads_of_pools(world, name),
    };
    let possible = |steps: Vec<Step>| steps.into_iter().filter(|step| step.is_possible(world)).collect::<Vec<_>>();
    kinds.into_iter().map(possible).find(|steps| !steps.is_empty()).unwrap_or_default()
}

/// What each pool lacks on the way to memory that another process has of it. Without a pool, one is created.
fn leads_of_pools(world: &World, name: Name) -> Vec<Vec<Step>> {
    let own = world.pools.iter().filter(|(pool, of)| of.source == **pool && world.is_alive(of));
    let next = own.flat_map(|(source, of)| {
        let imports = || world.pools.iter().filter(|(import, it)| it.source == *source && *import != source);
        let descriptor = world.pool_descriptors.iter().find(|(_, pool)| *pool == source);
        let data = world
            .pool_pointers
            .iter()
            .find(|(_, data)| data.source == *source && world.memory.contains_key(&data.memory));
        let view = world.views.iter().find(|(_, view)| view.kind == Kind::Pooled { pool: *source, is_own: true });
        let steps: Vec<pools::Step> = match (descriptor, view, data) {
            _ if imports().next().is_some() => match (view, data) {
                (_, Some((data, _))) => {
                    imports().map(|(pool, it)| pools::Step::import_pointer(it.by, name, *pool, *data)).collect()
                }
                (Some((view, _)), None) => vec![pools::Step::export_pointer(of.by, name, *view)],
                (None, None) => vec![pools::Step::allocate(of.by, name, *source)],
            },
            (Some((descriptor, _)), ..) => {
                let others = (0..world.processes.len()).filter(|by| *by != of.by);
                others.map(|by| pools::Step::import(by, name, *descriptor)).collect()
            }
            (None, ..) => vec![pools::Step::export(of.by, name, *source)],
        };
        steps.into_iter().map(Step::Pool)
    });
    let creations = (0..world.processes.len()).map(|by| Step::Pool(pools::Step::create(by, name)));
    vec![next.collect(), creations.collect()]
}

/// Adds steps with which two processes use memory that they share by a protocol: each writes, and the other one reads.
/// Processes that share nothing share new memory first. Without these steps, few scripts get so far.
pub(crate) fn add_an_exchange(script: &mut Script, protocol: Protocol) {
    let resume = |by| Step::Process(process::Step { by, event: Event::Resume });
    let resumes = (0..script.devices.len()).map(resume).collect();
    add(script, resumes);
    if exchange(&script.before(script.steps.len()), protocol).is_empty() {
        let shares = share_anew(&script.before(script.steps.len()), protocol);
        add(script, shares);
    }
    let steps = exchange(&script.before(script.steps.len()), protocol);
    add(script, steps);
}

/// Adds the steps, without those that are impossible.
fn add(script: &mut Script, steps: Vec<Step>) {
    script.steps.extend(steps);
    script.leave_out_impossible();
}

fn can_run(world: &World, by: usize) -> bool {
    !world.processes[by].is_stopped && !world.processes[by].is_lost && !world.is_busy(by)
}

/// Returns steps with which the first two processes that can run share new memory by a protocol.
fn share_anew(world: &World, protocol: Protocol) -> Vec<Step> {
    let mut running = (0..world.processes.len()).filter(|by| can_run(world, *by));
    let (Some(owner), Some(importer)) = (running.next(), running.next()) else { return Vec::new() };
    let [source, sent, import, there, data, here] = [0, 1, 2, 3, 4, 5].map(|more| world.new_name() + more);
    match protocol {
        Protocol::VirtualMemory => [
            virtual_memory::Step::create(owner, source),
            virtual_memory::Step::export(owner, sent, source),
            virtual_memory::Step::import(importer, import, sent),
        ]
        .map(Step::VirtualMemory)
        .to_vec(),
        Protocol::Pools => [
            pools::Step::create(owner, source),
            pools::Step::export(owner, sent, source),
            pools::Step::import(importer, import, sent),
            pools::Step::grant(importer, import, world.processes[importer].device),
            pools::Step::allocate(owner, there, source),
            pools::Step::export_pointer(owner, data, there),
            pools::Step::import_pointer(importer, here, import, data),
        ]
        .map(Step::Pool)
        .to_vec(),
        Protocol::Legacy | Protocol::Events => Vec::new(),
    }
}

/// Returns the steps of an exchange, or none if no two processes that can run share memory by the protocol.
fn exchange(world: &World, protocol: Protocol) -> Vec<Step> {
    match protocol {
        Protocol::VirtualMemory => exchange_by_virtual_memory(world),
        Protocol::Pools => exchange_by_pools(world),
        // Scripts of legacy memory have enough exchanges without this, and events have no contents.
        Protocol::Legacy | Protocol::Events => Vec::new(),
    }
}

/// The owner gives back all that it has of the memory, and the importer still reads it. Then the importer maps it again,
/// releases it, unmaps it where it was, and still reads it at the other address.
fn exchange_by_virtual_memory(world: &World) -> Vec<Step> {
    let shared = world.physicals.iter().find_map(|(import, of)| {
        let mut all = world.physicals.iter();
        let (own, owner) = all.find(|(_, own)| own.is_own && own.memory == of.memory && own.by != of.by)?;
        let can_run = can_run(world, of.by) && can_run(world, owner.by);
        can_run.then_some((of.memory, [of.by, owner.by], [*import, *own]))
    });
    let Some((memory, [importer, owner], [import, own])) = shared else { return Vec::new() };
    let (here, there, seed) = (world.new_name(), world.new_name() + 1, world.new_name() + 2);
    // A seed follows the first one.
    let again = seed + 2;
    let maps = [
        virtual_memory::Step::map(importer, here, import),
        virtual_memory::Step::set_access(importer, here),
        virtual_memory::Step::map(owner, there, own),
        virtual_memory::Step::set_access(owner, there),
    ];
    let views = world.views.iter().filter(|(_, view)| view.by == owner && view.memory == memory);
    let views = views.map(|(view, _)| *view).chain([there]);
    let physicals = world.physicals.iter().filter(|(_, of)| of.by == owner && of.memory == memory);
    let gives_back = views
        .map(|view| virtual_memory::Step::unmap(owner, view))
        .chain(physicals.map(|(physical, _)| virtual_memory::Step::release(owner, *physical)));
    let moves = [
        virtual_memory::Step::map(importer, again, import),
        virtual_memory::Step::set_access(importer, again),
        virtual_memory::Step::release(importer, import),
        virtual_memory::Step::unmap(importer, here),
    ];
    let maps = maps.into_iter().map(Step::VirtualMemory);
    let steps = maps.chain(each_writes([importer, owner], [here, there], seed));
    let steps = steps.chain(gives_back.map(Step::VirtualMemory)).chain([touch(importer, here, Access::Check)]);
    let steps = steps.chain(moves.map(Step::VirtualMemory)).chain([touch(importer, again, Access::Check)]);
    steps.collect()
}

/// The importer frees its import, and the owner still reads the memory.
fn exchange_by_pools(world: &World) -> Vec<Step> {
    let shared = world.views.iter().find_map(|(here, import)| {
        let Kind::Pooled { pool, is_own: false } = import.kind else { return None };
        let mut all = world.views.iter();
        let (there, own) = all.find(|(_, own)| own.memory == import.memory && own.kind.is_own())?;
        let can_run = can_run(world, import.by) && can_run(world, own.by);
        let has_access = world.access_to(import.by, pool) == READ_WRITE;
        (can_run && has_access && import.by != own.by).then_some(([import.by, own.by], [*here, *there]))
    });
    let Some(([importer, owner], [here, there])) = shared else { return Vec::new() };
    let frees = Step::Pool(pools::Step::free(importer, here));
    let steps = each_writes([importer, owner], [here, there], world.new_name()).into_iter();
    steps.chain([frees, touch(owner, there, Access::Check)]).collect()
}

/// Returns steps with which each of two processes writes the memory of a view, and the other one reads it.
fn each_writes([one, other]: [usize; 2], [here, there]: [Name; 2], seed: Name) -> [Step; 4] {
    [
        touch(one, here, Access::Fill(seed)),
        touch(other, there, Access::Check),
        touch(other, there, Access::Fill(seed + 1)),
        touch(one, here, Access::Check),
    ]
}

fn touch(by: usize, view: Name, access: Access) -> Step {
    Step::Contents(contents::Step { by, view, access, mover: Mover::Kernel })
}
