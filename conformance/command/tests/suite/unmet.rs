//! The commands show a requirement that was not met.

use conformance::{Outcome, check};
use rstest::rstest;

use crate::command::{Reports, plain, text};

/// If a run failed because of an unmet requirement, each command shows this.
#[rstest]
#[case::show("show", "--require is not met: gpus=8, found 2")]
#[case::junit("junit", "<failure message=\"gpus=8, found 2\" type=\"unmet\">")]
#[case::html("html", "<header class=\"bad\">")]
#[conformance::test()]
fn an_unmet_requirement_is_shown(#[case] command: &str, #[case] shown: &str) -> Outcome {
    let mut report = plain("580.159.04", 1);
    let met = Reports::new(&report, &report)?.run(&[command, "old"])?;
    report.run.unmet = vec!["gpus=8, found 2".to_owned()];
    let unmet = Reports::new(&report, &report)?.run(&[command, "old"])?;
    let [met, unmet] = [met, unmet].map(|output| text(&output.stdout));
    check!(unmet.contains(shown) && !met.contains(shown), "{unmet}");
    Ok(())
}
