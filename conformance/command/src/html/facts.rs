//! The driver, the environment and the settings of a run, as names and values.

use conformance::identity::Kind;
use conformance::report::{Environment, Identification, Run};

use super::headline::devices;
use super::text;

/// A named property of a run.
pub(super) struct Fact {
    pub(super) name: String,
    pub(super) value: String,
}

pub(super) fn of(run: &Run) -> Vec<Fact> {
    let driver = &run.driver;
    let kind = match driver.kind {
        Kind::Reference => "the reference driver: software, no GPU",
        Kind::System => "the system's driver",
        Kind::Path => "a library given by path",
    };
    let mut facts = vec![
        fact("driver", format!("{} {}", driver.name, driver.version)),
        fact("driver kind", kind),
        fact("CUDA", &driver.cuda),
        fact("library", &driver.path),
        fact("SHA-256 of the library", driver.sha256.as_deref().unwrap_or("unknown")),
        fact("devices", devices(run)),
    ];
    facts.extend(run.identification.iter().flat_map(Identification::facts).map(|(name, value)| fact(name, value)));
    match &run.environment {
        Some(environment) => facts.extend(around(environment)),
        None if run.is_record() => {
            facts.push(fact("environment", "not in this golden record, which describes a driver and GPUs"))
        }
        None => facts.push(fact("environment", "unknown: reports of the first format do not contain it")),
    }
    if let Some(suite) = &run.suite {
        facts.push(fact("suite", &suite.version));
        facts.push(fact("suite commit", suite.commit.as_deref().unwrap_or("unknown")));
    }
    let processes = if run.fresh { "a new process for every role" } else { "clean role processes are reused" };
    facts.extend([
        fact("started", run.began.as_deref().unwrap_or("unknown")),
        fact("load average before", run.load.map_or_else(|| "unknown".to_owned(), |load| load.to_string())),
        fact("seed", run.seed.to_string()),
        fact("processes", processes),
        fact("runs of each case", run.repeat.to_string()),
        fact("report format", run.format.to_string()),
    ]);
    facts
}

fn around(environment: &Environment) -> Vec<Fact> {
    let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let list = |values: &[String]| if values.is_empty() { "none".to_owned() } else { values.join(", ") };
    let limit = |limit: Option<u64>| limit.map_or("no limit".to_owned(), |limit| limit.to_string());
    let size = |limit: Option<u64>| limit.map_or("no limit".to_owned(), text::bytes);
    let mut facts = vec![
        fact("kernel module", or_none(&environment.kernel_module)),
        fact("IMEX channels", list(&environment.imex_channels)),
        fact("MPS", or_none(&environment.mps)),
        fact("MIG", list(&environment.mig)),
    ];
    let Some(host) = &environment.host else { return facts };
    let limits = &host.limits;
    facts.extend([
        fact("system", &host.system),
        fact("container", or_none(&host.container)),
        fact("PID namespace", host.pid_namespace.as_deref().unwrap_or("unknown")),
        fact("ptrace_scope", host.ptrace_scope.map_or("none".to_owned(), |scope| scope.to_string())),
        fact("user", host.user.to_string()),
        fact("open files limit", limit(limits.open_files)),
        fact("locked memory limit", size(limits.locked_memory)),
        fact("address space limit", size(limits.addresses)),
    ]);
    facts.extend(host.variables.iter().map(|(name, value)| fact(name, value)));
    facts
}

fn fact(name: impl Into<String>, value: impl Into<String>) -> Fact {
    Fact { name: name.into(), value: value.into() }
}
