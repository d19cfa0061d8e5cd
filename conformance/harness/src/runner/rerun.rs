//! The command that runs a case again, from where this program was run.

use super::nextest::under_nextest;
use crate::driver::Choice;
use crate::report::Run;

/// The command as a shell takes it. nextest passes no arguments, and a bundle is run without cargo.
pub(crate) fn command(package: &str, driver: &Choice, run: &Run, id: &str) -> String {
    let (driver, seed) = (quoted(&driver.to_string()), run.seed);
    if under_nextest().is_some() {
        let fresh = if run.fresh { " CONFORMANCE_FRESH=true" } else { "" };
        // In a filter a comma ends a name.
        let filter = quoted(&format!("test(={})", id.replace(',', "\\,")));
        return format!(
            "CONFORMANCE_DRIVER={driver} CONFORMANCE_SEED={seed}{fresh} cargo nextest run -p {package} -E {filter}"
        );
    }
    let fresh = if run.fresh { " --fresh" } else { "" };
    format!("{} --driver {driver} --seed {seed}{fresh} --exact {}", program(package), quoted(id))
}

/// cargo says to what it runs that it does.
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
