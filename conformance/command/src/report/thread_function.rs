//! Loops that begin with the mark of a thread, as functions that each thread runs.

use super::piece::MARK;
use super::roll::{Body, bare};

/// Turns loops with the mark into functions. Returns them, with the variables that they share with the process.
pub(crate) fn functions(body: &mut Body, process: &str) -> String {
    let mut functions = String::new();
    let mut number = 1;
    let begins = |line: &String| line.starts_with("    for (size_t ");
    while let Some(mark) = body.lines.iter().position(|line| line.trim() == MARK && line.starts_with("        ")) {
        let Some(start) = body.lines[..mark].iter().rposition(begins) else { break };
        let Some(end) = body.lines[mark..].iter().position(|line| line == "    }").map(|end| mark + end) else { break };
        let head = body.lines[start].clone();
        let (counter, count) = counter(&head);
        // Literals that differ from thread to thread.
        let tables = body.lines[..start].iter().rev().take_while(|line| line.starts_with("    static const ")).count();
        let tables: Vec<_> = body.lines.drain(start - tables..start).collect();
        let (start, end) = (start - tables.len(), end - tables.len());
        if start > 0 && body.lines[start - 1].starts_with("    run_threads(") {
            // Not all of them do the same.
            body.lines.splice(start..start, tables);
            break;
        }
        let function = format!("{process}_thread{number}");
        number += 1;
        let inner: Vec<_> =
            body.lines.splice(start..=end, [format!("    run_threads({count}, {function});")]).collect();
        let inner = &inner[1..inner.len() - 1];
        let text = inner.join("\n");
        let uses = |name: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name);
        let (shared, own) = std::mem::take(&mut body.variables).into_iter().partition(|(_, name)| uses(bare(name)));
        body.variables = own;
        for (of, name) in shared {
            let gap = if of.ends_with('*') { "" } else { " " };
            functions += &format!("static {}{gap}{name};\n", of.trim_start_matches("static "));
        }
        functions += &format!("static void *{function}(void *number) {{\n    size_t {counter} = (size_t)number;\n");
        functions.extend(tables.iter().map(|table| format!("{table}\n")));
        functions += &format!("    start_together({count});\n");
        for line in inner.iter().filter(|line| line.trim() != MARK) {
            functions += line.strip_prefix("    ").unwrap_or(line);
            functions.push('\n');
        }
        functions += &format!("    return (void *){counter};\n}}\n\n");
    }
    functions
}

/// Returns the counter of a loop, and how many rounds it has.
fn counter(line: &str) -> (&str, &str) {
    let counter = line.trim_start().trim_start_matches("for (size_t ").split(' ').next().unwrap_or_default();
    let count = line.split_once("< ").and_then(|(_, rest)| rest.split(';').next()).unwrap_or_default();
    (counter, count)
}
