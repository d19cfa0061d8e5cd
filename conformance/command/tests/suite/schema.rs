//! The published schema of reports.

use conformance::report::schema;
use conformance::{Outcome, check};
use rstest::rstest;
use serde_json::Value;

use crate::suite::{harness, run, suite};

/// Every line of a report follows the published schema, which is the schema of the types.
#[rstest]
#[conformance::test()]
fn the_schema_of_reports_is_published() -> Outcome {
    let published: Value = serde_json::from_str(include_str!("../../report.schema.json")).map_err(harness)?;
    check!(
        published == schema(),
        "report.schema.json is outdated; run cargo conformance schema > conformance/command/report.schema.json"
    );
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    let mut command = suite("reference")?;
    command.args(["--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    for line in std::fs::read_to_string(run.path()).map_err(harness)?.lines() {
        let line: Value = serde_json::from_str(line).map_err(harness)?;
        let errors: Vec<_> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
        check!(errors.is_empty(), "{errors:?} in {line}");
    }
    check!(!validator.is_valid(&serde_json::json!({ "line": "case", "id": 3 })));
    Ok(())
}
