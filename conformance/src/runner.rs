//! The run: options, driver, trials, verdicts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Parser as _;
use libtest_mimic::{Completion, Failed, Trial};

use crate::case::{self, Case, Running};
use crate::deviations::Deviations;
use crate::driver::{Choice, Kind, UnderTest};
use crate::nextest::{run_name, seed_of_the_run, shared_probe, under_nextest};
use crate::options::Options;
use crate::records::{self, Records};
use crate::report::{CaseReport, Environment, FORMAT, Report, Suite, Writer};
use crate::role::{Account, Cleanness, Placement, Pool, Process, Role, Settings};
use crate::{Outcome, Stop, Verdict, again, catalogue, probe};

/// The GPUs of the reference driver, so that every two-GPU case runs on every push.
const REFERENCE_DEVICES: &str = "2";

/// Memory that a real driver may keep for itself after something was used for the first time. The first managed memory
/// on an H200 costs 126 MiB.
const KEPT_BY_REAL_DRIVERS: u64 = 256 << 20;

/// The suite's `main`.
pub fn main() -> ExitCode {
    crate::role::serve_if_role();
    crate::broken_pipe::end_without_a_word();
    let options = Options::parse();
    if options.probe {
        return probe::print(&options, &settings(&options));
    }
    match Run::prepare(options) {
        Ok(run) => run.perform(),
        Err(message) => {
            eprintln!("conformance: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What roles are started with while the driver is not yet chosen.
fn settings(options: &Options) -> Settings {
    let mut environment = Vec::new();
    if std::env::var_os("REFERENCE_DRIVER_DEVICES").is_none() {
        environment.push(("REFERENCE_DRIVER_DEVICES".to_owned(), REFERENCE_DEVICES.to_owned()));
    }
    if std::env::var_os("REFERENCE_DRIVER_MACHINE").is_none() {
        // A machine of its own: another run beside this one must not show in its accounts.
        environment.push(("REFERENCE_DRIVER_MACHINE".to_owned(), run_name()));
    }
    Settings { driver: None, environment, deadline: options.deadline }
}

struct Run {
    options: Options,
    shared: Arc<Shared>,
    cases: Vec<Case>,
}

/// What every trial uses.
struct Shared {
    pool: Arc<Pool>,
    under_test: UnderTest,
    deviations: Deviations,
    writer: Option<Writer>,
    strict: bool,
    seed: u64,
    /// What runs, without what is around it.
    description: crate::report::Run,
    /// Every case that has ended, without its steps.
    ended: Mutex<Vec<CaseReport>>,
}

impl Run {
    fn prepare(options: Options) -> Result<Self, String> {
        let cases = case::all();
        let deviations = Deviations::read(options.deviations.as_deref())?;
        deviations.check(&cases)?;
        let settings = settings(&options);
        let (under_test, keeper) = shared_probe(&options.driver, &settings)?;
        let settings = Settings { driver: under_test.library.clone(), ..settings };
        let seed = options.seed.unwrap_or_else(seed_of_the_run);
        let description = run(&under_test, seed, &options);
        let writer = match &options.report {
            Some(path) if !options.libtest.list => {
                let writer = Writer::new(path, &with_surroundings(&description), under_nextest().is_some());
                Some(writer.map_err(|error| format!("cannot write the report {}: {error}", path.display()))?)
            }
            _ => None,
        };
        let one_at_a_time = options.libtest.test_threads.is_none_or(|threads| threads == 1);
        let account = match keeper {
            // Cases beside one another share the devices, and nobody could tell whose memory is missing.
            Some(keeper) if one_at_a_time && !options.libtest.list => account(keeper, &under_test, &settings)?,
            _ => Account::default(),
        };
        let shared = Shared {
            pool: Arc::new(Pool::new(settings, options.fresh, account)),
            strict: !options.require.is_empty(),
            under_test,
            deviations,
            writer,
            seed,
            description,
            ended: Mutex::default(),
        };
        Ok(Self { options, shared: Arc::new(shared), cases })
    }

    fn perform(self) -> ExitCode {
        let Self { mut options, shared, cases } = self;
        // Cases share the devices, and the proof of cleanness reads their free memory: one at a time, unless asked.
        options.libtest.test_threads.get_or_insert(1);
        let identity = &shared.under_test.identity;
        if !options.libtest.list {
            println!("conformance: {identity}, {}, seed {}", devices(&shared.under_test), shared.seed);
            for unmet in &shared.description.unmet {
                println!("conformance: --require is not met: {unmet}");
            }
        }
        let trials = cases.into_iter().map(|case| trial(case, Arc::clone(&shared))).collect();
        let conclusion = libtest_mimic::run(&options.libtest, trials);
        shared.pool.clear();
        if !options.libtest.list {
            let mut report = shared.report();
            let verdicts: Vec<_> = report.cases.iter().map(|case| case.verdict).collect();
            // Of a nextest run nobody knows which process is the last.
            if let Some(writer) = shared.writer.as_ref().filter(|_| under_nextest().is_none())
                && let Err(error) = writer.finish(&verdicts)
            {
                eprintln!("conformance: the report cannot be written: {error}");
                return ExitCode::FAILURE;
            }
            // One process of a nextest run has seen one case.
            if under_nextest().is_none() {
                report.run.environment = Some(Environment::find());
                for line in shared.deviations.unmatched(&report).into_iter().chain(compare(&options, &report)) {
                    println!("conformance: {line}");
                }
            }
            let counts = report.summary();
            let words: Vec<_> =
                Verdict::ALL.iter().map(|verdict| format!("{} {verdict}", counts[verdict.word()])).collect();
            println!("conformance: {}; {identity}, {}", words.join(", "), devices(&shared.under_test));
        }
        if conclusion.has_failed() || (!options.libtest.list && !shared.description.unmet.is_empty()) {
            ExitCode::from(101)
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// What the run did otherwise than the nearest golden record.
fn compare(options: &Options, report: &Report) -> Vec<String> {
    let folder = options.records.clone().unwrap_or_else(records::folder);
    records::verdict(&Records::read(&folder), report)
}

/// Keepers for the GPUs that cases use. While they live, other roles start faster, too.
fn account(first: Process, under_test: &UnderTest, settings: &Settings) -> Result<Account, String> {
    const GPUS_OF_CASES: usize = 2;
    let mut keepers = std::collections::BTreeMap::from([(0, first)]);
    for device in (1..under_test.machine.devices.len().min(GPUS_OF_CASES)).map(|device| device as i32) {
        let keeper = Process::start("keeper", Placement::device(device), settings)
            .map_err(|error| format!("GPU {device} does not start: {error:?}"))?;
        keepers.insert(device, keeper);
    }
    Ok(Account::new(keepers))
}

fn devices(under_test: &UnderTest) -> String {
    let devices = &under_test.machine.devices;
    match (devices.first(), under_test.identity.kind) {
        (None, _) => "no device".to_owned(),
        (Some(_), Kind::Reference) => format!("{} simulated", devices.len()),
        (Some(device), _) => format!("{} × {}", devices.len(), device.name),
    }
}

/// What runs.
fn run(under_test: &UnderTest, seed: u64, options: &Options) -> crate::report::Run {
    crate::report::Run {
        format: FORMAT,
        run: run_name(),
        began: Some(jiff::Timestamp::now().to_string()),
        suite: None,
        driver: under_test.identity.clone(),
        devices: under_test.machine.devices.clone(),
        links: under_test.machine.links.clone(),
        environment: None,
        seed,
        fresh: options.fresh,
        unmet: options.require.unmet(&under_test.machine),
        is_partial: options.is_partial(),
    }
}

/// What the report says of the run. To ask git and the system takes longer than many a case: only who writes does.
fn with_surroundings(run: &crate::report::Run) -> crate::report::Run {
    crate::report::Run { suite: Some(Suite::this()), environment: Some(Environment::find()), ..run.clone() }
}

/// A trial of libtest-mimic. nextest wants to know at listing what cannot run.
fn trial(case: Case, shared: Arc<Shared>) -> Trial {
    let unsupported = case.registered.needs.unmet(&shared.under_test.machine).is_some() && !shared.strict;
    let ignored = unsupported && std::env::var_os("NEXTEST").is_some();
    let id = case.id.clone();
    Trial::ignorable_test(id, move || shared.run(&case)).with_ignored_flag(ignored)
}

impl Shared {
    fn run(&self, case: &Case) -> Result<Completion, Failed> {
        let started = Instant::now();
        let unwritten = |error| Failed::from(format!("error: the report cannot be written: {error}"));
        if let Some(writer) = &self.writer {
            writer.start(&case.id).map_err(unwritten)?;
        }
        let (mut report, is_missing) = match case.registered.needs.unmet(&self.under_test.machine) {
            Some(reason) => (ended(case, Verdict::Unsupported, Some(reason)), false),
            None => self.run_supported(case),
        };
        let (verdict, reason) = self.deviations.judge(case, &self.description, report.verdict, report.reason.take());
        (report.verdict, report.reason) = (verdict, reason.clone());
        report.duration_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        // Who requires anything gets no skip that the probe did not tell.
        let is_untold = is_missing && self.strict;
        let required = verdict == Verdict::Unsupported && (is_untold || !self.description.unmet.is_empty());
        let outline = CaseReport { steps: Vec::new(), ..report.clone() };
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(outline);
        if let Some(writer) = &self.writer {
            writer.end(report).map_err(unwritten)?;
        }
        let reason = reason.unwrap_or_default();
        match verdict {
            Verdict::Pass => Ok(Completion::Completed),
            Verdict::Deviation => Ok(Completion::Completed),
            Verdict::Unsupported if !required => Ok(Completion::ignored_with(reason)),
            _ => Err(Failed::from(self.explain(case, verdict, &reason))),
        }
    }

    /// The run so far, without steps.
    fn report(&self) -> Report {
        let mut cases = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        cases.sort_by(|one, other| one.id.cmp(&other.id));
        Report { run: self.description.clone(), cases, running: Vec::new(), is_complete: true }
    }

    /// How it ended, and whether something was missing that the machine had shown.
    fn run_supported(&self, case: &Case) -> (CaseReport, bool) {
        case::enter(Arc::clone(&self.pool), self.seed, &case.id);
        let outcome =
            catch_unwind(AssertUnwindSafe(case.registered.run)).unwrap_or_else(|panic| Err(panicked(&*panic)));
        let Some(running) = case::leave() else {
            return (ended(case, Verdict::Error, Some("the case left another in its place".to_owned())), false);
        };
        let mut report = match &outcome {
            Ok(()) => ended(case, Verdict::Pass, None),
            Err(stop) => ended(case, stop.verdict(), Some(stop.to_string())),
        };
        (report.observations, report.steps) = (running.observations.take(), running.steps.take());
        if let Some((worse, why)) = self.give_back(running, &outcome)
            && worse > report.verdict
        {
            (report.verdict, report.reason) = (worse, Some(why));
        }
        (report, matches!(outcome, Err(Stop::Missing(_))))
    }

    /// Every role gives back what it holds: first what is others', then its own. A clean one serves again.
    fn give_back(&self, running: Running, outcome: &Outcome) -> Option<(Verdict, String)> {
        let roles = running.roles.take();
        let mut worst: Option<(Verdict, String)> = None;
        let mut worse = |verdict: Verdict, reason: String| {
            if worst.as_ref().is_none_or(|(known, _)| verdict > *known) {
                worst = Some((verdict, reason));
            }
        };
        let (gone, living): (Vec<_>, Vec<_>) = roles.into_iter().partition(Role::is_gone);
        let mut refused = Vec::new();
        for role in &living {
            match role.give_back_imports() {
                Ok(problems) => refused.push(!problems.is_empty()),
                Err(stop) => {
                    refused.push(true);
                    worse(stop.verdict(), format!("while giving back: {stop}"));
                }
            }
        }
        let mut proofs = Vec::new();
        for (role, refused) in living.iter().zip(refused) {
            if role.is_gone() {
                proofs.push(None);
                continue;
            }
            match role.give_back_and_prove() {
                Ok(proof) => {
                    let proof: Cleanness = proof;
                    proofs.push((!refused).then_some(proof));
                }
                Err(stop) => {
                    worse(stop.verdict(), format!("while giving back: {stop}"));
                    proofs.push(None);
                }
            }
        }
        for role in gone {
            self.retire(role, false);
        }
        for (device, missing) in self.pool.settle() {
            if missing > self.kept_by_the_driver() && outcome.is_ok() {
                worse(Verdict::Leak, format!("{missing} bytes of GPU {device} did not come back"));
            }
        }
        for (role, proof) in living.into_iter().zip(proofs) {
            let name = role.name();
            let is_clean = proof.as_ref().is_some_and(Cleanness::is_clean);
            // What a case left undone on purpose is not the driver's leak.
            if let Some(proof) = proof.filter(|proof| outcome.is_ok() && proof.problems.is_empty())
                && let Some(left) = proof.descriptors_left.iter().find(|target| self.is_not_the_drivers_own(target))
            {
                worse(Verdict::Leak, format!("{name}: a descriptor of {left} was left open"));
            }
            self.retire(role, is_clean);
        }
        // What the ended roles held is free again, and some had given up more than their price: the present counts.
        self.pool.settle();
        worst
    }

    /// The pool takes a clean role back; any other is ended.
    fn retire(&self, role: Role, is_clean: bool) {
        match role.into_process() {
            Some(process) if is_clean => self.pool.put_back(process),
            Some(process) => self.pool.end(process),
            None => {}
        }
    }

    /// A real driver opens its devices when they are first used, and keeps them open.
    fn is_not_the_drivers_own(&self, target: &str) -> bool {
        self.under_test.identity.kind == Kind::Reference || !target.starts_with("/dev/nvidia")
    }

    /// A real driver keeps what a context used for the first time; the reference driver keeps nothing.
    fn kept_by_the_driver(&self) -> u64 {
        if self.under_test.identity.kind == Kind::Reference { 0 } else { KEPT_BY_REAL_DRIVERS }
    }

    fn explain(&self, case: &Case, verdict: Verdict, reason: &str) -> String {
        let rows = case.registered.rows.join(", ");
        let driver = match self.under_test.identity.kind {
            Kind::Reference => Choice::Reference,
            Kind::System => Choice::System,
            Kind::Path => Choice::Path(self.under_test.identity.path.clone().into()),
        };
        format!(
            "{verdict}: {reason}\n\n  rule: {}\n  rows: {}\n  again: {}\n",
            case.summary,
            if rows.is_empty() { "none, this checks the harness" } else { &rows },
            again::command(&driver, &self.description, &case.id),
        )
    }
}

/// How a case ended, before anything else is known of it.
fn ended(case: &Case, verdict: Verdict, reason: Option<String>) -> CaseReport {
    CaseReport {
        id: case.id.clone(),
        rows: case.registered.rows.iter().map(|row| (*row).to_owned()).collect(),
        verdict,
        reason,
        observations: Default::default(),
        steps: Vec::new(),
        duration_ms: 0.0,
    }
}

/// A fixture cannot return an error, so it panics with the `Stop` itself.
fn panicked(panic: &(dyn std::any::Any + Send)) -> Stop {
    if let Some(stop) = panic.downcast_ref::<Stop>() {
        return stop.clone();
    }
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    Stop::Harness(format!("the case panicked: {}", text.unwrap_or_default()))
}

/// Lines that say what the catalogue's files should hold; none where they agree with the registered cases.
///
/// # Errors
/// Where the catalogue cannot be read.
pub fn catalogue_disagreements() -> Result<Vec<String>, String> {
    let mut registered: Vec<_> = case::all().into_iter().map(|case| (case.base, case.registered.rows)).collect();
    registered.dedup();
    catalogue::disagreements(&registered)
}
