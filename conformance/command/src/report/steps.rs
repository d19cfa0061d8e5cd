//! The list of steps on a page.

use std::fmt::Write as _;

use conformance::report;

use super::markup::{code, escape};
use super::story::{Act, Story};
use crate::told::told;

/// The most steps of a block that repeats.
const LONGEST_BLOCK: usize = 12;
/// A block that happens more often is told once.
const REPEATS: usize = 2;
/// The most lines that somebody reads, and how many remain at each end of a longer list.
const MOST_LINES: usize = 100;
const KEPT: usize = 40;

/// Returns the steps of a story as a report has them. What only the report knows is missing: times, and the log of the driver.
pub(super) fn of_story(story: &Story) -> Vec<report::Step> {
    let step = |act: &Act| match act {
        Act::Step(step) if !step.gives_back() => Some(report::Step {
            role: story.roles[step.role].name.clone(),
            call: step.text.clone(),
            answer: if step.answer.is_empty() { "no answer".to_owned() } else { step.answer.clone() },
            ms: None,
            log: Vec::new(),
        }),
        _ => None,
    };
    story.acts.iter().filter_map(step).collect()
}

/// Lists steps with their numbers. A block that repeats is told once, and the middle of a long list is left out.
pub(super) fn listed(steps: &[report::Step]) -> String {
    let lines: Vec<_> = told(steps)
        .into_iter()
        .map(|step| format!("{}: `{}` → `{}`", escape(&step.role), code(&step.call), code(&step.answer)))
        .collect();
    let mut parts = folded(&lines);
    if parts.len() > MOST_LINES {
        let (first, last) = (parts[KEPT].0 + 1, parts[parts.len() - KEPT].0);
        let told = format!("\nSteps {first} to {last} are not listed here.\n\n");
        parts.splice(KEPT..parts.len() - KEPT, [(first, told)]);
    }
    let mut text: String = parts.into_iter().map(|(_, text)| text).collect();
    text.truncate(text.trim_end().len());
    if text.is_empty() { text } else { text + "\n" }
}

/// Returns the lines of a list, each with how many steps came before it.
fn folded(lines: &[String]) -> Vec<(usize, String)> {
    let mut parts = Vec::new();
    let mut place = 0;
    while place < lines.len() {
        let rest = &lines[place..];
        let times = |length: usize| rest.chunks_exact(length).take_while(|block| *block == &rest[..length]).count();
        // The shortest block that repeats.
        let block = (1..=LONGEST_BLOCK.min(rest.len())).find(|length| times(*length) > REPEATS);
        let (length, times) = block.map_or((1, 1), |length| (length, times(length)));
        for line in &rest[..length] {
            parts.push((place, format!("{}. {line}\n", place + 1)));
            place += 1;
        }
        if times > 1 {
            let what = if length == 1 { "This step".to_owned() } else { format!("These {length} steps") };
            let end = place + length * (times - 1);
            parts.push((place, format!("\n{what} again, {} times, as steps {} to {end}.\n\n", times - 1, place + 1)));
            place = end;
        }
    }
    parts
}

/// Lists the calls with which the processes gave back what they held, after the last step.
pub(super) fn given_back(story: &Story) -> String {
    // They change no resource.
    const SILENT: [&str; 4] = ["cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxSynchronize", "cuMemGetInfo"];
    let mut text = String::new();
    for act in &story.acts {
        let Act::Step(step) = act else { continue };
        let calls = step.calls.iter().filter(|called| !SILENT.contains(&&*called.call.function));
        if !step.gives_back() || calls.clone().next().is_none() {
            continue;
        }
        let mut counted: Vec<(String, usize)> = Vec::new();
        for called in calls {
            let function = &called.call.function;
            let end = match called.returned.as_ref().map(|returned| returned.code) {
                Some(0) => format!("`{function}`"),
                Some(code) => format!("`{function}`, which returned {code}"),
                None => format!("`{function}`, which did not return"),
            };
            match counted.last_mut() {
                Some((last, count)) if *last == end => *count += 1,
                _ => counted.push((end, 1)),
            }
        }
        let calls: Vec<_> = counted
            .into_iter()
            .map(|(call, count)| if count == 1 { call } else { format!("{call} ({count} times)") })
            .collect();
        let _ = writeln!(text, "- {}: {}", escape(&story.roles[step.role].name), calls.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{KEPT, MOST_LINES, listed};
    use conformance::report::Step;

    fn steps(calls: impl IntoIterator<Item = String>) -> Vec<Step> {
        let step = |call| Step { role: "a".into(), call, answer: "()".into(), ms: None, log: Vec::new() };
        calls.into_iter().map(step).collect()
    }

    /// A step or a block that repeats is told once, and the numbers go on after it.
    #[test]
    fn a_repetition_is_told_once() {
        let block = ["open", "close"].map(str::to_owned);
        let polls = (0..7).map(|_| "poll".to_owned());
        let all = ["begin".to_owned()].into_iter().chain(polls).chain([0; 3].iter().flat_map(|_| block.clone()));
        let text = listed(&steps(all.chain(["end".to_owned()])));
        assert_eq!(
            text,
            "1. a: `begin()` → `success`\n2. a: `poll()` → `success`\n\nThis step again, 6 times, as steps 3 to 8.\n\n\
             9. a: `open()` → `success`\n10. a: `close()` → `success`\n\nThese 2 steps again, 2 times, as steps 11 to \
             14.\n\n15. a: `end()` → `success`\n"
        );
    }

    /// What happens twice is listed twice.
    #[test]
    fn a_pair_is_no_repetition() {
        assert_eq!(listed(&steps(["x", "x"].map(str::to_owned))).lines().count(), 2);
    }

    /// The beginning and the end of a long list remain, and every step is listed or counted.
    #[test]
    fn the_middle_of_a_long_list_is_left_out() {
        let text = listed(&steps((1..=MOST_LINES + 1).map(|number| format!("call_{number}"))));
        let first =
            format!("{KEPT}. a: `call_{KEPT}()` → `success`\n\nSteps {} to {} are", KEPT + 1, MOST_LINES + 1 - KEPT);
        let next = MOST_LINES + 2 - KEPT;
        assert!(text.contains(&first) && text.contains(&format!("here.\n\n{next}. a: `call_{next}()`")), "{text}");
        assert!(text.ends_with("101. a: `call_101()` → `success`\n"), "{text}");
    }
}
