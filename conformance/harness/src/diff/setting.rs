//! Compares suite, driver, devices, links, environment and mode (`fresh`, `repeat`) of two runs.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::report::{MPS_FOLDER, Run};

/// A property of the run that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setting {
    /// The path of the property in the first line of the report: `driver.version`, `devices[0].fabric`,
    /// `environment.variables.CUDA_CACHE_PATH`.
    pub name: String,
    /// The old value; null if it was absent.
    pub old: Option<Value>,
    /// The new value; null if it is absent.
    pub new: Option<Value>,
}

/// Returns the properties that both reports contain and that differ. The start and the name of a run are not compared.
pub(super) fn differences(old: &Run, new: &Run) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (name, old, new) in [
        ("suite", json!(old.suite), json!(new.suite)),
        ("driver", json!(old.driver), json!(new.driver)),
        ("devices", json!(old.devices), json!(new.devices)),
        ("links", json!(old.links), json!(new.links)),
        ("environment", json!(old.environment), json!(new.environment)),
        ("fresh", json!(old.fresh), json!(new.fresh)),
        ("repeat", json!(old.repeat), json!(new.repeat)),
    ] {
        // Format 1 has no suite, no links and no environment.
        let is_unknown = |value: &Value| value.is_null() || (name == "links" && *value == json!([]));
        if !is_unknown(&old) && !is_unknown(&new) {
            compare(name.to_owned(), Some(&old), Some(&new), &mut settings);
        }
    }
    settings
}

fn compare(name: String, old: Option<&Value>, new: Option<&Value>, settings: &mut Vec<Setting>) {
    match (old, new) {
        (Some(Value::Object(olds)), Some(Value::Object(news))) => {
            for key in olds.keys().chain(news.keys()).collect::<BTreeSet<_>>() {
                compare(format!("{name}.{key}"), olds.get(key), news.get(key), settings);
            }
        }
        (Some(Value::Array(olds)), Some(Value::Array(news))) if olds.iter().chain(news).any(Value::is_object) => {
            for place in 0..olds.len().max(news.len()) {
                compare(format!("{name}[{place}]"), olds.get(place), news.get(place), settings);
            }
        }
        _ if old == new || is_left_out(&name, old) || is_left_out(&name, new) => {}
        (Some(old), Some(new)) if is_path(&name) && is_same_file_name(old, new) => {}
        (Some(old), Some(new)) if is_hidden(&name, old, new) || is_hidden(&name, new, old) => {}
        _ => settings.push(Setting { name, old: old.cloned(), new: new.cloned() }),
    }
}

fn is_path(name: &str) -> bool {
    ["driver.path", "environment.mps"].contains(&name)
}

/// Whether two paths have the same file name and one of them has no folder, as in a record.
fn is_same_file_name(old: &Value, new: &Value) -> bool {
    let [old, new] = [old, new].map(|path| Path::new(path.as_str().unwrap_or_default()));
    old.file_name() == new.file_name() && [old, new].iter().any(|path| path.components().count() == 1)
}

/// Whether a run without `--identify` hid a value, or the home folder at its beginning, and the other can be the same.
fn is_hidden(name: &str, hidden: &Value, other: &Value) -> bool {
    // Null is no hidden value: no MPS daemon runs, for example.
    let (Some(hidden), Some(other)) = (hidden.as_str(), other.as_str()) else { return false };
    // The usual folder of MPS is never hidden.
    if name == "environment.mps" && other == MPS_FOLDER {
        return false;
    }
    let rest = hidden.strip_prefix('~').filter(|rest| rest.starts_with('/'));
    let is_in_home = rest.is_some_and(|rest| other.starts_with('/') && other.ends_with(rest));
    hidden == "…" || is_in_home || have_hidden_ids(hidden, other)
}

/// Whether two lists of devices, such as `GPU-…,GPU-…` and one with UUIDs, can be the same.
fn have_hidden_ids(hidden: &str, other: &str) -> bool {
    let is_same = |(hidden, other): (&str, &str)| {
        let kind = hidden.strip_suffix("-…");
        hidden == other || kind.is_some_and(|kind| other.strip_prefix(kind).is_some_and(|id| id.starts_with('-')))
    };
    hidden.split(',').count() == other.split(',').count() && hidden.split(',').zip(other.split(',')).all(is_same)
}

/// Whether a record or an early report omits the value. Records omit the UUIDs of devices and the host, and early
/// reports omit the hash of the driver.
fn is_left_out(name: &str, value: Option<&Value>) -> bool {
    match value {
        None => name == "driver.sha256" || name.strip_prefix("environment.").is_some_and(|rest| !rest.contains('.')),
        Some(value) => name.ends_with("].uuid") && value == "",
    }
}
