//! Removes values that differ in every run and say nothing about the driver: addresses, the bytes of handles, and the
//! numbers of processes.

use serde_json::Value;

/// The text that replaces such a value.
pub(super) const ANY: &str = "…";

/// What stands before the number of a process, as in the name of a descriptor's file: `/memfd:cuda:8315:0`.
const BEFORE_A_PROCESS: [&str; 4] = ["/proc/", "/memfd:cuda:", "process ", "pid "];

/// The folder of files in memory. A driver puts its process into their names.
const IN_MEMORY: &str = "/dev/shm/";
/// NVIDIA's driver writes it in hexadecimal: `/dev/shm/cuda.shm.0.2f3a.14`.
const OF_CUDA: &str = "/dev/shm/cuda.shm.";

/// The lowest number that is taken for an address, because no memory has that many bytes.
const LOWEST_ADDRESS: u64 = 1 << 44;

/// Replaces addresses and handles in a text: numbers that begin with `0x`, words of 16 or more hexadecimal digits, and
/// decimal numbers of 2^44 or more. Replaces the numbers of processes too.
#[must_use]
pub(crate) fn without_addresses(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut quiet = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (between, words) = rest.split_at(start);
        // An address on the web names the same thing in every run, even if it holds a commit.
        if words.starts_with("https://") {
            let (link, after) = words.split_at(words.find([' ', ')']).unwrap_or(words.len()));
            quiet.push_str(between);
            quiet.push_str(link);
            rest = after;
            continue;
        }
        let (word, after) = words.split_at(words.find(|c| !is_word(c)).unwrap_or(words.len()));
        quiet.push_str(between);
        let is_process = match word.bytes().all(|byte| byte.is_ascii_digit()) {
            true => BEFORE_A_PROCESS.iter().any(|before| quiet.ends_with(before)) || is_within(&quiet, IN_MEMORY),
            false => word.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_within(&quiet, OF_CUDA),
        };
        quiet.push_str(if is_process || is_address(word) { ANY } else { word });
        rest = after;
    }
    quiet + rest
}

/// Whether a text ends within a name that begins in this way.
fn is_within(text: &str, begin: &str) -> bool {
    text.rfind(begin).is_some_and(|place| !text[place..].contains(char::is_whitespace))
}

fn is_address(word: &str) -> bool {
    const SHORTEST_HANDLE: usize = 16;
    if word.parse::<u64>().is_ok_and(|number| number >= LOWEST_ADDRESS) {
        return true;
    }
    let (digits, shortest) = word.strip_prefix("0x").map_or((word, SHORTEST_HANDLE), |digits| (digits, 1));
    digits.len() >= shortest && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes each time from `before the deadline of 10s`. It is that of `--deadline`, and earlier suites did not name it.
fn without_deadline(reason: &str) -> String {
    const DEADLINE: &str = " before the deadline";
    let mut parts = reason.split(DEADLINE);
    let mut quiet = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        // Other words may follow, as in `10s; run 2: pass`, or the script of a model on lines of its own.
        let is_of_the_time = |c: char| c.is_alphanumeric() || c == '.';
        quiet += DEADLINE;
        quiet += rest.strip_prefix(" of ").map_or(rest, |time| time.trim_start_matches(is_of_the_time));
    }
    quiet
}

/// Whether two reasons say the same. Earlier suites did not name the call that succeeded although it must be refused.
pub(super) fn is_same_reason(old: Option<&str>, new: Option<&str>) -> bool {
    let is_later = |early: &str, late: &str| {
        let rest = early.strip_prefix("the call").filter(|rest| rest.starts_with(" returned CUDA_SUCCESS, "));
        rest.is_some_and(|rest| late.ends_with(rest))
    };
    let [old, new] = [old, new].map(|reason| reason.map(|reason| without_deadline(&without_addresses(reason))));
    old == new || old.zip(new).is_some_and(|(old, new)| is_later(&old, &new) || is_later(&new, &old))
}

/// Replaces addresses and handles in an observation.
#[must_use]
pub(crate) fn quiet(value: &Value) -> Value {
    match value {
        Value::String(text) => without_addresses(text).into(),
        Value::Number(number) if number.as_u64().is_some_and(|number| number >= LOWEST_ADDRESS) => ANY.into(),
        Value::Array(values) => values.iter().map(quiet).collect(),
        Value::Object(values) => values.iter().map(|(name, value)| (name.clone(), quiet(value))).collect(),
        other => other.clone(),
    }
}
