//! A step on several threads.
//!
//! Each thread is a block of lines that begins with a mark. Blocks that differ only in numbers become one loop, as other
//! repeated lines do, and a loop with the mark becomes a function that each thread runs.

use conformance::trace::Expectation;

use super::call;
use super::piece::MARK;
use super::program::Program;
use super::story::{Called, Expected, Step, Unwritable};

/// Writes the calls of each thread of a step.
pub(crate) fn write(program: &mut Program, me: usize, step: &Step) -> Result<(), Unwritable> {
    // What each thread is refused.
    let refused = match &step.expectation {
        Expected::Success => None,
        Expected::Other(Expectation::Refused(codes)) if codes.is_empty() => Some(", ANY_ERROR".to_owned()),
        Expected::Other(Expectation::Refused(codes)) => Some(codes.iter().map(|code| format!(", {code}")).collect()),
        Expected::Other(_) => return Err(Unwritable::new("the driver may refuse what several threads do")),
    };
    program.helpers.insert("threads");
    let mut threads: Vec<(u32, Vec<&Called>)> = Vec::new();
    for called in &step.calls {
        // The thread that starts the others only asks for its context.
        let Some(thread) = called.thread else { continue };
        match threads.iter_mut().find(|(other, _)| *other == thread) {
            Some((_, calls)) => calls.push(called),
            None => threads.push((thread, vec![called])),
        }
    }
    // Threads begin in any order. The arguments of their calls, apart from pointers to their own variables, give them a
    // fixed order.
    let inputs = |called: &&Called| -> Vec<u64> {
        let arguments = called.call.arguments.iter().filter(|argument| argument.bytes.is_none());
        arguments.map(|argument| argument.value).collect()
    };
    threads.sort_by_cached_key(|(_, calls)| calls.iter().map(inputs).collect::<Vec<_>>());
    for (_, calls) in threads {
        program.line(me, MARK);
        let last = calls.len() - 1;
        for (place, called) in calls.into_iter().enumerate() {
            let written = call::write(program, me, called)?;
            // Before the call, a thread makes its context current.
            program.line(
                me,
                match refused.as_ref().filter(|_: &&String| place == last) {
                    Some(codes) => format!("refuses({}{codes});", written.text),
                    None => format!("succeeds({});", written.text),
                },
            );
            written.register(program, me);
            if called.call.function.ends_with("ExportToShareableHandle") {
                let descriptor = program.values.last_descriptor().unwrap_or_default();
                program.line(me, format!("close({descriptor});"));
            }
        }
    }
    Ok(())
}
