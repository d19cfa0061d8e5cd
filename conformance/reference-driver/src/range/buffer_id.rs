//! The BUFFER_ID of a range.

use super::Memory;
use crate::process::State;

impl State {
    /// PTRATTR-006: a number that no other range of this process ever had.
    pub(super) fn new_buffer_id(&mut self, base: u64, context: u64, memory: &Memory) -> u64 {
        let unused = self.new_id() >> 8;
        match memory {
            Memory::Linear(_)
                if fault!(
                    "buffer-id-of-linear-memory-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of linear memory is its address, so a new allocation there has the old id."
                ) =>
            {
                base
            }
            Memory::Pool { .. }
                if fault!(
                    "buffer-id-of-pool-memory-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of pool memory is its address, so a new allocation there has the old id."
                ) =>
            {
                base
            }
            Memory::Import(_)
                if fault!(
                    "buffer-id-of-an-import-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of an import is its address, so a new import there has the old id."
                ) =>
            {
                base
            }
            Memory::Mapping { .. }
                if fault!(
                    "buffer-id-of-a-mapping-by-address",
                    ["PTRATTR-006"],
                    "The BUFFER_ID of a mapping is its address, so a new mapping there has the old id."
                ) =>
            {
                base
            }
            Memory::Import(_)
                if fault!(
                    "buffer-id-of-an-import-is-another-buffers",
                    ["PTRATTR-007"],
                    "The BUFFER_ID of an import is one that another buffer of the importer has."
                ) =>
            {
                self.ranges.values().map(|range| range.buffer_id).max().unwrap_or(unused)
            }
            _ if fault!(
                "buffer-id-has-6-bits",
                ["PTRATTR-006"],
                "After 64 buffers, the first BUFFER_ID is used again."
            ) =>
            {
                unused % 64
            }
            _ if fault!(
                "buffer-id-starts-again-in-each-context",
                ["PTRATTR-006"],
                "The buffers of each context are counted from 1, so two buffers of a process have the same BUFFER_ID."
            ) =>
            {
                1 + self.ranges.values().filter(|range| range.context == context).count() as u64
            }
            _ => unused,
        }
    }
}
