//! Virtual memory management: reserved addresses, physical memory, mappings and access.
//!
//! Physical memory is a block, which this process has mapped already: a mapping of `cuMemMap` is an entry that leads
//! from reserved addresses to it. Those addresses themselves are in the host's reach only where it was given access.

mod access;
mod mapping;
mod physical;
mod reserve;

pub(crate) use physical::{Allocation, Location, Physical};

use crate::block::GRANULARITY;

const fn is_granular(value: u64) -> bool {
    value.is_multiple_of(GRANULARITY)
}
