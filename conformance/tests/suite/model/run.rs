//! Runs scripts on roles, and reports the shortest one that fails.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use conformance::{
    Models, Note, Outcome, Role, Stop, annotate, forget_ended_roles, forget_steps, models, observe, random,
};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::operation::Live;
use super::process::start;
use super::script::{Script, Scripts, Shorter};
use super::step::Protocol;
use super::world::{Machine, World};

/// The number of scripts of a model on the reference driver, and on a GPU, where a call takes longer.
const SCRIPTS: u32 = 100;
const SCRIPTS_ON_A_GPU: u32 = 40;

/// When a search for a shorter script ends. A script that ends in a hang takes a deadline each time.
const MOST_TRIES: u32 = 400;
const LONGEST_SEARCH: Duration = Duration::from_secs(60);

/// Runs scripts of some protocols until one fails, or as many as the run asks for.
///
/// # Errors
/// [`Stop`] of the shortest script that fails.
pub(crate) fn run(protocols: &'static [Protocol]) -> Outcome {
    let asked = models();
    let scripts = Scripts { machine: Machine::under_test(), protocols };
    let (seed, began) = (random().u64(..), Instant::now());
    let mut processes = Processes::default();
    let numbers = match asked.script {
        Some(number) => number..=number,
        None => 0..=u32::MAX,
    };
    for number in numbers {
        if is_over(asked, number, began.elapsed()) {
            if asked.soak.is_some() {
                observe("scripts", number.to_string());
            }
            return Ok(());
        }
        let mut script = tree_of(&scripts, seed, number)?;
        if let Err(failed) = processes.perform(&script.current()) {
            script.end_after(failed.steps);
            return Err(report(&mut processes, script, failed, asked, number));
        }
    }
    Ok(())
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

/// Why a script failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) stop: Stop,
    /// The row that was broken, or `None` if the end of the script was not clean.
    pub(crate) row: Option<&'static str>,
    /// How many steps were performed, with the last one.
    steps: usize,
}

/// The processes of scripts. They stay alive from one script to the next if they prove clean, because a start takes
/// longer than most scripts.
#[derive(Default)]
pub(crate) struct Processes {
    /// By their number in a script, their device, and whether they are prepared to hold streams.
    roles: BTreeMap<(usize, i32, bool), Role>,
}

impl Processes {
    /// Performs a script. If it fails, its processes end.
    ///
    /// # Errors
    /// [`Failed`]: the step that the driver answered wrongly, or what was not clean afterwards.
    pub(crate) fn perform(&mut self, script: &Script) -> Result<(), Failed> {
        forget_steps();
        let result = self.perform_steps(script);
        if result.is_err() {
            self.kill();
        }
        forget_ended_roles();
        result
    }

    /// Performs a script on new processes, so that nothing depends on what they did before. If it fails, its processes end.
    ///
    /// # Errors
    /// [`Failed`]: the step that the driver answered wrongly, or what was not clean afterwards.
    fn perform_anew(&mut self, script: &Script) -> Result<(), Failed> {
        self.kill();
        forget_ended_roles();
        self.perform(script)
    }

    fn kill(&mut self) {
        self.roles.values().for_each(|role| drop(role.kill()));
        self.roles.clear();
    }

    /// Ends the processes with a number in scripts, so that the next script starts a new one.
    ///
    /// # Errors
    /// [`Stop`]: a process does not end.
    pub(crate) fn end(&mut self, by: usize) -> Outcome {
        let (ended, kept) = std::mem::take(&mut self.roles).into_iter().partition(|((of, ..), _)| *of == by);
        self.roles = kept;
        let ended: BTreeMap<_, Role> = ended;
        ended.values().try_for_each(Role::exit)?;
        forget_ended_roles();
        Ok(())
    }

    fn perform_steps(&mut self, script: &Script) -> Result<(), Failed> {
        let harness = |stop| Failed { stop, row: None, steps: 0 };
        let (mut live, holds_streams) = (Live::default(), script.holds_streams());
        for (by, device) in script.devices.iter().enumerate() {
            let role = match self.roles.remove(&(by, *device, holds_streams)) {
                Some(role) => role,
                None => start(by, *device, holds_streams).map_err(harness)?,
            };
            live.roles.push(role);
        }
        let result = steps(script, &mut live);
        if result.is_err() {
            // Before the latches are dropped: a stopped process would not answer them.
            live.roles.iter().for_each(|role| drop(role.kill()));
        }
        let clean = result.as_ref().map_or(Ok(()), |world| give_back(&live.roles, world));
        for (role, (by, device)) in std::mem::take(&mut live.roles).into_iter().zip(script.devices.iter().enumerate()) {
            if !role.is_gone() {
                self.roles.insert((by, *device, holds_streams), role);
            }
        }
        result?;
        clean.map_err(|stop| Failed { stop, row: None, steps: usize::MAX })
    }
}

/// Performs the steps of a script, and returns what exists after them.
fn steps(script: &Script, live: &mut Live) -> Result<World, Failed> {
    let mut world = script.start();
    for (place, step) in script.possible_steps().into_iter().enumerate() {
        if let Err(stop) = step.perform(&world, live) {
            return Err(Failed { stop, row: Some(step.row(&world)), steps: place + 1 });
        }
        step.apply(&mut world);
    }
    Ok(world)
}

/// Makes every role release what it holds, first its imports. Whatever cannot be released, and whatever is left, is the
/// driver's mistake. Only an orphaned role may fail to release its imports; it is killed then.
fn give_back(roles: &[Role], world: &World) -> Outcome {
    const WHEN: &str = "after the script";
    let mut problems = Vec::new();
    for (by, role) in roles.iter().enumerate() {
        let kept = role.give_back_imports()?;
        if world.processes[by].is_orphaned && !kept.is_empty() {
            role.kill()?;
        } else {
            problems.extend(kept.into_iter().map(|problem| problem.stop(&role.name(), WHEN)));
        }
    }
    for role in roles.iter().filter(|role| !role.is_gone()) {
        let proof = role.give_back_and_prove()?;
        let is_the_drivers = |target: &String| !models().is_reference && target.starts_with("/dev/nvidia");
        let left = proof.descriptors_left.into_iter().filter(|target| !is_the_drivers(target));
        let left = left.map(|target| {
            let what = format!("a file descriptor of {target} is still open after the process released everything");
            Stop::leaked(format!("{WHEN}, {}: {what}", role.name()))
        });
        problems.extend(proof.problems.into_iter().map(|problem| problem.stop(&role.name(), WHEN)).chain(left));
    }
    problems.into_iter().next().map_or(Ok(()), Err)
}

/// Looks for a shorter script that fails in the same way, performs it a last time on new processes, and says how it reads.
///
/// The report and the trace have that last performance. If the script does not fail on new processes, they still
/// have that performance. It does not show the failure, so there is no program.
fn report(processes: &mut Processes, mut tree: Shorter, failed: Failed, asked: Models, number: u32) -> Stop {
    let (verdict, original) = (failed.stop.verdict(), tree.current());
    let is_same = |failed: &Failed| failed.stop.verdict() == verdict;
    let Some(on_new) = processes.perform_anew(&original).err().filter(is_same) else {
        let text = "It fails only after the scripts before it, so its number alone does not repeat it.";
        let text = format!("script {number}:\n{}\n{text}", failed.text(&original));
        annotate(Note { text, flag: format!("--scripts {}", number + 1), row: failed.row });
        return failed.stop;
    };
    let mut shortest = (on_new, original.clone());
    if !asked.no_shrink {
        let (mut goes_on, mut tries, began) = (tree.simplify(), 0, Instant::now());
        while goes_on && tries < MOST_TRIES && began.elapsed() < LONGEST_SEARCH {
            tries += 1;
            goes_on = match processes.perform(&tree.current()).err().filter(is_same) {
                Some(failed) => {
                    shortest = (failed, tree.current());
                    tree.simplify()
                }
                None => tree.complicate(),
            };
        }
        // What processes did in the search before may have a part in the failure of the shortest script.
        for script in [shortest.1.clone(), original.clone()] {
            if let Some(failed) = processes.perform_anew(&script).err().filter(is_same) {
                shortest = (failed, script);
                break;
            }
        }
    }
    let (failed, script) = shortest;
    let (before, after) = (original.steps.len(), script.steps.len());
    let head = format!("script {number}, {after} of its {before} steps and a look at what they leave:");
    let text = format!("{head}\n{}", failed.text(&script));
    annotate(Note { text, flag: format!("--script {number}"), row: failed.row });
    failed.stop
}

impl Failed {
    pub(crate) fn text(&self, script: &Script) -> String {
        script.as_case(self.row)
    }
}
