//! Text in Markdown, and in the comments of C.

use std::borrow::Cow;

use crate::output::is_a_command;

/// Escapes what Markdown would take for markup.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' => escaped.extend(['\\', c]),
            '\n' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text that fits between backquotes.
pub(super) fn code(text: &str) -> String {
    text.replace('`', "'").replace('\n', " ")
}

/// Quotes an argument for a shell, if it needs that.
pub(super) fn quoted(argument: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=,.:/+".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return Cow::Borrowed(argument);
    }
    Cow::Owned(format!("'{}'", argument.replace('\'', r"'\''")))
}

/// Returns a block of code of Markdown in a language.
pub(super) fn block(language: &str, text: &str) -> String {
    // The fence must be longer than any that the text has.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// Breaks lines for a comment.
pub(super) fn wrapped(text: &str) -> String {
    const WIDTH: usize = 110;
    let mut wrapped = String::new();
    for line in text.lines() {
        // A command stays one line.
        if line.starts_with("  ") {
            wrapped += line;
            wrapped.push('\n');
            continue;
        }
        let mut length = 0;
        for (place, word) in line.split(' ').enumerate() {
            let is_too_long = length + word.len() >= WIDTH;
            if place > 0 {
                wrapped.push(if is_too_long { '\n' } else { ' ' });
            }
            length = if is_too_long { word.len() } else { length + word.len() + 1 };
            wrapped += word;
        }
        wrapped.push('\n');
    }
    // A comment must not end early, begin again, or show other words than it has.
    let wrapped = wrapped.replace(|c: char| c != '\n' && is_a_command(c), "\u{fffd}");
    wrapped.replace("*/", "* /").replace("/*", "/ *")
}

/// Quotes a path of a report for a shell, which does not expand `~` between quotation marks.
pub(super) fn quoted_path(path: &str) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    path.strip_prefix("~/").map_or_else(|| quoted(path), |rest| format!("~/{}", quoted(rest)))
}
