//! What a trace has in its lines.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A case began.
    Case {
        /// The case.
        case: String,
        /// The number of GPUs that it needs.
        gpus: usize,
        /// The first CUDA version that it needs a driver to support, if any: 1000 × major + 10 × minor.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cuda: Option<u32>,
        /// The CUDA version that a driver must not support yet, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cuda_before: Option<u32>,
    },
    /// What the case did before does not count: a model begins another script. The roles that live have events again.
    Afresh {
        /// The case.
        case: String,
    },
    /// A process became a role of a case.
    Role {
        /// The case.
        case: String,
        /// The name that the case gave the role.
        name: String,
        /// The number of its process.
        process: u32,
        /// Where it runs.
        place: Place,
    },
    /// The runner asked a role to perform a call of the harness.
    Step {
        /// The process.
        process: u32,
        /// The call, as a case writes it.
        call: String,
    },
    /// The runner got the answer to the last step of a role.
    Answer {
        /// The process.
        process: u32,
        /// The output, as text, or why there is none.
        answer: String,
        /// Whether the call succeeded.
        succeeded: bool,
        /// The deadline that passed without an answer, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline_ms: Option<u64>,
    },
    /// A role calls the driver.
    Call(Call),
    /// A driver call returned.
    Return {
        /// The process.
        process: u32,
        /// The thread in the process.
        thread: u32,
        /// The code that the driver returned.
        code: u32,
        /// What each argument points to after the call.
        outputs: Vec<Option<Bytes>>,
    },
    /// A role got a descriptor with its last step, or sent one to the runner.
    Descriptor {
        /// The process.
        process: u32,
        /// The target of the descriptor, as the kernel names it.
        target: String,
        /// Whether the descriptor can only be written to.
        write_only: bool,
        /// The size of a file.
        size: u64,
    },
    /// The runner closed its copy of a descriptor that a role had sent to it.
    Closed {
        /// The process that sent it.
        process: u32,
        /// The target of the descriptor, as the kernel names it.
        target: String,
    },
    /// The runner put a descriptor that a role had sent into a socket that nobody reads.
    Unread {
        /// The process that sent it.
        process: u32,
        /// The target of the descriptor, as the kernel names it.
        target: String,
    },
    /// The runner closed the socket with an unread descriptor.
    Discarded {
        /// The case.
        case: String,
    },
    /// The case computed a number from what calls returned.
    Computed {
        /// The case.
        case: String,
        /// The number.
        value: u64,
        /// The expression in C, with `{0}`, `{1}` for what calls returned.
        expression: String,
        /// What calls returned.
        from: Vec<u64>,
    },
    /// The runner waited for the answer to a step.
    Wait {
        /// The process.
        process: u32,
        /// How long it waited, in milliseconds.
        ms: u64,
        /// Whether there was still no answer.
        still_waits: bool,
    },
    /// The case said what it expected of the last step; without this event, it expected success.
    Expect {
        /// The case.
        case: String,
        /// What it expected.
        expectation: Expectation,
        /// The function that refused; absent if the step succeeded. A case may name its expectation after another step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// The case checked a condition.
    Check {
        /// The case.
        case: String,
        /// The condition, as in the source.
        text: String,
        /// The comparison, if the condition is one.
        comparison: Option<Comparison>,
        /// Whether the condition held.
        holds: bool,
        /// Whether the case repeated the last step until the condition held, or until that took too long.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        awaited: bool,
    },
    /// The case found that a process can access memory that was never shared with it.
    Disclosure {
        /// The case.
        case: String,
        /// What it can access.
        text: String,
    },
    /// The runner killed, stopped or resumed a process.
    Signal {
        /// The process.
        process: u32,
        /// The number of the signal.
        signal: i32,
    },
    /// A process that was asked to exit has ended, or was killed because it did not.
    Ended {
        /// The process.
        process: u32,
        /// How, if it did not exit in order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end: Option<String>,
    },
    /// A case ended.
    End {
        /// The case.
        case: String,
        /// Its verdict, before listed bugs are applied.
        verdict: String,
        /// Why it did not pass.
        reason: Option<String>,
    },
}

/// A driver call before it returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The process.
    pub process: u32,
    /// The thread in the process.
    pub thread: u32,
    /// The name of the function, without the suffix of its version.
    pub function: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a driver call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// The type in Rust, without its path.
    #[serde(rename = "type")]
    pub kind: String,
    /// A number, or the address in a pointer. A structure has its contents in `bytes` instead.
    pub value: u64,
    /// What the pointer points to before the call, or the contents of a structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
}

/// The contents of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bytes {
    /// The bytes as hexadecimal digits.
    Hex(String),
    /// A text, without its terminating zero.
    Text(String),
    /// The PTX of one of our kernels, by its entry.
    Kernel(String),
    /// The words that the kernel `fill` writes for a seed.
    Pattern {
        /// The seed.
        seed: u32,
        /// The number of words.
        words: u64,
    },
    /// One byte, repeated.
    Same {
        /// The byte.
        byte: u8,
        /// The number of bytes.
        length: u64,
    },
    /// Contents that are too long for a trace.
    Long {
        /// The number of bytes.
        length: u64,
    },
}

impl Bytes {
    const LONGEST: usize = 4096;

    /// Describes contents.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let length = bytes.len() as u64;
        if bytes.len() > 64 {
            if bytes.iter().all(|byte| *byte == bytes[0]) {
                return Self::Same { byte: bytes[0], length };
            }
            let (words, rest) = bytes.as_chunks::<4>();
            let seed = u32::from_le_bytes(words[0]);
            let is_pattern =
                |(index, word): (usize, &[u8; 4])| *word == kernels::pattern(seed, index as u64).to_le_bytes();
            if rest.is_empty() && words.iter().enumerate().all(is_pattern) {
                return Self::Pattern { seed, words: words.len() as u64 };
            }
        }
        if bytes.len() > Self::LONGEST {
            return Self::Long { length };
        }
        Self::Hex(bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        }))
    }

    /// Returns the bytes, if the description has all of them and they are not too many.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Hex(digits) => (0..digits.len() / 2)
                .map(|place| u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok())
                .collect(),
            Self::Same { byte, length } => {
                let length = usize::try_from(*length).ok().filter(|length| *length <= Self::LONGEST)?;
                Some(vec![*byte; length])
            }
            _ => None,
        }
    }
}

/// Where a role runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The ordinal of the device whose primary context is current.
    pub device: i32,
    /// Whether the role does not call `cuInit`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uninitialised: bool,
    /// The number of another user that the role became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The PID namespace that the case made for the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_namespace: Option<Namespace>,
    /// The environment variables that place it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// A role in a PID namespace of its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The number of the namespace, from 1.
    pub number: u32,
    /// The role's process in it, as the role's own calls name it: its number, and that of the namespace in the high bits.
    pub process: u32,
}

impl Namespace {
    /// Describes a process of a namespace. Linux numbers processes below 2 to the 22nd.
    pub(crate) const fn of(number: u32, inner_id: u32) -> Self {
        Self { number, process: (number << 22) + inner_id }
    }
}

/// What a case expects of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// A refusal with one of these codes, or with any code if there are none.
    Refused(Vec<u32>),
    /// Success or a refusal with one of these codes.
    Among(Vec<u32>),
    /// Success or any refusal.
    Any,
    /// Anything, even a crash or a hang.
    Survives,
}

/// Two values that a case compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// The left value, as text.
    pub left: String,
    /// An operator of Rust, such as `==`, or one of these: `%`, the left value must be a multiple of the right one; `is a
    /// power of`, the left value must be a power of the right one; `are distinct`, no two numbers on the left are equal.
    pub operator: String,
    /// The right value, as text.
    pub right: String,
}
