//! What a run would find, without running it: the driver, its devices, and what each case lacks here.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use super::options::Options;
use crate::case::Case;
use crate::driver::{UnderTest, choose};
use crate::process::Settings;

/// The answer of `--probe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The driver and what it showed, or why there is none.
    pub driver: Result<UnderTest, String>,
    /// Each case, and what it lacks here; nothing where it can run.
    pub cases: BTreeMap<String, Option<String>>,
}

impl Probe {
    /// Start a role on the driver, as a run does.
    fn new(options: &Options, settings: &Settings, cases: &[Case]) -> Self {
        let driver = choose(&options.driver, settings).map(|(under_test, _)| under_test);
        let lacks = |case: &Case| match &driver {
            Ok(found) => case.registered.needs.unmet(&found.machine),
            Err(problem) => Some(problem.clone()),
        };
        let cases = cases.iter().map(|case| (case.id.clone(), lacks(case))).collect();
        Self { driver, cases }
    }
}

/// `--probe`.
pub(crate) fn print(options: &Options, settings: &Settings, cases: &[Case]) -> ExitCode {
    match serde_json::to_string(&Probe::new(options, settings, cases)) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("conformance: the probe cannot be printed: {error}");
            ExitCode::FAILURE
        }
    }
}
