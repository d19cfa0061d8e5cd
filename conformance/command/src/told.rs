//! Steps in the words of CUDA: the C function, and names in place of addresses and handles.

use std::collections::BTreeMap;

use conformance::report::Step;

/// A step as a reader sees it.
pub(crate) struct Told {
    pub(crate) role: String,
    pub(crate) call: String,
    pub(crate) answer: String,
    /// How long the call took, with a unit; empty if unknown.
    pub(crate) took: String,
    pub(crate) log: Vec<String>,
}

/// Returns the steps of a case. The same address or handle has the same name in all of them: `pointer A`, `handle B`.
pub(crate) fn told(steps: &[Step]) -> Vec<Told> {
    let mut names = Names::default();
    let told = |step: &Step| Told {
        role: step.role.clone(),
        call: names.name(&step.in_c()),
        answer: if step.answer == "()" { "success".to_owned() } else { names.name(&step.answer) },
        took: step
            .ms
            .map(|ms| if ms < 0.1 { format!("{:.0} µs", ms * 1e3) } else { format!("{ms:.1} ms") })
            .unwrap_or_default(),
        log: step.log.clone(),
    };
    steps.iter().map(told).collect()
}

/// Returns a text with the names that addresses and handles have in the steps of a case.
pub(crate) fn in_words(steps: &[Step], text: &str) -> String {
    let mut names = Names::default();
    for step in steps {
        names.name(&step.in_c());
        names.name(&step.answer);
    }
    names.name(text)
}

/// The names that addresses and handles got, by kind and value.
#[derive(Default)]
struct Names {
    known: BTreeMap<(String, String), String>,
    counts: BTreeMap<String, usize>,
}

impl Names {
    /// Replaces `Pointer(0x7f2a40000000)` by `pointer A`, and `MemHandle(CUipcMemHandle(5ac3…))` by `mem handle A`.
    fn name(&mut self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_uppercase()) {
            let (before, from) = rest.split_at(start);
            let is_in_a_word = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            named.push_str(before);
            match wrapped(from).filter(|_| !is_in_a_word) {
                Some((kind, value, length)) => {
                    named.push_str(&self.of(kind, value));
                    rest = &from[length..];
                }
                None => {
                    let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
                    named.push_str(&from[..end]);
                    rest = &from[end..];
                }
            }
        }
        named + rest
    }

    fn of(&mut self, kind: &str, value: &str) -> String {
        let kind = words(kind);
        if value.trim_start_matches("0x").bytes().all(|digit| digit == b'0') {
            return format!("null {kind}");
        }
        let counts = &mut self.counts;
        let name = self.known.entry((kind.clone(), value.to_owned())).or_insert_with(|| {
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            format!("{kind} {}", letters(*count))
        });
        name.clone()
    }
}

/// Returns the outermost wrapper, the number and the length of a text that begins with `Kind(Other(number))`.
fn wrapped(text: &str) -> Option<(&str, &str, usize)> {
    const SHORTEST_HANDLE: usize = 16;
    let (kind, mut inner) = text.split_once('(')?;
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name(kind) {
        return None;
    }
    let mut depth = 1;
    while let Some((_, deeper)) = inner.split_once('(').filter(|(name, _)| is_name(name)) {
        inner = deeper;
        depth += 1;
    }
    let end = inner.find(')')?;
    let value = &inner[..end];
    let digits = value.strip_prefix("0x").or_else(|| (value.len() >= SHORTEST_HANDLE).then_some(value))?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let closing = &inner[end..];
    let is_closed = closing.bytes().take(depth).filter(|byte| *byte == b')').count() == depth;
    (is_number && is_closed).then_some((kind, value, text.len() - closing.len() + depth))
}

/// Returns the words of a type's name: `mem handle` for `MemHandle`.
fn words(kind: &str) -> String {
    let mut words = String::new();
    for c in kind.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

/// Returns `A` to `Z`, then `A2` to `Z2`, and so on.
fn letters(number: usize) -> String {
    const LETTERS: usize = 26;
    let letter = char::from(b'A' + ((number - 1) % LETTERS) as u8);
    match (number - 1) / LETTERS {
        0 => letter.to_string(),
        round => format!("{letter}{}", round + 1),
    }
}
