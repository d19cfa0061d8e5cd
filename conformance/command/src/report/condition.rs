//! A condition that a program checks.

use super::call::quoted;
use super::program::Program;

/// A condition in C, and the participant that has its values.
pub(crate) struct Condition {
    pub(crate) participant: usize,
    pub(crate) text: String,
}

impl Condition {
    /// Returns the two numbers that are compared, with the operator between them. Nothing if there are more parts, or parts that
    /// a program can evaluate only once.
    pub(crate) fn operands(&self) -> Option<[&str; 3]> {
        const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<", ">"];
        let is_simple = |text: &str| !text.is_empty() && !text.contains(['(', '"', '&', '|', '?', '=', '!', '<', '>']);
        let split = |operator| Some((operator, self.text.split_once(&format!(" {operator} "))?));
        let (operator, (left, right)) = OPERATORS.into_iter().find_map(split)?;
        (is_simple(left) && is_simple(right)).then_some([left, operator, right])
    }
}

/// Makes a program check a condition. The text says what it is about.
pub(crate) fn checked(program: &mut Program, condition: &Condition, text: &str) {
    program.turn(condition.participant);
    let text = readable(text);
    // Who reads the program knows its variables, and not the calls of the suite.
    let is_of_the_suite = calls_a_function(&text);
    let line = match condition.operands() {
        Some([left, operator, right]) => {
            let text = if is_of_the_suite { condition.text.clone() } else { text };
            format!("compares({left}, {operator}, {right}, {});", quoted(&text))
        }
        None => {
            let text = if is_of_the_suite { "a check of the case".to_owned() } else { text };
            format!("holds({}, {});", condition.text, quoted(&text))
        }
    };
    program.line(condition.participant, line);
    program.checks += 1;
}

/// Whether a condition is code with a call in it: `importer.mismatches(here, SIZE, 7)? == 0`.
fn calls_a_function(condition: &str) -> bool {
    condition.split('(').rev().skip(1).any(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Returns a condition of a case as somebody would write it: the macro that checks it puts a space between any two words. A
/// comparison with an earlier measurement becomes a sentence.
pub(crate) fn readable(condition: &str) -> String {
    if let Some(rest) = condition.strip_prefix("after.") {
        return match rest.split(' ').next() {
            Some("free") if rest.contains(">=") => "the memory must be free again".to_owned(),
            Some("free") => "the memory must be in use".to_owned(),
            resource => format!("there must be no more {} than before", resource.unwrap_or_default().replace('_', " ")),
        };
    }
    let text = condition.replace(" ?", "?").replace(" . ", ".").replace("? .", "?.");
    text.strip_prefix("* ").map_or_else(|| text.clone(), str::to_owned)
}
