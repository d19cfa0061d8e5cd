//! The words of a fleet, for the text and for the page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use conformance::catalogue::Row;
use conformance::fleet::{Before, Cell, Fleet, Incident, IncidentKind, Member, Outlier, Regression, Rule, Way};

pub(super) use crate::plural::count;

/// The title of the incidents that no compared report has.
pub(super) const PAST: &str = "disclosures, Xid messages and crashes of earlier or incomplete reports";

/// The number of hosts that a sentence names.
const NAMED: usize = 5;

/// Returns the fleet in one sentence.
pub(super) fn headline(fleet: &Fleet) -> String {
    let peer = peer(fleet);
    let unfit = fleet.reports.iter().filter(|report| unfit(report).is_some()).count();
    let unfit = match unfit {
        0 => String::new(),
        1 => format!("; 1 {peer} checks too little"),
        reports => format!("; {reports} {peer}s check too little"),
    };
    let lost = match fleet.reports.iter().filter(|report| report.lost > 0).count() {
        0 => String::new(),
        reports => format!("; {} lost lines", count(reports, "report")),
    };
    let clauses = [processes(fleet), incidents(fleet), regressions(fleet), broken(fleet), worse(fleet)];
    let clauses = clauses.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let unread = match fleet.unreadable.len() {
        0 => String::new(),
        files => format!("; {} could not be read", count(files, "file")),
    };
    let unfinished: Vec<_> = fleet.reports.iter().filter(|report| report.is_unfinished).collect();
    // A host can have one of each driver.
    let hosts: BTreeSet<_> = unfinished.iter().filter_map(|report| report.host.as_ref()).collect();
    let hosts = count(hosts.len(), "host");
    let unfinished = match unfinished.len() {
        0 => String::new(),
        1 => format!("; the newest report of {hosts} has no end: its run broke off or still goes on"),
        _ => format!("; the newest reports of {hosts} have no end: their runs broke off or still go on"),
    };
    let undecided = undecided(fleet);
    format!("{}: {clauses}{undecided}{unfit}{unfinished}{lost}{unread}", reports(fleet))
}

/// Says how many rules break on only a few hosts, and how many others break. Listed deviations are known, and the clause
/// before this one counts the rules that a release of a driver broke. `None` if no other rule breaks.
fn broken(fleet: &Fleet) -> Option<String> {
    let outliers = || fleet.outliers.iter().filter(|outlier| outlier.is_broken && outlier.usual.is_empty());
    let (of_outliers, hosts) = now(fleet, outliers());
    let of_releases = fleet.regressions.iter().map(|one| &one.row);
    let rows: BTreeSet<_> = of_outliers.iter().copied().chain(of_releases).collect();
    let (at, peer) = (at(fleet), peer(fleet));
    let told = of_outliers.len();
    let is_first = fleet.regressions.is_empty();
    let others: Vec<_> = fleet.rules.iter().filter(|rule| !rows.contains(&rule.row)).collect();
    let others: Vec<_> = others.into_iter().filter(|rule| fleet.broken_now(rule, false).next().is_some()).collect();
    let of_others: Vec<_> = others.iter().flat_map(|rule| fleet.broken_now(rule, false)).collect();
    let of_others = format!("{} {at} {}", breaks(others.len()), count(peers_in(fleet, &of_others), peer));
    let few = format!(
        "{} {} {at} {}, but {} {at} most {peer}s of the same driver and GPUs",
        count(told, "rule"),
        breaks(told),
        count(hosts, peer),
        if told == 1 { "holds" } else { "hold" },
    );
    Some(match (told, others.len()) {
        (0, 0) if !is_first || worse(fleet).is_some() => return None,
        (0, 0) => format!("no rule breaks {at} only a few {peer}s of the same driver and GPUs"),
        (0, rules) if is_first => format!("{} {of_others}", count(rules, "rule")),
        (0, rules) => format!("{} {of_others}", count(rules, "other rule")),
        (_, 0) => few,
        (_, rules) => format!("{few}; {} {of_others}", count(rules, "other rule")),
    })
}

/// Says how many rules break in a worse way on a few hosts than on the others, on which they break too, and how many
/// break on a few hosts unlisted, while lists know the failures of the others.
fn worse(fleet: &Fleet) -> Option<String> {
    let told = |is_worse: bool, how: &str, than: &str| {
        let is_meant = |outlier: &&Outlier| !outlier.usual.is_empty() && is_only_unlisted(fleet, outlier) != is_worse;
        let (rows, hosts) = now(fleet, fleet.outliers.iter().filter(is_meant));
        let (at, peer) = (at(fleet), peer(fleet));
        let (rules, few, breaks) = (count(rows.len(), "rule"), count(hosts, peer), breaks(rows.len()));
        let told =
            || format!("{rules} {breaks} {how} {at} {few} {than} {at} other {peer}s of the same driver and GPUs");
        (!rows.is_empty()).then(told)
    };
    let clauses = [told(true, "in a worse way", "than"), told(false, "unlisted", "and as a listed deviation")];
    let clauses: Vec<_> = clauses.into_iter().flatten().collect();
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Whether an outlier is one only because a list knows the failures of its peers, which are as bad or worse.
fn is_only_unlisted(fleet: &Fleet, outlier: &Outlier) -> bool {
    let is_peer = |index: &&usize| {
        let report = fleet.reports.get(**index).filter(|report| report.is_compared);
        let is_equal = report.is_some_and(|report| report.driver == outlier.driver && report.gpus == outlier.gpus);
        is_equal && !outlier.reports.contains(*index)
    };
    let are_listed = fleet.rule(&outlier.row).is_some_and(|rule| {
        rule.broken_in.iter().filter(is_peer).all(|index| rule.listed_in.binary_search(index).is_ok())
    });
    // The kinds are sorted from worst to least bad.
    let worst = |ways: &[Way]| ways.iter().map(|way| way.kind).min();
    are_listed && worst(&outlier.causes) >= worst(&outlier.usual)
}

/// Returns the rules of outliers, and how many hosts have them now. A host has a compared report of each release that it
/// had, and the earlier ones do not say what it does now.
fn now<'fleet>(fleet: &Fleet, outliers: impl Iterator<Item = &'fleet Outlier>) -> (BTreeSet<&'fleet String>, usize) {
    let is_current = |index: &usize| fleet.reports.get(*index).is_some_and(|report| report.is_current);
    let (mut rows, mut reports) = (BTreeSet::new(), Vec::new());
    for outlier in outliers {
        let current: Vec<_> = outlier.reports.iter().copied().filter(is_current).collect();
        if !current.is_empty() {
            rows.insert(&outlier.row);
        }
        reports.extend(current);
    }
    (rows, peers_in(fleet, &reports))
}

/// Counts the hosts of some reports, or the reports, if those are compared.
fn peers_in(fleet: &Fleet, reports: &[usize]) -> usize {
    let reports: BTreeSet<_> = reports.iter().copied().collect();
    let host = |index: usize| fleet.reports.get(index).and_then(|report| report.host.as_ref());
    match peer(fleet) {
        "host" => reports.into_iter().filter_map(host).collect::<BTreeSet<_>>().len(),
        _ => reports.len(),
    }
}

/// Says in how many cases the harness failed. Nothing is known of their rules, and their runs failed.
fn undecided(fleet: &Fleet) -> String {
    let reports: Vec<_> = (0..fleet.reports.len()).filter(|index| errors(&fleet.reports[*index]).is_some()).collect();
    let cases = reports.iter().map(|index| fleet.reports[*index].errors).sum();
    let (at, hosts) = (at(fleet), count(peers_in(fleet, &reports), peer(fleet)));
    match reports.len() {
        0 => String::new(),
        _ => format!("; {at} {hosts}, the harness could not decide {}", count(cases, "case")),
    }
}

/// Says in how many cases of a report the harness failed.
pub(super) fn errors(report: &Member) -> Option<String> {
    let rules = if report.errors == 1 { "its rules" } else { "their rules" };
    let told = || format!("the harness failed in {}, so nothing is known of {rules}", count(report.errors, "case"));
    // The host has a newer report.
    (report.errors > 0 && report.is_current).then(told)
}

/// Says how many reports there are, of how many hosts and drivers.
fn reports(fleet: &Fleet) -> String {
    let (reports, drivers) = (count(fleet.reports.len(), "report"), count(fleet.drivers.len(), "driver"));
    let hosts: BTreeSet<_> = fleet.reports.iter().filter_map(|report| report.host.as_ref()).collect();
    let nameless = fleet.reports.iter().filter(|report| report.host.is_none()).count();
    match (count(hosts.len(), "host"), nameless) {
        _ if hosts.is_empty() => format!("{reports} of {drivers}"),
        (hosts, 0) => format!("{reports} of {hosts} and {drivers}"),
        (hosts, 1) => format!("{reports} of {hosts} and {drivers} (1 names no host)"),
        (hosts, nameless) => format!("{reports} of {hosts} and {drivers} ({nameless} name no host)"),
    }
}

/// Returns what is compared: hosts, by their newest reports, or reports, because some name no host.
pub(super) fn peer(fleet: &Fleet) -> &'static str {
    if fleet.reports.iter().all(|report| report.host.is_some()) { "host" } else { "report" }
}

/// Returns the preposition of [`peer`].
pub(super) fn at(fleet: &Fleet) -> &'static str {
    if peer(fleet) == "host" { "on" } else { "in" }
}

fn breaks(rules: usize) -> &'static str {
    if rules == 1 { "breaks" } else { "break" }
}

/// Says how many rules the newest release of a driver broke, and how many earlier ones did.
fn regressions(fleet: &Fleet) -> Option<String> {
    let (new, old): (Vec<_>, Vec<_>) = fleet.regressions.iter().partition(|one| one.is_newest);
    let rows = |some: &[&Regression]| some.iter().map(|one| one.row.clone()).collect::<BTreeSet<_>>();
    let names = |which: fn(&Regression) -> usize| {
        let drivers: BTreeSet<_> = new.iter().map(|one| which(one)).collect();
        drivers.into_iter().map(|driver| fleet.driver(driver)).collect::<Vec<_>>().join(" or ")
    };
    let told = |rules: usize| format!("{} {}", count(rules, "rule"), breaks(rules));
    const EARLIER: &str = "since an earlier release of the driver";
    let fewer = format!("held, or broke less badly or {} fewer {}s,", at(fleet), peer(fleet));
    let held = match new.iter().map(|one| one.was).max() {
        Some(Before::Listed) => "held, or broke only as a list says,",
        Some(Before::Milder) => "held, or broke in a milder way,",
        Some(Before::Fewer) => &fewer,
        Some(Before::Held) | None => "held",
    };
    // A rule that the newest release broke in a worse way is told once.
    let earlier = rows(&old).difference(&rows(&new)).count();
    match (rows(&new).len(), earlier) {
        (0, 0) => None,
        (0, rules) => Some(format!("{} {}", told(rules), EARLIER)),
        (rules, others) => {
            let more = if others > 0 { format!(", and {others} {}", EARLIER) } else { String::new() };
            let (driver, before) = (names(|one| one.driver), names(|one| one.before));
            Some(format!("{} with {driver}, but {held} with {before}{more}", told(rules)))
        }
    }
}

/// Returns what a rule that a release broke does, without the rule.
pub(super) fn regression(fleet: &Fleet, one: &Regression) -> String {
    let causes = ways(&one.causes, one.broken);
    let fewer = format!("breaks this badly {} fewer {}s", at(fleet), peer(fleet));
    let was = match one.was {
        Before::Held => "holds",
        Before::Listed => "breaks only as a list says",
        Before::Milder => "breaks in a milder way",
        Before::Fewer => &fewer,
    };
    format!(
        "breaks {} {} of {} with {} and {}, {was} with {}: {causes}",
        at(fleet),
        one.broken,
        count(one.checked, peer(fleet)),
        fleet.driver(one.driver),
        one.product,
        fleet.driver(one.before),
    )
}

/// Returns the incidents that are outliers, the others, and those that only earlier reports have.
pub(super) fn incidents_of(fleet: &Fleet) -> [Vec<&Incident>; 3] {
    let of = |is_rare, is_past| {
        fleet.incidents.iter().filter(|one| (one.is_rare, one.is_past) == (is_rare, is_past)).collect()
    };
    [of(true, false), of(false, false), of(false, true)]
}

/// Says in how many reports a process crashed or hung outside any case.
fn processes(fleet: &Fleet) -> Option<String> {
    let [rare, ..] = incidents_of(fleet);
    let ends = rare.iter().filter(|incident| incident.kind == IncidentKind::Process);
    let reports: BTreeSet<_> = ends.flat_map(|incident| &incident.reports).collect();
    let runs = if reports.len() == 1 { "its run" } else { "their runs" };
    let told = || {
        let peers = count(reports.len(), peer(fleet));
        format!("{} {peers} a process crashed or hung outside any case, so {runs} failed", at(fleet))
    };
    (!reports.is_empty()).then(told)
}

/// Says how many reports have a disclosure or an Xid message that is an outlier.
fn incidents(fleet: &Fleet) -> Option<String> {
    let [mut rare, ..] = incidents_of(fleet);
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
        1 => format!("1 {} has {one} that others of its driver and GPUs lack", peer(fleet)),
        reports => format!("{reports} {}s have {several} that most others of their driver and GPUs lack", peer(fleet)),
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
    let (at, peer) = if incident.is_past { ("in", "report") } else { (at(fleet), peer(fleet)) };
    format!(
        "{at} {} of {} with {} and {}{first}: {}",
        incident.reports.len(),
        count(incident.peers, peer),
        fleet.driver(incident.driver),
        incident.gpus,
        names(fleet, &incident.reports, |member| member.name.clone()),
    )
}

/// Names the first of several reports.
fn names(fleet: &Fleet, reports: &[usize], name: impl Fn(&Member) -> String) -> String {
    let names: Vec<_> = reports.iter().filter_map(|index| fleet.reports.get(*index)).collect();
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    let names: Vec<_> = names.iter().take(NAMED).map(|member| name(member)).collect();
    names.join(", ") + &more
}

/// Names a host, and in how many of its reports of the driver the rule of an outlier breaks. A report that does not check
/// the rule, as with a filter, does not count.
fn name_with_nights(fleet: &Fleet, outlier: &Outlier, member: &Member) -> String {
    let is_of_host =
        |other: &Member| other.host.is_some() && other.host == member.host && other.driver == member.driver;
    let is_it = |index: &usize| fleet.reports.get(*index).is_some_and(|other| other.path == member.path);
    let place = outlier.reports.iter().position(is_it);
    let all = place.and_then(|place| outlier.nights.get(place)).copied().unwrap_or_default();
    if all < 2 {
        return member.name.clone();
    }
    let broken_in = fleet.rule(&outlier.row).map(|rule| rule.broken_in.as_slice()).unwrap_or_default();
    let broken =
        broken_in.iter().filter_map(|index| fleet.reports.get(*index)).filter(|other| is_of_host(other)).count();
    format!("{} (breaks in {broken} of its {all} reports)", member.name)
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
        1 => Some("1 case appears more than once: its worst result counts".to_owned()),
        cases => Some(format!("{cases} cases appear more than once: the worst result of each counts")),
    }
}

/// Says how many rules never break.
pub(super) fn held(fleet: &Fleet) -> String {
    match fleet.held {
        1 => "1 rule holds wherever it is checked.".to_owned(),
        rules => format!("{rules} rules hold wherever they are checked."),
    }
}

/// Says what a machine lacks, or that it checks fewer rules than its peers.
pub(super) fn unfit(report: &Member) -> Option<String> {
    match (report.unmet.as_slice(), report.checks_less_than) {
        // The host has a newer report.
        _ if !report.is_current => None,
        // With too few peers, no report is the usual one. A report of nextest has no end, and did not break off.
        ([], None) if report.checked == 0 && report.lost == 0 && !report.is_unfinished => {
            Some("checks no rule".to_owned())
        }
        ([], None) => None,
        ([], Some(usual)) => Some(format!(
            "checks {}; the usual report with its driver and GPU checks {usual}",
            count(report.checked, "rule")
        )),
        (unmet, _) => Some(format!("--require is not met: {}", unmet.join(", "))),
    }
}

/// Returns what an outlier is, without the rule.
pub(super) fn outlier(fleet: &Fleet, outlier: &Outlier) -> String {
    let is_only_unlisted = !outlier.usual.is_empty() && is_only_unlisted(fleet, outlier);
    let verb = match (outlier.is_broken, outlier.usual.is_empty()) {
        (false, _) => "holds",
        (true, true) => "breaks",
        (true, false) if is_only_unlisted => "breaks unlisted",
        (true, false) => "breaks in a worse way",
    };
    // Without a number of reports to compare with, each way has its own.
    let usual = ways(&outlier.usual, 0);
    let elsewhere = if is_only_unlisted { "elsewhere, as a listed deviation" } else { "elsewhere" };
    let usual = if usual.is_empty() { usual } else { format!("; {elsewhere}: {usual}") };
    let causes = ways(&outlier.causes, outlier.reports.len());
    let causes = if causes.is_empty() { causes } else { format!(": {causes}") };
    format!(
        "{verb} {} {} of {} with {} and {}{causes}: {}{usual}",
        at(fleet),
        outlier.reports.len(),
        count(outlier.checked, peer(fleet)),
        fleet.driver(outlier.driver),
        outlier.gpus,
        names(fleet, &outlier.reports, |member| name_with_nights(fleet, outlier, member)),
    )
}

/// Returns what a rule does on a driver.
pub(super) fn history(cell: &Cell) -> String {
    let listed =
        if cell.listed > 0 { format!(", {} of them as a list of deviations says", cell.listed) } else { String::new() };
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
    let told = |way: &Way| {
        // A failure of every run needs no share.
        let runs = way.runs.filter(|runs| runs.is_flaky()).map(|runs| format!(", in {runs} runs")).unwrap_or_default();
        let of = if way.reports == reports { String::new() } else { format!(" ({})", way.reports) };
        format!("{}, {}{runs}{of}", way.kind, way.what)
    };
    ways.iter().map(told).collect::<Vec<_>>().join("; ")
}

/// Returns the class and the statement of a row.
pub(super) fn statement<'a>(rows: &'a [Row], id: &str) -> (&'static str, &'a str) {
    let row = rows.iter().find(|row| row.id == id);
    row.map_or(("?", "not in this suite's catalogue"), |row| (row.class.letter(), &row.statement))
}

/// Returns the indices of the current reports in which a rule breaks: those with the most outliers first, then those with
/// the most rules that break unlisted.
pub(super) fn hosts(fleet: &Fleet) -> Vec<usize> {
    let mut unlisted = vec![0_usize; fleet.reports.len()];
    fleet.rules.iter().flat_map(|rule| fleet.broken_now(rule, false)).for_each(|index| unlisted[index] += 1);
    let breaks = |index: &usize| fleet.reports[*index].is_current && fleet.reports[*index].broken > 0;
    let mut hosts: Vec<_> = (0..fleet.reports.len()).filter(breaks).collect();
    hosts.sort_by_key(|index| Reverse((fleet.reports[*index].outliers, unlisted[*index])));
    hosts
}

/// Names the hosts on which a rule breaks unlisted, if they are few.
pub(super) fn few(fleet: &Fleet, rule: &Rule) -> Option<String> {
    let hosts: Vec<_> = fleet.broken_now(rule, false).collect();
    let names = || format!("{} {}", at(fleet), names(fleet, &hosts, |member| member.name.clone()));
    (1..=NAMED).contains(&hosts.len()).then(names)
}

/// Returns what a rule does on a host, if it breaks there.
pub(super) fn on_host(rule: &Rule, host: usize) -> &'static str {
    match (rule.broken_in.binary_search(&host), rule.listed_in.binary_search(&host)) {
        (Err(_), _) => "",
        (Ok(_), Ok(_)) => "listed",
        (Ok(_), Err(_)) => "breaks",
    }
}

/// Says that no newest report breaks a rule, although earlier ones do.
pub(super) fn none_now(fleet: &Fleet) -> String {
    format!("no rule breaks {} any {} now; --by driver counts earlier reports too", at(fleet), peer(fleet))
}
