//! `show`, `diff`, `html` and records keep disclosures, and show them to a reader who looks for failures only.

use std::path::PathBuf;

use conformance::records::{self, Records};
use conformance::report::Report;
use conformance::{Defect, Outcome, Stop, Verdict, check};
use rstest::rstest;
use serde_json::{Value, json};

use crate::command::{Reports, case, failed, plain, text};
use crate::suite::harness;

const TEXT: &str = "a kernel of the importer reads <other> memory";
const ID: &str = "ipcmem::open::planted/number=00001";

/// Returns a report with three passed cases, of which one discloses.
fn disclosing() -> Report {
    let mut report = plain("580.159.04", 3);
    report.cases[1].disclosures.push(TEXT.to_owned());
    report
}

fn printed(old: &Report, new: &Report, arguments: &[&str]) -> Result<(Option<i32>, String), Stop> {
    let output = Reports::new(old, new)?.run(arguments)?;
    check!(output.stderr.is_empty(), "{}", text(&output.stderr));
    Ok((output.status.code(), text(&output.stdout)))
}

/// `show` prints disclosures before anything else, also of cases that passed, and again at the case.
#[rstest]
#[conformance::test()]
fn show_begins_with_disclosures() -> Outcome {
    let report = disclosing();
    let (_, shown) = printed(&report, &report, &["show", "old"])?;
    check!(shown.starts_with(&format!("disclosure: {ID}: {TEXT}\nNVIDIA 580.159.04")), "{shown}");
    let (_, shown) = printed(&report, &report, &["show", "old", ID])?;
    check!(shown.contains(&format!("\n    disclosure: {TEXT}\n")), "{shown}");
    let (_, json) = printed(&report, &report, &["show", "old", "--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    check!(json["disclosures"] == json!([{ "case": ID, "text": TEXT }]), "{json:#}");
    Ok(())
}

/// A disclosure that came is a regression, although no documented rule forbids it. One that went is a change with a
/// severity of its own, and does not decide the exit code.
#[rstest]
#[case::came(false, true, 1, "regressed", &format!("disclosure: none -> {TEXT}"))]
#[case::went(true, false, 0, "disclosure", &format!("disclosure: {TEXT} -> none"))]
#[conformance::test()]
fn a_changed_disclosure_is_a_change(
    #[case] before: bool,
    #[case] now: bool,
    #[case] exit: i32,
    #[case] severity: &str,
    #[case] says: &str,
) -> Outcome {
    let of = |discloses| if discloses { disclosing() } else { plain("580.159.04", 3) };
    let (mut old, mut new) = (of(before), of(now));
    // The severity is above that of an observation.
    new.cases[1].observations.clear();
    let (code, json) = printed(&old, &new, &["diff", "old", "new", "--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    check!(code == Some(exit) && json["same"] == 2 && json["changes"][0]["severity"] == severity, "{json:#}");
    check!(!now || json["causes"][0]["kind"] == "disclosure" && json["causes"][0]["what"] == TEXT, "{json:#}");
    let difference = json!({ "what": "disclosure", "text": TEXT, "is_new": now });
    check!(json["changes"][0]["differences"].as_array().is_some_and(|all| all.contains(&difference)), "{json:#}");
    let published: Value = serde_json::from_str(include_str!("../../diff.schema.json")).map_err(harness)?;
    let validator = jsonschema::validator_for(&published).map_err(harness)?;
    check!(validator.is_valid(&json), "{json:#}");
    let (_, printed_text) = printed(&old, &new, &["diff", "old", "new"])?;
    check!(printed_text.contains(&format!("\n{severity} (1)\n")) && printed_text.contains(says), "{printed_text}");
    let (_, markdown) = printed(&old, &new, &["diff", "old", "new", "--format", "markdown"])?;
    check!(markdown.contains(&format!("<details open><summary>{severity} (1)</summary>")), "{markdown}");
    check!(markdown.contains(&format!("`{TEXT}`")), "{markdown}");
    let (_, page) = printed(&old, &new, &["html", "new", "--compare", "old"])?;
    check!(page.contains(&format!("<section class=\"changes {severity}\">")), "the page does not show the change");
    // A case that is equally bad in both reports, and discloses in both, did not change.
    old = disclosing();
    new = disclosing();
    let (_, same) = printed(&old, &new, &["diff", "old", "new"])?;
    check!(!same.contains("disclosure"), "{same}");
    Ok(())
}

/// A new disclosure is shown even if the case is new, did not run before, or ended better than before, and the first
/// sentence counts it. A regression stays one, and still breaks its rule.
#[rstest]
#[case::new_case(|old: &mut Report, _: &mut Report| drop(old.cases.remove(1)), "disclosure")]
#[case::did_not_run(|old: &mut Report, _: &mut Report| old.cases[1].verdict = Verdict::Unsupported, "disclosure")]
#[case::could_not_run_again(|old: &mut Report, new: &mut Report| {
    old.cases[1].verdict = Verdict::Unsupported;
    new.cases[1].verdict = Verdict::Unsupported;
}, "disclosure")]
#[case::is_new_and_could_not_run_again(|old: &mut Report, new: &mut Report| {
    old.cases.remove(1);
    new.cases[1].verdict = Verdict::Unsupported;
}, "disclosure")]
#[case::better(|old: &mut Report, _: &mut Report| old.cases[1].verdict = Verdict::Crash, "disclosure")]
#[case::worse(|_: &mut Report, new: &mut Report| new.cases[1].verdict = Verdict::Crash, "regressed")]
#[case::fails(|_: &mut Report, new: &mut Report| failed(&mut new.cases[1], Verdict::Fail, Defect::Disclosure), "regressed")]
#[conformance::test()]
fn a_new_disclosure_is_not_hidden(#[case] plant: fn(&mut Report, &mut Report), #[case] severity: &str) -> Outcome {
    let (mut old, mut new) = (plain("570.86.15", 3), disclosing());
    plant(&mut old, &mut new);
    let (_, json) = printed(&old, &new, &["diff", "old", "new", "--format", "json"])?;
    let json: Value = serde_json::from_str(&json).map_err(harness)?;
    check!(json["changes"][0]["severity"] == severity && json["changes"][0]["id"] == ID, "{json:#}");
    check!(json["changes"].to_string().contains(TEXT), "{json:#}");
    let headline = json["headline"].as_str().unwrap_or_default();
    check!(headline.starts_with("1 documented rule broke ") == (severity == "regressed"), "{json:#}");
    let is_apart = headline.contains("; 1 case discloses memory that was never shared");
    check!(is_apart == (severity == "disclosure"), "{json:#}");
    check!(!is_apart || json["changes"][0]["failure"]["kind"] == "disclosure", "{json:#}");
    // The default counts only what the old report could show.
    for (exit_on, expected) in [("regressed", i32::from(severity == "regressed")), ("failed", 1)] {
        let (code, shown) = printed(&old, &new, &["diff", "--exit-on", exit_on, "old", "new"])?;
        check!(code == Some(expected), "--exit-on {exit_on}: {code:?}: {shown}");
    }
    Ok(())
}

/// A disclosure of a case that no longer runs is not reported as gone.
#[rstest]
#[conformance::test()]
fn a_case_that_did_not_run_loses_no_disclosure() -> Outcome {
    let mut new = plain("580.159.04", 3);
    new.cases[1].verdict = Verdict::Unsupported;
    let (_, json) = printed(&disclosing(), &new, &["diff", "old", "new", "--format", "json"])?;
    check!(json.contains("\"unchecked\"") && !json.contains(TEXT), "{json}");
    Ok(())
}

/// The page has a box at its top, in words, before the counts of the cases. Without a disclosure there is no box.
#[rstest]
#[conformance::test()]
fn the_page_begins_with_disclosures() -> Outcome {
    let (_, page) = printed(&disclosing(), &plain("580.159.04", 1), &["html", "old"])?;
    let order = [
        "<section class=\"disclosures\"",
        "Disclosure: memory that was never shared can be accessed",
        "<strong>a kernel of the importer reads &#60;other&#62; memory</strong>",
        "<ul class=\"counts\">",
        "<strong>Disclosure:</strong>",
    ];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    check!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    let (_, page) = printed(&disclosing(), &plain("580.159.04", 1), &["html", "new"])?;
    check!(!page.contains("class=\"disclosures\""));
    Ok(())
}

/// A record keeps disclosures, and the last lines of a run name a case with one that the record lacks.
#[rstest]
#[conformance::test()]
fn a_record_keeps_disclosures() -> Outcome {
    let record = records::record(disclosing());
    check!(record.cases[1].disclosures == [TEXT], "{record:?}");
    let lines = |record: Report, run: &Report| {
        let records = Records { records: vec![(PathBuf::from("r.jsonl"), record)], warnings: Vec::new() };
        records::verdict(&records, run)
    };
    let found = lines(records::record(plain("580.159.04", 3)), &disclosing());
    check!(found.contains(&format!("  regressed: {ID}")), "{found:?}");
    let found = lines(record, &disclosing());
    check!(found.len() == 1 && found[0].contains("0 of 3 cases changed"), "{found:?}");
    Ok(())
}

/// A report of an older suite has no disclosures and is read.
#[rstest]
#[conformance::test()]
fn reports_without_disclosures_are_read() -> Outcome {
    let mut report = plain("580.159.04", 0);
    report.cases.push(case("vmm::old"));
    let lines = report.to_lines().map_err(harness)?;
    check!(!lines.contains("disclosures"), "{lines}");
    Ok(())
}
