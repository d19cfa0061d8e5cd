//! The groups of the catalogue, their rows, and the cases of each row in a report.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use conformance::Verdict;
use conformance::catalogue::{self, Row};
use conformance::diff::{Diff, Severity};
use conformance::report::{CaseReport, Report};

use super::text::{self, Piece};

/// The content of the page's body.
pub(super) struct Outline<'a> {
    pub(super) groups: Vec<Section<'a>>,
    /// Cases that check no row of the catalogue: checks of the harness, and cases of rows that it does not contain.
    pub(super) others: Section<'a>,
    /// The columns of the grid: the verdicts that occur.
    pub(super) verdicts: Vec<Verdict>,
    pub(super) total: Tally,
}

/// A group of rows.
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) rows: Vec<Entry<'a>>,
    /// The rows that no case checks.
    pub(super) unimplemented: Vec<&'a Row>,
    /// Cases without a row.
    pub(super) loose: Vec<Case<'a>>,
    pub(super) tally: Tally,
}

/// A row that has cases.
pub(super) struct Entry<'a> {
    pub(super) row: &'a Row,
    pub(super) cases: Vec<Case<'a>>,
}

/// A case below a row.
pub(super) struct Case<'a> {
    pub(super) report: &'a CaseReport,
    /// The row that shows the whole case, if this is another of the case's rows.
    pub(super) shown_in: Option<&'a str>,
    /// The severity of its change since the older report.
    pub(super) change: Option<Severity>,
}

/// The number of cases per verdict, each case counted once, and of rows that were not checked.
#[derive(Default)]
pub(super) struct Tally {
    cases: BTreeMap<&'static str, usize>,
    pub(super) not_run: usize,
    pub(super) unimplemented: usize,
}

/// A stretch of a bar, in percent of its length.
pub(super) struct Stretch {
    pub(super) word: &'static str,
    pub(super) start: f64,
    pub(super) length: f64,
}

impl<'a> Outline<'a> {
    pub(super) fn of(report: &'a Report, groups: &'a [catalogue::Group], diff: Option<&Diff>) -> Self {
        let mut by_row: HashMap<&str, Vec<&CaseReport>> = HashMap::new();
        for case in &report.cases {
            for row in &case.rows {
                by_row.entry(row).or_default().push(case);
            }
        }
        let changes: HashMap<&str, Severity> = diff
            .into_iter()
            .flat_map(|diff| &diff.changes)
            .map(|change| (change.id.as_str(), change.severity))
            .collect();
        let mut placed: HashMap<&str, &str> = HashMap::new();
        let mut case = |report: &'a CaseReport, row: &'a str| {
            let home = *placed.entry(&report.id).or_insert(row);
            let shown_in = (home != row).then_some(home);
            Case { report, shown_in, change: changes.get(report.id.as_str()).copied() }
        };
        let mut sections = Vec::new();
        for group in groups {
            let (implemented, unimplemented): (Vec<_>, Vec<_>) =
                group.row.iter().partition(|row| !row.cases.is_empty() || by_row.contains_key(row.id.as_str()));
            let entry = |row: &'a Row| {
                let found = by_row.get(row.id.as_str()).into_iter().flatten();
                let cases: Vec<_> = found.map(|report| case(report, &row.id)).collect();
                Entry { row, cases }
            };
            let rows: Vec<_> = implemented.into_iter().map(entry).collect();
            let cases: BTreeMap<&str, Verdict> = rows.iter().flat_map(|row| &row.cases).map(Case::ending).collect();
            let mut tally = Tally::of(cases.into_values());
            tally.not_run = rows.iter().filter(|row| row.cases.is_empty()).count();
            tally.unimplemented = unimplemented.len();
            sections.push(Section {
                name: &group.group,
                title: &group.title,
                rows,
                unimplemented,
                loose: Vec::new(),
                tally,
            });
        }
        let known: BTreeSet<&str> = placed.keys().copied().collect();
        let loose = report.cases.iter().filter(|case| !known.contains(case.id.as_str()));
        let loose: Vec<_> = loose
            .map(|report| Case { report, shown_in: None, change: changes.get(report.id.as_str()).copied() })
            .collect();
        let others = Section {
            name: "OTHERS",
            title: "Cases without a row: checks of the harness, and cases of rows that this catalogue does not contain",
            rows: Vec::new(),
            unimplemented: Vec::new(),
            tally: Tally::of(loose.iter().map(|case| case.report.verdict)),
            loose,
        };
        let mut total = Tally::of(report.cases.iter().map(|case| case.verdict));
        total.not_run = sections.iter().map(|section| section.tally.not_run).sum();
        total.unimplemented = sections.iter().map(|section| section.tally.unimplemented).sum();
        let verdicts = Verdict::ALL.into_iter().filter(|verdict| total.cases(*verdict) > 0).collect();
        Self { groups: sections, others, verdicts, total }
    }

    /// Returns all sections that are not empty.
    pub(super) fn sections(&self) -> impl Iterator<Item = &Section<'a>> {
        self.groups.iter().chain((!self.others.loose.is_empty()).then_some(&self.others))
    }

    /// Returns the rows that have cases.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

impl Entry<'_> {
    /// Returns the worst verdict of the cases that could run, or `None` if none could.
    pub(super) fn checked(&self) -> Option<Verdict> {
        let verdicts = self.cases.iter().map(|case| case.report.verdict);
        verdicts.filter(|verdict| *verdict != Verdict::Unsupported).max()
    }

    /// Returns the worst verdict that says something about the driver. An error of the harness does not.
    pub(super) fn judged(&self) -> Option<Verdict> {
        let verdicts = self.cases.iter().map(|case| case.report.verdict);
        verdicts.filter(|verdict| verdict.is_about_the_driver()).max()
    }

    /// Returns the verdict, or the reason why there is none.
    pub(super) fn word(&self) -> &'static str {
        let without = if self.cases.is_empty() { "not-run" } else { Verdict::Unsupported.word() };
        self.checked().map_or(without, Verdict::word)
    }
}

impl<'a> Case<'a> {
    fn ending(&self) -> (&'a str, Verdict) {
        (&self.report.id, self.report.verdict)
    }

    pub(super) fn anchor(&self) -> String {
        text::anchor(&self.report.id)
    }

    pub(super) fn change_word(&self) -> &'static str {
        self.change.map_or("same", Severity::word)
    }

    pub(super) fn duration(&self) -> String {
        text::duration(self.report.duration_ms)
    }

    pub(super) fn reason(&self) -> Vec<Piece<'_>> {
        self.report.reason.as_deref().map(text::pieces).unwrap_or_default()
    }

    pub(super) fn observations(&self) -> impl Iterator<Item = (&String, String)> {
        self.report.observations.iter().map(|(name, value)| (name, text::value(value)))
    }
}

impl Tally {
    fn of(verdicts: impl Iterator<Item = Verdict>) -> Self {
        let mut tally = Self::default();
        for verdict in verdicts {
            *tally.cases.entry(verdict.word()).or_default() += 1;
        }
        tally
    }

    pub(super) fn cases(&self, verdict: Verdict) -> usize {
        self.cases.get(verdict.word()).copied().unwrap_or_default()
    }

    /// Returns the number of cases for each of the verdicts, with the verdict's word.
    pub(super) fn columns(&self, verdicts: &[Verdict]) -> Vec<(&'static str, usize)> {
        verdicts.iter().map(|verdict| (verdict.word(), self.cases(*verdict))).collect()
    }

    /// Returns the verdicts as a bar.
    pub(super) fn bar(&self) -> Vec<Stretch> {
        let total: usize = self.cases.values().sum();
        let mut start = 0.0;
        let mut stretch = |verdict: Verdict| {
            let length = 100.0 * self.cases(verdict) as f64 / total.max(1) as f64;
            start += length;
            Stretch { word: verdict.word(), start: start - length, length }
        };
        Verdict::ALL.into_iter().map(&mut stretch).filter(|stretch| stretch.length > 0.0).collect()
    }
}
