//! The requirement rows and the cases that check them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

macro_rules! groups {
    ($($name:literal),*) => {
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../requirements/", $name, ".toml")))),*];
    };
}

groups!(
    "ipcmem-get",
    "ipcmem-open",
    "ipcmem-close",
    "ipcevt",
    "vmm-res",
    "vmm-create",
    "vmm-map",
    "vmm-exp",
    "vmm-imp",
    "fab",
    "mc",
    "pool-create",
    "pool-exp",
    "pool-imp",
    "pool-ptr",
    "pool-acc",
    "pool-attr",
    "ptrattr",
    "range",
    "dmabuf",
    "p2p",
    "fork",
    "proc",
    "devattr",
    "err",
    "rt"
);

/// The class of a row: what kind of statement it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// Documented. Cases assert the rule.
    #[serde(rename = "D")]
    Documented,
    /// Follows from the documentation, which leaves a detail open. Cases assert the rule and record the detail.
    #[serde(rename = "D*")]
    Derived,
    /// Documented as undefined. Cases perform the operation in a process that may crash, and assert that other
    /// processes still work.
    #[serde(rename = "U")]
    Undefined,
    /// Not documented, but reported by someone. Cases record the behaviour.
    #[serde(rename = "O")]
    Observed,
    /// Neither documented nor reported. Cases record the behaviour.
    #[serde(rename = "Q")]
    Open,
}

impl Class {
    /// Returns the letter used in the catalogue.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Documented => "D",
            Self::Derived => "D*",
            Self::Undefined => "U",
            Self::Observed => "O",
            Self::Open => "Q",
        }
    }
}

/// A group of rows, which is one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The prefix of the ids of its rows.
    pub group: String,
    /// The title of the group.
    pub title: String,
    /// The rows.
    pub row: Vec<Row>,
}

/// One testable statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The id, such as `IPCMEM-OPEN-002`.
    pub id: String,
    /// The class.
    pub class: Class,
    /// The calls that the statement is about.
    pub call: String,
    /// The statement.
    pub statement: String,
    /// The sources of the statement.
    pub source: Vec<String>,
    /// The expected behaviour of the driver.
    pub expected: String,
    /// How to provoke the behaviour.
    #[serde(default)]
    pub provoke: Option<String>,
    /// What a check of the row needs.
    pub needs: RowNeeds,
    /// The cases that check the row.
    pub cases: Vec<String>,
    /// Why no case can check the row; absent if a case does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrunnable: Option<String>,
}

/// What a check of a row needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowNeeds {
    /// The number of processes.
    pub processes: u32,
    /// The minimum number of GPUs.
    pub gpus: u32,
    /// A number of GPUs with which the check finds out more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus_wanted: Option<u32>,
    /// Whether it needs privileges, for namespaces or another user.
    #[serde(default)]
    pub privileged: bool,
    /// Whether it needs a special environment.
    #[serde(default)]
    pub environment: bool,
}

impl Row {
    /// Returns `implemented` if the row has a case, `unrunnable` if it says why no case can run, else `unimplemented`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self.unrunnable {
            _ if !self.cases.is_empty() => "implemented",
            Some(_) => "unrunnable",
            None => "unimplemented",
        }
    }
}

/// Returns all groups in the order of the catalogue.
///
/// # Errors
/// Names the file that cannot be parsed, and the cause.
pub fn groups() -> Result<Vec<Group>, String> {
    let parse = |(name, text): &(&str, &str)| toml::from_str(text).map_err(|error| format!("{name}.toml: {error}"));
    FILES.iter().map(parse).collect()
}

/// Returns all rows by id.
///
/// # Errors
/// Names the file that cannot be parsed, and the cause.
pub fn rows() -> Result<BTreeMap<String, Row>, String> {
    Ok(groups()?.into_iter().flat_map(|group| group.row).map(|row| (row.id.clone(), row)).collect())
}

/// Returns the rows that no documentation settles: observed by someone, or open.
///
/// # Errors
/// The catalogue cannot be read.
pub fn observed_rows() -> Result<BTreeSet<String>, String> {
    rows_of(&[Class::Observed, Class::Open])
}

/// Returns the rows that state no documented rule: observed by someone, open, or documented as undefined.
///
/// # Errors
/// The catalogue cannot be read.
pub fn undocumented_rows() -> Result<BTreeSet<String>, String> {
    rows_of(&[Class::Observed, Class::Open, Class::Undefined])
}

fn rows_of(classes: &[Class]) -> Result<BTreeSet<String>, String> {
    Ok(rows()?.into_values().filter(|row| classes.contains(&row.class)).map(|row| row.id).collect())
}

/// Returns the names of the catalogue's files, without their extension.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Returns the disagreements between the catalogue and the registered cases: rows that do not exist, and lists of cases
/// that differ from the registered ones. Each line names the row and the list that its file should contain.
///
/// # Errors
/// The catalogue cannot be parsed.
pub fn disagreements(registered: &[(String, &'static [&'static str])]) -> Result<Vec<String>, String> {
    let mut cases: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (base, rows) in registered {
        for row in *rows {
            cases.entry(row).or_default().insert(base);
        }
    }
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    let rows = groups()?.into_iter().flat_map(|group| group.row.into_iter().map(move |row| (group.group.clone(), row)));
    for (group, row) in rows {
        if !row.id.starts_with(&format!("{group}-")) {
            problems.push(format!("{}: not a row of the group {group}", row.id));
        }
        if !known.insert(row.id.clone()) {
            problems.push(format!("{}: stands twice", row.id));
            continue;
        }
        let expected = cases.remove(row.id.as_str()).unwrap_or_default();
        if row.cases.iter().map(String::as_str).collect::<BTreeSet<_>>() != expected {
            let list: Vec<_> = expected.into_iter().collect();
            problems.push(format!("{}: cases = {list:?}", row.id));
        }
    }
    problems.extend(cases.into_iter().map(|(row, cases)| format!("{cases:?} name the nonexistent row {row}")));
    Ok(problems)
}
