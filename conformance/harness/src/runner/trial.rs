//! One case: runs it, applies the listed bugs, and reports it.

use std::fmt;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Failed, Trial};

use super::repeat::{Reruns, repeat};
use super::rerun;
use super::turns::Turns;
use crate::case::{self, Case, Setting};
use crate::deviations::Deviations;
use crate::driver::{Choice, UnderTest};
use crate::identity::Kind;
use crate::models::{Again, Models, Note, is_model};
use crate::report::{CaseReport, KernelLog, Report, Run, Writer};
use crate::warm::{self, WarmRoles};
use crate::{Failure, Stop, Verdict, trace};

/// The state that all trials share.
pub(super) struct Shared {
    pub(super) package: &'static str,
    /// The turns of runs that use the same devices.
    pub(super) turns: Turns,
    /// Whether the run checks for leaks of device memory.
    pub(super) is_judged: bool,
    pub(super) warm: Arc<WarmRoles>,
    pub(super) under_test: UnderTest,
    pub(super) deviations: Deviations,
    pub(super) writer: Option<Writer>,
    /// Whether `--require` names anything.
    pub(super) has_requirements: bool,
    /// `--budget`: when the last case may start.
    pub(super) budget: Option<Budget>,
    /// `--reruns`: runs a failed case again and counts how often it fails.
    pub(super) reruns: Reruns,
    /// `--strict`: a case that differs fails.
    pub(super) fails_on_differs: bool,
    pub(super) setting: Setting,
    /// The flags, besides driver and seed, of the command that runs a case again.
    pub(super) settings: rerun::Settings,
    /// The description of the run, without the environment.
    pub(super) description: Run,
    /// The cases that have ended, without their steps.
    pub(super) ended: Mutex<Vec<CaseReport>>,
    /// What cases found that differ, in words. They do not fail, so nothing else prints it.
    pub(super) differences: Mutex<Vec<String>>,
    /// The processes that crashed or hung outside any case.
    pub(super) bad_ends: Mutex<Vec<String>>,
    /// The kernel's messages, with `--identify`.
    pub(super) kernel_log: Mutex<Option<KernelLog>>,
}

/// The time after which no case starts.
pub(super) struct Budget {
    began: Instant,
    time: Duration,
    left_out: AtomicUsize,
}

impl Budget {
    pub(super) const fn new(began: Instant, time: Duration) -> Self {
        Self { began, time, left_out: AtomicUsize::new(0) }
    }

    /// Returns when the time is over. `None` if that is beyond what the clock can say.
    pub(super) fn end(&self) -> Option<Instant> {
        self.began.checked_add(self.time)
    }

    /// Says that the time is over, and counts the case that is left out.
    fn is_spent(&self) -> Option<String> {
        if self.began.elapsed() < self.time {
            return None;
        }
        self.left_out.fetch_add(1, Ordering::Relaxed);
        Some(format!("the budget of {} is spent", humantime::format_duration(self.time)))
    }

    /// Returns how many cases were left out.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }
}

/// Writes the flag: `--budget 1m`.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--budget {}", humantime::format_duration(self.time))
    }
}

/// Creates the libtest-mimic trial of a case. Under nextest, an unsupported case is listed as ignored, so that nextest
/// counts it as skipped.
pub(super) fn trial(case: Case, shared: Arc<Shared>) -> Trial {
    let unsupported = case.registered.needs.unmet(&shared.under_test.machine).is_some() && !shared.has_requirements;
    let ignored = unsupported && std::env::var_os("NEXTEST").is_some();
    let id = case.id.clone();
    Trial::ignorable_test(id, move || shared.run(&case)).with_ignored_flag(ignored)
}

/// One run of a case.
struct Ran {
    report: CaseReport,
    /// Whether something was missing although the probe found it.
    is_missing: bool,
    /// What makes a model find the same again.
    again: Option<Again>,
}

impl Ran {
    fn of(report: CaseReport) -> Self {
        Self { report, is_missing: false, again: None }
    }
}

impl Shared {
    fn run(&self, case: &Case) -> Result<Completion, Failed> {
        let spent = || self.budget.as_ref().and_then(Budget::is_spent);
        if let Some(spent) = spent() {
            return Ok(Completion::ignored_with(spent));
        }
        let turn = self.turns.take(self.is_judged, self.budget.as_ref().and_then(Budget::end));
        // This run may have waited long for its turn. If it got none, the time is over.
        if let Some(spent) = spent() {
            return Ok(Completion::ignored_with(spent));
        }
        if self.turns.are_shared() {
            // Another run may have taken memory since the last case.
            self.warm.begin_anew();
        }
        let started = Instant::now();
        warm::take_waited();
        if let Some(writer) = &self.writer {
            writer.start(&case.id).unwrap_or_else(|error| self.end_unwritten(&error));
        }
        let mut is_missing = false;
        let can_run = case.registered.needs.unmet(&self.under_test.machine).is_none();
        let times = if can_run { self.description.repeat } else { NonZeroU32::MIN };
        let mut found = None;
        let mut report = repeat(times, || {
            let ran = self.run_once(case, self.setting.models);
            is_missing |= ran.is_missing;
            found = found.or(ran.again);
            ran.report
        });
        let duration = started.elapsed().saturating_sub(warm::take_waited());
        report = self.reruns.count(report, || {
            // New processes: one that is broken, or that served other cases, must not cause the failure.
            self.warm.renew();
            self.run_once(case, self.setting.models.again(found)).report
        });
        report.duration_ms = crate::step::milliseconds(duration);
        if matches!(report.verdict, Verdict::Pass | Verdict::Fixed | Verdict::Unsupported)
            && report.disclosures.is_empty()
        {
            // These flags only reproduce a failure or a disclosure, and there is none.
            report.flags = Vec::new();
        }
        if self.turns.has_neighbour() {
            // A spare role that starts later would take memory while the other run has its turn.
            self.warm.finish_spare();
        }
        drop(turn);
        self.keep_bad_ends();
        if let Some(log) = self.kernel_log.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            report.xids = log.xids();
        }
        // With `--require`, a case may be skipped only if the probe predicted it.
        if is_missing && self.has_requirements && report.verdict == Verdict::Unsupported {
            report.verdict = Verdict::Error;
            let reason = report.reason.get_or_insert_default();
            reason.push_str("; the machine had all that the case needs when the run began, and --require is given");
        }
        let outline = CaseReport { steps: Vec::new(), ..report.clone() };
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(outline.clone());
        if let Some(writer) = &self.writer {
            writer.end(report).unwrap_or_else(|error| self.end_unwritten(&error));
        }
        match outline.verdict {
            Verdict::Pass | Verdict::Fixed | Verdict::Deviation => Ok(Completion::Completed),
            Verdict::Differs if !self.fails_on_differs => {
                self.keep_difference(case, &outline);
                Ok(Completion::Completed)
            }
            Verdict::Unsupported => Ok(Completion::ignored_with(outline.reason.unwrap_or_default())),
            _ => Err(Failed::from(self.explain(case, &outline))),
        }
    }

    /// Reports the processes that crashed or hung outside any case since the last call. It is done after each case, so
    /// that the end of the machine hides none.
    pub(super) fn keep_bad_ends(&self) {
        for end in self.warm.bad_ends() {
            if let Some(writer) = &self.writer {
                writer.process(&end).unwrap_or_else(|error| self.end_unwritten(&error));
            }
            self.bad_ends.lock().unwrap_or_else(PoisonError::into_inner).push(end);
        }
    }

    /// Ends the run, because it can no longer write its report.
    fn end_unwritten(&self, error: &std::io::Error) -> ! {
        eprintln!("conformance: cannot write the report: {error}; the run ends here");
        self.warm.clear();
        std::process::exit(1)
    }

    /// Runs a case once and applies the listed bugs.
    fn run_once(&self, case: &Case, models: Models) -> Ran {
        let mut ran = match case.registered.needs.unmet(&self.under_test.machine) {
            Some(reason) => Ran::of(CaseReport::of(case, Verdict::Unsupported, Some(reason))),
            None => self.run_supported(case, models),
        };
        let report = &mut ran.report;
        let (verdict, reason) = self.deviations.judge(case, &self.description, report.verdict, report.reason.take());
        let verdict =
            if verdict == Verdict::Fail && self.is_only_observed(report) { Verdict::Differs } else { verdict };
        (report.verdict, report.reason) = (verdict, reason);
        ran
    }

    /// Whether no row of the case is documented, so that no expectation of it binds a driver. A crash, a hang and a leak
    /// need no documentation.
    fn is_only_observed(&self, case: &CaseReport) -> bool {
        !case.rows.is_empty() && case.rows.iter().all(|row| self.setting.observed_rows.contains(row))
    }

    /// Keeps what a case found that differs: what a model found with its script and its command, and one line of any
    /// other case, because all cases of an unusual driver may differ.
    fn keep_difference(&self, case: &Case, report: &CaseReport) {
        let reason = report.reason.as_deref().unwrap_or_default();
        let text = if is_model(&case.id) {
            let rows = report.rows.join(", ");
            format!("{}: {reason}\n  rows: {rows}\n  run again: {}", case.id, self.again(case, report))
        } else {
            format!("{}: {}", case.id, reason.lines().next().unwrap_or_default())
        };
        self.differences.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Takes what cases found that differ.
    pub(super) fn differences(&self) -> Vec<String> {
        std::mem::take(&mut self.differences.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns a report of the run so far, without steps.
    pub(super) fn report(&self) -> Report {
        let mut cases = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        cases.sort_by(|one, other| one.id.cmp(&other.id));
        let bad_ends = self.bad_ends.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Report { run: self.description.clone(), cases, running: Vec::new(), bad_ends, is_complete: true }
    }

    /// Runs a case that the machine supports.
    fn run_supported(&self, case: &Case, models: Models) -> Ran {
        let needs = &case.registered.needs;
        trace::case_began(&case.id, needs.gpu_count(), needs.cuda_versions());
        let setting = Setting { models, ..self.setting.clone() };
        case::enter(Arc::clone(&self.warm), &self.under_test.machine, setting, &case.id);
        let outcome =
            catch_unwind(AssertUnwindSafe(case.registered.run)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        if let Err(Stop::Disclosed(text)) = &outcome {
            trace::write(|| trace::Event::Disclosure { case: case.id.clone(), text: text.clone() });
        }
        let Some(running) = case::leave() else {
            let reason = "another case replaced it in its thread".to_owned();
            return Ran::of(CaseReport::of(case, Verdict::Error, Some(reason)));
        };
        let Note { text, again, row } = running.note.take();
        let mut report = match &outcome {
            Ok(()) => CaseReport::of(case, Verdict::Pass, None),
            Err(stop) => {
                let note = if text.is_empty() { text } else { format!("\n{text}") };
                let report = CaseReport::of(case, stop.verdict(), Some(format!("{stop}{note}")));
                let rows = row.map_or(report.rows, |row| vec![row.to_owned()]);
                CaseReport { rows, ..report }
            }
        };
        (report.observations, report.steps) = (running.observations.take(), running.take_steps());
        report.failure = outcome.as_ref().err().and_then(|stop| Failure::when(stop, &report.steps));
        report.disclosures = running.disclosures.take().into_iter().collect();
        if let Some(bad) = self.give_back(running, &outcome)
            && bad.verdict > report.verdict
        {
            (report.verdict, report.reason, report.failure) = (bad.verdict, Some(bad.reason), bad.failure);
        }
        // Only the cases of `load::` read it, and they have no flag of their own.
        let load = self.setting.full_load.then(|| "--load".to_owned());
        report.flags = self.settings.with(&again.map(|again| again.to_string()).or(load).unwrap_or_default());
        trace::case_ended(&case.id, report.verdict.word(), report.reason.as_deref());
        Ran { report, is_missing: matches!(outcome, Err(Stop::Missing(_))), again }
    }

    fn explain(&self, case: &Case, report: &CaseReport) -> String {
        let CaseReport { verdict, runs, rows, .. } = report;
        let rows = match rows.join(", ") {
            // A finding names the row that was broken, if there is one.
            none if none.is_empty() && is_model(&case.id) && *verdict != Verdict::Error => {
                // A test of the models, or of what a process's end does to the others, prints no script.
                let has_script = report.flags.iter().any(|flag| flag.starts_with("--script"));
                if has_script {
                    "none, a model checks many rules, and this script broke no single one".to_owned()
                } else {
                    "none, the case checks no single rule".to_owned()
                }
            }
            none if none.is_empty() => "none, the case checks the harness".to_owned(),
            rows => rows,
        };
        format!(
            "{verdict}: {}\n\n{}  rule: {}\n  rows: {rows}\n  run again: {}\n",
            report.reason.as_deref().unwrap_or_default(),
            runs.map(|runs| format!("  failed in: {runs} runs\n")).unwrap_or_default(),
            case.summary,
            self.again(case, report),
        )
    }

    /// Returns the command that runs a case again.
    fn again(&self, case: &Case, report: &CaseReport) -> String {
        let identity = &self.under_test.identity;
        let driver = match (&identity.given_path, identity.kind) {
            (Some(path), _) => Choice::Path(path.into()),
            (None, Kind::Reference) => Choice::Reference,
            (None, Kind::System | Kind::Path) => Choice::System,
        };
        rerun::command(self.package, &driver, &self.description, &report.flags, &case.id)
    }
}

/// Converts a panic into a stop. A fixture cannot return an error, so it panics with the `Stop` as payload.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Stop {
    if let Some(stop) = panic.downcast_ref::<Stop>() {
        return stop.clone();
    }
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    Stop::Harness(format!("the case panicked: {}", text.unwrap_or_default()))
}
