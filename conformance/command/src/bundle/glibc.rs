//! Which glibc an executable needs: the newest version of the symbols that it asks for.

use std::fmt;
use std::str::FromStr;

use object::Endianness;
use object::elf::{FileHeader64, VER_FLG_WEAK};
use object::read::elf::FileHeader as _;

/// 2.28.
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
        numbers.map(|(major, minor)| Self(major, minor)).ok_or_else(|| "a version is written as 2.28 is".to_owned())
    }
}

/// The newest version that the loader insists on; none where it asks for no version of glibc's.
pub(super) fn needed(file: &[u8]) -> object::Result<Option<Version>> {
    let header = FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let Some((mut libraries, names)) = sections.gnu_verneed(endian, file)? else { return Ok(None) };
    let strings = sections.strings(endian, file, names)?;
    let mut newest = None;
    while let Some((_, mut versions)) = libraries.next()? {
        while let Some(version) = versions.next()? {
            // The loader goes on without what is weak.
            if version.vna_flags.get(endian) & VER_FLG_WEAK == 0 {
                newest = newest.max(glibc(version.name(endian, strings)?));
            }
        }
    }
    Ok(newest)
}

/// `GLIBC_2.28`, and not `GCC_3.0`.
fn glibc(name: &[u8]) -> Option<Version> {
    let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    // What decides of 2.2.5 are the first two.
    let end = version.match_indices('.').nth(1).map_or(version.len(), |(place, _)| place);
    version[..end].parse().ok()
}
