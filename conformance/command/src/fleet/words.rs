//! The words of a fleet, for the text and for the page.

use std::collections::BTreeSet;

use conformance::catalogue::Row;
use conformance::fleet::{Cell, Fleet, Incident, IncidentKind, Member, Outlier, Way};

/// The number of hosts that a sentence names.
const NAMED: usize = 5;

/// Returns the fleet in one sentence.
pub(super) fn headline(fleet: &Fleet) -> String {
    let broken = fleet.outliers.iter().filter(|outlier| outlier.is_broken);
    let mut hosts: Vec<_> = broken.clone().flat_map(|outlier| &outlier.reports).collect();
    hosts.sort();
    hosts.dedup();
    let (reports, drivers) = (count(fleet.reports.len(), "report"), count(fleet.drivers.len(), "driver"));
    let outliers = match broken.count() {
        0 => "no rule breaks in only a few reports of the same driver and GPUs".to_owned(),
        rules => format!(
            "{} {} in {}, but {} in most reports of the same driver and GPUs",
            count(rules, "rule"),
            if rules == 1 { "breaks" } else { "break" },
            count(hosts.len(), "report"),
            if rules == 1 { "holds" } else { "hold" },
        ),
    };
    let unfit = fleet.reports.iter().filter(|report| unfit(report).is_some()).count();
    let unfit = match unfit {
        0 => String::new(),
        1 => "; 1 report checks too little".to_owned(),
        reports => format!("; {reports} reports check too little"),
    };
    let lost = match fleet.reports.iter().filter(|report| report.lost > 0).count() {
        0 => String::new(),
        reports => format!("; {} lost lines", count(reports, "report")),
    };
    let incidents: String =
        processes(fleet).into_iter().chain(incidents(fleet)).map(|clause| format!("{clause}; ")).collect();
    let unread = match fleet.unreadable.len() {
        0 => String::new(),
        files => format!("; {} could not be read", count(files, "file")),
    };
    format!("{reports} of {drivers}: {incidents}{outliers}{unfit}{lost}{unread}")
}

/// Returns the incidents that are outliers, and the others.
pub(super) fn rare_and_other(fleet: &Fleet) -> (Vec<&Incident>, Vec<&Incident>) {
    fleet.incidents.iter().partition(|incident| incident.is_rare)
}

/// Says in how many reports a process crashed or hung outside any case.
fn processes(fleet: &Fleet) -> Option<String> {
    let ends = fleet.incidents.iter().filter(|incident| incident.kind == IncidentKind::Process);
    let reports: BTreeSet<_> = ends.flat_map(|incident| &incident.reports).collect();
    let runs = if reports.len() == 1 { "its run" } else { "their runs" };
    let told = || {
        format!("in {} a process crashed or hung outside any case, so {runs} failed", count(reports.len(), "report"))
    };
    (!reports.is_empty()).then(told)
}

/// Says how many reports have a disclosure or an Xid message that is an outlier.
fn incidents(fleet: &Fleet) -> Option<String> {
    let (mut rare, _) = rare_and_other(fleet);
    rare.retain(|incident| incident.kind != IncidentKind::Process);
    let reports: BTreeSet<_> = rare.iter().flat_map(|incident| &incident.reports).collect();
    let has = |kind| rare.iter().any(|incident| incident.kind == kind);
    let (one, several) = match (has(IncidentKind::Disclosure), has(IncidentKind::Xid)) {
        (false, false) => return None,
        (true, false) => ("a disclosure", "disclosures"),
        (false, true) => ("an Xid message", "Xid messages"),
        (true, true) => ("a disclosure and an Xid message", "disclosures or Xid messages"),
    };
    Some(match reports.len() {
        1 => format!("1 report has {one} that others of its driver and GPUs lack"),
        reports => format!("{reports} reports have {several} that most others of their driver and GPUs lack"),
    })
}

/// Returns the word that marks an incident on the page.
pub(super) fn badge(incident: &Incident) -> &'static str {
    match incident.kind {
        IncidentKind::Disclosure => "discloses",
        IncidentKind::Xid => "Xid",
        IncidentKind::Process => "process",
    }
}

/// Returns what a process can access, the message, or how the process ended.
pub(super) fn what(incident: &Incident) -> String {
    match incident.kind {
        IncidentKind::Disclosure => format!("disclosure: {}", incident.what),
        IncidentKind::Xid => incident.what.clone(),
        IncidentKind::Process => format!("outside any case: {}", incident.what),
    }
}

/// Returns which reports have an incident.
pub(super) fn incident(fleet: &Fleet, incident: &Incident) -> String {
    let first = incident.case.as_ref().map(|case| format!(", first in {case}")).unwrap_or_default();
    format!(
        "in {} of {} with {} on {}{first}: {}",
        incident.reports.len(),
        count(incident.peers, "report"),
        fleet.driver(incident.driver),
        incident.gpus,
        names(fleet, &incident.reports),
    )
}

/// Names the first of several reports.
fn names(fleet: &Fleet, reports: &[usize]) -> String {
    let names: Vec<_> = reports.iter().filter_map(|index| fleet.reports.get(*index)).collect();
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    let names: Vec<_> = names.iter().take(NAMED).map(|member| member.name.as_str()).collect();
    names.join(", ") + &more
}

/// Says how many lines a report lost.
pub(super) fn lost(report: &Member) -> Option<String> {
    let are = if report.lost == 1 { "is" } else { "are" };
    (report.lost > 0).then(|| {
        format!(
            "{} that the last line counts {are} missing: copy the report again from its machine",
            count(report.lost, "case")
        )
    })
}

/// Says how many cases of a report appear more than once.
pub(super) fn repeated(report: &Member) -> Option<String> {
    match report.repeated {
        0 => None,
        1 => Some("1 case appears more than once: its worst verdict counts".to_owned()),
        cases => Some(format!("{cases} cases appear more than once: the worst verdict of each counts")),
    }
}

/// Says what a machine lacks, or that it checks fewer rules than its peers.
pub(super) fn unfit(report: &Member) -> Option<String> {
    match (report.unmet.as_slice(), report.checks_less_than) {
        ([], None) => None,
        ([], Some(usual)) => Some(format!(
            "checks {}, and the usual report of its driver and GPU {usual}",
            count(report.checked, "rule")
        )),
        (unmet, _) => Some(format!("--require is not met: {}", unmet.join(", "))),
    }
}

/// Returns what an outlier is, without the rule.
pub(super) fn outlier(fleet: &Fleet, outlier: &Outlier) -> String {
    let verb = if outlier.is_broken { "breaks" } else { "holds" };
    let causes = ways(&outlier.causes, outlier.reports.len());
    let causes = if causes.is_empty() { causes } else { format!(": {causes}") };
    format!(
        "{verb} in {} of {} with {} on {}{causes}: {}",
        outlier.reports.len(),
        count(outlier.checked, "report"),
        fleet.driver(outlier.driver),
        outlier.gpus,
        names(fleet, &outlier.reports),
    )
}

/// Returns what a rule does on a driver.
pub(super) fn history(cell: &Cell) -> String {
    let listed =
        if cell.listed > 0 { format!(", {} of them as deviations.toml lists", cell.listed) } else { String::new() };
    match (cell.checked, cell.broken) {
        (0, _) => "not checked".to_owned(),
        (1, 0) => "holds in the only report".to_owned(),
        (checked, 0) => format!("holds in all {checked} reports"),
        (checked, broken) => {
            format!("breaks in {broken} of {}{listed}: {}", count(checked, "report"), ways(&cell.causes, broken))
        }
    }
}

/// Returns the ways in which a rule breaks in a number of reports.
fn ways(ways: &[Way], reports: usize) -> String {
    let told = |way: &Way| match way.reports == reports {
        true => format!("{}, {}", way.kind, way.what),
        false => format!("{}, {} ({})", way.kind, way.what, way.reports),
    };
    ways.iter().map(told).collect::<Vec<_>>().join("; ")
}

/// Returns the class and the statement of a row.
pub(super) fn statement<'a>(rows: &'a [Row], id: &str) -> (&'static str, &'a str) {
    let row = rows.iter().find(|row| row.id == id);
    row.map_or(("?", "not in this suite's catalogue"), |row| (row.class.letter(), &row.statement))
}

/// Returns a number of things: `1 report`, `2 reports`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns the indices of the reports with the most outliers, at most as many as asked for.
pub(super) fn hosts(fleet: &Fleet, most: usize) -> Vec<usize> {
    let mut hosts: Vec<_> = (0..fleet.reports.len()).filter(|index| fleet.reports[*index].outliers > 0).collect();
    hosts.sort_by_key(|index| usize::MAX - fleet.reports[*index].outliers);
    hosts.truncate(most);
    hosts
}
