//! A whole script: what it performs, how it becomes shorter, and how it reads.

use std::fmt::Write as _;
use std::ops::Range;

use proptest::strategy::ValueTree;

use super::contents::{self, Access, Mover};
use super::events;
use super::process::{self, Event, lines_of_start};
use super::step::Step;
use super::world::{Machine, World};

/// The last lines of a printed script.
pub(crate) const END: &str = "    Ok(())\n}\n";

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

    /// Leaves out the steps that are impossible in their order.
    pub(crate) fn leave_out_impossible(&mut self) {
        let mut world = self.start();
        self.steps.retain(|step| {
            let is_possible = step.is_possible(&world);
            if is_possible {
                step.apply(&mut world);
            }
            is_possible
        });
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
        text.push_str(END);
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
    pub(crate) fn new(script: Script) -> Self {
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
