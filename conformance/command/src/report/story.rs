//! The story of a case: what its processes did, in order, and what the case expected of it.

use std::collections::BTreeMap;

use super::act::GIVES_BACK;
pub(crate) use super::act::{Act, Called, Descriptor, Expected, Returned, Step};
use super::text::{Token, tokens};
use conformance::trace::{Comparison, Event, Expectation, Place};

/// Why no program can be written for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwritable(pub(crate) String);

impl Unwritable {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The beginning of the names of steps that find the first wrong byte of memory.
const FINDS: &str = "first_wrong_byte";

/// One run of a case.
pub(crate) struct Story {
    pub(crate) gpus: usize,
    /// The first CUDA version for which the case is, and the first later one for which it is not.
    pub(crate) cuda: (Option<u32>, Option<u32>),
    pub(crate) roles: Vec<Role>,
    pub(crate) acts: Vec<Act>,
    /// How many acts are the case's own. In the others, the runner makes the roles release what they hold.
    pub(crate) own: usize,
    /// How many acts happen before a program measures what is in use.
    pub(crate) measured: usize,
    pub(crate) verdict: String,
    /// Why the case did not pass.
    pub(crate) reason: String,
    /// Whether the case did something before, which is not in the story.
    pub(crate) is_afresh: bool,
}

pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) place: Place,
    process: u32,
    /// Whether the process is started when the role starts, and not with the others.
    pub(crate) is_late: bool,
}

impl Story {
    /// Finds the last run of a case in a trace, or what came after the last time that the case began afresh: the last script of
    /// a model.
    pub(crate) fn of(events: &[Event], case: &str) -> Result<Self, Unwritable> {
        let begins = |event: &Event| matches!(event, Event::Case { case: began, .. } if began == case);
        let began = events.iter().rposition(begins).ok_or_else(|| Unwritable::new("the case did not run"))?;
        let Event::Case { gpus, cuda, cuda_before, .. } = events[began] else { unreachable!("found as such") };
        let is_afresh = |event: &Event| matches!(event, Event::Afresh { case: of } if of == case);
        let afresh = events[began..].iter().rposition(is_afresh).map(|place| began + place);
        let (verdict, reason) = (String::new(), String::new());
        let mut story = Self {
            gpus,
            cuda: (cuda, cuda_before),
            roles: Vec::new(),
            acts: Vec::new(),
            own: usize::MAX,
            measured: 0,
            verdict,
            reason,
            is_afresh: afresh.is_some(),
        };
        // For each role, the step that it performs, as a place in the list of acts.
        let mut running: BTreeMap<usize, usize> = BTreeMap::new();
        let mut is_over = false;
        for event in &events[afresh.unwrap_or(began)..] {
            match event {
                // A check failed, and the runner looks where.
                Event::Step { call, process } if call.starts_with(FINDS) => {
                    is_over |= story.role(*process).is_some();
                }
                Event::Step { call, process }
                    if call.starts_with(GIVES_BACK) && !is_over && story.role(*process).is_some() =>
                {
                    story.own = story.own.min(story.acts.len());
                    story.begin(&mut running, *process, call);
                }
                Event::Step { .. } | Event::Signal { .. } | Event::Check { .. }
                    if is_over || story.own < usize::MAX => {}
                Event::Role { case: of, name, process, place } if of == case => {
                    // Its process id depends on what was started before.
                    let sets_id = |act: &Act| matches!(act, Act::Step(step) if step.name() == "set_last_process_id");
                    let is_late = place.pid_namespace.is_some() && story.acts.iter().any(sets_id);
                    let (name, place) = (name.clone(), place.clone());
                    story.roles.push(Role { name, place, process: *process, is_late });
                    story.acts.push(Act::Start(story.roles.len() - 1));
                }
                Event::Step { process, call } => {
                    let Some(role) = story.role(*process) else { continue };
                    if call.starts_with("exit_") {
                        let with_handlers = call.starts_with("exit_normally");
                        story.acts.push(Act::Exit { role, with_handlers, end: None });
                        continue;
                    }
                    if call.starts_with("exec_itself") {
                        story.replace(role);
                        continue;
                    }
                    story.begin(&mut running, *process, call);
                }
                Event::Call(call) => {
                    let Some(role) = story.role(call.process) else { continue };
                    let Some(step) = running.get(&role).and_then(|place| story.step(*place)) else { continue };
                    let thread = (call.thread != call.process).then_some(call.thread);
                    step.calls.push(Called { call: call.clone(), thread, returned: None });
                }
                Event::Return { process, thread, code, outputs } => {
                    let Some(role) = story.role(*process) else { continue };
                    let Some(step) = running.get(&role).and_then(|place| story.step(*place)) else { continue };
                    let thread = (thread != process).then_some(*thread);
                    let mut calls = step.calls.iter_mut().rev();
                    let Some(called) = calls.find(|called| called.thread == thread) else { continue };
                    called.returned = Some(Returned { code: *code, outputs: outputs.clone() });
                }
                Event::Descriptor { process, target, write_only, size } => {
                    let Some(role) = story.role(*process) else { continue };
                    let Some(step) = running.get(&role).and_then(|place| story.step(*place)) else { continue };
                    let (target, write_only, size) = (target.clone(), *write_only, *size);
                    step.descriptor = Some(Descriptor { target, write_only, size });
                }
                Event::Closed { process, target } if !is_over && story.own == usize::MAX => {
                    let Some(role) = story.role(*process) else { continue };
                    story.acts.push(Act::Closed { role, target: target.clone() });
                }
                Event::Unread { process, target } => {
                    let Some(role) = story.role(*process) else { continue };
                    story.acts.push(Act::Unread { role, target: target.clone() });
                }
                Event::Discarded { case: of } if of == case => story.acts.push(Act::Discarded),
                Event::Computed { case: of, value, expression, from } if of == case => {
                    let (value, expression, from) = (*value, expression.clone(), from.clone());
                    story.acts.push(Act::Computed { value, expression, from });
                }
                Event::Wait { process, ms, still_waits } => {
                    let Some(role) = story.role(*process) else { continue };
                    if let Some(step) = running.get(&role).and_then(|place| story.step(*place)) {
                        step.is_begun = true;
                    }
                    story.acts.push(Act::Wait { role, ms: *ms, still_waits: *still_waits });
                }
                Event::Answer { process, answer, succeeded, deadline_ms } => {
                    let Some(role) = story.role(*process) else { continue };
                    let Some(place) = running.remove(&role) else { continue };
                    let Some(step) = story.step(place) else { continue };
                    step.answer.clone_from(answer);
                    step.has_output = *succeeded;
                    step.deadline_ms = *deadline_ms;
                    if step.is_begun {
                        story.acts.push(Act::Join(role));
                    }
                }
                Event::Expect { case: of, expectation, refused } if of == case => {
                    if let Some(step) = story.expected_of(refused.as_deref()) {
                        step.expectation = Expected::Other(expectation.clone());
                    }
                }
                Event::Check { case: of, text, comparison, holds, awaited } if of == case => {
                    story.keep_codes(comparison.as_ref());
                    if !holds && story.last_step_reads_at_will() {
                        story.last_steps_disclose();
                    }
                    if *awaited {
                        story.last_step_is_awaited();
                    }
                    let (text, comparison) = (text.clone(), comparison.clone());
                    story.acts.push(Act::Check { text, comparison, holds: *holds });
                }
                Event::Ended { process, end: Some(end) } => {
                    let Some(role) = story.role(*process) else { continue };
                    story.ends_badly(role, end);
                }
                Event::Disclosure { case: of, text } if of == case => {
                    story.last_steps_disclose();
                    story.acts.push(Act::Disclosure(text.clone()));
                }
                Event::Signal { process, signal } => {
                    let Some(role) = story.role(*process) else { continue };
                    story.others_go_on(&running, role);
                    story.acts.push(Act::Signal(role, *signal));
                }
                Event::End { case: of, verdict, reason } if of == case => {
                    story.verdict.clone_from(verdict);
                    story.reason = reason.clone().unwrap_or_default();
                    story.own = story.own.min(story.acts.len());
                    story.a_refused_wait_ends_last();
                    story.refusals_are_expected();
                    let is_step = |act: &Act| matches!(act, Act::Step(_));
                    story.measured = story.acts.iter().position(is_step).unwrap_or(story.acts.len());
                    return Ok(story);
                }
                _ => {}
            }
        }
        Err(Unwritable::new("the run of the case did not end"))
    }

    /// Lets the wait that ended the case end after the other steps. A sound driver ends it only when one of them, such as the
    /// release of a latch, has come.
    fn a_refused_wait_ends_last(&mut self) {
        let own = &mut self.acts[..self.own];
        let joined = own.iter().enumerate().rev().find_map(|(place, act)| match act {
            Act::Join(role) => Some((place, *role)),
            _ => None,
        });
        let Some((place, waiter)) = joined else { return };
        let begun = own[..place].iter().rev().find_map(|act| match act {
            Act::Step(step) if step.role == waiter => Some(step),
            _ => None,
        });
        let is_refused = begun.is_some_and(Step::is_refused);
        let is_the_waiters = |act: &Act| match act {
            Act::Step(step) => step.role == waiter,
            Act::Exit { role, .. } => *role == waiter,
            Act::Signal(role, _) => *role == waiter,
            // They are about the steps before them.
            Act::Check { .. } | Act::Computed { .. } => true,
            _ => false,
        };
        if matches!(&*self.verdict, "fail" | "leak" | "crash" | "timeout")
            && is_refused
            && !own[place..].iter().any(is_the_waiters)
        {
            own[place..].rotate_left(1);
        }
    }

    /// Adds a step that a process begins.
    fn begin(&mut self, running: &mut BTreeMap<usize, usize>, process: u32, call: &str) {
        let Some(role) = self.role(process) else { return };
        self.others_go_on(running, role);
        running.insert(role, self.acts.len());
        let named = call.split_once("{ process: ").and_then(|(_, rest)| rest.split([',', ' ']).next());
        let other = named.and_then(|number| self.role(number.parse().ok()?));
        self.acts.push(Act::Step(Step {
            role,
            text: call.to_owned(),
            calls: Vec::new(),
            answer: String::new(),
            deadline_ms: None,
            expectation: Expected::Success,
            is_begun: false,
            discloses: false,
            has_output: false,
            keeps_code: false,
            descriptor: None,
            other,
            times: 1,
            is_awaited: false,
        }));
    }

    /// Notes that the case repeated the last step until its result was the right one. One step stands for all of them.
    fn last_step_is_awaited(&mut self) {
        let Some((Act::Step(last), before)) = self.acts.split_last() else { return };
        let is_the_same =
            |act: &&Act| matches!(act, Act::Step(step) if step.role == last.role && step.text == last.text);
        let others = before.iter().rev().take_while(is_the_same).count();
        let first = before.len() - others;
        self.acts.drain(first..first + others);
        if let Some(Act::Step(step)) = self.acts.last_mut() {
            step.times = others + 1;
            step.is_awaited = true;
        }
    }

    /// Notes how a process ended that was asked to exit: by the case, or by the runner after the case.
    fn ends_badly(&mut self, of: usize, how: &str) {
        let exit = self.acts.iter_mut().rev().find_map(|act| match act {
            Act::Exit { role, end, .. } if *role == of => Some(end),
            _ => None,
        });
        match exit {
            Some(end) => *end = Some(how.to_owned()),
            None => self.acts.push(Act::EndsBadly { role: of, end: how.to_owned() }),
        }
    }

    /// Whether a process could not release what it held: a script of a model fails if that is so.
    pub(crate) fn is_refused_at_the_end(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::Step(step) if step.gives_back() && step.is_refused()))
    }

    /// Whether the case failed, crashed, hung or leaked.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(&*self.verdict, "fail" | "leak" | "crash" | "timeout")
    }

    /// Adds a process that only asks for the free memory of a GPU.
    pub(crate) fn add_observer(&mut self, gpu: i32) {
        let place = Place { device: gpu, ..Place::default() };
        self.roles.push(Role { name: "observer of the memory".to_owned(), place, process: 0, is_late: false });
        self.acts.insert(0, Act::Start(self.roles.len() - 1));
        self.own += 1;
    }

    /// Adds the role that a process becomes when it replaces its program. It keeps the name, the place and the process id. It
    /// inherits its user, which it may not set again.
    fn replace(&mut self, before: usize) {
        let Role { name, place, process, .. } = &self.roles[before];
        let place = Place { user: None, ..place.clone() };
        let after = self.roles.len();
        self.roles.push(Role { name: name.clone(), place, process: *process, is_late: false });
        self.acts.extend([Act::Replaced { before, after }, Act::Start(after)]);
    }

    /// Returns the role that a process is now: a process can be one role after another.
    fn role(&self, process: u32) -> Option<usize> {
        let inner = |role: &Role| role.place.pid_namespace.map(|namespace| namespace.process);
        self.roles.iter().rposition(|role| role.process == process || inner(role) == Some(process))
    }

    fn step(&mut self, place: usize) -> Option<&mut Step> {
        match self.acts.get_mut(place) {
            Some(Act::Step(step)) => Some(step),
            _ => None,
        }
    }

    /// Returns the newest step that a function refused, or that succeeded.
    fn expected_of(&mut self, refused: Option<&str>) -> Option<&mut Step> {
        let steps = self.acts.iter_mut().rev().filter_map(|act| match act {
            Act::Step(step) => Some(step),
            _ => None,
        });
        steps.into_iter().find(|step| {
            let last = step.calls.last();
            let code = last.and_then(|called| called.returned.as_ref()).map(|returned| returned.code);
            match refused {
                Some(function) => code != Some(0) && last.is_some_and(|called| called.call.function == function),
                None => code.is_none_or(|code| code == 0),
            }
        })
    }

    /// Notes that a comparison has codes that calls returned.
    fn keep_codes(&mut self, comparison: Option<&Comparison>) {
        let has_codes = |compared: &&Comparison| compared.left.starts_with("CUDA_");
        let Some(comparison) = comparison.filter(has_codes) else { return };
        let codes = tokens(&comparison.left).into_iter().chain(tokens(&comparison.right));
        let codes: Vec<_> = codes.filter(|token| matches!(token, Token::Code(1..))).collect();
        let mut refused: Vec<_> = self
            .acts
            .iter_mut()
            .rev()
            .filter_map(|act| match act {
                Act::Step(step) => Some((Token::Code(step.code()?), step)),
                _ => None,
            })
            .collect();
        for code in codes {
            let Some(place) = refused.iter().position(|(other, _)| *other == code) else { continue };
            refused.remove(place).1.keeps_code = true;
        }
    }

    /// Whether the last step read memory, and the case let the driver refuse that.
    fn last_step_reads_at_will(&self) -> bool {
        let last = self.acts.iter().rev().find_map(|act| if let Act::Step(step) = act { Some(step) } else { None });
        last.is_some_and(|step| step.name().starts_with("mismatches") && step.may_be_refused())
    }

    /// Notes that the success of the last step discloses memory, and so does that of the steps before it that the case lets
    /// the driver refuse, such as the open before a read.
    fn last_steps_disclose(&mut self) {
        // A case may have checked the result, and may end the processes before it says so.
        let is_step = |act: &Act| matches!(act, Act::Step(_));
        let is_checked = {
            let mut later = self.acts.iter().rev().take_while(|act| !is_step(act));
            later.any(|act| matches!(act, Act::Check { holds: false, .. }))
        };
        let mut steps = self.acts.iter_mut().rev().filter_map(|act| match act {
            Act::Step(step) => Some(step),
            _ => None,
        });
        let Some(last) = steps.next().filter(|last| !is_checked || last.may_be_refused()) else { return };
        last.discloses = true;
        let role = last.role;
        for step in steps.take_while(|step| step.role == role && step.may_be_refused()) {
            step.discloses = true;
        }
    }

    /// Notes that the steps of other roles have not ended.
    fn others_go_on(&mut self, running: &BTreeMap<usize, usize>, role: usize) {
        for place in running.iter().filter(|(other, _)| **other != role).map(|(_, place)| *place) {
            if let Some(step) = self.step(place) {
                step.is_begun = true;
            }
        }
    }

    /// A case that goes on after a refusal expects it, even if it does not say so. After the refusal that ends it, it only
    /// releases what it holds pending.
    fn refusals_are_expected(&mut self) {
        let own = &self.acts[..self.own];
        let is_the_end = |act: &Act| {
            let Act::Step(step) = act else { return false };
            !step.has_output && !step.answer.is_empty() && self.reason.starts_with(&step.answer)
        };
        let last = own.iter().rposition(is_the_end);
        let last = last.or_else(|| own.iter().rposition(|act| matches!(act, Act::Step(_))));
        let ended_well = matches!(&*self.verdict, "pass" | "unsupported" | "leak");
        for (place, act) in self.acts.iter_mut().enumerate() {
            let Act::Step(step) = act else { continue };
            let refused = step.calls.last().and_then(|called| called.returned.as_ref()).is_some_and(|it| it.code != 0);
            if refused
                && !step.has_output
                && step.expectation == Expected::Success
                && !step.gives_back()
                && (Some(place) != last || ended_well)
            {
                step.expectation = Expected::Other(Expectation::Any);
            }
        }
    }
}
