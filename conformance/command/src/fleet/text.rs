//! The fleet as text for a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use conformance::catalogue::Row;
use conformance::fleet::{Fleet, Incident, Member, Rule};

use super::By;
use super::words::{self, headline, history, hosts, on_host, outlier, statement, unfit};

/// The number of outliers and of rules that are printed. The JSON has all.
const SHOWN: usize = 40;

/// The number of hosts in a table. If there are more, another table follows.
const HOSTS: usize = 8;

pub(super) fn text(fleet: &Fleet, by: By, rule: Option<&str>, rows: &[Row]) -> String {
    let bold = Style::new().bold();
    if let Some(rule) = rule.and_then(|row| fleet.rule(row)) {
        return of_rule(fleet, rule, rows);
    }
    let mut text = format!("{bold}{}.{bold:#}\n", headline(fleet));
    let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    if !fleet.regressions.is_empty() {
        let _ = writeln!(text, "\n{red}rules that a release of a driver broke ({}){red:#}", fleet.regressions.len());
    }
    for one in fleet.regressions.iter().take(SHOWN) {
        let (class, statement) = statement(rows, &one.row);
        let told = words::regression(fleet, one);
        let _ = writeln!(text, "  {bold}{}{bold:#} {class}: {statement}\n    {told}", one.row);
    }
    more(&mut text, fleet.regressions.len());
    let [rare, other, past] = words::incidents_of(fleet);
    let outliers = rare.len() + fleet.outliers.len();
    if outliers > 0 {
        let _ = writeln!(text, "\n{red}outliers ({outliers}){red:#}");
    }
    let told = |incident: &&Incident| {
        format!("  {bold}{}{bold:#}\n    {}\n", words::what(incident), words::incident(fleet, incident))
    };
    text.extend(rare.iter().take(SHOWN).map(told));
    more(&mut text, rare.len());
    for one in fleet.outliers.iter().take(SHOWN) {
        let (class, statement) = statement(rows, &one.row);
        let _ = writeln!(text, "  {bold}{}{bold:#} {class}: {statement}\n    {}", one.row, outlier(fleet, one));
    }
    more(&mut text, fleet.outliers.len());
    let broken: Vec<_> = fleet.rules.iter().filter(|rule| !rule.broken_in.is_empty()).collect();
    if !broken.is_empty() {
        let _ = writeln!(text, "\n{bold}rules that break somewhere ({}){bold:#}", broken.len());
        text += &match by {
            By::Driver => by_driver(fleet, &broken),
            By::Host => by_host(fleet, &broken),
        };
    }
    let _ = writeln!(text, "\n{}", words::held(fleet));
    if !other.is_empty() {
        let _ = writeln!(text, "\n{bold}other disclosures and Xid messages ({}){bold:#}", other.len());
    }
    text.extend(other.iter().take(SHOWN).map(told));
    more(&mut text, other.len());
    if !past.is_empty() {
        let _ = writeln!(text, "\n{bold}{} ({}){bold:#}", words::PAST, past.len());
    }
    text.extend(past.iter().take(SHOWN).map(told));
    more(&mut text, past.len());
    add(&mut text, fleet, "reports that check too little", unfit);
    add(&mut text, fleet, "reports with harness errors", words::errors);
    add(&mut text, fleet, "reports that lost lines", words::lost);
    add(&mut text, fleet, "reports with repeated cases", words::repeated);
    let cut: Vec<_> = fleet.reports.iter().filter(|report| !report.is_complete && report.lost == 0).collect();
    if !cut.is_empty() {
        let _ = writeln!(text, "\n{bold}reports without an end ({}){bold:#}", cut.len());
    }
    for report in cut.iter().take(SHOWN) {
        let running = report.running.as_ref().map(|case| format!(": ended while running {case}"));
        let _ = writeln!(text, "  {}{}", report.name, running.unwrap_or_default());
    }
    more(&mut text, cut.len());
    if !fleet.unreadable.is_empty() {
        let _ = writeln!(text, "\n{bold}files that could not be read ({}){bold:#}", fleet.unreadable.len());
    }
    fleet.unreadable.iter().for_each(|unread| text += &format!("  {}\n", unread.why));
    text
}

/// Adds the reports of which there is something to tell.
fn add(text: &mut String, fleet: &Fleet, title: &str, told: fn(&Member) -> Option<String>) {
    let reports: Vec<_> = fleet.reports.iter().filter_map(|report| Some((&report.name, told(report)?))).collect();
    if !reports.is_empty() {
        let bold = Style::new().bold();
        let _ = writeln!(text, "\n{bold}{title} ({}){bold:#}", reports.len());
    }
    for (name, told) in reports.iter().take(SHOWN) {
        let _ = writeln!(text, "  {name}: {told}");
    }
    more(text, reports.len());
}

/// Says how many lines of a list are not printed. Its title says what they are.
fn more(text: &mut String, total: usize) {
    if total > SHOWN {
        let _ = writeln!(text, "  and {} more, which --format json lists", total - SHOWN);
    }
}

/// Returns the history of a rule, one line a driver.
fn of_rule(fleet: &Fleet, rule: &Rule, rows: &[Row]) -> String {
    let (class, statement) = statement(rows, &rule.row);
    let mut text = format!("{} {class}: {statement}\n", rule.row);
    let width = fleet.drivers.iter().map(|driver| driver.chars().count()).max().unwrap_or_default();
    for (driver, cell) in fleet.drivers.iter().zip(&rule.by_driver) {
        let _ = writeln!(text, "  {driver:width$}  {}", history(cell));
    }
    text
}

fn by_driver(fleet: &Fleet, rules: &[&Rule]) -> String {
    let cells = |rule: &Rule| {
        let cell = |cell: &conformance::fleet::Cell| match (cell.checked, cell.broken) {
            (0, _) => "-".to_owned(),
            (_, 0) => "holds".to_owned(),
            (checked, broken) => format!("{broken}/{checked}"),
        };
        rule.by_driver.iter().map(cell).collect()
    };
    let lines = rules.iter().map(|rule| Line { row: &rule.row, cells: cells(rule), below: words::few(fleet, rule) });
    table(&fleet.drivers, lines.collect())
}

fn by_host(fleet: &Fleet, rules: &[&Rule]) -> String {
    let all = hosts(fleet);
    if all.is_empty() {
        return format!("  {}\n", words::none_now(fleet));
    }
    let of_hosts = |hosts: &[usize]| {
        let names: Vec<_> = hosts.iter().map(|index| fleet.reports[*index].name.clone()).collect();
        let line = |rule: &&&Rule| {
            let cells: Vec<_> = hosts.iter().map(|host| on_host(rule, *host).to_owned()).collect();
            cells.iter().any(|cell| !cell.is_empty()).then_some(cells)
        };
        let lines = rules.iter().filter_map(|rule| Some(Line { row: &rule.row, cells: line(&rule)?, below: None }));
        table(&names, lines.collect())
    };
    let tables: Vec<_> = all[..all.len().min(SHOWN)].chunks(HOSTS).map(of_hosts).collect();
    let mut text = tables.join("\n");
    more(&mut text, all.len());
    text
}

/// A line of a table.
struct Line<'a> {
    row: &'a str,
    cells: Vec<String>,
    /// What stands below the line.
    below: Option<String>,
}

/// Formats a table whose columns are as wide as their widest value.
fn table(columns: &[String], lines: Vec<Line<'_>>) -> String {
    let length = |text: &str| text.chars().count();
    let first = lines.iter().map(|line| length(line.row)).max().unwrap_or_default();
    let width = |place: usize| {
        let values = lines.iter().filter_map(|line| line.cells.get(place)).map(|cell| length(cell));
        values.chain(columns.get(place).map(|name| length(name))).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..columns.len()).map(width).collect();
    let line = |row: &str, cells: &[String]| {
        let cells: String = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}")).collect();
        format!("  {row:first$}{cells}\n").trim_end().to_owned() + "\n"
    };
    let mut text = line("", columns);
    for Line { row, cells, below } in lines.iter().take(SHOWN) {
        text += &line(row, cells);
        text.extend(below.iter().map(|below| format!("    {below}\n")));
    }
    more(&mut text, lines.len());
    text
}
