//! Which cases run, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::nextest::under_nextest;
use super::options::{Level, Options};
use crate::case::{Case, closest};
use crate::catalogue::{self, Class};
use crate::machine::Machine;
use crate::records::Records;
use crate::report::Report;

/// Returns the cases that the filters, `--cases` and `--from` select. A name that selects no case is an error: the run
/// would be green without it.
pub(super) fn named(options: &Options, must_match: bool, mut cases: Vec<Case>) -> Result<Vec<Case>, String> {
    tell_vain_skips(options, must_match, &cases)?;
    // Read first, because a report names cases of the whole suite.
    let of_report = options.from.as_ref().map(|path| of_report(path, options, &cases)).transpose()?;
    if let Some(file) = &options.cases {
        cases = of_file(file, cases)?;
    }
    cases = filtered(options, must_match, cases)?;
    if let Some((path, (names, not_green))) = options.from.as_ref().zip(of_report) {
        cases.retain(|case| names.contains(&case.id));
        let selected = if options.cases.is_none() && options.filters().is_empty() { "" } else { "selected " };
        let (path, how) = (path.display(), ended_how(options));
        match (cases.is_empty(), not_green) {
            (true, None) => eprintln!("conformance: nothing to run again: no {selected}case in {path} {how}"),
            (true, Some(why)) => {
                return Err(format!("--from {path}: no {selected}case {how}, but {why}: run the whole suite again"));
            }
            (false, Some(why)) => eprintln!("conformance: warning: --from {path} runs single cases again, but {why}"),
            (false, None) => {}
        }
    }
    Ok(cases)
}

/// Returns how many of the cases `--skip` lets run.
pub(super) fn not_skipped(options: &Options, cases: &[Case]) -> usize {
    let is_skipped = |case: &Case| options.libtest.skip.iter().any(|skip| skips(options, skip, case));
    cases.iter().filter(|case| !is_skipped(case)).count()
}

/// Refuses a run in which no case would run although some are named: it would be green and have checked nothing.
pub(super) fn check_not_empty(options: &Options, must_match: bool, cases: &[Case]) -> Result<(), String> {
    if options.libtest.list {
        return Ok(());
    }
    if options.libtest.bench {
        return Err("--bench: there are no benchmarks, so nothing would be checked".to_owned());
    }
    // It may be meant for other programs, as in `cargo test -- --ignored`.
    if options.libtest.ignored && must_match && under_nextest().is_none() {
        return Err("--ignored: no case is ignored, so nothing would be checked".to_owned());
    }
    if not_skipped(options, cases) == 0 {
        let selection = options.selection().unwrap_or_default();
        return Err(format!("{selection}: no case is left, so nothing would be checked"));
    }
    Ok(())
}

/// Whether a `--skip` is about a case. With `--exact`, it is a whole name too.
fn skips(options: &Options, skip: &str, case: &Case) -> bool {
    if options.libtest.exact { case.id == skip } else { case.id.contains(skip) }
}

/// Refuses a `--skip` that matches no case: what it was meant for would run.
fn tell_vain_skips(options: &Options, must_match: bool, cases: &[Case]) -> Result<(), String> {
    let is_vain = |skip: &&String| !cases.iter().any(|case| skips(options, skip, case));
    let why = |skip: &String| {
        if options.libtest.exact { unknown(skip, cases) } else { no_match(&format!("`{skip}`")) }
    };
    let vain = options.libtest.skip.iter().filter(is_vain);
    let told: Vec<_> = vain.map(|skip| format!("--skip: {}", why(skip))).collect();
    match told.first() {
        Some(told) if must_match => Err(told.clone()),
        // It may be meant for other programs, as in `cargo test -- --skip NAME`.
        _ => {
            told.iter().for_each(|told| eprintln!("conformance: warning: {told}"));
            Ok(())
        }
    }
}

/// Returns the cases that the filters select.
fn filtered(options: &Options, must_match: bool, mut cases: Vec<Case>) -> Result<Vec<Case>, String> {
    let filters = options.filters();
    if filters.is_empty() {
        return Ok(cases);
    }
    let rows = classes()?;
    let mut selected = BTreeSet::new();
    for filter in &filters {
        let parsed = Filter::new(filter, options.libtest.exact)?;
        let found: Vec<_> =
            cases.iter().filter(|case| parsed.selects(case, &rows)).map(|case| case.id.clone()).collect();
        if found.is_empty() {
            let told = parsed.unknown(filter, &cases);
            // One plain filter may be meant for other programs too, as in `cargo test NAME`.
            if must_match || filters.len() > 1 || !matches!(parsed, Filter::Part(_)) {
                return Err(told);
            }
            eprintln!("conformance: warning: {told}");
        }
        selected.extend(found);
    }
    cases.retain(|case| selected.contains(&case.id));
    Ok(cases)
}

/// A filter of the command line.
enum Filter {
    /// `--exact`: the name.
    Exact(String),
    /// A part of the name.
    Part(String),
    /// A pattern of the name, with or without parameters.
    Pattern(GlobMatcher),
    /// A row, the group of a row, or a pattern of rows.
    Rows(GlobMatcher, String),
    /// The class of a row.
    Class(Class),
}

impl Filter {
    fn new(text: &str, exact: bool) -> Result<Self, String> {
        let is_pattern = text.contains(['*', '?']);
        let is_of_rows = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '*' | '?');
        let looks_like_rows = text.contains(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_of_rows);
        match text.split_once('=') {
            _ if exact => Ok(Self::Exact(text.trim_end_matches(": test").to_owned())),
            Some(("class", letter)) => {
                let classes = [Class::Documented, Class::Derived, Class::Undefined, Class::Observed, Class::Open];
                let found = classes.into_iter().find(|class| class.letter() == letter);
                found.map(Self::Class).ok_or_else(|| format!("unknown class `{letter}`; expected D, D*, U, O or Q"))
            }
            Some(("row" | "group", row)) => Ok(Self::Rows(pattern(row)?, format!("{row}-"))),
            _ if looks_like_rows => Ok(Self::Rows(pattern(text)?, format!("{text}-"))),
            _ if is_pattern => Ok(Self::Pattern(pattern(text)?)),
            _ => Ok(Self::Part(text.to_owned())),
        }
    }

    fn selects(&self, case: &Case, classes: &BTreeMap<String, Class>) -> bool {
        let rows = case.registered.rows;
        match self {
            Self::Exact(name) => case.id == *name,
            Self::Part(part) => case.id.contains(part.as_str()),
            Self::Pattern(pattern) => pattern.is_match(&case.id) || pattern.is_match(&case.base),
            Self::Rows(pattern, group) => {
                rows.iter().any(|row| pattern.is_match(row) || row.starts_with(group.as_str()))
            }
            Self::Class(class) => rows.iter().any(|row| classes.get(*row) == Some(class)),
        }
    }

    /// Says that nothing matches.
    fn unknown(&self, text: &str, cases: &[Case]) -> String {
        match self {
            Self::Exact(name) => format!("--exact: {}", unknown(name, cases)),
            Self::Part(_) => no_match(&format!("`{text}`")),
            Self::Pattern(_) => no_match(&format!("the pattern `{text}`, which must match a whole name")),
            Self::Rows(..) => format!("no case checks `{text}`; `conformance list` prints the rows and their cases"),
            Self::Class(_) => format!("no case checks a row of `{text}`"),
        }
    }
}

/// Says that no case matches, and where the names are.
fn no_match(what: &str) -> String {
    format!("no case matches {what}; --list prints the names")
}

fn pattern(text: &str) -> Result<GlobMatcher, String> {
    // The names of cases contain brackets, so only * and ? are special.
    let escaped: String =
        text.chars().flat_map(|c| matches!(c, '[' | ']' | '{' | '}').then_some('\\').into_iter().chain([c])).collect();
    let glob = GlobBuilder::new(&escaped).backslash_escape(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| format!("`{text}` is not a pattern: {error}"))
}

fn classes() -> Result<BTreeMap<String, Class>, String> {
    Ok(catalogue::rows()?.into_iter().map(|(id, row)| (id, row.class)).collect())
}

/// How many names with parameters a message lists.
const SHOWN: usize = 3;

/// Says that no case has this name. Names the cases that have it before their parameters, or else the closest case.
fn unknown(name: &str, cases: &[Case]) -> String {
    let parameters: Vec<_> = cases.iter().filter(|case| case.base == name).map(|case| case.id.as_str()).collect();
    match (parameters.as_slice(), closest(name, cases)) {
        ([], None) => format!("no case is called `{name}`: there are no cases"),
        ([], Some(closest)) => format!("no case is called `{name}`; the closest is `{}`", closest.id),
        (ids, _) => {
            let more = if ids.len() > SHOWN { " …" } else { "" };
            let ids = ids.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
            format!("no case is called `{name}` without its parameters: {ids}{more}")
        }
    }
}

/// Returns the cases that a file names.
fn of_file(file: &Path, mut cases: Vec<Case>) -> Result<Vec<Case>, String> {
    let told = |what: &dyn Display| format!("--cases {}: {what}", file.display());
    let text = fs::read_to_string(file).map_err(|error| told(&error))?;
    let names: BTreeSet<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if names.is_empty() {
        return Err(told(&"the file names no case"));
    }
    if let Some(name) = names.iter().find(|name| !cases.iter().any(|case| case.id == **name || case.base == **name)) {
        return Err(told(&unknown(name, &cases)));
    }
    cases.retain(|case| names.contains(case.id.as_str()) || names.contains(case.base.as_str()));
    Ok(cases)
}

/// Returns the names of the cases that ended with a verdict in a report: if none is named, of those that failed or did not
/// end. Also says why its run was not green, or may not have been, whatever its cases say.
fn of_report(path: &Path, options: &Options, cases: &[Case]) -> Result<(BTreeSet<String>, Option<String>), String> {
    let report = Report::read_outline(path).map_err(|error| format!("--from {error}"))?;
    let verdicts = options.verdict.as_slice();
    let is_wanted = |verdict| if verdicts.is_empty() { options.fails_on(verdict) } else { verdicts.contains(&verdict) };
    let ended = report.cases.iter().filter(|case| is_wanted(case.verdict)).map(|case| &case.id);
    let running = report.running.iter().filter(|_| verdicts.is_empty());
    let names: BTreeSet<_> = ended.chain(running).cloned().collect();
    let missing: Vec<_> = names.iter().filter(|name| !cases.iter().any(|case| case.id == **name)).collect();
    if let Some(first) = missing.first() {
        let count = missing.len();
        let told = format!("--from {}: this suite lacks {count} of its cases, such as {first}", path.display());
        if count == names.len() {
            return Err(told);
        }
        eprintln!("conformance: warning: {told}");
    }
    Ok((names, not_green(&report)))
}

/// Says why the run of a report was not green, or may not have been, whatever its cases say.
fn not_green(report: &Report) -> Option<String> {
    if let Some(end) = report.bad_ends.first() {
        return Some(format!("a process crashed or hung outside any case ({end})"));
    }
    if let Some(unmet) = report.run.unmet.first() {
        return Some(format!("--require was not met ({unmet})"));
    }
    match report.cases.is_empty() {
        _ if !report.is_complete => Some("the report has no end line, so cases may be missing".to_owned()),
        true => Some("the report has no cases".to_owned()),
        false => None,
    }
}

fn ended_how(options: &Options) -> String {
    let words: Vec<_> = options.verdict.iter().map(|verdict| verdict.word()).collect();
    if words.is_empty() { "failed".to_owned() } else { format!("ended as {}", words.join(" or ")) }
}

/// Orders the cases, and leaves out those above the level.
pub(super) fn order(
    options: &Options,
    machine: &Machine,
    seed: u64,
    mut cases: Vec<Case>,
) -> Result<Vec<Case>, String> {
    if options.shuffle {
        fastrand::Rng::with_seed(seed).shuffle(&mut cases);
    }
    // With a budget, each documented rule comes before a second case of any.
    if options.level != Level::Quick && options.budget.is_none() {
        return Ok(cases);
    }
    let costs = costs(&options.records_folder());
    let quick = quick(&cases, machine, &classes()?, &costs);
    if options.level == Level::Quick {
        cases.retain(|case| quick.contains(&case.id));
    } else {
        cases.sort_by_key(|case| !quick.contains(&case.id));
    }
    Ok(cases)
}

/// Returns how long cases took on real GPUs, in milliseconds: the longest time in any record.
fn costs(folder: &Path) -> BTreeMap<String, f64> {
    let mut costs: BTreeMap<String, f64> = BTreeMap::new();
    for case in Records::read(folder).records.into_iter().flat_map(|(_, record)| record.cases) {
        let known = costs.entry(case.id).or_default();
        *known = known.max(case.duration_ms);
    }
    costs
}

/// Returns cases that together check each documented row that can be checked here, and cost little: again and again
/// the one with the lowest cost for each row that is new.
fn quick(
    cases: &[Case],
    machine: &Machine,
    classes: &BTreeMap<String, Class>,
    costs: &BTreeMap<String, f64>,
) -> BTreeSet<String> {
    /// The cost of a case that is in no record, in milliseconds.
    const UNKNOWN: f64 = 20.0;
    let is_documented = |row: &&&str| matches!(classes.get(**row), Some(Class::Documented | Class::Derived));
    let mut candidates: Vec<(&Case, f64)> = cases
        .iter()
        .filter(|case| case.registered.needs.unmet(machine).is_none())
        .map(|case| (case, costs.get(&case.id).copied().unwrap_or(UNKNOWN).max(1.0)))
        .collect();
    let mut covered = BTreeSet::new();
    let mut selected = BTreeSet::new();
    loop {
        let new = |case: &Case| {
            let rows = case.registered.rows.iter().filter(is_documented);
            rows.filter(|row| !covered.contains(*row)).count()
        };
        candidates.retain(|(case, _)| new(case) > 0);
        let price = |(case, cost): &(&Case, f64)| cost / new(case) as f64;
        let Some((case, _)) = candidates.iter().min_by(|one, other| price(one).total_cmp(&price(other))).copied()
        else {
            return selected;
        };
        covered.extend(case.registered.rows.iter().filter(is_documented).copied());
        selected.insert(case.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use clap::Parser as _;

    use super::{Case, Class, Machine, Options, quick, tell_vain_skips};
    use crate::Needs;
    use crate::case::Registered;
    use crate::machine::Device;

    /// Returns a case that checks these rows.
    fn case(id: &str, rows: &'static [&'static str]) -> Case {
        let (file, module, function, summary) = ("", "", "", "");
        let registered = Registered { file, module, function, summary, rows, needs: Needs::none(), run: || Ok(()) };
        let registered = Box::leak(Box::new(registered));
        Case { base: id.to_owned(), id: id.to_owned(), summary: String::new(), registered }
    }

    /// The quick level takes a case of two rules if it costs less than a case for each.
    #[test]
    fn a_case_of_two_rules_may_cost_more() {
        let cases = [case("both", &["A-001", "A-002"]), case("one", &["A-001"]), case("other", &["A-002"])];
        let machine = Machine { devices: vec![Device::default()], ..Machine::default() };
        let classes = BTreeMap::from(["A-001", "A-002"].map(|row| (row.to_owned(), Class::Documented)));
        let costs = BTreeMap::from([("both", 15.0), ("one", 10.0), ("other", 10.0)]);
        let costs = costs.into_iter().map(|(id, cost)| (id.to_owned(), cost)).collect();
        assert_eq!(quick(&cases, &machine, &classes, &costs), BTreeSet::from(["both".to_owned()]));
    }

    /// In the suite, a `--skip` that matches no case is an error. In a program of checks it is only a warning.
    #[test]
    fn the_suite_refuses_a_skip_that_matches_no_case() {
        let options = Options::parse_from(["suite", "--skip", "no_such_case"]);
        let says = "--skip: no case matches `no_such_case`; --list prints the names";
        assert_eq!(tell_vain_skips(&options, true, &[]), Err(says.to_owned()));
        assert_eq!(tell_vain_skips(&options, false, &[]), Ok(()));
    }
}
