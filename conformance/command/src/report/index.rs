//! The list of several bug reports: those with one cause are together.

use std::fmt::Write as _;

use conformance::diff::Cause;
use conformance::report::CaseReport;

use super::names::Names;
use crate::markup::inline;

/// Returns the page that links to the reports of cases.
pub(super) fn text(cases: &[&CaseReport], names: &Names<'_>) -> String {
    let link = |id: &str| format!("- [{}]({}.md)\n", inline(id), names.of_case(id));
    let owned: Vec<CaseReport> = cases.iter().copied().cloned().collect();
    let causes = Cause::of_cases(&owned);
    let mut text = "# Bug reports by cause
"
    .to_owned();
    for cause in &causes {
        let _ = write!(text, "\n## {}\n\n", inline(&format!("{}: {}", cause.kind, cause.what)));
        text.extend(cause.cases.iter().map(|id| link(id)));
    }
    let is_grouped = |case: &&&CaseReport| causes.iter().any(|cause| cause.cases.contains(&case.id));
    let others: String = cases.iter().filter(|case| !is_grouped(case)).map(|case| link(&case.id)).collect();
    if !others.is_empty() {
        let _ = write!(text, "\n## Disclosures, listed deviations, and cases that did not fail\n\n{others}");
    }
    text
}
