//! The list of steps on a page.

use std::fmt::Write as _;

use conformance::report;
use cuda_ipc_sys::CUresult;

use super::failing;
use super::story::{Act, Story};
use crate::markup::{code, inline};
use crate::told::{in_words, told};

/// The most steps of a block that repeats.
const LONGEST_BLOCK: usize = 12;
/// A block that happens more often is listed once.
const REPEATS: usize = 2;
/// The most lines that somebody reads, and how many remain at each end of a longer list.
const MOST_LINES: usize = 100;
const KEPT: usize = 40;

/// A line of the list.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// A step, which has a number.
    Step(Listed),
    /// What happened to a process between two steps.
    Event(String),
}

#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) step: report::Step,
    /// What is wrong with it.
    mark: Option<String>,
    /// How many steps of the case it stands for.
    times: usize,
    /// Whether the case repeated it until its result changed.
    is_awaited: bool,
}

impl Listed {
    pub(super) const fn of(step: report::Step) -> Self {
        Self { step, mark: None, times: 1, is_awaited: false }
    }
}

/// Returns what happened in a story. What the trace does not have is taken from the steps of the report if they are the same:
/// how a process ended in a step.
pub(super) fn of_story(story: &Story, reported: &[report::Step]) -> Vec<Line> {
    let marks = failing::marks(story);
    let of_role = |role: &usize, what: &str| Some(Line::Event(format!("{} {what}.", story.roles[*role].name)));
    let marked = |place: usize, role: &usize| {
        let mark = marks.get(&place).map(|mark| format!(", {mark}")).unwrap_or_default();
        of_role(role, &format!("exits{mark}"))
    };
    // After a failure, a case kills its processes, of which nobody knows what they have open.
    let is_last = |act: &Act| matches!(act, Act::Step(step) if !step.gives_back()) || matches!(act, Act::Exit { .. });
    let last = if marks.is_empty() { None } else { story.acts.iter().rposition(is_last) };
    let is_tidying = |place: usize, act: &Act| last.is_some_and(|last| place > last) && matches!(act, Act::Signal(..));
    let mut number = 0;
    let line = |(place, act): (usize, &Act)| match act {
        Act::Signal(..) if is_tidying(place, act) => None,
        Act::Step(step) if !step.gives_back() => {
            number += step.times;
            let known =
                || reported.get(number - 1).filter(|other| other.call == step.text).map(|other| other.answer.clone());
            let answer = match &*step.answer {
                "" => known().unwrap_or_else(|| "no answer".to_owned()),
                answer => short(answer, &story.roles[step.role].name).to_owned(),
            };
            let role = story.roles[step.role].name.clone();
            let told = report::Step { role, call: step.text.clone(), answer, ms: None, log: Vec::new() };
            let (mark, times, is_awaited) = (marks.get(&place).cloned(), step.times, step.is_awaited);
            Some(Line::Step(Listed { step: told, mark, times, is_awaited }))
        }
        Act::Replaced { before, .. } => {
            number += 1;
            let role = story.roles[*before].name.clone();
            let (call, answer) = ("exec_itself".to_owned(), "()".to_owned());
            Some(Line::Step(Listed::of(report::Step { role, call, answer, ms: None, log: Vec::new() })))
        }
        Act::Exit { role, .. } => marked(place, role),
        Act::EndsBadly { role, .. } if marks.contains_key(&place) => marked(place, role),
        Act::Signal(role, 9) => of_role(role, "is killed with SIGKILL"),
        Act::Signal(role, 18) => of_role(role, "goes on after SIGCONT"),
        Act::Signal(role, 19) => of_role(role, "is stopped with SIGSTOP"),
        _ => None,
    };
    // The runner ends the processes after the case.
    let is_listed = |(place, act): &(usize, &Act)| *place < story.own || matches!(act, Act::EndsBadly { .. });
    story.acts.iter().enumerate().filter(is_listed).filter_map(line).collect()
}

/// Returns a result without the role and the call, which its line has. A step that hung or ended its process has them.
fn short<'answer>(answer: &'answer str, role: &str) -> &'answer str {
    let Some(end) = answer.strip_prefix(role).and_then(|rest| rest.strip_prefix(": ")) else { return answer };
    if end.starts_with("no answer to ") && end.contains(" before the deadline") {
        return "no answer before the deadline";
    }
    match end.split_once(" in ") {
        Some((how, _)) if how.starts_with("killed by") || how.starts_with("exited with") => how,
        _ => answer,
    }
}

/// Lists steps with their numbers. A block that repeats is listed once, and the middle of a long list is left out.
pub(super) fn listed(lines: &[Line]) -> String {
    let steps: Vec<_> =
        lines.iter().filter_map(|line| if let Line::Step(it) = line { Some(it.step.clone()) } else { None }).collect();
    let mut told = told(&steps).into_iter();
    let lines: Vec<_> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Step(listed) => {
                let step = told.next()?;
                let mut text = format!("{}: {} → {}", inline(&step.role), code(&step.call), code(&step.answer));
                if listed.is_awaited {
                    text += ", repeated until the answer changes";
                }
                if let Some(mark) = &listed.mark {
                    text += &format!(" **{}**", inline(&in_words(&steps, mark)));
                }
                Some((listed.times, text))
            }
            Line::Event(text) => Some((0, inline(text))),
        })
        .collect();
    let mut parts = folded(&lines);
    if parts.len() > MOST_LINES {
        let (first, last) = (parts[KEPT].0 + 1, parts[parts.len() - KEPT].0);
        let told = format!("\nSteps {first} to {last} are not listed here.\n\n");
        parts.splice(KEPT..parts.len() - KEPT, [(first, told)]);
    }
    let text: String = parts.into_iter().map(|(_, text)| text).collect();
    // Two remarks can follow each other.
    let text = text.replace("\n\n\n", "\n\n");
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// Returns the lines of a list, each with how many steps came before it. A line has how many steps it stands for: none, if
/// it has no number.
fn folded(lines: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut parts = Vec::new();
    let (mut place, mut steps) = (0, 0);
    while place < lines.len() {
        let rest = &lines[place..];
        let times = |length: usize| rest.chunks_exact(length).take_while(|block| *block == &rest[..length]).count();
        // The shortest block that repeats.
        let block = (1..=LONGEST_BLOCK.min(rest.len())).find(|length| times(*length) > REPEATS);
        let (length, times) = block.map_or((1, 1), |length| (length, times(length)));
        let mut of_block = 0;
        for (count, line) in &rest[..length] {
            let number = steps + of_block + 1;
            of_block += count;
            let end = steps + of_block;
            parts.push(match count {
                0 => (end, format!("\n{line}\n\n")),
                1 => (number - 1, format!("{number}. {line}\n")),
                _ => (number - 1, format!("{number}. {line}, to step {end}\n\n")),
            });
        }
        steps += of_block;
        if times > 1 {
            let what = if of_block == 1 { "This step".to_owned() } else { format!("These {of_block} steps") };
            let end = steps + of_block * (times - 1);
            parts.push((steps, format!("\n{what} again, {} times, as steps {} to {end}.\n\n", times - 1, steps + 1)));
            steps = end;
        }
        place += length * times;
    }
    parts
}

/// Lists the processes that run elsewhere than on GPU 0 with the settings of the runner.
pub(super) fn places(story: &Story) -> String {
    let mut text = String::new();
    for (number, role) in story.roles.iter().enumerate() {
        let place = &role.place;
        let device = (place.device != 0).then(|| format!("on GPU {}", place.device));
        let namespace = place.pid_namespace.map(|inner| {
            let others = story.roles.iter().enumerate().filter(|(other, it)| {
                *other != number && it.place.pid_namespace.is_some_and(|it| it.number == inner.number)
            });
            let with = others.map(|(_, it)| it.name.clone()).collect::<Vec<_>>();
            match &*with {
                [] => "in a PID namespace of its own".to_owned(),
                with => format!("in a PID namespace with {}", with.join(", ")),
            }
        });
        let user = place.user.map(|user| format!("as user {user}"));
        let begun = place.uninitialised.then(|| "without cuInit".to_owned());
        let settings = place.environment.iter().map(|(name, value)| format!("with {name}={value}"));
        let all: Vec<_> = device.into_iter().chain(namespace).chain(user).chain(begun).chain(settings).collect();
        let line = format!("- {} runs {}\n", inline(&role.name), inline(&all.join(", ")));
        if !all.is_empty() && !text.contains(&line) {
            text += &line;
        }
    }
    text
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
            let function = code(&called.call.function);
            let end = match called.returned.as_ref().map(|returned| returned.code) {
                Some(0) => function,
                Some(code) => format!("{function}, which returned {}", inline(&CUresult(code).to_string())),
                None => format!("{function}, which did not return"),
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
        let _ = writeln!(text, "- {}: {}", inline(&story.roles[step.role].name), calls.join(", "));
    }
    // No driver call closes a descriptor, and one that stays open keeps its memory.
    let has_descriptor = |act: &Act| matches!(act, Act::Step(step) if step.answer.contains("Descriptor("));
    if story.acts.iter().any(has_descriptor) {
        text += "- the processes: `close`, for each descriptor that was still open\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Line, Listed, MOST_LINES, listed};
    use conformance::report::Step;

    fn steps(calls: impl IntoIterator<Item = String>) -> Vec<Line> {
        let step = |call| Step { role: "a".into(), call, answer: "()".into(), ms: None, log: Vec::new() };
        calls.into_iter().map(step).map(Listed::of).map(Line::Step).collect()
    }

    /// A step or a block that repeats is listed once, and the numbers go on after it.
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

    /// What happens to a process between two steps has no number.
    #[test]
    fn an_end_has_no_number() {
        let mut lines = steps(["open", "close"].map(str::to_owned));
        lines.insert(1, Line::Event("b exits.".to_owned()));
        assert_eq!(listed(&lines), "1. a: `open()` → `success`\n\nb exits.\n\n2. a: `close()` → `success`\n");
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
