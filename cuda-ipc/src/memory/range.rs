//! Ranges of bytes in memory, and of values in a slice.

use std::ops::{Bound, RangeBounds};

use crate::Error;

/// Returns the start and the length of a range. An open end is the end of the whole, which has `whole` bytes or values.
///
/// # Errors
/// [`Error::ReversedRange`] if the range ends before it begins. Whether it lies within the whole is not checked.
pub(crate) fn resolve(range: impl RangeBounds<usize>, whole: usize) -> Result<(usize, usize), Error> {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        // `5..` of 3 bytes is out of bounds, not reversed.
        Bound::Unbounded => whole.max(start),
    };
    let length = end.checked_sub(start).ok_or(Error::ReversedRange { start, end })?;
    Ok((start, length))
}
