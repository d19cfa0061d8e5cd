//! The end of a case, when every process releases what it holds, in C: calls that fail then, and what is left.

use super::program::Program;
use super::story::{Act, Step, Story, Unwritable};
use super::values::{Kind, Value};
use super::{call, usage};

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
        if let Some((bytes, rest)) = reason.split_once(" bytes of memory on GPU ") {
            let gpu: i32 = rest.split(' ').next().and_then(|gpu| gpu.parse().ok()).ok_or_else(unknown)?;
            // The memory of a process that ends comes back with it.
            let has_ended = |act: &Act| matches!(act, Act::Exit { .. } | Act::Signal(_, 9));
            let first_step = story.acts.iter().position(|act| matches!(act, Act::Step(_))).ok_or_else(unknown)?;
            let starts_late = story.acts[first_step..].iter().any(|act| matches!(act, Act::Start(_)));
            let is_sound = |role: usize| {
                let mut ends = story.acts[story.own..].iter();
                !ends.any(|act| matches!(act, Act::Step(step) if step.role == role && step.is_refused()))
            };
            let can_ask = |role: &usize| {
                let place = &story.roles[*role].place;
                place.device == gpu && !place.uninitialised && is_sound(*role)
            };
            let participant = (0..story.roles.len()).find(can_ask);
            if starts_late || story.acts[..story.own].iter().any(has_ended) {
                return Err(Unwritable::new("the memory that is left cannot be told from that of a process"));
            }
            let participant = participant.ok_or_else(unknown)? + 1;
            return Ok(Self::Memory { participant, bytes: bytes.parse().map_err(|_| unknown())? });
        }
        let (role, rest) = reason.split_once(": a file descriptor of ").ok_or_else(unknown)?;
        let (target, _) = rest.split_once(" is still open").ok_or_else(unknown)?;
        let role = story.roles.iter().position(|other| other.name == role).ok_or_else(unknown)?;
        let first_step = story.acts.iter().position(|act| matches!(act, Act::Step(_))).ok_or_else(unknown)?;
        if story.acts[first_step..].iter().any(|act| matches!(act, Act::Start(late) if *late == role)) {
            return Err(unknown());
        }
        let participant = role + 1;
        Ok(Self::Descriptor { participant, target: target.to_owned() })
    }

    /// Measures before the first step.
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
        program.checks += 1;
        match self {
            Self::Memory { participant, bytes } => {
                program.turn(*participant);
                let least = format!("free_before - {} + 1", call::size(*bytes));
                let condition = usage::becomes_free(program, &least);
                program.line(*participant, format!("holds({condition}, \"all memory is free again\");"));
            }
            Self::Descriptor { participant, target } => {
                program.turn(*participant);
                let condition = format!("count_open({}) <= open_before", call::quoted(&pattern(target)));
                program.line(*participant, format!("holds({condition}, \"all descriptors are closed\");"));
            }
        }
    }
}

/// Returns a pattern of `fnmatch` for the target of a descriptor. Numbers in it can be those of a process. A part that is
/// only a number can be the name of the machine that the reference driver simulates, which can be any word.
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

/// Writes what a process does to release what it holds. A case may leave a process unable to do that.
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
        program.line(me, format!("close({name});"));
    }
    Ok(())
}
