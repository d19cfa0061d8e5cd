//! The fleet as one HTML file.

use askama::Template;
use conformance::catalogue::Row;
use conformance::fleet::{Cell, Fleet, Incident, Member, Rule};

use super::words::{self, headline, hosts, statement};
use crate::html::{STYLE, policy};
use crate::output::Failure;

/// The number of hosts in the table of hosts.
const HOSTS: usize = 30;

#[derive(Template)]
#[template(path = "fleet.html")]
struct Page<'a> {
    fleet: &'a Fleet,
    rows: &'a [Row],
    headline: String,
    /// The rules that break somewhere, or the rule that was asked for.
    rules: Vec<&'a Rule>,
    hosts: Vec<usize>,
    /// The number of hosts that the table leaves out.
    more_hosts: usize,
    policy: String,
    style: &'static str,
}

pub(super) fn page(fleet: &Fleet, rule: Option<&str>, rows: &[Row]) -> Result<String, Failure> {
    let is_shown = |shown: &&Rule| rule.map_or(!shown.broken_in.is_empty(), |row| shown.row == row);
    let hosts = hosts(fleet);
    let page = Page {
        fleet,
        rows,
        headline: headline(fleet),
        rules: fleet.rules.iter().filter(is_shown).collect(),
        hosts: hosts.iter().copied().take(HOSTS).collect(),
        more_hosts: hosts.len().saturating_sub(HOSTS),
        policy: policy(),
        style: STYLE,
    };
    page.render().map_err(|error| Failure::new(format_args!("cannot render the page: {error}")))
}

impl Page<'_> {
    fn mood(&self) -> &'static str {
        let [rare, ..] = self.incidents();
        let is_worse = !rare.is_empty() || !self.fleet.regressions.is_empty();
        let breaks = self.fleet.rules.iter().any(|rule| self.fleet.broken_now(rule, false).next().is_some());
        // A report that broke off or cannot be read may come from a broken host.
        let lacks = |report: &Member| report.lost > 0 || report.is_unfinished || words::errors(report).is_some();
        let is_bad = breaks || is_worse || !self.unfit().is_empty() || !self.fleet.unreadable.is_empty();
        if is_bad || self.fleet.reports.iter().any(lacks) { "bad" } else { "good" }
    }

    /// Returns the incidents that are outliers, the others, and those of earlier reports.
    fn incidents(&self) -> [Vec<&Incident>; 3] {
        words::incidents_of(self.fleet)
    }

    /// Returns the reports that check too little, and why.
    fn unfit(&self) -> Vec<(&str, String)> {
        self.told(words::unfit)
    }

    /// Returns the reports in which the harness failed, that lost lines, that have cases more than once, or that have no end.
    fn incomplete(&self) -> Vec<(&str, String)> {
        let cut = |report: &Member| {
            let running = report.running.as_ref().map(|case| format!("ended while running {case}"));
            let is_cut = !report.is_complete && report.lost == 0;
            is_cut.then(|| running.unwrap_or_else(|| "has no end line".to_owned()))
        };
        [self.told(words::errors), self.told(words::lost), self.told(words::repeated), self.told(cut)].concat()
    }

    /// Returns the reports of which there is something to tell.
    fn told(&self, of: impl Fn(&Member) -> Option<String>) -> Vec<(&str, String)> {
        self.fleet.reports.iter().filter_map(|report| Some((report.name.as_str(), of(report)?))).collect()
    }

    fn class(&self, row: &str) -> &'static str {
        statement(self.rows, row).0
    }

    fn statement(&self, row: &str) -> &str {
        statement(self.rows, row).1
    }

    /// Returns the colour of a cell: that of a pass, of a listed bug, or of a failure.
    fn colour(&self, cell: &Cell) -> &'static str {
        match (cell.checked, cell.broken) {
            (0, _) => "unsupported",
            (_, 0) => "pass",
            (_, broken) if broken == cell.listed => "deviation",
            _ => "fail",
        }
    }

    /// Returns what a rule does on each driver.
    fn history<'rule>(&'rule self, rule: &'rule Rule) -> impl Iterator<Item = (&'rule String, &'rule Cell)> {
        self.fleet.drivers.iter().zip(&rule.by_driver)
    }

    /// Returns the rules that break in one of the hosts of the table.
    fn rules_of_hosts(&self) -> Vec<&Rule> {
        let breaks = |rule: &&&Rule| self.hosts.iter().any(|host| rule.broken_in.binary_search(host).is_ok());
        self.rules.iter().filter(breaks).copied().collect()
    }
}
