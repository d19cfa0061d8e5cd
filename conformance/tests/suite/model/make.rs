//! How proptest makes a script: step by step, each chosen among those that are possible.

use std::ops::RangeInclusive;

use proptest::sample::select;
use proptest::strategy::{Just, NewTree, Strategy, Union, ValueTree as _};
use proptest::test_runner::{Reason, TestRunner};

use super::contents::{self, Access, Mover};
use super::process::{self, Event};
use super::script::{Script, Shorter};
use super::share::{add_an_exchange, leads, sharers, sharers_or_importers};
use super::step::{Protocol, Step};
use super::world::{Machine, World};
use super::{events, legacy, pools, virtual_memory};

/// The number of steps of a script, without the end of a process, an exchange and the last reads of all memory.
const STEPS: RangeInclusive<usize> = 6..=40;

/// The number of steps of a script of several protocols. Each of them needs some to share anything.
const STEPS_OF_SEVERAL: RangeInclusive<usize> = 20..=60;

/// In a script of several protocols, one step in so many leads to sharing by a protocol that shares nothing yet.
const LEADS_ONE_IN: u32 = 2;

/// The number of processes of a script.
const PROCESSES: RangeInclusive<usize> = 2..=4;

/// How much more often than an end of a process everything else happens. With many ends, few scripts share anything.
const COMMON: u32 = 10;

/// One script in so many gets an end of a process that shares something. Few scripts have one of themselves.
const ENDS_ONE_IN: u32 = 4;

/// Such an end is mostly a kill, because a process that is killed releases nothing itself.
const ENDS: [(u32, Event); 4] = [(9, Event::Kill), (1, Event::Exit), (1, Event::Exec), (1, Event::Stop)];

/// A strategy of proptest: scripts of some protocols on a machine.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    pub(crate) machine: Machine,
    pub(crate) protocols: &'static [Protocol],
}

impl Strategy for Scripts {
    type Tree = Shorter;
    type Value = Script;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let count = PROCESSES.new_tree(runner)?.current();
        let devices = proptest::collection::vec(0..self.machine.devices, count).new_tree(runner)?.current();
        let is_of_several = self.protocols.len() > 1;
        let length = if is_of_several { STEPS_OF_SEVERAL } else { STEPS }.new_tree(runner)?.current();
        let mut script = Script { machine: self.machine.clone(), devices, steps: Vec::new() };
        let mut world = script.start();
        while script.steps.len() < length {
            let lead = if is_of_several { lead(&world, self.protocols, runner)? } else { None };
            let step = match lead {
                Some(step) => step,
                None => next(&world, self.protocols).new_tree(runner)?.current(),
            };
            step.apply(&mut world);
            script.steps.push(step);
        }
        // After all steps are drawn, so that a seed makes the steps that it made before.
        end_a_sharer(&mut script, may_exec(&world, self.protocols), runner)?;
        self.protocols.iter().for_each(|protocol| add_an_exchange(&mut script, *protocol));
        Ok(Shorter::new(script))
    }
}

/// A step that leads to sharing by a protocol that shares nothing yet, if it is the turn of one.
fn lead(world: &World, protocols: &[Protocol], runner: &mut TestRunner) -> Result<Option<Step>, Reason> {
    if (0..LEADS_ONE_IN).new_tree(runner)?.current() != 0 {
        return Ok(None);
    }
    let idle = protocols.iter().filter(|protocol| sharers(world, **protocol).is_empty());
    let steps: Vec<_> = idle.map(|protocol| leads(world, *protocol)).filter(|steps| !steps.is_empty()).collect();
    if steps.is_empty() {
        return Ok(None);
    }
    let of_protocol = select(steps).new_tree(runner)?.current();
    Ok(Some(select(of_protocol).new_tree(runner)?.current()))
}

/// Whether a process may replace its program: there are drivers whose events do not work then.
fn may_exec(world: &World, protocols: &[Protocol]) -> bool {
    world.machine.new_programs_have_events || !protocols.contains(&Protocol::Events)
}

/// Every possible next step, by the weights of their kinds.
fn next(world: &World, protocols: &[Protocol]) -> Union<proptest::sample::Select<Step>> {
    let mut kinds: Vec<(u32, Vec<Step>)> = Vec::new();
    for protocol in protocols {
        match protocol {
            Protocol::Legacy => kinds.extend(any_of(legacy::possible(world), Step::Legacy)),
            Protocol::Events => kinds.extend(any_of(events::possible(world), Step::Event)),
            Protocol::VirtualMemory => {
                kinds.extend(any_of(virtual_memory::possible(world), Step::VirtualMemory));
            }
            Protocol::Pools => kinds.extend(any_of(pools::possible(world), Step::Pool)),
        }
    }
    let seed = world.new_name();
    let touch = |access: Access| -> Vec<Step> {
        let of_view = |(view, of): (&u32, &super::world::View)| {
            let (view, by) = (*view, of.by);
            [Mover::Kernel, Mover::Copy].map(|mover| Step::Contents(contents::Step { by, view, access, mover }))
        };
        world.views.iter().flat_map(of_view).collect()
    };
    kinds.push((6 * COMMON, touch(Access::Fill(seed))));
    kinds.push((3 * COMMON, touch(Access::Check)));
    let may_exec = may_exec(world, protocols);
    for (weight, event) in
        [(1, Event::Kill), (1, Event::Exit), (may_exec.into(), Event::Exec), (1, Event::Stop), (COMMON, Event::Resume)]
    {
        let of_process = |by| Step::Process(process::Step { by, event });
        kinds.push((weight, (0..world.processes.len()).map(of_process).collect()));
    }
    for (_, steps) in &mut kinds {
        steps.retain(|step| step.is_possible(world));
    }
    let kinds = kinds.into_iter().filter(|(weight, steps)| *weight > 0 && !steps.is_empty());
    Union::new_weighted(kinds.map(|(weight, steps)| (weight, select(steps))).collect())
}

/// The kinds of a protocol as steps of any protocol.
fn any_of<S>(kinds: Vec<(u32, Vec<S>)>, step: fn(S) -> Step) -> impl Iterator<Item = (u32, Vec<Step>)> {
    kinds.into_iter().map(move |(weight, steps)| (weight * COMMON, steps.into_iter().map(step).collect()))
}

/// Inserts an end of a process at a place at which it shares something, in some scripts. Steps that are impossible
/// then are left out.
///
/// # Errors
/// Proptest cannot choose.
pub(crate) fn end_a_sharer(script: &mut Script, may_exec: bool, runner: &mut TestRunner) -> Result<(), Reason> {
    if (0..ENDS_ONE_IN).new_tree(runner)?.current() != 0 {
        return Ok(());
    }
    let (mut world, mut places) = (script.start(), Vec::new());
    for (before, step) in script.steps.iter().enumerate() {
        step.apply(&mut world);
        places.extend(sharers_or_importers(&world).into_iter().map(|by| (before + 1, by)));
    }
    if places.is_empty() {
        return Ok(());
    }
    let (place, by) = select(places).new_tree(runner)?.current();
    let events = ENDS.map(|(weight, event)| (weight, Just(event)));
    let event = Union::new_weighted(events.to_vec()).new_tree(runner)?.current();
    let end = |event| Step::Process(process::Step { by, event });
    let is_possible = end(event).is_possible(&script.before(place)) && (may_exec || !matches!(event, Event::Exec));
    script.steps.insert(place, end(if is_possible { event } else { Event::Kill }));
    script.leave_out_impossible();
    Ok(())
}
