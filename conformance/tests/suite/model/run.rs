//! Runs scripts on roles until one fails.

use std::time::{Duration, Instant};

use conformance::{Models, Outcome, Stop, forget_observations, models, observe, random};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::make::Scripts;
use super::processes::Processes;
use super::script::{Script, Shorter};
use super::search::{Finding, report};
use super::step::Protocol;
use super::world::Machine;

/// The number of scripts of a model on the reference driver, and on a GPU, where a call takes longer.
const SCRIPTS: u32 = 100;
const SCRIPTS_ON_A_GPU: u32 = 40;

/// Runs scripts of some protocols until one fails, or as many as the run asks for. A script that only differs from what
/// other drivers do ends no search, because later scripts may break a documented rule.
///
/// # Errors
/// [`Stop`] of the shortest script that fails, or else of the first one that differs.
pub(crate) fn run(protocols: &'static [Protocol]) -> Outcome {
    let asked = models();
    let scripts = Scripts { machine: Machine::under_test(), protocols };
    let (seed, began) = (random().u64(..), Instant::now());
    let (mut processes, mut difference) = (Processes::default(), None::<Finding>);
    let numbers = match asked.script {
        Some(number) => number..=number,
        None => 0..=u32::MAX,
    };
    for number in numbers {
        if is_over(asked, number, began.elapsed()) {
            // What the last script observed says nothing about the others.
            forget_observations();
            if asked.soak.is_some() {
                observe("scripts", number.to_string());
            }
            break;
        }
        let mut script = tree_of(&scripts, seed, number)?;
        if let Err(failed) = processes.perform(&script.current()) {
            script.end_after(failed.steps);
            let (only_differs, found) = (failed.only_differs(), Finding { script, failed, number, alike: 1 });
            match &mut difference {
                _ if !only_differs => return Err(report(&mut processes, found, asked)),
                Some(first) => first.alike += 1,
                None => difference = Some(found),
            }
        }
    }
    difference.map_or(Ok(()), |found| Err(report(&mut processes, found, asked)))
}

fn is_over(asked: Models, number: u32, elapsed: Duration) -> bool {
    match (asked.script, asked.soak) {
        (Some(_), _) => false,
        (None, Some(duration)) => elapsed >= duration,
        (None, None) => number >= asked.scripts.unwrap_or(if asked.is_reference { SCRIPTS } else { SCRIPTS_ON_A_GPU }),
    }
}

fn tree_of(scripts: &Scripts, seed: u64, number: u32) -> Result<Shorter, Stop> {
    let unmade = |reason| Stop::Harness(format!("script {number} cannot be made: {reason}"));
    scripts.new_tree(&mut generator(seed, number)).map_err(unmade)
}

/// Makes a script without performing it.
///
/// # Errors
/// [`Stop::Harness`] if it cannot be made.
pub(crate) fn script_of(
    machine: &Machine,
    protocols: &'static [Protocol],
    seed: u64,
    number: u32,
) -> Result<Script, Stop> {
    Ok(tree_of(&Scripts { machine: machine.clone(), protocols }, seed, number)?.current())
}

/// A generator of its own for each script, so that a script can be made without those before it.
fn generator(seed: u64, number: u32) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&number.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}
