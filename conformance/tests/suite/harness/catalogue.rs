//! The catalogue and the cases name each other.

use std::collections::HashSet;

use conformance::{Outcome, Stop, catalogue, check, runner};
use rstest::rstest;

/// Each row lists exactly the cases that check it.
#[rstest]
#[conformance::test()]
fn rows_and_cases_agree() -> Outcome {
    let problems = runner::catalogue_disagreements().map_err(Stop::Harness)?;
    check!(problems.is_empty(), "conformance/requirements should say:\n{}", problems.join("\n"));
    Ok(())
}

/// The catalogue has all rows, each once, each in its group.
#[rstest]
#[conformance::test()]
fn the_catalogue_is_whole() -> Outcome {
    const ROWS: usize = 438;
    let mut ids = HashSet::new();
    for group in catalogue::groups().map_err(Stop::Harness)? {
        for row in group.row {
            check!(row.id.starts_with(&format!("{}-", group.group)), "{} is not of group {}", row.id, group.group);
            check!(row.cases.is_empty() || row.unrunnable.is_none(), "{} has cases, and is said to have none", row.id);
            check!(ids.insert(row.id.clone()), "{} is there twice", row.id);
        }
    }
    check!(ids.len() == ROWS, "there are {} rows, expected {ROWS}", ids.len());
    Ok(())
}
