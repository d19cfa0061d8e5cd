//! The run: its options, driver, trials and verdicts.

mod begin;
mod give_back;
mod nextest;
mod options;
mod panics;
mod probe;
mod repeat;
mod rerun;
mod resume;
mod select;
mod trial;
mod turns;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;
use std::time::Instant;

use clap::Parser as _;
use libtest_mimic::FormatSetting;

use crate::case::{self, Case, Setting};
use crate::deviations::Deviations;
use crate::driver::{Choice, UnderTest};
use crate::identity::Kind;
use crate::models::Models;
use crate::process::{BadEnds, Placement, Process, Settings, orphans, visible_devices};
use crate::records::{self, Records};
use crate::report::{Environment, Report};
use crate::warm::{Balance, Supply, WarmRoles};
use crate::{Verdict, calls, catalogue, role};
use nextest::{run_name, seed_of_the_run, shared_probe, under_nextest};
use repeat::Reruns;
use resume::Resumed;
use trial::{Budget, Shared, trial};
use turns::{SYSTEM, Turns};

pub use options::{Level, Options, Requirements};
pub use probe::Probe;

/// A program that contains cases, as its `main` describes it.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The package whose tests the program contains.
    package: &'static str,
    /// Whether the cases check a driver. If so, the catalogue must list exactly these cases, and `deviations.toml`
    /// applies.
    is_of_drivers: bool,
    /// Selects the cases of the program by name.
    selects: fn(&str) -> bool,
}

impl Program {
    /// Describes a package whose cases check a driver.
    #[must_use]
    pub const fn of_drivers(package: &'static str) -> Self {
        Self { package, is_of_drivers: true, selects: |_| true }
    }

    /// Describes a package whose cases check the harness or a program built on it. Cases in a module `planted` go wrong
    /// on purpose: they are listed only if `CONFORMANCE_PLANTED` is set. If it is the beginning of a name, such as
    /// `night::`, only these cases are listed, and no filter made the run partial.
    #[must_use]
    pub const fn of_checks(package: &'static str) -> Self {
        let selects = |name: &str| match std::env::var("CONFORMANCE_PLANTED") {
            Err(_) => !name.starts_with("planted::"),
            Ok(beginning) => !beginning.ends_with("::") || name.starts_with(&beginning),
        };
        Self { package, is_of_drivers: false, selects }
    }

    fn cases(self) -> Vec<Case> {
        let mut cases = case::all();
        cases.retain(|case| (self.selects)(&case.id));
        cases
    }

    fn deviations(self, options: &Options) -> Result<Deviations, String> {
        // The shipped list names cases that a program of checks does not have.
        Deviations::read(&options.deviations, self.is_of_drivers && !options.no_shipped_deviations)
    }

    /// Refuses to run if the catalogue and the registered cases disagree: a row could claim a check that does not
    /// exist.
    fn check_catalogue(self, cases: &[Case]) -> Result<(), String> {
        if !self.is_of_drivers {
            return Ok(());
        }
        let mut registered: Vec<_> = cases.iter().map(|case| (case.base.clone(), case.registered.rows)).collect();
        registered.dedup();
        let problems = catalogue::disagreements(&registered)?;
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!(
            "the rows in conformance/requirements and the registered cases disagree. Change the files to:\n{}",
            problems.join("\n")
        ))
    }
}

/// The `main` of a program of cases.
#[must_use]
pub fn main(program: Program) -> ExitCode {
    role::serve_if_role(calls::perform);
    let options = Options::parse().relative_to_the_shell();
    panics::tell_apart(if options.libtest.logfile.is_some() { "the log file" } else { "standard output" });
    if let Some(problem) = options.problem() {
        eprintln!("conformance: {problem}");
        return ExitCode::from(2);
    }
    see_only(&options.gpus);
    orphans::adopt();
    let cases = program.cases();
    if options.probe {
        return probe::print(&options, &settings(&options), &cases);
    }
    match Run::prepare(program, options, cases) {
        Ok(run) => run.perform(),
        Err(message) => {
            eprintln!("conformance: {message}");
            let left = BadEnds::default();
            orphans::end(&left);
            left.take().iter().for_each(|end| eprintln!("conformance: {end}"));
            ExitCode::FAILURE
        }
    }
}

/// The number of simulated GPUs, so that cases with two GPUs also run on machines without a GPU.
const REFERENCE_DEVICES: &str = "2";

/// The number of hardware queues of a context. With two instead of eight, an H200 creates a context in less than half the
/// time. With one, the streams of a case wait for each other.
const QUEUES: &str = "2";
const QUEUES_VARIABLE: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// Returns the settings with which roles start before the driver is selected.
fn settings(options: &Options) -> Settings {
    let mut environment = Vec::new();
    let is_chosen = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    if !is_chosen("REFERENCE_DRIVER_DEVICES") && !is_chosen("REFERENCE_DRIVER_PROFILE") {
        environment.push(("REFERENCE_DRIVER_DEVICES".to_owned(), REFERENCE_DEVICES.to_owned()));
    }
    if !is_chosen(QUEUES_VARIABLE) {
        environment.push((QUEUES_VARIABLE.to_owned(), QUEUES.to_owned()));
    }
    if !is_chosen("REFERENCE_DRIVER_MACHINE") {
        // A simulated machine of its own, so that a concurrent run does not change its free memory.
        environment.push(("REFERENCE_DRIVER_MACHINE".to_owned(), run_name()));
    }
    Settings { driver: None, environment, deadline: options.deadline, bad_ends: BadEnds::default() }
}

struct Run {
    options: Options,
    shared: Arc<Shared>,
    cases: Vec<Case>,
    /// What a resumed run says of the cases that ended before, and of those that are left.
    goes_on: Option<String>,
    is_of_drivers: bool,
}

impl Run {
    fn prepare(program: Program, mut options: Options, cases: Vec<Case>) -> Result<Self, String> {
        program.check_catalogue(&cases)?;
        // One case at a time by default: cases share the devices, and the check for leaks reads the devices' free memory.
        // Checks of the harness mostly wait for other processes. A check that starts its program again passes arguments.
        let is_run_of_all_checks = !program.is_of_drivers && std::env::args_os().len() == 1;
        let many = || available_parallelism().map_or(2, |cores| cores.get() + 1);
        options.libtest.test_threads.get_or_insert_with(|| if is_run_of_all_checks { many() } else { 1 });
        let deviations = program.deviations(&options)?;
        deviations.check(&cases)?;
        let began = Instant::now();
        let resumed = options.resume.as_deref().map(Resumed::read).transpose()?;
        let every_case = cases.clone();
        let cases = select::named(&options, program.is_of_drivers, cases)?;
        let settings = settings(&options);
        let one_at_a_time = options.libtest.test_threads == Some(1);
        let turns = Turns::of(&shared_devices(&options, program.is_of_drivers));
        // Contexts that start take memory of the devices.
        let budget = options.budget.map(|time| Budget::new(began, time));
        let until = budget.as_ref().and_then(Budget::end);
        let turn = turns.take(one_at_a_time && under_nextest().is_none(), until).ok_or_else(|| {
            let waited = turns.waited_in_vain().unwrap_or_default();
            format!("--budget is spent before the run could begin: {waited}")
        })?;
        let (under_test, keeper) = shared_probe(&options.driver, &settings)?;
        let settings = Settings { driver: under_test.library.clone(), ..settings };
        check_gpus(&options.gpus, &under_test)?;
        let seed = options.seed.or_else(|| Some(resumed.as_ref()?.report.run.seed)).unwrap_or_else(seed_of_the_run);
        let description = begin::describe(&under_test, seed, &options);
        let is_named = !cases.is_empty();
        let cases = select::order(&options, &under_test.machine, seed, cases)?;
        if is_named {
            select::check_not_empty(&options, program.is_of_drivers, &cases)?;
        }
        let (cases, given_up, goes_on) = match (&resumed, &options.resume) {
            (Some(resumed), Some(path)) => {
                resumed.check(path, &description)?;
                let left_out = every_case.len() - select::not_skipped(&options, &cases);
                let (left, given_up) = resumed.left(cases);
                let told = resumed.told(path, select::not_skipped(&options, &left), given_up.len(), left_out);
                (left, given_up, Some(told))
            }
            _ => (cases, Vec::new(), None),
        };
        // Models avoid every listed bug, so cases that this run leaves out count too.
        let listed = every_case.iter().filter(|case| deviations.applies(case, &description));
        let models = Models {
            soak: options.soak,
            scripts: options.scripts,
            script: options.script,
            no_shrink: options.no_shrink,
            is_reference: under_test.identity.kind == Kind::Reference,
        };
        let listed = listed.map(|case| case.id.clone()).collect();
        let observed_rows = Arc::new(catalogue::observed_rows()?);
        let setting = Setting { seed, models, full_load: options.load, listed, observed_rows };
        let writer = begin::report(&options, &description)?;
        let (mut ended, bad_ends) =
            resumed.map(|resumed| (resumed.report.cases, resumed.report.bad_ends)).unwrap_or_default();
        for case in given_up {
            if let Some(writer) = &writer {
                writer.end(case.clone()).map_err(|error| format!("cannot write the report: {error}"))?;
            }
            ended.push(case);
        }
        let balance = match keeper {
            // Concurrent cases share the devices, so missing memory could not be attributed to a case.
            Some(keeper) if one_at_a_time && !options.libtest.list => balance(keeper, &under_test, &settings)?,
            _ => Balance::default(),
        };
        drop(turn);
        // The devices of the reference driver are those of a machine with a name.
        let turns = match (under_test.identity.kind, shared_machine()) {
            (Kind::Reference, machine) => Turns::of(machine.as_slice()),
            _ => turns,
        };
        // In a nextest run, cases run at the same time, and would never let one have the devices to itself.
        let is_judged = !balance.is_empty() && under_nextest().is_none();
        let supply = if options.fresh {
            Supply::Fresh
        } else if under_test.identity.kind == Kind::Reference || under_nextest().is_some() {
            // The reference driver starts in milliseconds, and a process of a nextest run has only one case.
            Supply::Warm
        } else {
            Supply::WarmAndSpare
        };
        let warm = Arc::new(WarmRoles::new(settings, supply, balance));
        panics::end_in_order(&warm);
        let shared = Shared {
            package: program.package,
            turns,
            is_judged,
            warm,
            reruns: Reruns::new(options.reruns),
            has_requirements: !options.require.is_empty(),
            fails_on_differs: options.strict,
            under_test,
            deviations,
            writer,
            setting,
            settings: rerun::Settings::of(&options),
            description,
            budget,
            ended: Mutex::new(ended),
            differences: Mutex::default(),
            bad_ends: Mutex::new(bad_ends),
            kernel_log: Mutex::new(begin::kernel_log(&options)),
        };
        Ok(Self { options, shared: Arc::new(shared), cases, goes_on, is_of_drivers: program.is_of_drivers })
    }

    fn perform(self) -> ExitCode {
        let Self { mut options, shared, cases, goes_on, is_of_drivers } = self;
        // The cases are selected already.
        (options.libtest.filter, options.libtest.exact) = (None, false);
        let identity = &shared.under_test.identity;
        // A reader of JSON expects nothing else.
        let say: fn(std::fmt::Arguments<'_>) = match options.libtest.format {
            Some(FormatSetting::Json) => |line| eprintln!("conformance: {line}"),
            _ => |line| println!("conformance: {line}"),
        };
        let say_unmet =
            || shared.description.unmet.iter().for_each(|unmet| say(format_args!("--require is not met: {unmet}")));
        if !options.libtest.list {
            say(format_args!("{identity}, {}, seed {}", devices(&shared.under_test), shared.setting.seed));
            goes_on.iter().for_each(|told| say(format_args!("{told}")));
            say_unmet();
        }
        let trials = cases.into_iter().map(|case| trial(case, Arc::clone(&shared))).collect();
        let conclusion = libtest_mimic::run(&options.libtest, trials);
        shared.warm.clear();
        if !options.libtest.list {
            shared.keep_bad_ends();
        }
        let mut report = shared.report();
        if !options.libtest.list {
            let verdicts: Vec<_> = report.cases.iter().map(|case| case.verdict).collect();
            // In a nextest run, no process knows whether it is the last one, so none ends the report.
            if let Some(writer) = shared.writer.as_ref().filter(|_| under_nextest().is_none())
                && let Err(error) = writer.finish(&verdicts)
            {
                eprintln!("conformance: cannot write the report: {error}");
                return ExitCode::FAILURE;
            }
            if let Some(path) = options.report_file().filter(|_| under_nextest().is_none()) {
                say(format_args!("report: {}", path.display()));
            }
            // A process of a nextest run has seen only one case: `conformance diff REPORT` compares the whole run.
            if under_nextest().is_none() {
                report.run.environment = Some(Environment::find());
                for line in shared.deviations.unmatched(&report).into_iter().chain(compare(&options, &report)) {
                    say(format_args!("{line}"));
                }
            }
            for (case, disclosure) in report.disclosures() {
                say(format_args!("disclosure: {}: {disclosure}", case.id));
            }
            for difference in shared.differences() {
                say(format_args!("differs: {difference}"));
            }
            let counts = report.summary();
            let words: Vec<_> =
                Verdict::ALL.iter().map(|verdict| format!("{} {verdict}", counts[verdict.word()])).collect();
            if let Some(left_out) = shared.budget.as_ref().map(Budget::left_out).filter(|count| *count > 0) {
                say(format_args!("--budget is spent: {left_out} cases did not run"));
            }
            if let Some(waited) = shared.turns.waited_in_vain() {
                say(format_args!("--budget is spent: {waited}"));
            }
            // Above the counts, which look good although the run fails.
            say_unmet();
            for end in &report.bad_ends {
                say(format_args!("the run fails, because a process crashed or hung outside any case: {end}"));
            }
            say(format_args!("{}; {identity}, {}", words.join(", "), devices(&shared.under_test)));
        }
        let is_empty = is_of_drivers && options.has_checked_nothing(report.cases.len());
        let was_too_short = shared.budget.as_ref().filter(|budget| report.cases.is_empty() && budget.left_out() > 0);
        if is_empty && was_too_short.is_none() {
            eprintln!("conformance: --require is not met: no case was selected, so nothing was checked");
        }
        if let Some(budget) = was_too_short {
            eprintln!("conformance: {budget} is spent before the first case could start, so nothing was checked");
        }
        let failed_before = report.cases.iter().any(|case| options.fails_on(case.verdict));
        if conclusion.has_failed()
            || (options.resume.is_some() && failed_before)
            || is_empty
            || was_too_short.is_some()
            || !report.bad_ends.is_empty()
            || (!options.libtest.list && !shared.description.unmet.is_empty())
        {
            ExitCode::from(101)
        } else {
            ExitCode::SUCCESS
        }
    }
}

/// Returns the name of the simulated machine that this run may share with others.
fn shared_machine() -> Option<String> {
    let machine = std::env::var_os("REFERENCE_DRIVER_MACHINE").filter(|machine| !machine.is_empty())?;
    // The driver tells names apart that are not UTF-8, and so does this form.
    Some(machine.into_string().unwrap_or_else(|bytes| format!("{bytes:?}")))
}

/// Returns what this run may share with others, before the driver is known. A program of checks starts others, which
/// would wait for it in vain, so it shares only a machine with a name.
fn shared_devices(options: &Options, is_of_drivers: bool) -> Vec<String> {
    let system = is_of_drivers && options.driver != Choice::Reference && !options.libtest.list;
    system.then(|| SYSTEM.to_owned()).into_iter().chain(shared_machine()).collect()
}

/// Returns the lines that compare the run with the nearest golden record.
fn compare(options: &Options, report: &Report) -> Vec<String> {
    records::verdict(&Records::read(&options.records_folder()), report)
}

/// Starts keepers on the GPUs that cases use. While they live, other roles also start faster.
fn balance(first: Process, under_test: &UnderTest, settings: &Settings) -> Result<Balance, String> {
    const GPUS_OF_CASES: usize = 3;
    let mut keepers = std::collections::BTreeMap::from([(0, first)]);
    for device in (1..under_test.machine.devices.len().min(GPUS_OF_CASES)).map(|device| device as i32) {
        let keeper = Process::start("keeper", Placement::device(device), settings)
            .map_err(|error| format!("cannot start a keeper on GPU {device}: {error}"))?;
        keepers.insert(device, keeper);
    }
    Ok(Balance::new(keepers))
}

fn devices(under_test: &UnderTest) -> String {
    let devices = &under_test.machine.devices;
    match (devices.first(), under_test.identity.kind) {
        (None, _) => "no device".to_owned(),
        (Some(_), Kind::Reference) => format!("{} simulated", devices.len()),
        (Some(device), _) => format!("{} × {}", devices.len(), device.name),
    }
}

/// Makes only these GPUs visible, to this process and those that it starts.
fn see_only(gpus: &[u32]) {
    const VARIABLE: &str = "CUDA_VISIBLE_DEVICES";
    if gpus.is_empty() {
        return;
    }
    let gpus = gpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let visible = visible_devices(std::env::var(VARIABLE).ok().as_deref(), &gpus);
    // SAFETY: `main` has started no thread yet.
    unsafe { std::env::set_var(VARIABLE, visible) };
}

/// Refuses a list of GPUs of which some do not exist: CUDA would leave them out without a word.
fn check_gpus(gpus: &[u32], under_test: &UnderTest) -> Result<(), String> {
    let list = gpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let found = under_test.machine.devices.len();
    if gpus.is_empty() || gpus.len() == found {
        return Ok(());
    }
    Err(format!(
        "--gpus {list}: the driver finds {found} of these {} GPUs; `conformance doctor` lists them",
        gpus.len()
    ))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::{Options, SYSTEM, shared_devices};

    /// Runs that may use the system's driver share its devices. A list runs nothing, and a program of checks starts other
    /// runs.
    #[test]
    fn runs_on_the_systems_driver_share_its_devices() {
        let shares = |driver: &str, is_of_drivers: bool, more: &[&str]| {
            let options = Options::parse_from(["suite", "--driver", driver].iter().chain(more));
            shared_devices(&options, is_of_drivers).iter().any(|shared| shared == SYSTEM)
        };
        assert!(shares("system", true, &[]) && shares("auto", true, &[]));
        assert!(!shares("reference", true, &[]) && !shares("system", true, &["--list"]));
        assert!(!shares("system", false, &[]));
    }
}
