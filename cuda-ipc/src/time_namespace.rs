//! Time namespaces, in each of which the clock since boot has an offset.

use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt as _;

use rustix::param::clock_ticks_per_second;

use crate::identity::{read, unexpected};

/// How much later another process reads a start time in `/proc` than this process does, in nanoseconds.
///
/// The kernel adds the offset of the namespace of the process that reads, not of the one that is read about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift(i128);

impl Shift {
    /// `/proc/<process>/timens_offsets`: returns the shift from this process to another.
    ///
    /// # Errors
    /// [`Unsupported`](io::ErrorKind::Unsupported) if the kernel does not show the offset of one of the two.
    pub(crate) fn to(process: &str) -> io::Result<Self> {
        let same = Self(0);
        // A kernel without time namespaces has no such file.
        let Ok(ours) = Namespaces::of("self") else { return Ok(same) };
        // This is not allowed for processes of other users. A process that has ended has no namespaces any more.
        let theirs = Namespaces::of(process).ok();
        if theirs.is_some_and(|theirs| theirs.own == ours.own) {
            return Ok(same);
        }
        ours.require_the_same("self")?;
        theirs.map_or(Ok(()), |theirs| theirs.require_the_same(process))?;
        let (ours, theirs) = (offset("self")?, offset(process)?);
        Ok(ours.zip(theirs).map_or(same, |(ours, theirs)| Self(theirs - ours)))
    }

    /// Returns the start times that the other process may read where this process reads `ticks`. A tick may begin at
    /// another nanosecond there, so there can be two.
    pub(crate) fn apply(self, ticks: u64) -> RangeInclusive<u64> {
        let product = self.0 * i128::from(clock_ticks_per_second());
        let (whole, is_whole) = (product.div_euclid(1_000_000_000), product.rem_euclid(1_000_000_000) == 0);
        let shifted = |shift| u64::try_from(i128::from(ticks) + shift).unwrap_or(0);
        shifted(whole)..=shifted(if is_whole { whole } else { whole + 1 })
    }
}

/// The inodes of the time namespace that a process is in, and of the one that its children will be in.
#[derive(Clone, Copy)]
struct Namespaces {
    own: u64,
    of_children: u64,
}

impl Namespaces {
    fn of(process: &str) -> io::Result<Self> {
        let inode = |name: &str| fs::metadata(format!("/proc/{process}/ns/{name}")).map(|found| found.ino());
        Ok(Self { own: inode("time")?, of_children: inode("time_for_children")? })
    }

    /// Fails if the two differ, because `/proc/<process>/timens_offsets` is about the namespace of the children.
    fn require_the_same(self, process: &str) -> io::Result<()> {
        if self.own == self.of_children {
            return Ok(());
        }
        let reason = format!(
            "/proc/{process}/timens_offsets is about another time namespace than that of the process, so start times \
             cannot be compared: watch the peer of a connection instead"
        );
        Err(io::Error::new(io::ErrorKind::Unsupported, reason))
    }
}

/// Returns the offset of the clock since boot, in nanoseconds. A process that has ended shows none.
fn offset(process: &str) -> io::Result<Option<i128>> {
    let (path, text) = read(process, "timens_offsets")?;
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("boottime")) else {
        return if text.is_empty() { Ok(None) } else { Err(unexpected(&path)) };
    };
    let mut fields = line.split_ascii_whitespace().map(str::parse::<i128>);
    match (fields.next(), fields.next()) {
        (Some(Ok(seconds)), Some(Ok(nanoseconds))) => Ok(Some(seconds * 1_000_000_000 + nanoseconds)),
        _ => Err(unexpected(&path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri does not know how long a tick is")]
    fn a_shift_of_whole_ticks_has_one_result() {
        let tick = 1_000_000_000 / i128::from(clock_ticks_per_second());
        for (shift, results) in [
            (0, 1000..=1000),
            (3 * tick, 1003..=1003),
            (-3 * tick, 997..=997),
            (3 * tick + 1, 1003..=1004),
            (-3 * tick - 1, 996..=997),
            (-1, 999..=1000),
            (-2000 * tick, 0..=0),
        ] {
            assert_eq!(Shift(shift).apply(1000), results, "{shift}");
        }
    }

    #[test]
    fn a_process_has_no_shift_to_itself() {
        assert_eq!(Shift::to("self").unwrap(), Shift(0));
        assert_eq!(Shift::to(&std::process::id().to_string()).unwrap(), Shift(0));
    }
}
