//! Runs of the suite on a driver with a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::num::NonZeroUsize;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use conformance::Verdict;
use conformance::report::{CaseReport, Report};
use fault::{Fault, Machine};

use super::target::Target;
use crate::output::{Failure, remark};
use crate::suite::Suite;

/// Seconds that a call may take. A fault that hangs costs this much for each case. The reference
/// driver looks at all descriptors of a machine to find its free memory, so a call takes seconds if the fault of another
/// suite leaks thousands of them.
const DEADLINE: &str = "10";

/// Seconds that a call may take on a real driver, where several suites start contexts at the same time.
const DEADLINE_ON_A_GPU: &str = "5";

/// The most suites that run at the same time on a real driver: each has several contexts on one GPU.
const JOBS_ON_A_GPU: usize = 4;

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Starts the suite.
pub(super) struct Runner {
    suite: Suite,
    target: Target,
    driver: OsString,
    jobs: usize,
    /// Whether a run ends at the first case that notices its fault.
    ends_early: bool,
}

/// The cases of a run, by name.
pub(super) type Cases = BTreeMap<String, CaseReport>;

impl Runner {
    /// With a sample, or on a driver where cases take long, a run ends at the first case that notices its fault.
    pub(super) fn new(
        suite: Suite,
        target: Target,
        jobs: Option<NonZeroUsize>,
        is_sample: bool,
    ) -> Result<Self, Failure> {
        let default = if target.is_cheap() { processors() } else { processors().min(JOBS_ON_A_GPU) };
        let driver = target.driver(&suite.program)?;
        let ends_early = is_sample || !target.is_cheap();
        Ok(Self { suite, target, driver, jobs: jobs.map_or(default, NonZeroUsize::get), ends_early })
    }

    /// Whether a run costs little: see [`Target::is_cheap`].
    pub(super) const fn is_cheap(&self) -> bool {
        self.target.is_cheap()
    }

    /// Runs the driver without a fault, which must be clean: a case that fails there proves nothing. Several suites share
    /// the cases, except behind the interposer, where the driver may be that of a GPU.
    pub(super) fn baseline(&self, machine: Machine, cases: &BTreeSet<String>) -> Result<Cases, Failure> {
        if !self.is_cheap() {
            remark("running the cases on the driver without a fault");
        }
        // With eight suites on two processors, a case that makes thousands of calls in one step missed its deadline.
        let count = if self.is_cheap() { self.jobs.min(processors()).min(cases.len()).max(1) } else { 1 };
        let parts: Vec<BTreeSet<_>> =
            (0..count).map(|part| cases.iter().skip(part).step_by(count).cloned().collect()).collect();
        let clean = self.at_once(&parts, |part| self.run(None, machine, Some(part), |_| false))?;
        let clean: Cases = clean.into_iter().flatten().collect();
        match clean.values().find(|case| !case.verdict.is_good()) {
            Some(case) => Err(Failure::new(format_args!(
                "the driver without a fault is not clean: {} {}: {}",
                case.verdict,
                case.id,
                case.reason.as_deref().unwrap_or_default()
            ))),
            None => Ok(clean),
        }
    }

    /// Returns the cases that notice a fault: those named, or all of the suite.
    ///
    /// # Errors
    /// A case that passes without the fault did not run with it, or ended with an error, and no case noticed the fault: the
    /// fault cannot be judged.
    pub(super) fn noticed(
        &self,
        fault: &Fault,
        cases: Option<&BTreeSet<String>>,
        clean: &Cases,
    ) -> Result<Vec<String>, Failure> {
        let was_good = |case: &str| clean.get(case).is_none_or(|clean| clean.verdict == Verdict::Pass);
        let is_noticed = |case: &&CaseReport| {
            let is_bad = matches!(
                case.verdict,
                Verdict::Differs | Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash
            );
            was_good(&case.id) && is_bad
        };
        let is_enough = |case: &str| self.ends_early && was_good(case);
        let ran = self.run(Some(fault), fault.machine, cases, is_enough)?;
        let noticed: Vec<_> = ran.values().filter(is_noticed).map(|case| case.id.clone()).collect();
        let is_asked = |id: &str| cases.is_none_or(|cases| cases.contains(id.split('/').next().unwrap_or_default()));
        let unmeasured = |(id, clean): (&String, &CaseReport)| {
            let has_ended = ran.get(id).is_some_and(|case| case.verdict != Verdict::Error);
            (clean.verdict == Verdict::Pass && is_asked(id) && !has_ended).then(|| id.clone())
        };
        match clean.iter().find_map(unmeasured) {
            Some(case) if noticed.is_empty() => {
                let why = ran.get(&case).and_then(|case| case.reason.as_deref()).unwrap_or("it is not in the report");
                Err(Failure::new(format_args!("{case} cannot run with the fault {}: {why}", fault.name)))
            }
            _ => Ok(noticed),
        }
    }

    /// Runs cases, or all of the suite. Ends the run after the first failed case for which `is_enough` returns true.
    fn run(
        &self,
        fault: Option<&Fault>,
        machine: Machine,
        cases: Option<&BTreeSet<String>>,
        is_enough: impl Fn(&str) -> bool,
    ) -> Result<Cases, Failure> {
        let failed = |error| Failure::new(format_args!("cannot run {}: {error}", self.suite.program.display()));
        let folder = tempfile::tempdir().map_err(failed)?;
        let (report, errors) = (folder.path().join("report.jsonl"), folder.path().join("errors"));
        let mut command = Command::new(&self.suite.program);
        command.arg("--driver").arg(&self.driver);
        let deadline = if self.is_cheap() { DEADLINE } else { DEADLINE_ON_A_GPU };
        command.args(["--seed", "1", "--no-shrink", "--deadline", deadline, "--reruns", "0", "--report"]).arg(&report);
        if fault.is_some() && !self.is_cheap() && self.jobs > 1 {
            // Several suites share the GPU, so no suite can tell a leak from another's memory. With more than one
            // thread, a suite does not look for leaks. The run without a fault is alone, and must be clean: there, cases
            // that read the free memory must not see that of a case beside them.
            command.args(["--test-threads", "2"]);
        }
        if let Some(cases) = cases {
            let mut list = tempfile::NamedTempFile::new_in(folder.path()).map_err(failed)?;
            for case in cases {
                writeln!(list, "{case}").map_err(failed)?;
            }
            command.arg("--cases").arg(list.into_temp_path().keep().map_err(|error| failed(error.error))?);
        }
        for (name, value) in self.target.environment(fault) {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(machine.version.map(|version| ("REFERENCE_DRIVER_VERSION", version)));
        command.envs(machine.devices.map(|devices| ("REFERENCE_DRIVER_DEVICES", devices.to_string())));
        command.stdin(Stdio::null()).stderr(File::create(&errors).map_err(failed)?);
        watch(command, is_enough).map_err(failed)?;
        if !report.is_file() {
            let errors = fs::read(&errors).unwrap_or_default();
            let errors = String::from_utf8_lossy(&errors);
            let fault = fault.map_or_else(String::new, |fault| format!(" with the fault {}", fault.name));
            return Err(Failure::new(format_args!("the suite does not run{fault}: {}", errors.trim())));
        }
        let report = Report::read_outline(&report).map_err(Failure::new)?;
        Ok(report.cases.into_iter().map(|case| (case.id.clone(), case)).collect())
    }

    /// Does something for each fault, several at a time, and keeps their order.
    pub(super) fn each<T: Send>(
        &self,
        faults: &[&'static Fault],
        work: impl Fn(&'static Fault) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let ended = AtomicUsize::new(0);
        self.at_once(faults, |fault| {
            let done = work(fault);
            let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
            if !self.is_cheap() {
                remark(format_args!("{ended} of {}: {}", faults.len(), fault.name));
            }
            done
        })
    }

    /// Does something for each item, at most `jobs` at a time, and returns the results in the order of the items.
    fn at_once<Item: Sync, T: Send>(
        &self,
        items: &[Item],
        work: impl Fn(&Item) -> Result<T, Failure> + Sync,
    ) -> Result<Vec<T>, Failure> {
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut done = Vec::new();
            while let Some((place, item)) = {
                let place = next.fetch_add(1, Ordering::Relaxed);
                items.get(place).map(|item| (place, item))
            } {
                done.push((place, work(item)));
            }
            done
        };
        let ends: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = (0..self.jobs).map(|_| scope.spawn(worker)).collect();
            running.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        let mut done: Vec<(usize, Result<T, Failure>)> = Vec::new();
        for end in ends {
            // If a thread panics, what it has done is lost, and the score would look complete without it.
            done.extend(end.map_err(|_| Failure::new("a thread of the score panicked, as the message above says"))?);
        }
        done.sort_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// Runs a suite to its end, or to the first failed case that is enough. Its roles end with it.
fn watch(mut suite: Command, is_enough: impl Fn(&str) -> bool) -> io::Result<ExitStatus> {
    let mut suite = suite.stdout(Stdio::piped()).spawn()?;
    let output = suite.stdout.take().ok_or_else(|| io::Error::other("the suite has no output"))?;
    for line in BufReader::new(output).lines() {
        // The report has the case before the output has it.
        if failed_case(&line?).is_some_and(&is_enough) {
            suite.kill()?;
            break;
        }
    }
    suite.wait()
}

/// Returns the case of a line such as `test ipcmem::open::rule ... FAILED`.
fn failed_case(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix("FAILED")?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that panics loses what it has done, so there is no score.
    #[test]
    fn a_panic_is_no_score() {
        let suite = Suite::at(std::env::current_exe().unwrap(), "this test").unwrap();
        let runner = Runner::new(suite, Target::Reference, NonZeroUsize::new(2), false).unwrap();
        let faults = reference_driver::faults();
        let score = runner.each(&faults[..2], |fault| -> Result<(), Failure> {
            assert_ne!(fault.name, faults[0].name, "planted");
            Ok(())
        });
        assert!(score.is_err());
    }
}
