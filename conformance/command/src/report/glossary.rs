//! What a page says of the helpers and the kernels of the suite in its steps, which no reader of CUDA's documentation knows.

use std::fmt::Write as _;

use conformance::calls::AnyCall;
use conformance::report::Step;

/// The kernels of the suite.
const KERNELS: [(&str, &str); 6] = [
    (
        "fill",
        "Writes the pattern of a seed to every word: the arguments are the address, the number of words and the seed",
    ),
    (
        "verify",
        "Counts the words that differ from the pattern of a seed: the last argument is the address of the counter",
    ),
    ("scale", "Multiplies every word: the arguments are the address, the number of words and the factor"),
    ("latch", "Waits until the word at an address has a value"),
    ("spin", "Keeps the GPU busy for a number of nanoseconds"),
    ("add", "Adds a value to the word at an address, in every thread: the last argument is how many times"),
];
/// What the word at an index is, as `kernels::pattern` computes it.
const PATTERN: &str = "word number `n` of the pattern of a seed is `seed ^ (n * 0x9E3779B9)`, with 32 bits";

const RUNNER: &str = "the process that starts the others, and that passes descriptors from one to another";

/// Lists the helpers and the kernels in some steps, in the order of their first steps.
pub(super) fn text(steps: &[&Step]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |line: String| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    };
    for step in steps {
        // `function` returns the name of a helper unchanged.
        let function = step.function();
        let is_helper = step.call.split([' ', '{', '(']).next() == Some(&*function);
        if let Some(about) = AnyCall::about(&function).filter(|_| is_helper) {
            add(format!("- `{function}`: {}.", without_links(&about)));
        }
        let entry = step.call.split_once("entry: \"").and_then(|(_, rest)| rest.split('"').next());
        if let Some((kernel, about)) = entry.and_then(|entry| KERNELS.iter().find(|(kernel, _)| *kernel == entry)) {
            add(format!("- kernel `{kernel}`: {about}."));
        }
    }
    if lines.iter().any(|line| line.contains("pattern of a seed")) {
        lines.push(format!("- pattern: {PATTERN}."));
    }
    if lines.iter().any(|line| line.contains("the runner")) {
        lines.push(format!("- runner: {RUNNER}."));
    }
    if lines.is_empty() {
        return String::new();
    }
    let mut text = "\nFunctions of the suite, not of CUDA:\n\n".to_owned();
    lines.iter().for_each(|line| {
        let _ = writeln!(text, "{line}");
    });
    text
}

/// Returns a sentence of Rust's documentation without the targets of its links: ``[`x`](y)`` becomes `` `x` ``.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain += before;
        let Some((name, after)) = link.split_once(']') else { break };
        plain += name;
        rest = after.strip_prefix('(').and_then(|target| target.split_once(')')).map_or(after, |(_, after)| after);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use kernels::{ALL, pattern};

    use super::{KERNELS, PATTERN};

    /// The page knows every kernel, and no other.
    #[test]
    fn every_kernel_has_a_line() {
        let known: Vec<_> = KERNELS.iter().map(|(name, _)| name.as_bytes()).collect();
        let entries: Vec<_> = ALL.iter().map(|kernel| kernel.entry.to_bytes()).collect();
        assert_eq!(known, entries);
    }

    /// The page says how the pattern is computed.
    #[test]
    fn the_pattern_is_as_told() {
        assert!(PATTERN.ends_with("`seed ^ (n * 0x9E3779B9)`, with 32 bits"));
        let told = |seed: u32, n: u32| seed ^ n.wrapping_mul(0x9E37_79B9);
        assert!((0..1000).all(|n| pattern(7, n.into()) == told(7, n)));
    }
}
