//! Runs of several processes: cargo nextest starts one process per case. They share a name, a seed and a probe.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::driver::{Choice, UnderTest, choose};
use crate::process::{Process, Settings};

/// Returns the name of the nextest run that this process belongs to, if any.
pub(crate) fn under_nextest() -> Option<String> {
    std::env::var("NEXTEST_RUN_ID").ok()
}

/// Returns the name of the run that this process belongs to.
pub(crate) fn run_name() -> String {
    under_nextest().unwrap_or_else(|| std::process::id().to_string())
}

/// Returns a new seed. It is the same for all processes of a nextest run.
pub(crate) fn seed_of_the_run() -> u64 {
    let Some(run) = under_nextest() else { return fastrand::u64(..) };
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}

/// Returns the driver under test. The first process of a nextest run probes it, and the others read the stored probe.
pub(crate) fn shared_probe(choice: &Choice, settings: &Settings) -> Result<(UnderTest, Option<Process>), String> {
    let Some(run) = under_nextest() else { return choose(choice, settings) };
    let key = format!("{run} {choice}");
    let path = probe_file()?;
    if let Some(found) = read_probe(&path).filter(|found| found.key == key) {
        return Ok((found.under_test, None));
    }
    let (under_test, keeper) = choose(choice, settings)?;
    let found = SharedProbe { key, under_test };
    let text = serde_json::to_vec(&found).map_err(|error| error.to_string())?;
    let new = path.with_extension(std::process::id().to_string());
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, &path))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok((found.under_test, keeper))
}

#[derive(Serialize, Deserialize)]
struct SharedProbe {
    key: String,
    under_test: UnderTest,
}

fn read_probe(path: &Path) -> Option<SharedProbe> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Returns the path of the stored probe. It lies beside the executable, so each build has its own. The next run
/// overwrites it.
fn probe_file() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find the path of this program: {error}"))?;
    Ok(program.with_file_name("conformance-probe.json"))
}
