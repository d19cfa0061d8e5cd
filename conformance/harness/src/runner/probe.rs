//! `--probe`: reports the driver, its devices, and what each case lacks on this machine, without running a case.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::options::Options;
use crate::case::Case;
use crate::driver::{UnderTest, choose};
use crate::process::{Settings, orphans};

/// The output of `--probe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The driver under test and its probe, or why no driver can be tested.
    pub driver: Result<UnderTest, String>,
    /// How the process of the probe ended, if it crashed or hung. A run on this driver fails because of that.
    #[serde(default)]
    pub bad_ends: Vec<String>,
    /// Each case with what it lacks on this machine; `None` if it can run.
    pub cases: BTreeMap<String, Option<String>>,
}

impl Probe {
    /// Starts a role on the driver, as a run does, and probes the machine.
    fn new(options: &Options, settings: &Settings, cases: &[Case]) -> Self {
        let driver = choose(&options.driver, settings).map(|(under_test, keeper)| {
            // It ends here, and so it is known how.
            drop(keeper);
            under_test
        });
        orphans::end(&settings.bad_ends);
        let bad_ends = settings.bad_ends.take();
        let lacks = |case: &Case| match &driver {
            Ok(found) => case.registered.needs.unmet(&found.machine),
            Err(problem) => Some(problem.clone()),
        };
        let cases = cases.iter().map(|case| (case.id.clone(), lacks(case))).collect();
        Self { driver, bad_ends, cases }
    }
}

/// Prints the probe as JSON.
pub(crate) fn print(options: &Options, settings: &Settings, cases: &[Case]) -> ExitCode {
    match serde_json::to_string(&Probe::new(options, settings, cases)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("conformance: cannot print the probe: {error}");
            ExitCode::FAILURE
        }
    }
}
