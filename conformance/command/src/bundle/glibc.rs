//! The glibc that an executable needs: the newest of the symbol versions that it requires.

use std::fmt;
use std::str::FromStr;

use object::Endianness;
use object::elf::{FileHeader64, VER_FLG_WEAK};
use object::read::elf::FileHeader as _;

/// A glibc version, such as 2.28.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        numbers.map(|(major, minor)| Self(major, minor)).ok_or_else(|| "expected a version such as 2.28".to_owned())
    }
}

/// Returns the newest glibc version that the loader requires, or `None` if the file requires no version of glibc.
pub(super) fn needed(file: &[u8]) -> object::Result<Option<Version>> {
    let header = FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let Some((mut libraries, names)) = sections.gnu_verneed(endian, file)? else { return Ok(None) };
    let strings = sections.strings(endian, file, names)?;
    let mut newest = None;
    while let Some((_, mut versions)) = libraries.next()? {
        while let Some(version) = versions.next()? {
            // The loader does not require weak versions.
            if version.vna_flags.get(endian) & VER_FLG_WEAK == 0 {
                newest = newest.max(glibc(version.name(endian, strings)?));
            }
        }
    }
    Ok(newest)
}

/// Parses `GLIBC_2.28`; returns `None` for other names, such as `GCC_3.0`.
fn glibc(name: &[u8]) -> Option<Version> {
    let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    // Only the first two numbers count: 2.2.5 is read as 2.2.
    let end = version.match_indices('.').nth(1).map_or(version.len(), |(place, _)| place);
    version[..end].parse().ok()
}
