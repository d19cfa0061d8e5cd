//! The page of host memory that kernels of a stream write.

use crate::model::world::Name;

/// The size of the page.
pub(super) const PAGE: u64 = 4096;

/// The line that says what a stream's page contains, if that is known.
pub(super) fn contains(by: usize, stream: Name, seed: Option<u32>) -> String {
    let line = |seed| format!("check!(p{by}.mismatches_by_host(page{stream}, {PAGE}, {seed})? == 0);");
    seed.map(line).unwrap_or_default()
}
