//! `conformance show` names the listed deviations that no case of a run met.

use std::path::Path;

use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::command::{case, conformance, finish, plain};
use crate::suite::{harness, run, suite};

/// The golden records meet each entry that applies to them, whatever a record leaves out of the reason.
#[rstest]
#[conformance::test()]
fn the_records_meet_their_entries() -> Outcome {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("records");
    let Ok(entries) = std::fs::read_dir(&records) else {
        return Err(Stop::Unsupported("the checkout does not exist".to_owned()));
    };
    let records = entries.flatten().map(|entry| entry.path());
    let records: Vec<_> =
        records.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect();
    check!(!records.is_empty());
    for record in records {
        let mut command = conformance(&["show"])?;
        command.arg(&record);
        let (code, shown, errors) = finish(command)?;
        check!(code == Some(0) && shown.contains("deviation"), "{}: {errors}", record.display());
        check!(!shown.contains("as failing, but"), "{}: {shown}", record.display());
    }
    Ok(())
}

/// An entry is named if its cases ran and none of them met it. It is not named if a case met it or none of them ran.
#[rstest]
#[case::other_reason("planted::fail", "CUDA_ERROR", true)]
#[case::met("planted::fail", "does not hold", false)]
#[case::did_not_run("planted::crash", "does not hold", false)]
#[conformance::test()]
fn an_entry_that_no_case_met_is_named(#[case] case: &str, #[case] reason: &str, #[case] is_named: bool) -> Outcome {
    let list = tempfile::NamedTempFile::new().map_err(harness)?;
    let entry = format!(
        "[[deviation]]\ncase = \"{case}\"\ndriver = \"reference\"\nfrom = \"0.1\"\nverdict = \"fail\"\n\
         reason = \"{reason}\"\nlink = \"https://example.org/1\"\ndate = \"2026-11-21\"\n"
    );
    std::fs::write(list.path(), entry).map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::fail", "--deviations"]).arg(list.path());
    let run = run(command)?;
    let mut command = conformance(&["show"])?;
    command.arg(run.path()).arg("--deviations").arg(list.path());
    let (code, shown, errors) = finish(command)?;
    check!(
        code == Some(0) && shown.contains("lists it as failing, but it did not fail like that here") == is_named,
        "{shown}{errors}"
    );
    Ok(())
}

/// An entry that was written after the run, for a failure of that run, is not called one that does not fit.
#[rstest]
#[conformance::test()]
fn an_entry_that_the_run_did_not_have_is_named() -> Outcome {
    let list = tempfile::NamedTempFile::new().map_err(harness)?;
    let entry = "[[deviation]]\ncase = \"planted::fail\"\ndriver = \"reference\"\nfrom = \"0.1\"\nverdict = \"fail\"\n\
                 reason = \"does not hold\"\nlink = \"https://example.org/1\"\ndate = \"2026-11-21\"\n";
    std::fs::write(list.path(), entry).map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(["--exact", "planted::fail"]);
    let run = run(command)?;
    let mut command = conformance(&["show"])?;
    command.arg(run.path()).arg("--deviations").arg(list.path());
    let (code, shown, errors) = finish(command)?;
    let says = "lists this failure, but the run did not have this entry";
    check!(code == Some(0) && shown.contains(says), "{shown}{errors}");
    check!(!shown.contains("did not fail like that"), "{shown}");
    Ok(())
}

/// The lists of a site are added to the shipped one, unless a flag leaves that out.
#[rstest]
#[case::alone(&[], &["deviations.toml"])]
#[case::added(&["--deviations", "site.toml"], &["deviations.toml", "site.toml"])]
#[case::instead(&["--deviations", "site.toml", "--no-shipped-deviations"], &["site.toml"])]
#[case::none(&["--no-shipped-deviations"], &[])]
#[conformance::test()]
fn a_list_of_a_site_is_added(#[case] flags: &[&str], #[case] named: &[&str]) -> Outcome {
    /// The shipped list has an entry for it.
    const LISTED: &str = "ipcmem::open::references::threads_of_a_context_share_the_mapping";
    let folder = tempfile::tempdir().map_err(harness)?;
    let mut report = plain("580.159.04", 1);
    report.cases.push(case(LISTED));
    std::fs::write(folder.path().join("report"), report.to_lines().map_err(harness)?).map_err(harness)?;
    let entry = "[[deviation]]\ncase = \"ipcmem::open::planted\"\nfrom = \"1\"\nverdict = \"fail\"\nreason = \"x\"\n\
                 link = \"https://example.org/1\"\ndate = \"2026-11-21\"\n";
    std::fs::write(folder.path().join("site.toml"), entry).map_err(harness)?;
    let mut command = conformance(&["show", "report"])?;
    command.args(flags).current_dir(folder.path());
    let (code, shown, errors) = finish(command)?;
    check!(code == Some(0), "{errors}");
    let lines = shown.lines().filter(|line| line.starts_with("deviation: "));
    let found: Vec<_> =
        lines.filter_map(|line| line.split_once(" lists it as failing, but")?.0.rsplit([' ', '/']).next()).collect();
    check!(found == named, "{found:?}: {shown}");
    Ok(())
}
