//! The environment variables, read once.
//!
//! An invalid value is printed, and `cuInit` fails: a test must run on the machine that it asked for, or not at all.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::panic::Location;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::answer::{INVALID_VALUE, Result};
use crate::profile::profile;

/// The prefix of all variables but `CUDA_VISIBLE_DEVICES`.
const PREFIX: &str = "REFERENCE_DRIVER_";

/// The variables, without their prefix.
const KNOWN: [&str; 9] = ["DEVICES", "FABRIC", "FAULT", "MACHINE", "MEMORY", "NOTES", "PROFILE", "TOPOLOGY", "VERSION"];

/// The most devices that a machine can have.
const MAX_DEVICES: usize = 64;

static IS_INVALID: AtomicBool = AtomicBool::new(false);

pub(crate) struct Environment {
    /// The name of the simulated machine, as text of at most 217 bytes.
    pub(crate) machine: String,
    /// The number of devices in the machine.
    pub(crate) devices: usize,
    /// The bytes of each device.
    pub(crate) memory: u64,
    /// `CUDA_VISIBLE_DEVICES`.
    pub(crate) visible: Option<String>,
    /// Whether [`note`] prints anything.
    has_notes: bool,
}

impl Environment {
    /// A number for the machine's name, the same in every process (FNV-1a).
    pub(crate) fn machine_number(&self) -> u64 {
        crate::handle::fnv1a(self.machine.bytes())
    }
}

pub(crate) fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| Environment {
        machine: value("MACHINE").map_or_else(|| "0".to_owned(), |name| machine(&name)),
        devices: read("DEVICES", devices)
            // A fault that only more devices show would be no fault with the default number.
            .or_else(|| crate::fault::active()?.machine.devices)
            .unwrap_or(profile().devices),
        memory: read("MEMORY", |text| u64::from_str(text).map_err(|_| "expected a number of bytes"))
            .unwrap_or(profile().memory),
        visible: std::env::var_os("CUDA_VISIBLE_DEVICES").map(|list| list.to_string_lossy().into_owned()),
        has_notes: read("NOTES", notes).unwrap_or(true),
    })
}

/// Returns the name of a machine as text. Of a name that has more than 200 bytes or is not UTF-8, it returns the first 50
/// characters and a hash of all bytes. The system limits the name of a memfd, which contains the machine's, to 249 bytes.
fn machine(name: &OsStr) -> String {
    const MOST: usize = 200;
    match name.to_str() {
        Some(text) if text.len() <= MOST => text.to_owned(),
        _ => {
            // A character has up to 4 bytes.
            let beginning: String = name.to_string_lossy().chars().take(MOST / 4).collect();
            format!("{beginning}-{:016x}", crate::handle::fnv1a(name.as_bytes().iter().copied()))
        }
    }
}

fn devices(text: &str) -> std::result::Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= MAX_DEVICES);
    number.ok_or_else(|| format!("expected a number from 0 to {MAX_DEVICES}"))
}

fn notes(text: &str) -> std::result::Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off"),
    }
}

/// Says on standard error why a call is refused that succeeds on a GPU. A process says it once for each place that calls
/// this.
#[track_caller]
pub(crate) fn note(reason: fmt::Arguments<'_>) {
    static SAID: Mutex<Vec<(&'static str, u32)>> = Mutex::new(Vec::new());
    if !environment().has_notes {
        return;
    }
    let place = (Location::caller().file(), Location::caller().line());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&place) {
        said.push(place);
        eprintln!("reference driver: {reason} ({PREFIX}NOTES=off hides this)");
    }
}

/// The bytes of a variable, named without its prefix. `None` if the variable is unset or empty.
fn value(name: &str) -> Option<OsString> {
    std::env::var_os(format!("{PREFIX}{name}")).filter(|value| !value.is_empty())
}

/// The value of a variable, named without its prefix. `None` if the variable is unset, empty or invalid. `parse` says
/// what it expects.
pub(crate) fn read<T, E: fmt::Display>(name: &str, parse: impl FnOnce(&str) -> std::result::Result<T, E>) -> Option<T> {
    let text = value(name)?;
    let text = text.to_string_lossy();
    parse(&text).map_err(|expected| refuse(format_args!("{PREFIX}{name}: invalid value `{text}`: {expected}"))).ok()
}

fn refuse(message: fmt::Arguments<'_>) {
    eprintln!("{message}");
    IS_INVALID.store(true, Ordering::Relaxed);
}

/// Refuses unknown variables, unless they are empty, and invalid values of those that were read.
pub(crate) fn check() -> Result<()> {
    static UNKNOWN: OnceLock<()> = OnceLock::new();
    UNKNOWN.get_or_init(|| {
        let set = std::env::vars_os().filter(|(_, value)| !value.is_empty());
        set.for_each(|(name, _)| check_name(&name));
    });
    if IS_INVALID.load(Ordering::Relaxed) { Err(INVALID_VALUE) } else { Ok(()) }
}

fn check_name(name: &OsStr) {
    let name = name.to_string_lossy();
    if name.strip_prefix(PREFIX).is_some_and(|name| !KNOWN.contains(&name)) {
        refuse(format_args!("{name}: unknown variable; expected {PREFIX} and one of {}", KNOWN.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in the first column of the README's table of variables.
    fn documented() -> Vec<&'static str> {
        let (_, section) = include_str!("../README.md").split_once("## Environment variables").expect("the section");
        let (section, _) = section.split_once("\n## ").expect("another section follows");
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| row.split('`').next().expect("a name")).collect()
    }

    #[test]
    fn the_readme_has_every_variable() {
        let mut known: Vec<_> = KNOWN.iter().map(|name| format!("{PREFIX}{name}")).collect();
        known.push("CUDA_VISIBLE_DEVICES".to_owned());
        known.sort_unstable();
        let mut documented = documented();
        documented.sort_unstable();
        assert_eq!(documented, known);
    }

    #[test]
    fn the_documentation_of_the_crate_has_every_variable() {
        let (text, _) = include_str!("lib.rs").split_once("//! # Functions").expect("the section after the variables");
        for name in KNOWN {
            assert!(text.contains(&format!("//! - `{PREFIX}{name}`")), "lib.rs does not describe {PREFIX}{name}");
        }
    }
}
