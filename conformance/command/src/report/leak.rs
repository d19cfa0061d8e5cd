//! The end of a case, when every process releases what it holds, in C: calls that fail then, and what is left.

use super::condition::{Condition, checked};
use super::program::Program;
use super::story::{Act, Step, Story, Unwritable};
use super::values::{Kind, Value};
use super::{call, usage};

/// Returns the number of bytes and the GPU of the reason of a leak of memory.
fn memory(reason: &str) -> Option<(u64, i32)> {
    let (bytes, rest) = reason.split_once(" bytes of memory on GPU ")?;
    Some((bytes.parse().ok()?, rest.split(' ').next()?.parse().ok()?))
}

/// Whether a role can ask for the free memory of a GPU at the end: it is on that GPU, has initialised the driver and has
/// not ended, and none of its calls failed when it released what it held.
fn can_ask(story: &Story, role: usize, gpu: i32) -> bool {
    let place = &story.roles[role].place;
    let is_refused = |act: &Act| matches!(act, Act::Step(step) if step.role == role && step.is_refused());
    place.device == gpu && !place.uninitialised && !ends(story, role) && !story.acts[story.own..].iter().any(is_refused)
}

/// Whether a role ends in the case.
fn ends(story: &Story, role: usize) -> bool {
    let is_end = |act: &Act| match act {
        Act::Exit { role: ended, .. } | Act::Signal(ended, 9) | Act::Replaced { before: ended, .. } => *ended == role,
        _ => false,
    };
    story.acts[..story.own].iter().any(is_end)
}

/// Prepares the story of a leak of memory: the processes that live until the end start first, because their contexts
/// still use memory at the end, and the free memory is measured before the others start. If none can ask for it, an
/// observer does.
pub(crate) fn arrange(story: &mut Story) {
    let Some((_, gpu)) = memory(&story.reason).filter(|_| story.verdict == "leak") else { return };
    if !(0..story.roles.len()).any(|role| can_ask(story, role, gpu)) {
        story.add_observer(gpu);
    }
    let is_first = |act: &Act| matches!(act, Act::Start(role) if !ends(story, *role));
    let order: Vec<_> = (0..story.acts.len()).map(|place| !is_first(&story.acts[place])).collect();
    let mut acts: Vec<_> = std::mem::take(&mut story.acts).into_iter().zip(order).collect();
    acts.sort_by_key(|(_, is_later)| *is_later);
    story.measured = acts.iter().filter(|(_, is_later)| !is_later).count();
    story.acts = acts.into_iter().map(|(act, _)| act).collect();
}

/// What is left after everything was released.
pub(crate) enum Left {
    /// Memory of a GPU, in bytes. The participant asks how much is free.
    Memory { participant: usize, bytes: u64 },
    /// A descriptor of a participant.
    Descriptor { participant: usize, target: String },
}

impl Left {
    /// Finds out what the reason of a leak says.
    pub(crate) fn of(story: &Story) -> Result<Self, Unwritable> {
        let unknown = || Unwritable::new("the program cannot measure what is left after everything was given back");
        let reason = &*story.reason;
        if let Some((bytes, gpu)) = memory(reason) {
            if story.acts.iter().any(|act| matches!(act, Act::Replaced { .. })) {
                return Err(Unwritable::new(
                    "a process replaces its program, so what it leaves cannot be told from what its new program uses",
                ));
            }
            let participant = (0..story.roles.len()).find(|role| can_ask(story, *role, gpu)).ok_or_else(unknown)? + 1;
            return Ok(Self::Memory { participant, bytes });
        }
        let (role, rest) = reason.split_once(": a file descriptor of ").ok_or_else(unknown)?;
        // A model says when: after the script, p1.
        let role = role.rsplit(", ").next().unwrap_or(role);
        let (target, _) = rest.split_once(" is still open").ok_or_else(unknown)?;
        // A process that replaced its program is the last role with its name.
        let role = story.roles.iter().rposition(|other| other.name == role).ok_or_else(unknown)?;
        Ok(Self::Descriptor { participant: role + 1, target: target.to_owned() })
    }

    /// Returns before which act the program measures what is in use: before the first step, or, if the process that leaks
    /// starts later, after its start.
    pub(crate) fn place(&self, story: &Story) -> usize {
        match self {
            Self::Memory { .. } => story.measured,
            Self::Descriptor { participant, .. } => {
                let starts = |act: &Act| matches!(act, Act::Start(role) if role + 1 == *participant);
                let start = story.acts.iter().position(starts);
                start.map_or(story.measured, |start| story.measured.max(start + 1))
            }
        }
    }

    /// Measures what is in use. For memory, the processes that live until the end have started.
    pub(crate) fn before(&self, program: &mut Program) {
        match self {
            Self::Memory { participant, .. } => {
                program.turn(*participant);
                for name in ["free_before", "total_before"] {
                    program.declare(*participant, "size_t", name);
                }
                program.functions.insert("cuMemGetInfo".to_owned());
                program.line(*participant, "succeeds(cuMemGetInfo(&free_before, &total_before));");
            }
            Self::Descriptor { participant, target } => {
                program.turn(*participant);
                program.helpers.insert("open_descriptors");
                program.declare(*participant, "int", "open_before");
                program.line(*participant, format!("open_before = count_open({});", call::quoted(&pattern(target))));
            }
        }
    }

    /// Checks what is left.
    pub(crate) fn check(&self, program: &mut Program) {
        match self {
            Self::Memory { participant, bytes } => {
                let text = usage::becomes_free(program, *participant, "free_before", bytes.saturating_sub(1));
                checked(program, &Condition { participant: *participant, text }, "the memory must be free again");
            }
            Self::Descriptor { participant, target } => {
                program.turn(*participant);
                // In the run, the runner held the descriptors that were sent. In the program, the processes hold them.
                let sent = program.sent.iter().filter(|sent| !sent.is_closed);
                let held = sent.map(|sent| program.values.get(sent.value));
                let held = held.filter(|value| value.holders.contains(participant));
                let closes: Vec<_> = held.map(|value| format!("close({});", value.name)).collect();
                closes.into_iter().for_each(|line| program.line(*participant, line));
                program.declare(*participant, "int", "open_after");
                program.line(*participant, format!("open_after = count_open({});", call::quoted(&pattern(target))));
                let condition = Condition { participant: *participant, text: "open_after <= open_before".to_owned() };
                checked(program, &condition, "all descriptors must be closed");
            }
        }
    }
}

/// Returns an `fnmatch` pattern for the target of a descriptor, with `*` for each number. A number can be a process id, or
/// the name of the machine that the reference driver simulates, which may be any word in another run.
fn pattern(target: &str) -> String {
    let part = |part: &str| {
        let mut pattern = String::new();
        for c in part.chars() {
            match c {
                '0'..='9' if pattern.ends_with('*') => {}
                '0'..='9' => pattern.push('*'),
                '*' | '?' | '[' | '\\' => pattern.extend(['\\', c]),
                _ => pattern.push(c),
            }
        }
        pattern
    };
    target.split(':').map(part).collect::<Vec<_>>().join(":")
}

/// Writes what a process does to release what it holds. If `may_fail`, calls that failed in the run may fail again.
pub(crate) fn give_back(program: &mut Program, me: usize, step: &Step, may_fail: bool) -> Result<(), Unwritable> {
    program.line(me, format!("/* {} */", step.name()));
    for called in &step.calls {
        // A kernel that the program has loaded stays loaded, and the context that the case left is not needed.
        if matches!(&*called.call.function, "cuModuleUnload" | "cuCtxGetCurrent") {
            continue;
        }
        let written = call::write(program, me, called)?;
        let expected = if may_fail && step.is_refused() { "tries" } else { "succeeds" };
        program.line(me, format!("{expected}({});", written.text));
        written.register(program, me);
    }
    let is_open = |value: &Value| value.owner == me && value.kind == Kind::Descriptor && !value.is_released;
    for place in program.values.all_that(is_open) {
        program.values.get_mut(place).is_released = true;
        let name = program.values.get(place).name.clone();
        program.line(me, format!("holds({name} < 0 || !close({name}), \"the driver has not closed the descriptor\");"));
    }
    Ok(())
}
