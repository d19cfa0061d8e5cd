//! What happens in a story: the steps of its processes with their calls, what the case checks, and what the runner does.

use conformance::trace::{Bytes, Call, Comparison, Expectation};

use super::text::number;

/// The beginning of the names of steps in which a role releases what it holds.
pub(super) const GIVES_BACK: &str = "give_back";

/// A step with fewer calls misses its deadline because one of them hangs, and not because each is slow.
const MANY: usize = 100;

/// Something that happened. A role is named by its place in the story's list.
pub(crate) enum Act {
    /// A role started.
    Start(usize),
    /// A role performed a step.
    Step(Step),
    /// The case waited for the step that a role had begun.
    Join(usize),
    /// The case checked something.
    Check { text: String, comparison: Option<Comparison>, holds: bool },
    /// The last result showed that a process reaches memory that was not shared with it.
    Disclosure(String),
    /// The runner waited for the step that a role had begun.
    Wait { role: usize, ms: u64, still_waits: bool },
    /// The runner closed its copy of a descriptor that a role had sent to it.
    Closed { role: usize, target: String },
    /// The runner put a descriptor of a role into a socket that nobody reads.
    Unread { role: usize, target: String },
    /// The runner closed that socket.
    Discarded,
    /// The case computed a number from others.
    Computed { value: u64, expression: String, from: Vec<u64> },
    /// The runner sent a signal to a role.
    Signal(usize, i32),
    /// A process replaced its program, and became another role.
    Replaced { before: usize, after: usize },
    /// A role ended by itself; how, if it was not in order.
    Exit { role: usize, with_handlers: bool, end: Option<String> },
    /// A role did not end in order when the runner let it exit, after the case.
    EndsBadly { role: usize, end: String },
}

/// A step: the driver calls behind one line of the case.
pub(crate) struct Step {
    pub(crate) role: usize,
    /// The step as a case writes it.
    pub(crate) text: String,
    pub(crate) calls: Vec<Called>,
    pub(crate) answer: String,
    /// The deadline that passed without an answer, in milliseconds.
    pub(crate) deadline_ms: Option<u64>,
    pub(crate) expectation: Expected,
    /// Whether other processes went on before the step had ended.
    pub(crate) is_begun: bool,
    /// Whether its success discloses memory.
    pub(crate) discloses: bool,
    /// Whether the case got the output of the step, even if a call in it failed.
    pub(crate) has_output: bool,
    /// Whether the case compares the code that refused the step.
    pub(crate) keeps_code: bool,
    /// Another role that the step names by its process.
    pub(crate) other: Option<usize>,
    /// The descriptor that the process got or sent.
    pub(crate) descriptor: Option<Descriptor>,
    /// How many steps of the case it stands for: more than one if the case repeated it until its result was the right one.
    pub(crate) times: usize,
    /// Whether the case would have repeated it. The check after it has the condition.
    pub(crate) is_awaited: bool,
}

/// A descriptor of a step.
pub(crate) struct Descriptor {
    /// The target, as the kernel names it.
    pub(crate) target: String,
    pub(crate) write_only: bool,
    /// The size of a file.
    pub(crate) size: u64,
}

/// What a case expects of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Success,
    Other(Expectation),
}

/// A driver call, and what it returned: nothing if the process ended or hung.
pub(crate) struct Called {
    pub(crate) call: Call,
    /// The thread, if it is not the main one.
    pub(crate) thread: Option<u32>,
    pub(crate) returned: Option<Returned>,
}

pub(crate) struct Returned {
    pub(crate) code: u32,
    pub(crate) outputs: Vec<Option<Bytes>>,
}

impl Step {
    /// Returns the name of the step: `mem_alloc` for `mem_alloc { size: 512 }`.
    pub(crate) fn name(&self) -> &str {
        self.text.split([' ', '{']).next().unwrap_or_default()
    }

    /// Whether the process releases what it holds, after the case.
    pub(crate) fn gives_back(&self) -> bool {
        self.text.starts_with(GIVES_BACK)
    }

    /// Whether the step opens, checks and closes something a number of times, and answers with the round that was wrong.
    pub(crate) fn opens_repeatedly(&self) -> bool {
        self.name().ends_with("_repeatedly")
    }

    /// Whether a call of the step failed, or did not return.
    pub(crate) fn is_refused(&self) -> bool {
        self.calls.iter().any(|called| called.returned.as_ref().is_none_or(|returned| returned.code != 0))
    }

    /// Returns the deadline in milliseconds that passed during many calls, perhaps because each of them was slow.
    pub(crate) fn missed_deadline(&self) -> Option<u64> {
        self.deadline_ms.filter(|_| self.calls.len() >= MANY && self.expectation == Expected::Success)
    }

    /// Whether it succeeded, and the case lets the driver refuse it.
    pub(crate) fn may_be_refused(&self) -> bool {
        matches!(self.expectation, Expected::Other(Expectation::Any | Expectation::Survives)) && !self.is_refused()
    }

    /// Returns the code that the last call returned.
    pub(crate) fn code(&self) -> Option<u32> {
        self.calls.last()?.returned.as_ref().map(|returned| returned.code)
    }

    /// Returns a field of the step that is a number, such as the 7 in `seed: 7` or `pointer: Pointer(0x7)`.
    pub(crate) fn number(&self, field: &str) -> Option<u64> {
        let start = self.text.find(&format!(" {field}: "))? + field.len() + 3;
        let rest = self.text.get(start..)?;
        let rest = rest
            .split_once('(')
            .filter(|(before, _)| before.chars().all(char::is_alphabetic))
            .map_or(rest, |pair| pair.1);
        let word = rest.split([',', ' ', ')', '}']).next()?;
        number(word).and_then(|number| u64::try_from(number).ok())
    }
}
