//! What a log callback hears.

use super::program::Program;
use super::story::Step;
use super::text::{Token, tokens};
use super::values::Kind;

/// Registers a callback that ignores what it hears: the suite has one from the start.
pub(crate) fn listened_before(program: &mut Program, me: usize) {
    program.line(me, "succeeds(cuLogsRegisterCallback(ignore, NULL, &(CUlogsCallbackHandle){ NULL }));");
}

/// Adds the number of texts that the callback has heard, and lets it count again.
pub(crate) fn heard_so_far(program: &mut Program, me: usize, step: &Step) {
    let (before, _) = step.answer.split_once("afterwards: ").unwrap_or_default();
    let (texts, _) = program.variable(me, Kind::Number, "int", "texts", count(before, has_letters));
    program.line(me, format!("{texts} = heard_texts;"));
    program.line(me, "heard_texts = heard_lines = 0;");
}

/// Adds the number of lines that the callback has heard since then.
pub(crate) fn heard_afterwards(program: &mut Program, me: usize, step: &Step) {
    let (_, after) = step.answer.split_once("afterwards: ").unwrap_or_default();
    let (lines, _) = program.variable(me, Kind::Number, "int", "lines", count(after, |_| true));
    program.line(me, format!("{lines} = heard_lines;"));
}

/// Counts the lines in a list of them that qualify.
fn count(text: &str, qualifies: impl Fn(&str) -> bool) -> u64 {
    tokens(text).iter().filter(|token| matches!(token, Token::Text(line) if qualifies(line))).count() as u64
}

/// Whether a line says something: the callback of the program counts such lines as texts.
fn has_letters(line: &str) -> bool {
    line.contains(|c: char| c.is_ascii_alphabetic())
}
