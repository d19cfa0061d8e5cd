//! The requirement rows, and which cases check them.

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

/// What kind of statement a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Class {
    /// Documented: asserted.
    #[serde(rename = "D")]
    Documented,
    /// Follows from the documentation, which leaves a detail open: the rule is asserted, the detail recorded.
    #[serde(rename = "D*")]
    Derived,
    /// Documented as undefined: performed in a process that may be lost, and everyone else must be sound.
    #[serde(rename = "U")]
    Undefined,
    /// Not documented, and reported by someone: recorded.
    #[serde(rename = "O")]
    Observed,
    /// Nobody says: recorded.
    #[serde(rename = "Q")]
    Open,
}

impl Class {
    /// The letter of the catalogue.
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

/// A group of rows: one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The prefix of its rows.
    pub group: String,
    /// What it is about.
    pub title: String,
    /// The rows.
    pub row: Vec<Row>,
}

/// One testable statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// `IPCMEM-OPEN-002`.
    pub id: String,
    /// What kind of statement it is.
    pub class: Class,
    /// The calls it is about.
    pub call: String,
    /// The statement.
    pub statement: String,
    /// Where it is from.
    pub source: Vec<String>,
    /// What the driver should do.
    pub expected: String,
    /// How to bring it about.
    #[serde(default)]
    pub provoke: Option<String>,
    /// What it takes.
    pub needs: RowNeeds,
    /// The cases that check it.
    pub cases: Vec<String>,
    /// Why no case can run, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unrunnable: Option<String>,
}

/// What a row takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowNeeds {
    /// Processes.
    pub processes: u32,
    /// GPUs at least.
    pub gpus: u32,
    /// GPUs that show more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus_wanted: Option<u32>,
    /// Namespaces or another user.
    #[serde(default)]
    pub privileged: bool,
    /// A special environment.
    #[serde(default)]
    pub environment: bool,
}

impl Row {
    /// `implemented`, `unrunnable`, or `unimplemented` where neither a case nor a reason is there.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self.unrunnable {
            _ if !self.cases.is_empty() => "implemented",
            Some(_) => "unrunnable",
            None => "unimplemented",
        }
    }
}

/// All groups, in the catalogue's order.
///
/// # Errors
/// Names the file that cannot be read, and why.
pub fn groups() -> Result<Vec<Group>, String> {
    let parse = |(name, text): &(&str, &str)| toml::from_str(text).map_err(|error| format!("{name}.toml: {error}"));
    FILES.iter().map(parse).collect()
}

/// The files of the catalogue, by name.
pub fn files() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Where the catalogue and the registered cases disagree: unknown rows, and lists of cases that are not what is
/// registered. Each line says what the file should hold.
///
/// # Errors
/// Where the catalogue cannot be read.
pub fn disagreements(registered: &[(String, &'static [&'static str])]) -> Result<Vec<String>, String> {
    let mut cases: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (base, rows) in registered {
        for row in *rows {
            cases.entry(row).or_default().insert(base);
        }
    }
    let mut problems = Vec::new();
    for row in groups()?.into_iter().flat_map(|group| group.row) {
        let expected = cases.remove(row.id.as_str()).unwrap_or_default();
        if row.cases.iter().map(String::as_str).collect::<BTreeSet<_>>() != expected {
            let list: Vec<_> = expected.into_iter().collect();
            problems.push(format!("{}: cases = {list:?}", row.id));
        }
    }
    problems.extend(cases.into_iter().map(|(row, cases)| format!("{cases:?} name a row {row} that does not exist")));
    Ok(problems)
}
