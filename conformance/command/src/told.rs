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

/// Returns the steps of a case. The same address or handle has the same name in all of them: `pointer A`, `handle B`. A
/// descriptor has one name in each role, because its number means another file in another process.
pub(crate) fn told(steps: &[Step]) -> Vec<Told> {
    let mut names = Names::default();
    let told = |step: &Step| Told {
        role: step.role.clone(),
        call: names.of_role(&step.role).name(&step.in_c()),
        answer: if step.answer == "()" { "success".to_owned() } else { names.answer(step, short(step)) },
        took: step
            .ms
            .map(|ms| if ms < 0.1 { format!("{:.0} µs", ms * 1e3) } else { format!("{ms:.1} ms") })
            .unwrap_or_default(),
        log: step.log.clone(),
    };
    steps.iter().map(told).collect()
}

/// Returns the answer of a step without what its line says already, and without what the suite adds to a refusal:
/// `importer: cuMemMap returned CUDA_ERROR_INVALID_VALUE (1), expected CUDA_SUCCESS`. The case may have expected it.
fn short(step: &Step) -> &str {
    let Some(refused) = step.answer.strip_suffix(", expected CUDA_SUCCESS") else { return &step.answer };
    let refused = refused.split_once(": ").map_or(refused, |(_, refused)| refused);
    refused.strip_prefix(&format!("{} returned ", step.function())).unwrap_or(refused)
}

/// Returns a text with the names that addresses and handles have in the steps of a case.
pub(crate) fn in_words(steps: &[Step], text: &str) -> String {
    let mut names = Names::default();
    for step in steps {
        names.of_role(&step.role).name(&step.in_c());
        names.answer(step, &step.answer);
    }
    // The reason of a case begins with the role that it is about.
    let role = text.split_once(": ").map_or("", |(role, _)| role);
    let is_known = steps.iter().any(|step| step.role == role);
    names.of_role(if is_known { role } else { "" }).name(text)
}

/// The names that addresses and handles got, by kind and value.
#[derive(Default)]
struct Names {
    /// The role that performs the step.
    role: String,
    known: BTreeMap<(String, String), String>,
    counts: BTreeMap<String, usize>,
    /// The addresses that calls of each role returned, with the size of each.
    memory: BTreeMap<(String, u64), u64>,
}

impl Names {
    fn of_role(&mut self, role: &str) -> &mut Self {
        role.clone_into(&mut self.role);
        self
    }

    /// Names what a step returned. An address that it returned has a size: that in the call, or the largest so far, which an
    /// import has.
    fn answer(&mut self, step: &Step, answer: &str) -> String {
        if let Some(address) =
            wrapped(answer).filter(|(kind, ..)| *kind == POINTER).and_then(|(_, value, _)| hex(value))
        {
            let size =
                step.call.split_once(" size: ").and_then(|(_, rest)| rest.split([',', ' ']).next()?.parse().ok());
            let size = size.or_else(|| self.memory.values().max().copied()).unwrap_or_default();
            self.memory.insert((self.role.clone(), address), size);
        }
        self.name(answer)
    }

    /// Returns the name of an address inside memory that a call returned: `pointer A + 4096`.
    fn inside(&self, value: &str) -> Option<String> {
        let address = hex(value)?;
        let ((_, base), size) = self.memory.range((self.role.clone(), 0)..=(self.role.clone(), address)).next_back()?;
        let offset = address - base;
        if offset == 0 || offset >= *size {
            return None;
        }
        let base = self.known.get(&(words(POINTER), format!("{base:#x}")))?;
        Some(format!("{base} + {offset}"))
    }

    /// Returns the argument of a kernel: the name of a known address, or a number.
    fn argument(&self, text: &str) -> Option<(String, usize)> {
        let inner = text.strip_prefix("U64(").or_else(|| text.strip_prefix("U32("))?;
        let (number, _) = inner.split_once(')')?;
        let address = format!("{:#x}", number.parse::<u64>().ok()?);
        let known = self.known.get(&(words(POINTER), address.clone())).cloned();
        let name = known.or_else(|| self.inside(&address)).unwrap_or_else(|| number.to_owned());
        Some((name, text.len() - inner.len() + number.len() + 1))
    }

    /// Replaces `Pointer(0x7f2a40000000)` by `pointer A`, `Descriptor(8)` by `descriptor A`, and `MemHandle(CUipcMemHandle(5ac3…))` by `mem handle A`.
    fn name(&mut self, text: &str) -> String {
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_uppercase()) {
            let (before, from) = rest.split_at(start);
            let is_in_a_word = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            named.push_str(before);
            if let Some((argument, length)) = self.argument(from).filter(|_| !is_in_a_word) {
                named.push_str(&argument);
                rest = &from[length..];
                continue;
            }
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
        let is_descriptor = kind == DESCRIPTOR;
        let value = if is_descriptor { format!("{} {value}", self.role) } else { value.to_owned() };
        let kind = words(kind);
        if !is_descriptor && value.trim_start_matches("0x").bytes().all(|digit| digit == b'0') {
            return format!("null {kind}");
        }
        let is_new = !self.known.contains_key(&(kind.clone(), value.clone()));
        if is_new
            && kind == words(POINTER)
            && let Some(inside) = self.inside(&value)
        {
            return inside;
        }
        let counts = &mut self.counts;
        let name = self.known.entry((kind.clone(), value)).or_insert_with(|| {
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            format!("{kind} {}", letters(*count))
        });
        name.clone()
    }
}

/// The type of an address.
const POINTER: &str = "Pointer";

fn hex(value: &str) -> Option<u64> {
    u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()
}

/// The type of a descriptor, whose number is decimal.
const DESCRIPTOR: &str = "Descriptor";

/// Returns the outermost wrapper, the number and the length of a text that begins with `Kind(Other(number))`.
fn wrapped(text: &str) -> Option<(&str, &str, usize)> {
    const SHORTEST_HANDLE: usize = 16;
    let (kind, mut inner) = text.split_once('(')?;
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // An output that a call may lack is named after what it is.
    if !is_name(kind) || kind == "Some" {
        return None;
    }
    let mut depth = 1;
    while let Some((_, deeper)) = inner.split_once('(').filter(|(name, _)| is_name(name)) {
        inner = deeper;
        depth += 1;
    }
    let end = inner.find(')')?;
    let value = &inner[..end];
    let is_number = match value.strip_prefix("0x") {
        _ if kind == DESCRIPTOR => !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()),
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => value.len() >= SHORTEST_HANDLE && value.bytes().all(|byte| byte.is_ascii_hexdigit()),
    };
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
