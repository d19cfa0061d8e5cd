//! Text in the comments of C.

use crate::output::is_a_command;

/// Breaks the lines of a text for a comment.
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
