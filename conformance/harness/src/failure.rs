//! What a failed case shows: the kind of defect, and the call that showed it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::step::{Accepted, Access, Step, function, read_call};
use crate::{Stop, Verdict};

/// The kind of a defect. The variants are sorted from worst to least bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Defect {
    /// A process can access memory that was not shared with it, or read memory to which it has no access.
    Disclosure,
    /// Memory does not contain what was written to it, or a process can write memory to which it has no access.
    Corruption,
    /// A process crashed: in a call, or when it exited after its last one. Or two runs of the suite broke off in this case.
    Crash,
    /// A call did not return before its deadline.
    Hang,
    /// Memory is missing or a descriptor is open after everything was released.
    Leak,
    /// A value that is neither memory nor a code is wrong.
    Result,
    /// A call returned another code than expected.
    Code,
    /// The harness failed, so the driver's behaviour is unknown.
    Unknown,
    /// A case or a call takes longer.
    Slower,
}

impl Defect {
    /// All kinds, worst first.
    pub const ALL: [Self; 9] = [
        Self::Disclosure,
        Self::Corruption,
        Self::Crash,
        Self::Hang,
        Self::Leak,
        Self::Result,
        Self::Code,
        Self::Unknown,
        Self::Slower,
    ];

    /// Returns the words for people, for one defect of this kind.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Disclosure => "disclosure",
            Self::Corruption => "corruption",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Leak => "leak",
            Self::Result => "wrong result",
            Self::Code => "wrong code",
            Self::Unknown => "harness error",
            Self::Slower => "slowdown",
        }
    }

    /// Returns a number of defects of this kind in words: `1 crash`, `2 crashes`.
    #[must_use]
    pub fn count(self, number: usize) -> String {
        let plural = match self {
            _ if number == 1 => "",
            Self::Crash => "es",
            _ => "s",
        };
        format!("{number} {}{plural}", self.words())
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// How a case failed: what the harness knew when the case stopped. A comparison groups failures by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// The kind of the defect.
    pub kind: Defect,
    /// The role whose call failed; absent if a check failed or no single role is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The call that failed: the name of the C function, or of a helper of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_call")]
    pub call: Option<String>,
    /// The code that the call returned, or the signal or exit code that ended its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The number of the step that failed, from 1: the last one before the case stopped, or that of a crash or a hang. Absent
    /// if the process crashed or hung in no step, such as in `exit()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}

impl Failure {
    /// Returns a failure of which only the kind is known.
    #[must_use]
    pub const fn of(kind: Defect) -> Self {
        Self { kind, role: None, call: None, result: None, step: None }
    }

    /// Returns what is known when a case stops after these steps. `None` if that is no failure.
    pub(crate) fn when(stop: &Stop, steps: &[Step]) -> Option<Self> {
        // After a failed check, the runner looks where memory is wrong.
        let looks = steps.last().is_some_and(|step| step.call.starts_with("first_wrong_byte"));
        let steps = &steps[..steps.len() - usize::from(looks)];
        let last = steps.last();
        let of_a_call = |kind, role: &str, call: String, result: String| Self {
            role: Some(role.to_owned()),
            call: Some(call),
            result: Some(result),
            ..Self::of(kind)
        };
        let known = match stop {
            Stop::Unsupported(_) | Stop::Missing(_) => return None,
            Stop::Harness(_) => Self::of(Defect::Unknown),
            Stop::Failed(_) => Self::of(Defect::Result),
            Stop::Corrupted(_) => Self::of(Defect::Corruption),
            Stop::Disclosed(_) => Self::of(Defect::Disclosure),
            Stop::Leaked(_) => Self::of(Defect::Leak),
            Stop::Refused(refusal) | Stop::Unexpected { refusal, .. } | Stop::Kept { refusal, .. } => {
                of_a_call(Defect::Code, &refusal.role, refusal.function.clone(), refusal.code.to_string())
            }
            Stop::Accepted { step: None, .. } => Self::of(Defect::Code),
            Stop::Accepted { step: Some((role, step)), .. } => {
                let Accepted { access, function, .. } = Accepted::of(step);
                let kind = match access {
                    Some(Access::Read) => Defect::Disclosure,
                    Some(Access::Write) => Defect::Corruption,
                    None => Defect::Code,
                };
                of_a_call(kind, role, function, cuda_ipc_sys::CUresult::CUDA_SUCCESS.to_string())
            }
            Stop::Crashed { role, end, step } => of_a_call(Defect::Crash, role, function(step), signal(end).to_owned()),
            Stop::TimedOut { role, step, .. } => {
                Self { result: None, ..of_a_call(Defect::Hang, role, function(step), String::new()) }
            }
        };
        let is_of_the_role = |step: &Step| known.role.as_ref().is_none_or(|role| *role == step.role);
        // Other roles can have steps after a crash or a hang, such as one that lets a waiting kernel end.
        let step = match stop {
            Stop::Crashed { .. } | Stop::TimedOut { .. } => {
                let is_it = |step: &Step| is_of_the_role(step) && known.call == Some(step.function());
                steps.iter().rposition(is_it).map(|place| place + 1)
            }
            // A release has no step.
            Stop::Kept { .. } => None,
            // A call that could not be sent has no step.
            _ => last.is_some_and(is_of_the_role).then_some(steps.len()),
        };
        Some(Self { step, ..known })
    }

    /// Returns what is known of a verdict that says by itself what is wrong, or of a report of an earlier suite.
    #[must_use]
    pub const fn of_verdict(verdict: Verdict) -> Option<Self> {
        Some(Self::of(match verdict {
            Verdict::Pass | Verdict::Fixed | Verdict::Unsupported | Verdict::Differs => return None,
            Verdict::Fail | Verdict::Deviation => Defect::Result,
            Verdict::Leak => Defect::Leak,
            Verdict::Timeout => Defect::Hang,
            Verdict::Crash => Defect::Crash,
            Verdict::Error => Defect::Unknown,
        }))
    }

    /// Reads a crash, a hang or a leak in the reason of a case, as reports of earlier suites have it: `importer: killed by
    /// signal 11 (SIGSEGV) in cuMemPoolDestroy(pool: Pool(…))`. `None` if the reason tells of nothing like that.
    pub(crate) fn in_words(reason: &str) -> Option<Self> {
        const LEAKS: [&str; 2] =
            ["still open after the process released everything", "still in use after all processes"];
        const ENDS: [&str; 2] = ["killed by signal ", "exited with code "];
        const HANG: &str = "no answer to ";
        let line = reason.lines().next()?;
        // An intermittent bug of a list has the same reason in each run.
        if let Some((verdict, rest)) = line.strip_prefix("intermittent ").and_then(|rest| rest.split_once(": ")) {
            let kind = [Verdict::Crash, Verdict::Timeout, Verdict::Leak].into_iter().find(|one| one.word() == verdict);
            let call = rest.strip_prefix("in ").map(function).filter(|call| !call.is_empty());
            return Some(Self { call, ..Self::of_verdict(kind?)? });
        }
        if LEAKS.iter().any(|words| line.contains(words)) {
            return Some(Self::of(Defect::Leak));
        }
        // The role stands before it, and what happened before the role: `after the case, importer: killed …`.
        let (place, words) = ENDS.iter().chain([&HANG]).find_map(|words| Some((line.find(words)?, *words)))?;
        let (before, told) = line.split_at(place);
        let role = before.trim_end_matches(": ").rsplit([',', ':']).next().map(|role| role.trim().to_owned());
        let role = role.filter(|role| !role.is_empty());
        let known = |kind, call: &str, result| Self {
            role: role.clone(),
            call: Some(function(call)).filter(|call| !call.is_empty()),
            result,
            ..Self::of(kind)
        };
        if words == HANG {
            return Some(known(Defect::Hang, &told[HANG.len()..], None));
        }
        let (end, call) = told.split_once(" in ").unwrap_or((told, ""));
        Some(known(Defect::Crash, call, Some(signal(end).to_owned())))
    }

    /// Returns the failing call in words, if one is known: `SIGSEGV in cuMemPoolImportPointer`. The same defect has the
    /// same words in every case.
    #[must_use]
    pub fn what(&self) -> Option<String> {
        let call = self.call.as_ref()?;
        Some(match (self.kind, &self.result) {
            (Defect::Crash, Some(result)) => format!("{result} in {call}"),
            (_, Some(result)) => format!("{call} returned {result}"),
            // Each of the calls may have returned.
            (Defect::Hang, None) if is_of_many_calls(call) => {
                format!("{call}, which makes many calls, took longer than the deadline")
            }
            (Defect::Hang, None) => format!("{call} did not return"),
            (_, None) => call.clone(),
        })
    }

    /// Returns where it happened: `importer, step 11`.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let step = self.step.map(|step| format!("step {step}"));
        let words: Vec<_> = self.role.iter().cloned().chain(step).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// Writes the kind, and the failing call if one is known: `crash, SIGSEGV in cuMemPoolImportPointer (importer, step 11)`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if let Some(what) = self.what() {
            write!(f, ", {what}")?;
        }
        self.place().map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}

/// Whether a call of the suite makes many calls of the driver, which together may take as long as one.
fn is_of_many_calls(call: &str) -> bool {
    call.ends_with("_repeatedly") || call.contains("_many")
}

/// Returns the name of the signal in the end of a process, as in `killed by signal 11 (SIGSEGV)`, else the end itself.
fn signal(end: &str) -> &str {
    let name = end.split_once("(SIG").and_then(|(before, rest)| {
        let length = rest.find(')')?;
        end.get(before.len() + 1..before.len() + "(SIG".len() + length)
    });
    name.unwrap_or(end)
}
