//! What a run begins with: its description, its report and the kernel's log.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::nextest::{run_name, under_nextest};
use super::options::Options;
use crate::driver::UnderTest;
use crate::report::{Environment, FORMAT, Identification, KernelLog, Load, Run, Suite, Writer, anonymous};

/// Describes the run for its report, without the suite's version and the environment.
pub(super) fn describe(under_test: &UnderTest, seed: u64, options: &Options) -> Run {
    Run {
        format: FORMAT,
        run: run_name(),
        began: Some(humantime::format_rfc3339_nanos(SystemTime::now()).to_string()),
        suite: None,
        driver: under_test.identity.clone(),
        devices: under_test.machine.devices.clone(),
        links: under_test.machine.links.clone(),
        environment: None,
        load: Load::find(),
        identification: options.identify.then(Identification::find),
        seed,
        fresh: options.fresh,
        repeat: options.times(),
        unmet: options.require.unmet(&under_test.machine),
        calls: BTreeMap::new(),
        is_partial: options.selection().is_some(),
        selection: options.selection(),
    }
}

/// Begins the report, or goes on with one.
pub(super) fn report(options: &Options, description: &Run) -> Result<Option<Writer>, String> {
    let Some(path) = options.report_file().filter(|_| !options.libtest.list) else { return Ok(None) };
    let unwritten = |error| format!("cannot write the report {}: {error}", path.display());
    if options.resume.is_some() {
        return Writer::resume(path).map(Some).map_err(unwritten);
    }
    let described = with_surroundings(description);
    let described = if options.identify { described } else { anonymous(described) };
    let (writer, kept) = Writer::new(path, &described, under_nextest().is_some()).map_err(unwritten)?;
    if let Some(kept) = kept {
        eprintln!("conformance: the report that was in {} is now {}", path.display(), kept.display());
    }
    Ok(Some(writer))
}

/// Adds the suite's version and the environment, which takes longer than many cases take. So only a run that writes a
/// report does it.
fn with_surroundings(run: &Run) -> Run {
    Run { suite: Some(Suite::this()), environment: Some(Environment::find()), ..run.clone() }
}

/// Opens the kernel's log for Xid messages, if they are wanted.
pub(super) fn kernel_log(options: &Options) -> Option<KernelLog> {
    if !options.identify || options.libtest.list {
        return None;
    }
    let path = options.kernel_log.display();
    let unread = |error| eprintln!("conformance: warning: {path}: {error}: the report will have no Xid messages");
    KernelLog::open(&options.kernel_log).map_err(unread).ok()
}
