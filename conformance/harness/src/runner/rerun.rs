//! The command that runs a case again from the directory in which this program was run.

use std::collections::BTreeMap;

use super::nextest::under_nextest;
use super::options::{DEADLINE, Options};
use crate::driver::Choice;
use crate::report::{ONCE, Run};

/// The flags of a run, besides its driver and seed, that change what a case does: a model makes other scripts on
/// other GPUs, and avoids the listed bugs. A bug report repeats them too.
#[derive(Debug, Default)]
pub(super) struct Settings(Vec<(&'static str, String)>);

impl Settings {
    pub(super) fn of(options: &Options) -> Self {
        let list = |texts: Vec<String>, separator: &str| (!texts.is_empty()).then(|| texts.join(separator));
        let gpus = list(options.gpus.iter().map(ToString::to_string).collect(), ",");
        let deviations = list(options.deviations.iter().map(|path| path.display().to_string()).collect(), ":");
        let settings = [
            ("gpus", gpus),
            ("deviations", deviations),
            ("no-shipped-deviations", options.no_shipped_deviations.then(String::new)),
            ("deadline", (options.deadline != DEADLINE).then(|| options.deadline.as_secs_f64().to_string())),
        ];
        Self(settings.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// Returns these flags and those of a failure, such as `--script 17`, as arguments.
    pub(super) fn with(&self, flag: &str) -> Vec<String> {
        let of_run = self.0.iter().flat_map(|(name, value)| {
            [format!("--{name}"), value.clone()].into_iter().filter(|argument| !argument.is_empty())
        });
        of_run.chain(flag.split_whitespace().map(str::to_owned)).collect()
    }
}

/// Returns the names and values of flags. A flag without a value has an empty one.
fn pairs(flags: &[String]) -> Vec<(&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for argument in flags {
        match (argument.strip_prefix("--"), pairs.last_mut()) {
            (Some(name), _) => pairs.push((name, "")),
            (None, Some((_, value))) => *value = argument,
            (None, None) => {}
        }
    }
    pairs
}

/// Returns the command, quoted for a shell, after the settings of a simulated driver. Under nextest it sets variables,
/// because nextest passes no arguments. A bundle runs without cargo.
pub(super) fn command(package: &str, driver: &Choice, run: &Run, flags: &[String], id: &str) -> String {
    let variables = variables(driver);
    let (driver, seed) = (quoted(&driver.to_string()), run.seed);
    let settings = pairs(flags).into_iter();
    if under_nextest().is_some() {
        let fresh = if run.fresh { " CONFORMANCE_FRESH=true" } else { "" };
        let repeat = repeated(run, " CONFORMANCE_REPEAT=");
        let variable = |(name, value): (&str, &str)| {
            let value = if value.is_empty() { "true".to_owned() } else { quoted(value) };
            format!(" CONFORMANCE_{}={value}", name.replace('-', "_").to_uppercase())
        };
        let settings: String = settings.map(variable).collect();
        // In a filter of nextest, a comma ends a name.
        let filter = quoted(&format!("test(={})", id.replace(',', "\\,")));
        return format!(
            "{variables}CONFORMANCE_DRIVER={driver} CONFORMANCE_SEED={seed}{fresh}{repeat}{settings} cargo nextest run -p \
             {package} -E {filter}"
        );
    }
    let fresh = if run.fresh { " --fresh" } else { "" };
    let repeat = repeated(run, " --repeat ");
    let flag = |(name, value): (&str, &str)| {
        let value = if value.is_empty() { String::new() } else { format!(" {}", quoted(value)) };
        format!(" --{name}{value}")
    };
    let settings: String = settings.map(flag).collect();
    let program = program(package);
    format!("{variables}{program} --driver {driver} --seed {seed}{fresh}{repeat}{settings} --exact {}", quoted(id))
}

/// Returns the settings of the reference driver and of the interposer, such as a fault. Without them, the case would run
/// on another driver.
fn variables(driver: &Choice) -> String {
    if matches!(driver, Choice::System) {
        return String::new();
    }
    // The name of the machine does not change a case.
    let is_setting = |name: &str| {
        name.starts_with("REFERENCE_DRIVER_") && name != "REFERENCE_DRIVER_MACHINE"
            || name.starts_with("FAULT_INTERPOSER_")
    };
    let texts =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let settings: BTreeMap<_, _> = texts.filter(|(name, value)| is_setting(name) && !value.is_empty()).collect();
    settings.into_iter().map(|(name, value)| format!("{name}={} ", quoted(&value))).collect()
}

/// Returns the setting with which each case runs as often as in this run, or nothing if it runs once.
fn repeated(run: &Run, setting: &str) -> String {
    if run.repeat == ONCE { String::new() } else { format!("{setting}{}", run.repeat) }
}

/// Returns the command that starts the suite: through cargo if cargo started this program. Cargo sets `CARGO` for its
/// children.
fn program(package: &str) -> String {
    if std::env::var_os("CARGO").is_some() {
        return format!("cargo test -p {package} --");
    }
    let program = std::env::args_os().next().unwrap_or_default();
    quoted(&program.to_string_lossy())
}

fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}
