//! Where a story fails or discloses memory: the steps that a page marks.

use std::collections::BTreeMap;

use conformance::trace::{Comparison, Expectation};
use cuda_ipc_sys::CUresult;

use super::condition::readable;
use super::story::{Act, Called, Expected, Step, Story};
use super::text::{Token, tokens};

/// The byte with which the suite fills memory beside an output, which the call must not change.
const UNWRITTEN: i128 = 0xa5;

/// The longest value that a mark repeats.
const LONGEST: usize = 80;

/// Whether a call of a step did not return.
pub(super) fn crashes(step: &Step) -> bool {
    step.calls.iter().any(|called| called.returned.is_none())
}

/// Whether a step did not end as the case expected.
pub(super) fn fails(step: &Step) -> bool {
    if step.gives_back() {
        return step.is_refused();
    }
    // What the program checks in the step itself.
    let finds_other_memory =
        (step.name() == "first_mismatch_of_many" || step.opens_repeatedly()) && step.answer.starts_with("Some");
    let is_written_beside = step.name() == "ipc_get_mem_handle_between_others"
        && tokens(&step.answer).iter().any(|token| matches!(token, Token::Number(byte) if *byte != UNWRITTEN));
    if finds_other_memory || is_written_beside || step.missed_deadline().is_some() {
        return true;
    }
    // The threads of a step call in any order.
    let is_refused = |called: &&Called| called.returned.as_ref().is_some_and(|returned| returned.code != 0);
    let threads = step.calls.iter().filter(|called| called.thread.is_some());
    if step.expectation == Expected::Success && !step.has_output && threads.into_iter().any(|it| is_refused(&it)) {
        return true;
    }
    match (&step.expectation, step.code()) {
        // The process crashed or hung, and was not killed by the case.
        (_, None) => !step.calls.is_empty() && !step.answer.contains("SIGKILL"),
        (Expected::Success, Some(code)) => code != 0 && !step.has_output,
        (Expected::Other(Expectation::Refused(codes)), Some(code)) => {
            code == 0 || !codes.is_empty() && !codes.contains(&code)
        }
        (Expected::Other(Expectation::Among(codes)), Some(code)) => code != 0 && !codes.contains(&code),
        (Expected::Other(_), Some(_)) => false,
    }
}

/// Returns the acts to mark, by their places, each with what is wrong with it: at most one failure, and the disclosures
/// before it.
pub(super) fn marks(story: &Story) -> BTreeMap<usize, String> {
    let mut marks = BTreeMap::new();
    let is_over = !matches!(&*story.verdict, "pass" | "unsupported");
    let is_bad_end = matches!(&*story.verdict, "crash" | "timeout");
    for (place, act) in story.acts.iter().enumerate() {
        let (at, text) = match act {
            Act::Step(step) if is_over && !step.gives_back() && fails(step) => (place, here(&expected(step))),
            Act::Exit { end: Some(end), .. } | Act::EndsBadly { end, .. } if is_bad_end => (place, here(end)),
            Act::Check { text, comparison, holds: false } if is_over => {
                let Some(at) = compared(story, place, comparison.as_ref()) else { continue };
                let is_disclosure = story.acts[place..].iter().any(|act| matches!(act, Act::Disclosure(_)));
                let Act::Step(step) = &story.acts[at] else { continue };
                let wrong = unmet(step, comparison.as_ref(), text);
                (at, if is_disclosure { format!("← the disclosure: {wrong}") } else { here(&wrong) })
            }
            Act::Disclosure(_) => {
                let Some(at) = compared(story, place, None) else { continue };
                marks.insert(at, "← the disclosure".to_owned());
                continue;
            }
            _ => continue,
        };
        marks.insert(at, text);
        break;
    }
    marks
}

fn here(wrong: &str) -> String {
    if wrong.is_empty() { "← here".to_owned() } else { format!("← here: {wrong}") }
}

/// Returns what the case expected of a step.
fn expected(step: &Step) -> String {
    let list = |codes: &[u32]| codes.iter().map(|code| CUresult(*code).to_string()).collect::<Vec<_>>().join(" or ");
    match &step.expectation {
        // It crashed, hung or was slow, which its result says.
        _ if crashes(step) || step.missed_deadline().is_some() => String::new(),
        Expected::Success => "expected success".to_owned(),
        Expected::Other(Expectation::Refused(codes)) if codes.is_empty() => "expected an error".to_owned(),
        Expected::Other(Expectation::Refused(codes)) => format!("expected {}", list(codes)),
        Expected::Other(Expectation::Among(codes)) => format!("expected success or {}", list(codes)),
        Expected::Other(_) => String::new(),
    }
}

/// Returns the step before a check whose result was compared: the last one with a compared value, or else the last one.
fn compared(story: &Story, check: usize, comparison: Option<&Comparison>) -> Option<usize> {
    let answer = |place: usize| match &story.acts[place] {
        Act::Step(step) if !step.gives_back() => Some(&*step.answer),
        _ => None,
    };
    let is_compared = |place: &usize| {
        comparison.is_some_and(|it| [&it.left, &it.right].into_iter().any(|side| answer(*place) == Some(side)))
    };
    let steps = || (0..check).rev().filter(|place| answer(*place).is_some());
    steps().find(is_compared).or_else(|| steps().next())
}

/// Returns what is wrong with the result of a step.
fn unmet(step: &Step, comparison: Option<&Comparison>, text: &str) -> String {
    let slack = text.strip_prefix("after.free + ").and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    let text = readable(text);
    match comparison {
        // The free memory may differ by the slack.
        Some(Comparison { operator, right, .. }) if let (Some(slack), Ok(before)) = (slack, right.parse::<u64>()) => {
            let bound = if operator == "<" { "less than" } else { "at least" };
            format!("{text}: expected {bound} {} bytes free", before.saturating_sub(slack))
        }
        Some(Comparison { left, operator, right }) if *left == step.answer && right.len() <= LONGEST => {
            match &**operator {
                "==" => format!("expected {right}"),
                "!=" => format!("expected another value than {right}"),
                ">=" => format!("expected at least {right}"),
                "<=" => format!("expected at most {right}"),
                "<" => format!("expected less than {right}"),
                ">" => format!("expected more than {right}"),
                _ => format!("the check {text} failed"),
            }
        }
        Some(Comparison { left, right, .. }) if left.len().max(right.len()) <= LONGEST && !right.is_empty() => {
            format!("the check {text} failed, with {left} and {right}")
        }
        _ => format!("the check {text} failed"),
    }
}
