//! What a process uses of the system, as `/proc` shows it: of this process, or of another one of the same user.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::message::Refused;

/// The system resources of a process that a leak would increase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The resident memory in bytes.
    pub resident: u64,
    /// The size of the mappings that the process may access, in bytes. A driver reserves addresses without access, such as
    /// 280 GiB for a pool on an H200, and keeps them.
    pub mapped: u64,
    /// The number of mappings.
    pub mappings: usize,
    /// The number of open descriptors.
    pub descriptors: usize,
    /// The number of child processes, those included that have ended and were not waited for.
    pub children: usize,
    /// The files in /dev/shm that the process has open or mapped, and those whose names contain its number.
    pub shared_files: Vec<String>,
}

const SHARED: &str = "/dev/shm/";

calls! {
    /// Returns what the process uses.
    fn usage(session) -> Usage {
        Ok(Usage::of(std::process::id())?)
    }

    /// Returns what another process of the same user uses.
    fn usage_of(session, process: u32) -> Usage {
        Usage::of(process).map_err(|error| Refused::Role(format!("cannot observe process {process}: {error}")))
    }
}

impl Usage {
    fn of(process: u32) -> std::io::Result<Self> {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let status = fs::read_to_string(folder.join("status"))?;
        let resident =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB")?.trim().parse().ok());
        let resident: u64 = resident.ok_or_else(|| std::io::Error::other("/proc has no VmRSS of it"))?;
        let maps = fs::read_to_string(folder.join("maps"))?;
        let mapped_files = maps.lines().filter_map(|line| Some(line[line.find(SHARED)?..].to_owned()));
        let mut descriptors = 0;
        let mut open_files = Vec::new();
        for entry in fs::read_dir(folder.join("fd"))? {
            descriptors += 1;
            // The process may close it before its link is read.
            let Ok(target) = fs::read_link(entry?.path()) else { continue };
            let target = target.to_string_lossy().into_owned();
            open_files.extend(target.starts_with(SHARED).then_some(target));
        }
        let mut children = 0;
        for thread in fs::read_dir(folder.join("task"))? {
            // A thread may end meanwhile.
            let text = fs::read_to_string(thread?.path().join("children")).unwrap_or_default();
            children += text.split_whitespace().count();
        }
        let mut shared_files: Vec<_> = mapped_files.chain(open_files).chain(files_named_after(process)).collect();
        shared_files.sort();
        shared_files.dedup();
        let mapped = maps.lines().filter_map(accessible).sum();
        Ok(Self {
            resident: resident << 10,
            mapped,
            mappings: maps.lines().count(),
            descriptors,
            children,
            shared_files,
        })
    }
}

/// Returns the files in /dev/shm that have the number of a process in their names, in base 10 or 16, as those of NVIDIA's
/// driver do.
fn files_named_after(process: u32) -> impl Iterator<Item = String> {
    let numbers = [format!("{process}"), format!("{process:x}")];
    fs::read_dir(SHARED).into_iter().flatten().flatten().filter_map(move |entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_its =
            name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| numbers.iter().any(|number| number == word));
        is_its.then(|| format!("{SHARED}{name}"))
    })
}

/// Returns the size of a mapping, as a line of `/proc/PID/maps` has it, or `None` if the process has no access.
fn accessible(line: &str) -> Option<u64> {
    let (range, rest) = line.split_once(' ')?;
    let (begin, end) = range.split_once('-')?;
    let size = u64::from_str_radix(end, 16).ok()?.checked_sub(u64::from_str_radix(begin, 16).ok()?)?;
    (!rest.starts_with("---")).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::accessible;

    /// Addresses that are only reserved do not count.
    #[test]
    fn only_accessible_mappings_count() {
        let size = |access: &str| accessible(&format!("7f0000000000-7f0000200000 {access} 00000000 00:00 0"));
        assert_eq!(size("rw-p"), Some(2 << 20));
        assert_eq!(size("---p"), None);
    }
}
