//! The files that a process has left in /dev/shm when it has ended.

use std::collections::BTreeSet;
use std::path::Path;

use conformance::{Role, Stop, models};

use crate::support::growth::note_files;

const FOLDER: &str = "/dev/shm";

/// The names of the files in /dev/shm.
pub(super) struct Files(BTreeSet<String>);

impl Files {
    pub(super) fn list() -> Result<Self, Stop> {
        let failed = |error| Stop::Harness(format!("cannot list {FOLDER}: {error}"));
        let name = |entry: std::io::Result<std::fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        let names = std::fs::read_dir(FOLDER).and_then(|entries| entries.map(name).collect());
        names.map(Self).map_err(failed)
    }

    /// Returns how many files of NVIDIA's driver an ended process has left since this list was made. The driver is known to
    /// leave them, and the harness removes them when the role is dropped. Any other file of the process is a leak.
    pub(super) fn left_by(&self, role: &Role) -> Result<usize, Stop> {
        let now = Self::list()?;
        let new: Vec<_> = now.0.difference(&self.0).collect();
        let left: Vec<_> =
            new.iter().filter(|name| process_of(name).is_none() && is_named_after(name, role.id())).collect();
        note_files(role, left.len());
        if let Some(file) = left.first() {
            if models().is_reference {
                // The fault that leaves it is planted, and nothing else would remove it.
                let _ = std::fs::remove_file(Path::new(FOLDER).join(file));
            }
            return Err(Stop::leaked(format!("{} has ended and left the file {FOLDER}/{file}", role.name())));
        }
        let number = format!("{:x}", role.id());
        Ok(new.iter().filter(|name| process_of(name) == Some(&number)).count())
    }
}

/// Returns the number of the process whose file this is, in base 16, if NVIDIA's driver made it: its name is
/// `cuda.shm.USER.PROCESS.NUMBER`.
fn process_of(name: &str) -> Option<&str> {
    let mut parts = name.strip_prefix("cuda.shm.")?.split('.');
    let (user, process, number) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = |part: &str| u64::from_str_radix(part, 16).is_ok();
    (parts.next().is_none() && [user, process, number].into_iter().all(is_number)).then_some(process)
}

/// Whether a name contains the number of a process, in base 10 or 16.
fn is_named_after(name: &str, process: u32) -> bool {
    let numbers = [format!("{process}"), format!("{process:x}")];
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| numbers.iter().any(|number| number == word))
}
