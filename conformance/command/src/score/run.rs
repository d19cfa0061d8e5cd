//! Runs of the suite on the reference driver with a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use conformance::Verdict;
use conformance::report::{CaseReport, Report};
use reference_driver::Fault;

use crate::output::{Failure, remark};
use crate::suite::Suite;

/// Seconds that a call may take. A fault that hangs costs this much for each case.
const DEADLINE: &str = "3";

/// Starts the suite.
pub(super) struct Runner {
    suite: Suite,
    jobs: usize,
}

/// The cases of a run, by name.
pub(super) type Cases = BTreeMap<String, CaseReport>;

impl Runner {
    pub(super) fn new(suite: Suite, jobs: Option<usize>) -> Result<Self, Failure> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self { suite, jobs: jobs.unwrap_or(processors).max(1) })
    }

    /// Runs the driver without a fault, which must be clean: a case that fails there proves nothing.
    pub(super) fn baseline(&self, version: Option<&str>, cases: &BTreeSet<String>) -> Result<Cases, Failure> {
        let clean = self.run(None, version, Some(cases))?;
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
    pub(super) fn noticed(
        &self,
        fault: &Fault,
        cases: Option<&BTreeSet<String>>,
        clean: &Cases,
    ) -> Result<Vec<String>, Failure> {
        let is_noticed = |case: &&CaseReport| {
            let was_good = clean.get(&case.id).is_none_or(|clean| clean.verdict == Verdict::Pass);
            let is_bad = matches!(
                case.verdict,
                Verdict::Differs | Verdict::Fail | Verdict::Leak | Verdict::Timeout | Verdict::Crash
            );
            was_good && is_bad
        };
        Ok(self
            .run(Some(fault), fault.version, cases)?
            .values()
            .filter(is_noticed)
            .map(|case| case.id.clone())
            .collect())
    }

    fn run(
        &self,
        fault: Option<&Fault>,
        version: Option<&str>,
        cases: Option<&BTreeSet<String>>,
    ) -> Result<Cases, Failure> {
        let failed = |error| Failure::new(format_args!("cannot run {}: {error}", self.suite.program.display()));
        let folder = tempfile::tempdir().map_err(failed)?;
        let report = folder.path().join("report.jsonl");
        let mut command = Command::new(&self.suite.program);
        command.args(["--driver", "reference", "--seed", "1", "--deadline", DEADLINE, "--report"]).arg(&report);
        if let Some(cases) = cases {
            let mut list = tempfile::NamedTempFile::new_in(folder.path()).map_err(failed)?;
            for case in cases {
                writeln!(list, "{case}").map_err(failed)?;
            }
            command.arg("--cases").arg(list.into_temp_path().keep().map_err(|error| failed(error.error))?);
        }
        command.env_remove("REFERENCE_DRIVER_FAULT").stdin(Stdio::null());
        if let Some(fault) = fault {
            command.env("REFERENCE_DRIVER_FAULT", fault.name);
        }
        if let Some(version) = version {
            command.env("REFERENCE_DRIVER_VERSION", version);
        }
        let output = command.output().map_err(failed)?;
        if !report.is_file() {
            // A driver that does not even start is noticed by nobody in particular.
            let errors = String::from_utf8_lossy(&output.stderr);
            return match fault {
                Some(fault) => {
                    remark(format_args!("no case ran with {}: {}", fault.name, errors.trim()));
                    Ok(Cases::new())
                }
                None => Err(Failure::new(format_args!("the suite does not run: {}", errors.trim()))),
            };
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
        let next = AtomicUsize::new(0);
        let worker = || {
            let mut done = Vec::new();
            while let Some((place, fault)) = {
                let place = next.fetch_add(1, Ordering::Relaxed);
                faults.get(place).map(|fault| (place, *fault))
            } {
                done.push((place, work(fault)));
            }
            done
        };
        let mut done: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = (0..self.jobs).map(|_| scope.spawn(worker)).collect();
            running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
        });
        done.sort_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
