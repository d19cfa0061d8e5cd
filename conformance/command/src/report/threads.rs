//! A step on several threads.
//!
//! Each thread is a block of lines that begins with a mark. Blocks that differ only in numbers become one loop, as other
//! repeated lines do, and a loop with the mark becomes a function that each thread runs.

use conformance::trace::Expectation;

use super::call::{self, Written};
use super::launch::launch;
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
        let arguments = &called.call.arguments;
        // The first argument of a kernel comes before its stream, whose handle can be any number.
        let of_kernel = arguments.get(9).filter(|_| called.call.function == "cuLaunchKernel");
        let first = of_kernel.and_then(|argument| argument.bytes.as_ref()?.bytes()?.first_chunk::<8>().copied());
        let others = arguments.iter().filter(|argument| argument.bytes.is_none()).map(|argument| argument.value);
        first.map(u64::from_le_bytes).into_iter().chain(others).collect()
    };
    threads.sort_by_cached_key(|(_, calls)| calls.iter().map(inputs).collect::<Vec<_>>());
    // A thread that is refused makes no further calls. So that all do the same, the others make no more than it did.
    let is_refused = |called: &&Called| called.returned.as_ref().is_some_and(|returned| returned.code != 0);
    let refused_at = threads.iter().filter(|(_, calls)| calls.last().is_some_and(is_refused));
    if refused.is_none()
        && let Some(fewest) = refused_at.map(|(_, calls)| calls.len()).min()
    {
        threads.iter_mut().for_each(|(_, calls)| calls.truncate(fewest));
    }
    // A thread alone is a loop of one round.
    let is_alone = threads.len() == 1;
    if is_alone {
        program.line(me, "for (size_t thread = 0; thread < 1; thread++) {");
    }
    let indent = if is_alone { "    " } else { "" };
    for (_, calls) in threads {
        program.line(me, format!("{indent}{MARK}"));
        let last = calls.len() - 1;
        for (place, called) in calls.into_iter().enumerate() {
            let written = match &*called.call.function {
                "cuLaunchKernel" => Written::of(launch(program, me, step, called)?),
                _ => call::write(program, me, called)?,
            };
            // Before the call, a thread makes its context current.
            program.line(
                me,
                match refused.as_ref().filter(|_: &&String| place == last) {
                    Some(codes) => format!("{indent}refuses({}{codes});", written.text),
                    None => format!("{indent}succeeds({});", written.text),
                },
            );
            written.register(program, me);
            if called.call.function.ends_with("ExportToShareableHandle") {
                let descriptor = program.values.last_descriptor().unwrap_or_default();
                program.line(me, format!("{indent}close({descriptor});"));
            }
        }
    }
    if is_alone {
        program.line(me, "}");
    }
    Ok(())
}
