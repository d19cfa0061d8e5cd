//! The processes of scripts: they perform a script, and give back what they hold after it.

use std::collections::BTreeMap;

use conformance::{
    Outcome, Problem, Role, Stop, Verdict, all_memory_is_free, begin_anew, forget_ended_roles, forget_steps,
    is_documented, models,
};

use super::operation::Live;
use super::process::start;
use super::script::{END, Script};
use super::world::World;

/// Why a script failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) stop: Stop,
    /// The row that was broken, or `None` if the end of the script was not clean.
    pub(crate) row: Option<&'static str>,
    /// How many steps were performed, with the last one.
    pub(crate) steps: usize,
}

impl Failed {
    /// Returns the script as a case. If it fails after its last step, a comment says so, because no line shows it.
    pub(crate) fn text(&self, script: &Script) -> String {
        const NOTE: &str =
            "    // It fails after its last step: a role cannot give back what it holds, or something is left.\n";
        let text = script.as_case(self.row);
        if let Some(steps) = text.strip_suffix(END)
            && self.steps == usize::MAX
        {
            return format!("{steps}{NOTE}{END}");
        }
        text
    }

    /// Whether the driver only did something else than other drivers, and no documentation says which is right.
    pub(crate) fn only_differs(&self) -> bool {
        self.stop.verdict() == Verdict::Fail && self.row.is_some_and(|row| !is_documented(row))
    }
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
        let mut result = self.perform_steps(script);
        forget_ended_roles();
        if result.is_ok() {
            result = all_memory_is_free().map_err(|stop| Failed { stop, row: None, steps: usize::MAX });
        }
        if result.is_err() {
            self.kill();
            forget_ended_roles();
            // What the driver still has in use is not the fault of the next script.
            begin_anew();
        }
        result
    }

    /// Performs a script on new processes, so that nothing depends on what they did before. If it fails, its processes end.
    ///
    /// # Errors
    /// [`Failed`]: the step that the driver answered wrongly, or what was not clean afterwards.
    pub(crate) fn perform_anew(&mut self, script: &Script) -> Result<(), Failed> {
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
        let clean = result.as_ref().map_or(Ok(()), |world| give_back(&live, world));
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
/// driver's mistake. Only imports of what ended with its exporter may be refused. The role is killed then, and its
/// descriptors are not counted, because it still holds these imports.
fn give_back(live: &Live, world: &World) -> Outcome {
    const WHEN: &str = "after the script";
    let mut problems = Vec::new();
    let mut holds_orphans = vec![false; live.roles.len()];
    for (by, role) in live.roles.iter().enumerate() {
        let orphans = live.orphans(by, world);
        let is_orphan = |problem: &Problem| problem.import().is_some_and(|import| orphans.contains(&import));
        let (open, refused): (Vec<_>, Vec<_>) = role.give_back_imports()?.into_iter().partition(is_orphan);
        holds_orphans[by] = !open.is_empty();
        problems.extend(refused.into_iter().map(|problem| problem.stop(&role.name(), WHEN)));
    }
    for (role, holds_orphans) in live.roles.iter().zip(holds_orphans) {
        let proof = role.give_back_and_prove()?;
        if holds_orphans {
            role.kill()?;
        }
        let is_the_drivers = |target: &String| !models().is_reference && target.starts_with("/dev/nvidia");
        let is_counted = |target: &String| !holds_orphans && !is_the_drivers(target);
        let left = proof.descriptors_left.into_iter().filter(is_counted);
        let left = left.map(|target| {
            let what = format!("a file descriptor of {target} is still open after the process released everything");
            Stop::leaked(format!("{WHEN}, {}: {what}", role.name()))
        });
        problems.extend(proof.problems.into_iter().map(|problem| problem.stop(&role.name(), WHEN)).chain(left));
    }
    problems.into_iter().next().map_or(Ok(()), Err)
}
