//! What processes share, and the steps that lead there.

use std::collections::BTreeSet;

use super::step::{Protocol, Step};
use super::world::{Kind, Name, Pool, World};
use super::{events, legacy, pools, virtual_memory};

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
