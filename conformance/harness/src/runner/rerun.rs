//! The command that runs a case again from the directory in which this program was run.

use super::nextest::under_nextest;
use super::options::{DEADLINE, Options};
use crate::driver::Choice;
use crate::report::{ONCE, Run};

/// The flags of a run, beside its driver and seed, on which it depends what a case does: a model makes other scripts on
/// other GPUs, and avoids the listed bugs.
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
}

/// Returns the command, quoted for a shell. Under nextest it sets variables, because nextest passes no arguments. A
/// bundle runs without cargo.
pub(super) fn command(package: &str, driver: &Choice, run: &Run, settings: &Settings, flag: &str, id: &str) -> String {
    let (driver, seed) = (quoted(&driver.to_string()), run.seed);
    let of_run = settings.0.iter().map(|(name, value)| (*name, value.as_str()));
    // The flags of a failure, such as `--script 17 --soak 5`.
    let flags = flag.split("--").map(str::trim).filter(|flag| !flag.is_empty());
    let of_case = flags.map(|flag| flag.split_once(' ').unwrap_or((flag, "")));
    let settings = of_run.chain(of_case);
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
            "CONFORMANCE_DRIVER={driver} CONFORMANCE_SEED={seed}{fresh}{repeat}{settings} cargo nextest run -p {package} -E \
             {filter}"
        );
    }
    let fresh = if run.fresh { " --fresh" } else { "" };
    let repeat = repeated(run, " --repeat ");
    let flag = |(name, value): (&str, &str)| {
        let value = if value.is_empty() { String::new() } else { format!(" {}", quoted(value)) };
        format!(" --{name}{value}")
    };
    let settings: String = settings.map(flag).collect();
    format!("{} --driver {driver} --seed {seed}{fresh}{repeat}{settings} --exact {}", program(package), quoted(id))
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
