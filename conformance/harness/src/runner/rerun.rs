//! The command that runs a case again from the directory in which this program was run.

use super::nextest::under_nextest;
use crate::driver::Choice;
use crate::report::{ONCE, Run};

/// Returns the command, quoted for a shell. Under nextest it sets variables, because nextest passes no arguments. A
/// bundle runs without cargo.
pub(crate) fn command(package: &str, driver: &Choice, run: &Run, flag: &str, id: &str) -> String {
    let (driver, seed) = (quoted(&driver.to_string()), run.seed);
    if under_nextest().is_some() {
        let fresh = if run.fresh { " CONFORMANCE_FRESH=true" } else { "" };
        let repeat = repeated(run, " CONFORMANCE_REPEAT=");
        // `--script 17` is CONFORMANCE_SCRIPT=17.
        let flag = match flag.strip_prefix("--") {
            Some(flag) => {
                let (name, value) = flag.split_once(' ').unwrap_or((flag, "true"));
                format!(" CONFORMANCE_{}={value}", name.to_uppercase())
            }
            None => String::new(),
        };
        // In a filter of nextest, a comma ends a name.
        let filter = quoted(&format!("test(={})", id.replace(',', "\\,")));
        return format!(
            "CONFORMANCE_DRIVER={driver} CONFORMANCE_SEED={seed}{fresh}{repeat}{flag} cargo nextest run -p {package} -E {filter}"
        );
    }
    let fresh = if run.fresh { " --fresh" } else { "" };
    let repeat = repeated(run, " --repeat ");
    let flag = if flag.is_empty() { String::new() } else { format!(" {flag}") };
    format!("{} --driver {driver} --seed {seed}{fresh}{repeat}{flag} --exact {}", program(package), quoted(id))
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
