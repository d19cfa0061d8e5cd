//! Which reports are compared with each other, and what they have in common.

use std::collections::BTreeMap;

use super::gather::{Broken, Kept};
use super::types::Way;
use crate::report::Runs;

/// An outlier is at most one of this many peers. More is no exception, but a difference between the machines.
pub(super) const RARE: usize = 3;

/// The number of ways in which a rule breaks that are kept.
const WAYS: usize = 3;

/// Returns whether each report says what its machine does now. Of a host that got another release of its driver, only a
/// report with the newer one does. A run on another driver, such as the reference driver, says nothing of that.
pub(super) fn are_current(reports: &[Kept]) -> Vec<bool> {
    let mut releases: BTreeMap<_, (&Option<String>, usize)> = BTreeMap::new();
    for (index, report) in reports.iter().enumerate().filter(|(_, report)| has_result(report)) {
        let newest = releases.entry((&report.host, &report.driver.0)).or_insert((&report.began, index));
        *newest = (*newest).max((&report.began, index));
    }
    let is_newest = |report: &Kept| {
        let newest = releases.get(&(&report.host, &report.driver.0)).map(|(_, index)| &reports[*index].driver);
        report.host.is_none() || newest.is_none_or(|driver| *driver == report.driver)
    };
    let compared = are_compared(reports);
    reports.iter().zip(compared).map(|(report, is_compared)| is_compared && is_newest(report)).collect()
}

/// Returns whether each report is the newest of its host and driver, of all releases, and has no end line. A whole
/// report of an earlier night is compared instead of it.
pub(super) fn are_unfinished(reports: &[Kept]) -> Vec<bool> {
    let mut newest = BTreeMap::new();
    for (index, report) in reports.iter().enumerate().filter(|(_, report)| report.host.is_some()) {
        let last = newest.entry((&report.host, &report.driver.0)).or_insert((&report.began, index));
        *last = (*last).max((&report.began, index));
    }
    let mut are = vec![false; reports.len()];
    newest.into_values().for_each(|(_, index)| are[index] = reports[index].is_unfinished);
    are
}

/// Returns whether each report is compared: the newest of its host and driver. A host that was repaired is no outlier
/// because of its earlier nights, and a host with many reports is still one peer. A filtered run does not replace a whole
/// one, because it says nothing about the rules that it did not check. A report that names no host is compared, because it
/// can be of any host.
pub(super) fn are_compared(reports: &[Kept]) -> Vec<bool> {
    // A report of nextest does not say whether its run had a filter. It is whole if it checks nearly as many rules as any
    // other report of the host, also one of a part of the suite.
    let mut most: BTreeMap<_, usize> = BTreeMap::new();
    for report in reports.iter().filter(|report| has_result(report)) {
        let count = most.entry((&report.host, &report.driver)).or_default();
        *count = (*count).max(report.rules());
    }
    let is_whole = |report: &Kept| {
        let usual = most.get(&(&report.host, &report.driver)).copied().unwrap_or_default();
        !report.is_partial && (report.is_complete || 10 * report.rules() >= 9 * usual)
    };
    // A time of a later run is a greater text. Reports are sorted by path, and the end of a night's name is its time.
    let rank = |index: usize| {
        let report = &reports[index];
        (has_result(report), is_whole(report), &report.began, index)
    };
    let mut newest = BTreeMap::new();
    for (index, report) in reports.iter().enumerate() {
        if let Some(host) = &report.host {
            let best = newest.entry((host, &report.driver)).or_insert(index);
            *best = if rank(index) > rank(*best) { index } else { *best };
        }
    }
    let mut are: Vec<_> = reports.iter().map(|report| report.host.is_none()).collect();
    newest.into_values().for_each(|index| are[index] = true);
    are
}

/// Whether a report says what its machine does. A run that still goes on, that broke off or that selected no case does not.
pub(super) fn has_result(report: &Kept) -> bool {
    report.has_ended() && report.has_cases
}

/// The product of a report's GPUs, however many it has.
pub(super) fn product(report: &Kept) -> &str {
    report.gpus.split_once("× ").map_or(&report.gpus, |(_, product)| product)
}

/// Counts the ways in which a rule breaks.
pub(super) fn ways<'a>(broken: impl Iterator<Item = &'a Broken>, whats: &[String]) -> Vec<Way> {
    let mut counts: BTreeMap<_, (usize, Option<Runs>)> = BTreeMap::new();
    for one in broken {
        let (reports, runs) = counts.entry((one.kind, one.what)).or_default();
        (*reports, *runs) = (*reports + 1, Runs::sum(*runs, one.runs));
    }
    let mut ways: Vec<_> = counts
        .into_iter()
        .map(|((kind, what), (reports, runs))| Way {
            kind,
            what: whats.get(what).cloned().unwrap_or_default(),
            reports,
            runs,
        })
        .collect();
    ways.sort_by_key(|way| (usize::MAX - way.reports, way.kind));
    ways.truncate(WAYS);
    ways
}
