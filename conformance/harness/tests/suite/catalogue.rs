//! The catalogue is complete, and its rows and the cases refer to each other.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use conformance::{Outcome, Stop, catalogue, check, is_documented};
use rstest::rstest;

use crate::suite::harness;

/// A row whose list of cases differs from the registered cases is reported with the list that its file should contain.
#[rstest]
#[case::unlisted("ipcmem::close::another", &["IPCMEM-CLOSE-006"], "IPCMEM-CLOSE-006: cases = [\"ipcmem::close::another\"]")]
#[case::unknown_row("ipcmem::close::null_is_refused", &["IPCMEM-CLOSE-999"], "name the nonexistent row IPCMEM-CLOSE-999")]
#[case::no_case("ipcmem::close::null_is_refused", &[], "IPCMEM-CLOSE-006: cases = []")]
#[conformance::test()]
fn a_disagreement_is_reported(
    #[case] case: &str,
    #[case] rows: &'static [&'static str],
    #[case] says: &str,
) -> Outcome {
    let problems = catalogue::disagreements(&[(case.to_owned(), rows)]).map_err(Stop::Harness)?;
    check!(problems.iter().any(|problem| problem.contains(says)), "no problem contains {says:?}: {problems:?}");
    Ok(())
}

/// Each row appears once, in the file of its group, with either a case or the reason why it has none.
#[rstest]
#[conformance::test()]
fn each_row_appears_once() -> Outcome {
    let mut ids = HashSet::new();
    for group in catalogue::groups().map_err(Stop::Harness)? {
        for row in group.row {
            check!(
                row.id.starts_with(&format!("{}-", group.group)),
                "the row {} is in the file of group {}",
                row.id,
                group.group
            );
            check!(row.cases.is_empty() == row.unrunnable.is_some(), "{} needs either `cases` or `unrunnable`", row.id);
            check!(ids.insert(row.id.clone()), "{} appears twice", row.id);
        }
    }
    Ok(())
}

/// A row is implemented if a case checks it, and unrunnable if it says why none can.
#[rstest]
#[case::a_case(&["a::case"], None, "implemented")]
#[case::a_reason(&[], Some("no machine allows it"), "unrunnable")]
#[case::neither(&[], None, "unimplemented")]
#[conformance::test()]
fn a_row_has_a_status(#[case] cases: &[&str], #[case] unrunnable: Option<&str>, #[case] status: &str) -> Outcome {
    let mut rows = catalogue::rows().map_err(Stop::Harness)?.into_values();
    let mut row = rows.next().ok_or_else(|| harness("the catalogue has no row"))?;
    row.cases = cases.iter().map(|case| (*case).to_owned()).collect();
    row.unrunnable = unrunnable.map(str::to_owned);
    check!(row.status() == status, "{}", row.status());
    Ok(())
}

/// What breaks a documented row breaks a rule. What breaks a row that was only observed, or that is open, differs.
#[rstest]
#[case::documented("IPCMEM-OPEN-002", true)]
#[case::observed("IPCMEM-CLOSE-006", false)]
#[case::open("IPCMEM-OPEN-016", false)]
#[conformance::test()]
fn a_row_is_documented_or_observed(#[case] row: &str, #[case] documented: bool) -> Outcome {
    check!(is_documented(row) == documented, "{row}");
    Ok(())
}

/// The text of a row names no other row: a bug report has the text without the catalogue.
#[rstest]
#[conformance::test()]
fn the_text_of_a_row_names_no_row() -> Outcome {
    let rows: Vec<_> = catalogue::groups().map_err(Stop::Harness)?.into_iter().flat_map(|group| group.row).collect();
    for row in &rows {
        let texts = [&row.statement, &row.expected].into_iter().chain(&row.source).chain(&row.provoke);
        for text in texts.chain(&row.unrunnable) {
            let named = rows.iter().find(|other| text.contains(&other.id));
            check!(named.is_none(), "{} names {:?}: {text}", row.id, named.map(|other| &other.id));
        }
    }
    Ok(())
}

/// Every file of the catalogue is read.
#[rstest]
#[conformance::test()]
fn every_file_is_read() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("requirements");
    let entries = std::fs::read_dir(folder).map_err(harness)?.flatten().map(|entry| entry.path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let names = files.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let names: BTreeSet<_> = names.collect();
    let read: BTreeSet<_> = catalogue::files().map(str::to_owned).collect();
    check!(names == read, "the folder contains {names:?}, but the catalogue reads {read:?}");
    Ok(())
}

/// The condition of a check without a message is the reason of a failure, so it has no conversions of Rust.
#[rstest]
#[conformance::test()]
fn the_conditions_of_checks_are_plain() -> Outcome {
    const CONVERSIONS: [&str; 5] = [" as ", "::from(", ".to_le_bytes()", ".to_vec()", ".unwrap"];
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("tests")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).map_err(harness)?.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(harness)?;
            let mut conditions = text.lines().filter(|line| line.trim().starts_with("check!(") && !line.contains('"'));
            let odd = conditions.find(|line| CONVERSIONS.iter().any(|conversion| line.contains(conversion)));
            check!(odd.is_none(), "{}: {}", path.display(), odd.unwrap_or_default().trim());
        }
    }
    Ok(())
}

/// Returns the entries of `peers.toml`.
fn entries() -> Result<Vec<toml::Value>, Stop> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../peers.toml")).map_err(harness)?;
    let mut table: toml::Table = toml::from_str(&text).map_err(harness)?;
    match table.remove("case") {
        Some(toml::Value::Array(entries)) if !entries.is_empty() => Ok(entries),
        case => Err(harness(format!("`case` is no list with entries: {case:?}"))),
    }
}

/// Each entry of `peers.toml` names cases of this suite that exist, or says why there is none.
#[rstest]
#[conformance::test()]
fn every_case_of_another_suite_has_a_case_here_or_a_reason() -> Outcome {
    let rows = catalogue::groups().map_err(harness)?.into_iter().flat_map(|group| group.row);
    let cases: HashSet<String> = rows.flat_map(|row| row.cases).collect();
    for entry in &entries()? {
        let names = |key| entry.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        let unknown = names("ours").find(|name| !name.as_str().is_some_and(|name| cases.contains(name)));
        check!(unknown.is_none(), "no case is called {unknown:?}");
        let has = |key: &str| entry.get(key).is_some();
        let keys = entry.as_table().into_iter().flat_map(toml::Table::keys);
        let unknown =
            keys.into_iter().find(|key| !["suite", "names", "ours", "partly", "reason"].contains(&key.as_str()));
        check!(unknown.is_none(), "an entry has the unknown key {unknown:?}: {entry:?}");
        check!(!has("partly") || has("ours"), "`partly` is about `ours`: {entry:?}");
        check!(has("suite") && names("names").count() > 0, "an entry does not say which cases it is about: {entry:?}");
        check!((names("ours").count() > 0) != has("reason"), "an entry needs either `ours` or `reason`: {entry:?}");
    }
    Ok(())
}

/// Each case that `peers.txt` lists has exactly one entry in `peers.toml`, and each name of an entry is that of a listed
/// case. So an entry cannot be forgotten, and none can say what another one says.
#[rstest]
#[conformance::test()]
fn every_listed_case_of_another_suite_has_one_entry() -> Outcome {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../peers.txt")).map_err(harness)?;
    let mut listed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut suite = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(heading) => suite = heading,
            None => check!(listed.insert((suite, line), 0).is_none(), "{suite}: {line} is listed twice"),
        }
    }
    for entry in &entries()? {
        let suite = entry.get("suite").and_then(toml::Value::as_str).unwrap_or_default();
        let patterns = entry.get("names").and_then(toml::Value::as_array).into_iter().flatten();
        let patterns: Vec<_> = patterns.filter_map(toml::Value::as_str).collect();
        for pattern in &patterns {
            let is_listed = listed.keys().any(|(of, name)| *of == suite && is_named(pattern, name));
            check!(is_listed, "{suite}: no listed case is called {pattern}");
        }
        let found = listed
            .iter_mut()
            .filter(|((of, name), _)| *of == suite && patterns.iter().any(|pattern| is_named(pattern, name)));
        found.for_each(|(_, entries)| *entries += 1);
    }
    let bad: Vec<_> = listed.iter().filter(|(_, entries)| **entries != 1).collect();
    check!(bad.is_empty(), "these cases do not have exactly one entry: {bad:?}");
    Ok(())
}

/// Whether a case has a name in which `*` stands for any text.
fn is_named(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, rest)) => name.strip_prefix(before).is_some_and(|name| {
            name.char_indices().map(|(place, _)| place).chain([name.len()]).any(|place| is_named(rest, &name[place..]))
        }),
    }
}
