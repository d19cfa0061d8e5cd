//! The fleet as one HTML file.

use askama::Template;
use conformance::catalogue::Row;
use conformance::fleet::{Cell, Fleet, Rule};

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
    policy: String,
    style: &'static str,
}

pub(super) fn page(fleet: &Fleet, rule: Option<&str>, rows: &[Row]) -> Result<String, Failure> {
    let is_shown = |shown: &&Rule| rule.map_or(!shown.broken_in.is_empty(), |row| shown.row == row);
    let page = Page {
        fleet,
        rows,
        headline: headline(fleet),
        rules: fleet.rules.iter().filter(is_shown).collect(),
        hosts: hosts(fleet, HOSTS),
        policy: policy(),
        style: STYLE,
    };
    page.render().map_err(|error| Failure::new(format_args!("cannot render the page: {error}")))
}

impl Page<'_> {
    fn mood(&self) -> &'static str {
        if self.fleet.outliers.iter().any(|outlier| outlier.is_broken) || !self.unfit().is_empty() {
            "bad"
        } else {
            "good"
        }
    }

    /// Returns the reports that check too little, and why.
    fn unfit(&self) -> Vec<(&str, String)> {
        let reports = self.fleet.reports.iter();
        reports.filter_map(|report| Some((report.name.as_str(), words::unfit(report)?))).collect()
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
