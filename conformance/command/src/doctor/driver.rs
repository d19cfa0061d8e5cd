//! The driver, its kernel module and its runtime.

use conformance::identity::{Identity, Kind};
use conformance::report::Environment;
use conformance::runner::Probe;

use super::Finding;

pub(super) fn is_reference(probe: &Probe) -> bool {
    probe.driver.as_ref().is_ok_and(|found| found.identity.kind == Kind::Reference)
}

/// Says why `auto` did not choose the system's driver.
pub(super) fn why_not_the_system_s(system: &Probe) -> Vec<Finding> {
    let problem = match &system.driver {
        Err(problem) => Some(problem),
        Ok(found) => found.machine.problem.as_ref(),
    };
    let missing = |problem| {
        Finding::missing("system driver", problem)
            .remedy("without it, cases run on the reference driver, a software driver that says nothing about any GPU")
    };
    problem.map(missing).into_iter().collect()
}

/// Names the processes that crashed or hung after they had asked the driver.
pub(super) fn bad_ends(probe: &Probe) -> impl Iterator<Item = Finding> {
    probe.bad_ends.iter().map(|end| {
        Finding::missing("end of a process", format_args!("the probe's own process crashed or hung: {end}"))
            .remedy("a run with this driver fails, because its processes end in the same way")
    })
}

pub(super) fn findings(probe: &Probe, environment: &Environment) -> Vec<Finding> {
    let mut findings = match &probe.driver {
        Err(problem) => vec![
            Finding::missing("driver", problem),
            Finding::unknown("runtime", "unknown without a driver that loads"),
        ],
        Ok(found) => {
            let Identity { path, sha256, .. } = &found.identity;
            let library = match sha256 {
                Some(hash) => Finding::ok("library", format_args!("{path}, SHA-256 {hash}")),
                None => Finding::unknown("library", format_args!("{path} cannot be read"))
                    .remedy("check the file's permissions: reports identify a library by the hash of its file"),
            };
            let driver = match &found.machine.problem {
                None => Finding::ok("driver", &found.identity),
                Some(problem) => Finding::missing("driver", format_args!("{}: {problem}", found.identity)).remedy(
                    "check with nvidia-smi that the kernel module finds a GPU; a container needs its device nodes",
                ),
            };
            let runtime = match (&found.machine.problem, &found.machine.runtime_problem) {
                (Some(_), _) => Finding::unknown("runtime", "unknown without a working driver"),
                (None, None) => Finding::ok("runtime", "libcudart works with this driver"),
                (None, Some(problem)) => Finding::missing("runtime", problem),
            };
            vec![library, driver, runtime]
        }
    };
    findings.push(match &environment.kernel_module {
        Some(flavour) => Finding::ok("kernel module", flavour),
        None => Finding::missing("kernel module", "/proc/driver/nvidia/version does not exist")
            .remedy("load NVIDIA's kernel module on the host: modprobe nvidia"),
    });
    findings
}
