//! Compares each report with its peers, and each driver with the others.

use std::collections::{BTreeMap, BTreeSet};

use super::gather::{Broken, Gathered, Kept, Names, Seen};
use super::peers::{RARE, are_compared, are_current, are_unfinished, has_result, product, ways};
use super::regressions::regressions;
use super::types::{Cell, Fleet, Incident, IncidentKind, Member, Outlier, Rule};
use crate::Defect;
use crate::diff::without_numbers;
use crate::identity::release;

/// The fewest peers that say what is usual.
const FEWEST_PEERS: usize = 3;

pub(super) fn fleet(gathered: Gathered) -> Fleet {
    let drivers: BTreeSet<_> = gathered.reports.iter().map(driver_key).collect();
    let drivers: Vec<_> = drivers.into_iter().collect();
    let driver_of: Vec<_> =
        gathered.reports.iter().map(|report| drivers.binary_search(&driver_key(report)).unwrap_or_default()).collect();
    let (are_compared, are_current) = (are_compared(&gathered.reports), are_current(&gathered.reports));
    let are_unfinished = are_unfinished(&gathered.reports);
    let compared: Vec<_> = (0..are_compared.len()).filter(|index| are_compared[*index]).collect();
    let regressions = regressions(&gathered, &compared, &driver_of);
    let Gathered { rows, cases, whats, incidents, reports, unreadable } = gathered;
    // Equal machines: all their reports.
    let mut equal: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for (index, (report, driver)) in reports.iter().zip(&driver_of).enumerate() {
        equal.entry((*driver, &report.gpus)).or_default().push(index);
    }
    // The reports of each host with each driver.
    let mut nights: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
    for (index, (report, driver)) in reports.iter().zip(&driver_of).enumerate() {
        if let Some(host) = &report.host {
            nights.entry((host.as_str(), *driver)).or_default().push(index);
        }
    }
    // Of each row, the reports in which it breaks, and how.
    let mut broken: BTreeMap<usize, BTreeMap<usize, Broken>> = BTreeMap::new();
    for (index, report) in reports.iter().enumerate() {
        for one in &report.broken {
            broken.entry(one.row).or_default().insert(index, *one);
        }
    }
    let none = BTreeMap::new();
    let mut outliers = Vec::new();
    for ((driver, gpus), group) in &equal {
        let peers: Vec<_> = group.iter().copied().filter(|index| are_compared[*index]).collect();
        for row in 0..rows.list.len() {
            let breaks = broken.get(&row).unwrap_or(&none);
            let checking: Vec<_> = peers.iter().copied().filter(|index| reports[*index].checks(row)).collect();
            let (broken, mut sound): (Vec<usize>, Vec<usize>) =
                checking.iter().partition(|index| breaks.contains_key(index));
            if checking.len() < FEWEST_PEERS {
                continue;
            }
            let checking_nights = |index: &usize| {
                let all = reports[*index].host.as_deref().and_then(|host| nights.get(&(host, *driver)));
                all.map_or(1, |all| all.iter().filter(|night| reports[**night].checks(row)).count())
            };
            let outlier = |is_broken, different: Vec<usize>, causes, usual| Outlier {
                row: rows.list[row].clone(),
                is_broken,
                driver: *driver,
                gpus: (*gpus).to_owned(),
                checked: checking.len(),
                nights: different.iter().map(checking_nights).collect(),
                reports: different,
                causes,
                usual,
            };
            let ways_of = |some: &[usize]| ways(some.iter().filter_map(|index| breaks.get(index)), &whats.list);
            let is_rare = |some: &[usize]| !some.is_empty() && some.len() * RARE <= checking.len();
            let is_broken = broken.len() < sound.len();
            // If the rule holds on most peers, the few that break it are named below, whatever their way.
            if !is_broken || !is_rare(&broken) {
                let (worse, milder) = worse_than_others(&broken, breaks, checking.len());
                if !worse.is_empty() {
                    outliers.push(outlier(true, worse.clone(), ways_of(&worse), ways_of(&milder)));
                }
            }
            // A report that broke off may have missed the case that breaks the rule, so it is no exception.
            sound.retain(|index: &usize| reports[*index].has_ended());
            let rare = if is_broken { broken } else { sound };
            if is_rare(&rare) {
                let causes = if is_broken { ways_of(&rare) } else { Vec::new() };
                outliers.push(outlier(is_broken, rare, causes, Vec::new()));
            }
        }
    }
    let rarity = |outlier: &Outlier| outlier.reports.len() as f64 / outlier.checked as f64;
    let kind = |outlier: &Outlier| outlier.causes.iter().map(|way| way.kind).min();
    outliers.sort_by(|one, other| {
        other
            .is_broken
            .cmp(&one.is_broken)
            .then(rarity(one).total_cmp(&rarity(other)))
            .then(kind(one).cmp(&kind(other)))
    });
    let mut incidents: Vec<_> = equal
        .iter()
        .flat_map(|((driver, gpus), group)| {
            incidents_of((*driver, gpus), group, &are_compared, &reports, &incidents.list, &cases)
        })
        .collect();
    let rarity = |one: &Incident| one.reports.len() as f64 / one.peers as f64;
    incidents.sort_by(|one, other| {
        let order = other.is_rare.cmp(&one.is_rare).then(one.is_past.cmp(&other.is_past));
        order.then(rarity(one).total_cmp(&rarity(other))).then(one.kind.cmp(&other.kind))
    });
    let usual = usual_checks(&reports, &compared);
    let mut counts = vec![0; reports.len()];
    outliers.iter().flat_map(|outlier| &outlier.reports).for_each(|index| counts[*index] += 1);
    let mut of_drivers = vec![Vec::new(); drivers.len()];
    driver_of.iter().enumerate().for_each(|(index, driver)| of_drivers[*driver].push(index));
    let rules = rules(&rows.list, &whats.list, &reports, &of_drivers, &broken);
    Fleet {
        incidents,
        regressions,
        outliers,
        held: rules.len() - broken.len(),
        rules,
        drivers: drivers.iter().map(|(name, _, version)| format!("{name} {version}")).collect(),
        reports: reports
            .iter()
            .zip(driver_of)
            .zip(counts)
            .zip(are_compared.iter().copied().zip(are_current).zip(are_unfinished))
            .map(|(((report, driver), count), is)| member(report, driver, count, is, &usual))
            .collect(),
        unreadable,
    }
}

/// Returns what each rule that a report checks does with each driver, sorted by name. `of_drivers` has the reports of each
/// driver, and `broken` those in which a row breaks.
fn rules(
    rows: &[String],
    whats: &[String],
    reports: &[Kept],
    of_drivers: &[Vec<usize>],
    broken: &BTreeMap<usize, BTreeMap<usize, Broken>>,
) -> Vec<Rule> {
    let none = BTreeMap::new();
    let cell = |row: usize, members: &Vec<usize>| {
        let breaks = broken.get(&row).unwrap_or(&none);
        let breaks: Vec<_> = members.iter().filter_map(|index| breaks.get(index)).collect();
        Cell {
            checked: members.iter().filter(|index| reports[**index].checks(row)).count(),
            broken: breaks.len(),
            listed: breaks.iter().filter(|one| one.is_listed).count(),
            causes: ways(breaks.into_iter(), whats),
        }
    };
    let rule = |row: usize| Rule {
        row: rows[row].clone(),
        by_driver: of_drivers.iter().map(|members| cell(row, members)).collect(),
        broken_in: broken.get(&row).unwrap_or(&none).keys().copied().collect(),
        listed_in: listed_in(broken.get(&row).unwrap_or(&none)),
    };
    let checked = (0..rows.len()).filter(|row| reports.iter().any(|report| report.checks(*row)));
    let mut rules: Vec<_> = checked.map(rule).collect();
    rules.sort_by(|one, other| one.row.cmp(&other.row));
    rules
}

/// Returns the few reports in which a rule breaks in a worse way than in the others, and those others. The few are at most
/// one in [`RARE`] of those that check the rule. A listed deviation is known, so it is not among the few, and any failure
/// that no list knows is worse.
fn worse_than_others(broken: &[usize], breaks: &BTreeMap<usize, Broken>, checking: usize) -> (Vec<usize>, Vec<usize>) {
    let rank = |one: &Broken| (one.is_listed, one.kind);
    let ranks: Vec<(bool, Defect)> = broken.iter().filter_map(|index| breaks.get(index)).map(rank).collect();
    let is_rare = |rank: &(bool, Defect)| {
        let as_bad = ranks.iter().filter(|other| *other <= rank).count();
        as_bad < ranks.len() && as_bad * RARE <= checking
    };
    // Unlisted ones come first, and the kinds are sorted from worst to least bad.
    let Some(least_bad) = ranks.iter().copied().filter(is_rare).max() else { return (Vec::new(), Vec::new()) };
    let is_worse = |index: &usize| breaks.get(index).is_some_and(|one| !one.is_listed && rank(one) <= least_bad);
    let is_milder = |index: &usize| breaks.get(index).is_some_and(|one| rank(one) > least_bad);
    (broken.iter().copied().filter(is_worse).collect(), broken.iter().copied().filter(is_milder).collect())
}

/// Returns the reports in which only listed deviations break a rule.
fn listed_in(breaks: &BTreeMap<usize, Broken>) -> Vec<usize> {
    breaks.iter().filter(|(_, one)| one.is_listed).map(|(index, _)| *index).collect()
}

/// Returns the incidents of equal machines.
fn incidents_of(
    (driver, gpus): (usize, &str),
    group: &[usize],
    are_compared: &[bool],
    reports: &[Kept],
    seen: &[Seen],
    cases: &Names<String>,
) -> Vec<Incident> {
    let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in group {
        reports[*index].incidents.iter().for_each(|number| all.entry(*number).or_default().push(*index));
    }
    let compared = |some: &[usize]| some.iter().copied().filter(|index| are_compared[*index]).collect::<Vec<_>>();
    let of_peers = compared(group);
    let incident = |(number, having): (usize, Vec<usize>)| {
        let Seen { kind, what, case } = seen[number].clone();
        let now = compared(&having);
        let is_past = now.is_empty();
        // A report in which the case did not run could not show the disclosure, so it is not a peer.
        let checks_case = |index: &&usize| {
            let ran = |case: &String| cases.number_of(case).is_some_and(|case| reports[**index].ran(case));
            kind != IncidentKind::Disclosure || now.contains(index) || case.as_ref().is_none_or(ran)
        };
        let peers = if is_past { group.len() } else { of_peers.iter().filter(checks_case).count() };
        let having = if is_past { having } else { now };
        let is_rare = match kind {
            _ if is_past => false,
            // Its run fails, however many others do too.
            IncidentKind::Process => true,
            _ if peers >= FEWEST_PEERS => having.len() * RARE <= peers,
            // Two machines that should be equal differ, and nothing says which of them is usual: an Xid message is not.
            _ => having.len() < peers,
        };
        Incident { kind, what, case, driver, gpus: gpus.to_owned(), peers, reports: having, is_rare, is_past }
    };
    without_repetitions(all.into_iter().map(incident).collect())
}

/// Leaves out a disclosure that adds nothing, because another case shows the same on the same machines. One that most
/// machines show in some case is an exception in a case where few do.
fn without_repetitions(mut incidents: Vec<Incident>) -> Vec<Incident> {
    incidents.sort_by_key(|incident| usize::MAX - incident.reports.len());
    let mut kept: Vec<Incident> = Vec::new();
    // The places of the kept disclosures that say the same. To compare each with all others would take quadratic time.
    let mut alike: BTreeMap<(String, bool, bool), Vec<usize>> = BTreeMap::new();
    for incident in incidents {
        if incident.kind == IncidentKind::Disclosure {
            let key = (without_numbers(&incident.what), incident.is_past, incident.is_rare);
            let places = alike.entry(key).or_default();
            let is_told_by =
                |place: &usize| incident.reports.iter().all(|report| kept[*place].reports.contains(report));
            if places.iter().any(is_told_by) {
                continue;
            }
            places.push(kept.len());
        }
        kept.push(incident);
    }
    kept
}

/// Sorts drivers by name, and those of one name by release.
fn driver_key(report: &Kept) -> (String, Vec<u32>, String) {
    let (name, version) = &report.driver;
    (name.clone(), release(version), version.clone())
}

/// How many rules the usual report checks, by driver and product of the GPUs, if there are enough to tell.
fn usual_checks<'a>(reports: &'a [Kept], compared: &[usize]) -> BTreeMap<(&'a (String, String), &'a str), usize> {
    let mut all: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let whole = compared.iter().map(|index| &reports[*index]).filter(|report| has_result(report));
    whole.for_each(|report| all.entry((&report.driver, product(report))).or_default().push(report.rules()));
    all.retain(|_, counts| counts.len() >= FEWEST_PEERS);
    let median = |mut counts: Vec<usize>| {
        counts.sort_unstable();
        counts[counts.len() / 2]
    };
    all.into_iter().map(|(peers, counts)| (peers, median(counts))).collect()
}

fn member(
    report: &Kept,
    driver: usize,
    outliers: usize,
    ((is_compared, is_current), is_unfinished): ((bool, bool), bool),
    usual: &BTreeMap<(&(String, String), &str), usize>,
) -> Member {
    let usual = usual.get(&(&report.driver, product(report))).copied().filter(|_| is_compared);
    let path = || report.path.display().to_string();
    Member {
        // A host has one compared report of a driver, and any number of others.
        name: report.host.clone().filter(|_| is_compared).unwrap_or_else(path),
        host: report.host.clone(),
        is_compared,
        is_current,
        path: report.path.clone(),
        driver,
        gpus: report.gpus.clone(),
        is_complete: report.is_complete,
        is_unfinished,
        lost: report.lost,
        repeated: report.repeated,
        errors: report.errors,
        running: report.running.clone(),
        checked: report.rules(),
        checks_less_than: usual.filter(|usual| report.rules() * 10 < usual * 9),
        unmet: report.unmet.clone(),
        broken: report.broken.len(),
        outliers,
    }
}
