//! Counts what the scripts of a model do, without performing them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use conformance::{Outcome, Stop, check};

use super::contents::{self, Access};
use super::process::{self, Event};
use super::run::script_of;
use super::script::Script;
use super::share::{sharers, sharers_or_importers};
use super::step::{Protocol, Step};
use super::world::{Machine, World};

/// As many scripts are counted as a model makes, with some seeds.
const SCRIPTS: u32 = 100;
const SEEDS: RangeInclusive<u64> = 1..=3;

/// Counts the scripts of which something holds.
fn count(protocols: &'static [Protocol], seed: u64, holds: impl Fn(&Script) -> bool) -> Result<usize, Stop> {
    let machine = Machine::without_bugs();
    let scripts = (0..SCRIPTS).map(|number| script_of(&machine, protocols, seed, number));
    Ok(scripts.collect::<Result<Vec<_>, _>>()?.iter().filter(|script| holds(script)).count())
}

/// Returns each step that a script performs, with what exists after it. A step is left out if an end before it made it
/// impossible.
fn steps(script: &Script) -> impl Iterator<Item = (Step, World)> + '_ {
    let mut world = script.start();
    script.steps.iter().filter_map(move |step| {
        if !step.is_possible(&world) {
            return None;
        }
        step.apply(&mut world);
        Some((*step, world.clone()))
    })
}

/// With each of some seeds, so many of 100 scripts kill a process after something was shared.
pub(crate) fn scripts_kill_after_a_share(protocols: &'static [Protocol], fewest: usize) -> Outcome {
    let kills = |script: &Script| {
        let mut after = steps(script).skip_while(|(_, world)| sharers_or_importers(world).is_empty());
        after.any(|(step, _)| matches!(step, Step::Process(process::Step { event: Event::Kill, .. })))
    };
    let found = SEEDS.map(|seed| count(protocols, seed, kills)).collect::<Result<Vec<_>, _>>()?;
    check!(
        found.iter().all(|kills| *kills >= fewest),
        "{found:?} of {SCRIPTS} scripts kill after something was shared"
    );
    Ok(())
}

/// So many of 100 scripts share something by every protocol at the same time.
pub(crate) fn scripts_share_by_all(fewest: usize) -> Outcome {
    let is_shared = |world: &World| Protocol::ALL.into_iter().all(|protocol| !sharers(world, protocol).is_empty());
    let by_all = |script: &Script| steps(script).any(|(_, world)| is_shared(&world));
    let found = count(&Protocol::ALL, *SEEDS.start(), by_all)?;
    check!(found >= fewest, "{found} of {SCRIPTS} scripts share something by every protocol");
    Ok(())
}

/// Checks that in at least `fewest` of 100 scripts, a process reads what another one wrote.
pub(crate) fn scripts_read_what_others_wrote(protocols: &'static [Protocol], fewest: usize) -> Outcome {
    let found = count(protocols, *SEEDS.start(), reads_what_others_wrote)?;
    check!(found >= fewest, "in {found} of {SCRIPTS} scripts, a process reads what another one wrote");
    Ok(())
}

fn reads_what_others_wrote(script: &Script) -> bool {
    let (mut world, mut writers) = (script.start(), BTreeMap::new());
    script.possible_steps().into_iter().any(|step| {
        let mut reads = false;
        if let Step::Contents(contents::Step { by, view, access, .. }) = step {
            let memory = world.views[&view].memory;
            match access {
                Access::Fill(_) => drop(writers.insert(memory, by)),
                Access::Check => reads = writers.get(&memory).is_some_and(|writer| *writer != by),
            }
        }
        step.apply(&mut world);
        reads
    })
}

/// Checks that in at least `fewest` of 100 scripts of all protocols, a call for legacy memory gets memory of another
/// protocol.
pub(crate) fn scripts_misuse_other_memory(fewest: usize) -> Outcome {
    let is_one = |step: Step| matches!(step, Step::Legacy(step) if step.misuses_other_memory());
    let misuses = |script: &Script| steps(script).any(|(step, _)| is_one(step));
    let found = count(&Protocol::ALL, *SEEDS.start(), misuses)?;
    check!(
        found >= fewest,
        "in {found} of {SCRIPTS} scripts, a call for legacy memory gets memory of another protocol"
    );
    Ok(())
}

/// Checks that at least `fewest` of 100 scripts have a step of a row.
pub(crate) fn scripts_have_steps_of(protocols: &'static [Protocol], row: &str, fewest: usize) -> Outcome {
    let has_one = |script: &Script| {
        let mut world = script.start();
        script.possible_steps().into_iter().any(|step| {
            let has_row = step.row(&world) == row;
            step.apply(&mut world);
            has_row
        })
    };
    let found = count(protocols, *SEEDS.start(), has_one)?;
    check!(found >= fewest, "{found} of {SCRIPTS} scripts have a step of {row}");
    Ok(())
}
