//! The C program of a story.

use super::call::quoted;
use super::check;
use super::condition::checked;
use super::failing::{crashes, fails};
use super::leak::{self, Left};
use super::piece::MARK;
use super::program::{PARENT, Program};
use super::story::{Act, Story, Unwritable};
use super::values::Kind;
use super::{assemble, descriptor, hostile, step};

/// The most driver calls that become a program in reasonable time.
const MOST_CALLS: usize = 2_000_000;
/// The most times that a program waits for a step: the last index of `no_call` in `waits.c`.
const MOST_WAITS: usize = 999;
/// The most lines of a program that somebody reads.
const MOST_LINES: usize = 10_000;

/// Writes the program of a story. Its first lines are a comment with the given text. The GPU of the run had so much memory.
/// If the case is flaky, the program runs several times.
pub(crate) fn write(story: &Story, head: &str, memory: u64, is_flaky: bool) -> Result<String, Unwritable> {
    let program = tell(story)?;
    let text = assemble::program(story, program, head, memory, is_flaky);
    if text.contains(MARK) {
        return Err(Unwritable::new(
            "the threads of a process do different things, or the case uses the results of only some of them",
        ));
    }
    if text.lines().count() > MOST_LINES {
        return Err(Unwritable::new(format!("the program would have more than {MOST_LINES} lines")));
    }
    Ok(text)
}

fn tell(story: &Story) -> Result<Program, Unwritable> {
    match &*story.verdict {
        "error" => return Err(Unwritable::new("the harness failed")),
        "unsupported" => return Err(Unwritable::new("this machine cannot run the case")),
        _ => {}
    }
    hostile::check(story)?;
    let calls = story.acts.iter().map(|act| if let Act::Step(step) = act { step.calls.len() } else { 0 });
    if calls.sum::<usize>() > MOST_CALLS {
        return Err(Unwritable::new(format!("the case makes more than {MOST_CALLS} driver calls")));
    }
    let replaces = story.acts.iter().any(|act| matches!(act, Act::Replaced { .. }));
    if replaces && story.roles.iter().any(|role| role.is_late) {
        return Err(Unwritable::new("a program cannot both replace the program of a process and choose a process id"));
    }
    let mut program = Program::new(assemble::identifiers(story).iter().map(|name| name.to_uppercase()));
    program.has_failed = story.has_failed();
    for (role, device) in story.roles.iter().enumerate() {
        program.devices[role + 1] = device.place.device;
    }
    let mut last = PARENT;
    let mut last_answer = "";
    let mut has_failed = false;
    // The participant of a step that the case repeated, and where its lines begin.
    let mut awaited = None;
    // Whether each participant can act: it has not ended, is not stopped, and is in no step.
    let mut can_act = vec![true; program.participants.len()];
    // If a check of the case failed, that check shows the leak. Otherwise the program measures it at the end.
    let is_failed_check = |act: &Act| matches!(act, Act::Check { holds: false, .. });
    let is_left = story.verdict == "leak" && !story.acts.iter().any(is_failed_check);
    let left = if is_left { Some(Left::of(story)?) } else { None };
    let last_measure = if left.is_some() || story.acts.iter().any(closes) {
        Some(story.own)
    } else {
        story.acts.iter().rposition(measures)
    };
    // If the case leaked or crashed, a failed release is not what the program must show.
    let may_fail = left.is_some() || story.verdict == "crash";
    // A case may accept how a process ends.
    let is_bad_end = matches!(&*story.verdict, "crash" | "timeout");
    // From `story.own` on, the runner makes the roles release what they hold. The program does so only if the case failed,
    // leaked or crashed, and not before that point.
    for (place, act) in story.acts.iter().enumerate() {
        if place == story.own && (has_failed || !story.has_failed()) {
            break;
        }
        if let Some(left) = left.as_ref().filter(|left| place == left.place(story)) {
            left.before(&mut program);
        }
        match act {
            Act::Start(role) => start(&mut program, story, *role),
            Act::Step(step) => {
                can_act[step.role + 1] &= !step.is_begun;
                if step.gives_back() {
                    // A model accepts that a process cannot release what it has of one that was killed.
                    let is_blamed = story.reason.contains(&format!("{}: ", story.roles[step.role].name));
                    if story.is_afresh && step.is_refused() && !is_blamed && !has_failed {
                        return Err(Unwritable::new(
                            "a process could not release an import, and the model accepts that",
                        ));
                    }
                    program.turn(step.role + 1);
                    leak::give_back(&mut program, step.role + 1, step, may_fail)?;
                } else {
                    program.turn(step.role + 1);
                    awaited = step.is_awaited.then(|| (step.role + 1, program.line_count(step.role + 1)));
                    step::write(&mut program, step)?;
                    program.steps += step.times - 1;
                }
                (last, last_answer) = (step.role + 1, &step.answer);
                has_failed |= fails(step) && !(step.gives_back() && may_fail && !crashes(step));
            }
            Act::Join(role) => {
                can_act[role + 1] = true;
                program.turn(role + 1);
            }
            // Whether this copy is open matters only if a process measures later, something was left, or the case closes
            // another copy.
            Act::Closed { role, target } if last_measure.is_some_and(|last| place < last) => {
                descriptor::close(&mut program, role + 1, target, |participant| can_act[participant]);
            }
            Act::Closed { .. } => {}
            Act::Unread { role, target } => descriptor::leave_unread(&mut program, role + 1, target)?,
            Act::Discarded => {
                program.turn(PARENT);
                program.line(PARENT, "discard_unread();");
            }
            Act::Computed { value, expression, from } => check::computed(&mut program, last, *value, expression, from),
            Act::Wait { role, ms, still_waits } => {
                if program.is_new(role + 1) {
                    return Err(Unwritable::new(
                        "a program cannot wait for a step of a process that has replaced its program",
                    ));
                }
                program.helpers.insert("waits");
                program.waits += 1;
                let wait = program.waits;
                if wait > MOST_WAITS {
                    return Err(Unwritable::new(format!("the case waits more than {MOST_WAITS} times for a step")));
                }
                program.line(role + 1, format!("calls[self] = no_call[{wait}];"));
                program.turn(PARENT);
                let process = program.participants[role + 1].clone();
                let (waits, _) =
                    program.variable(PARENT, Kind::Number, "int", "still_waiting", u64::from(*still_waits));
                program.line(PARENT, format!("{waits} = still_waits({process}, {wait}, {ms});"));
                last_answer = if *still_waits { "true" } else { "false" };
            }
            // The program ends where it finds the first failure.
            Act::Check { .. } if has_failed => {}
            Act::Check { text, comparison, holds } => {
                let disclosed = story.acts[place..].iter().find_map(|act| match act {
                    Act::Disclosure(disclosure) if !holds => Some(disclosure),
                    _ => None,
                });
                let shows = disclosed.unwrap_or(text);
                let condition = match comparison {
                    Some(compared) => check::comparison(&mut program, last, compared, text, *holds)?,
                    None => check::of_answer(&program, last_answer, *holds),
                };
                if let Some((participant, first)) = awaited.take() {
                    let it = condition.as_ref().filter(|condition| condition.participant == participant);
                    let it = it.ok_or_else(|| Unwritable::new("the program cannot check what the case waits for"))?;
                    program.repeat_until(participant, first, &it.text);
                }
                // The step did not wait. Where it does, what would end the wait comes after the end of the step.
                let is_after_a_wait = !holds && matches!(story.acts[..place].last(), Some(Act::Wait { .. }));
                match condition {
                    Some(condition) => {
                        checked(&mut program, &condition, shows);
                        if is_after_a_wait && condition.participant == PARENT {
                            program.line(PARENT, "stop_here();");
                            return Ok(program);
                        }
                    }
                    None if *holds => {}
                    None => return Err(Unwritable::new(format!("the program cannot check `{text}`"))),
                }
                has_failed |= !holds;
            }
            // A sound driver may disclose the same, so the program goes on to the failure.
            Act::Disclosure(_) if fails_later(story, place) => {}
            // The failed check before it has its text.
            Act::Disclosure(_) if has_failed => {}
            Act::Disclosure(text) => {
                let number = program.values.last_number();
                let number = number.ok_or_else(|| Unwritable::new("no number shows the disclosure"))?;
                let value = program.values.get(number);
                let operator = if value.number == 0 { "==" } else { "!=" };
                let (participant, condition) = (value.owner, format!("{} {operator} 0", value.name));
                program.turn(participant);
                program.line(participant, format!("discloses({condition}, {});", quoted(text)));
                program.checks += 1;
                // Documentation forbids some disclosures. The others fail no case, which goes on.
                has_failed |= story.verdict == "fail";
            }
            Act::Signal(role, signal) => {
                can_act[role + 1] = *signal == 18;
                program.turn(PARENT);
                let name = program.participants[role + 1].clone();
                program.line(
                    PARENT,
                    match signal {
                        9 => format!("kill_process({name});"),
                        19 => format!("kill(processes[{name}], SIGSTOP);"),
                        18 => format!("kill(processes[{name}], SIGCONT);"),
                        _ => return Err(Unwritable::new(format!("the runner sends signal {signal}"))),
                    },
                );
            }
            Act::Replaced { before, after } => {
                can_act[before + 1] = false;
                program.turn(before + 1);
                program.turn(PARENT);
                program.steps += 1;
                program.becomes.push((before + 1, after + 1));
                let [before_name, after_name] = [before, after].map(|role| program.participants[role + 1].clone());
                program.line(before + 1, format!("become({after_name});"));
                program.line(PARENT, format!("replaced({before_name}, {after_name});"));
            }
            Act::Exit { role, with_handlers, end } => {
                can_act[role + 1] = false;
                program.turn(role + 1);
                program.turn(PARENT);
                program.line(role + 1, if *with_handlers { "leave();" } else { "_exit(BEHAVES);" });
                let name = program.participants[role + 1].clone();
                program.line(PARENT, format!("until_gone({name});"));
                // The parent looks at how the process ends.
                has_failed |= end.is_some() && is_bad_end;
            }
            // Every process exits at the end of the program.
            Act::EndsBadly { .. } => has_failed |= is_bad_end,
        }
    }
    if let Some(left) = left {
        left.check(&mut program);
        has_failed = true;
    }
    program.turn(PARENT);
    if matches!(&*story.verdict, "fail" | "crash" | "timeout") && !has_failed {
        return Err(Unwritable::new(if story.is_afresh {
            "no call and no comparison in the last script of the model failed: it fails only after other scripts, or only \
             sometimes"
        } else if is_bad_end {
            "a process ended or hung where the case called no driver"
        } else {
            "the case failed for another reason than the result of a call or a comparison"
        }));
    }
    Ok(program)
}

/// Whether a case that discloses fails later in another way.
fn fails_later(story: &Story, place: usize) -> bool {
    let is_bad = |act: &Act| match act {
        Act::Step(step) => !step.gives_back() && fails(step),
        Act::Check { holds, .. } => !holds,
        _ => false,
    };
    match &*story.verdict {
        "leak" | "crash" | "timeout" => true,
        "fail" => story.acts[place..].iter().any(is_bad),
        _ => false,
    }
}

/// Whether a role measures what a descriptor keeps in use.
fn measures(act: &Act) -> bool {
    matches!(act, Act::Step(step) if matches!(step.name(), "mem_info" | "descriptor_count" | "usage" | "usage_of"))
}

/// Whether a role closes a descriptor before its end.
fn closes(act: &Act) -> bool {
    matches!(act, Act::Step(step) if step.name() == "close_descriptor" || step.name().ends_with("export_and_close"))
}

fn start(program: &mut Program, story: &Story, role: usize) {
    let place = &story.roles[role].place;
    if story.roles[role].is_late {
        program.turn(PARENT);
        let name = &program.participants[role + 1];
        let line = format!("make_late({name}, {});", name.to_lowercase());
        program.line(PARENT, line);
    }
    program.turn(role + 1);
    for (name, value) in &place.environment {
        let remark = if name.starts_with("REFERENCE_DRIVER") { " /* a real machine must be so already */" } else { "" };
        program.line(role + 1, format!("setenv({}, {}, 1);{remark}", quoted(name), quoted(value)));
    }
    if let Some(user) = place.user {
        program.helpers.insert("user");
        program.line(role + 1, format!("become_user({user});"));
    }
    if place.environment.iter().any(|(name, _)| name == "CUDA_VISIBLE_DEVICES") {
        program.line(role + 1, format!("gpus = {};", place.device.saturating_add(1)));
    }
    let start = if place.uninitialised { "load();".to_owned() } else { format!("start({});", place.device) };
    program.line(role + 1, start);
}
