//! A whole script: how proptest makes one, how it becomes shorter, and how it reads.

use std::fmt::Write as _;
use std::ops::Range;

use proptest::sample::select;
use proptest::strategy::{NewTree, Strategy, Union, ValueTree};
use proptest::test_runner::TestRunner;

use super::contents::{self, Access, Mover};
use super::process::{self, Event, lines_of_start};
use super::step::{Protocol, Step};
use super::world::{Machine, World};
use super::{events, legacy, pools, virtual_memory};

/// The number of steps of a script, before the last looks at all memory.
const STEPS: std::ops::RangeInclusive<usize> = 6..=40;

/// The number of processes of a script.
const PROCESSES: std::ops::RangeInclusive<usize> = 2..=4;

/// How much more often than an end of a process everything else happens. With many ends, few scripts share anything.
const COMMON: u32 = 10;

/// Processes and what they do.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) machine: Machine,
    /// The device of each process.
    pub(crate) devices: Vec<i32>,
    pub(crate) steps: Vec<Step>,
}

impl Script {
    pub(crate) fn start(&self) -> World {
        World::new(self.machine.clone(), &self.devices, self.holds_streams())
    }

    /// Whether a process holds a stream at some time.
    pub(crate) fn holds_streams(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Event(step) if step.holds_a_stream()))
    }

    /// Returns the steps that are possible in their order, and what follows of itself: stopped processes resume, and all
    /// memory that is left is read through every address of it.
    pub(crate) fn possible_steps(&self) -> Vec<Step> {
        let (mut world, mut steps) = (self.start(), Vec::new());
        for step in &self.steps {
            if step.is_possible(&world) {
                step.apply(&mut world);
                steps.push(*step);
            }
        }
        steps.extend(last_steps(&world));
        steps
    }

    /// Returns the first step at one of these places that is left out because it is impossible.
    pub(crate) fn impossible(&self, places: &[Range<usize>]) -> Option<Step> {
        let mut world = self.start();
        for (place, step) in self.steps.iter().enumerate() {
            if step.is_possible(&world) {
                step.apply(&mut world);
            } else if places.iter().any(|places| places.contains(&place)) {
                return Some(*step);
            }
        }
        None
    }

    /// What exists before the step at a place.
    pub(crate) fn before(&self, place: usize) -> World {
        let mut world = self.start();
        for step in &self.steps[..place] {
            if step.is_possible(&world) {
                step.apply(&mut world);
            }
        }
        world
    }

    /// Returns the processes whose work waits for a process that was killed.
    pub(crate) fn lost(&self) -> Vec<usize> {
        let world = self.before(self.steps.len());
        (0..world.processes.len()).filter(|by| world.processes[*by].is_lost).collect()
    }

    /// Returns the script as a case that can be pasted into the suite.
    pub(crate) fn as_case(&self, row: Option<&str>) -> String {
        let row = row.map_or_else(String::new, |row| format!("\"{row}\""));
        let head =
            format!("use rstest::rstest;\n\nuse crate::model::prelude::*;\n\n#[rstest]\n#[conformance::test({row})]\n");
        head + &self.as_function("a_model_found_this")
    }

    /// Returns the script as a function.
    pub(crate) fn as_function(&self, name: &str) -> String {
        let mut text = format!("fn {name}() -> Outcome {{\n");
        let mut world = self.start();
        for (by, device) in self.devices.iter().enumerate() {
            for line in lines_of_start(by, *device, world.holds_streams).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        for step in self.possible_steps() {
            for line in step.lines(&world).lines() {
                let _ = writeln!(text, "    {line}");
            }
            step.apply(&mut world);
        }
        text.push_str("    Ok(())\n}\n");
        text
    }
}

/// Ends processes that are lost, resumes the others, lets all work end, and reads all memory through every address of it.
fn last_steps(world: &World) -> Vec<Step> {
    let (mut world, mut steps) = (world.clone(), Vec::new());
    let take = |steps: &mut Vec<Step>, world: &mut World, step: Step| {
        if step.is_possible(world) {
            step.apply(world);
            steps.push(step);
        }
    };
    // The end of a lost process can make another one lost.
    while let Some(by) = world.processes.iter().position(|process| process.is_lost) {
        take(&mut steps, &mut world, Step::Process(process::Step { by, event: Event::Kill }));
    }
    for by in 0..world.processes.len() {
        take(&mut steps, &mut world, Step::Process(process::Step { by, event: Event::Resume }));
    }
    for step in events::last_steps(&world) {
        take(&mut steps, &mut world, Step::Event(step));
    }
    for (view, of) in world.views.clone() {
        let step = contents::Step { by: of.by, view, access: Access::Check, mover: Mover::Kernel };
        take(&mut steps, &mut world, Step::Contents(step));
    }
    steps
}

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
        let length = STEPS.new_tree(runner)?.current();
        let mut script = Script { machine: self.machine.clone(), devices, steps: Vec::new() };
        let mut world = script.start();
        while script.steps.len() < length {
            let step = next(&world, self.protocols).new_tree(runner)?.current();
            step.apply(&mut world);
            script.steps.push(step);
        }
        Ok(Shorter::new(script))
    }
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
    let may_exec = world.machine.new_programs_have_events
        || !protocols.iter().any(|protocol| matches!(protocol, Protocol::Events));
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

/// A script that becomes shorter: parts are left out, first large ones, then single steps.
#[derive(Debug)]
pub(crate) struct Shorter {
    script: Script,
    /// How many steps are left out at once, and the first of them.
    part: usize,
    place: usize,
    left_out: Option<(usize, Vec<Step>)>,
}

impl Shorter {
    fn new(script: Script) -> Self {
        let part = script.steps.len();
        Self { script, part, place: 0, left_out: None }
    }

    /// Leaves out what follows a step that failed.
    pub(crate) fn end_after(&mut self, steps: usize) {
        self.script.steps.truncate(steps);
        self.part = self.script.steps.len().div_ceil(2);
    }
}

impl ValueTree for Shorter {
    type Value = Script;

    fn current(&self) -> Script {
        self.script.clone()
    }

    fn simplify(&mut self) -> bool {
        // What was left out last was not needed: the part that follows is at the same place now.
        self.left_out = None;
        while self.place >= self.script.steps.len() {
            if self.part <= 1 {
                return false;
            }
            (self.part, self.place) = (self.part / 2, 0);
        }
        let end = (self.place + self.part).min(self.script.steps.len());
        let part = self.script.steps.drain(self.place..end).collect();
        self.left_out = Some((self.place, part));
        true
    }

    fn complicate(&mut self) -> bool {
        let Some((place, part)) = self.left_out.take() else { return false };
        self.place = place + part.len();
        self.script.steps.splice(place..place, part);
        self.simplify()
    }
}
