//! A sample of the faults, for runs that have little time.

/// One fault in so many is in a sample.
const SAMPLE: u32 = 4;

/// Whether a fault is in a sample, which does not change if others come or go.
pub(super) fn is_sample(name: &str) -> bool {
    crc32fast::hash(name.as_bytes()).is_multiple_of(SAMPLE)
}
