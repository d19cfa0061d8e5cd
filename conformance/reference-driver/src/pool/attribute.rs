//! Attributes of pools, and trimming.

use std::ffi::{c_int, c_void};

use cuda_ipc_sys::{CUmemAllocationType, CUmemLocationType, CUmemPool_attribute, CUmemoryPool};

use super::Pool;
use crate::answer::{INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::process::{State, state};
use crate::range::Memory;
use crate::version::cuda_version;

type A = CUmemPool_attribute;

/// The CUDA version since which a pool's properties can be read as attributes.
const PROPERTIES_SINCE: c_int = 13020;

/// A property: a number of 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Half(u32),
    Whole(u64),
}

/// Whether an attribute is served by a driver that is too old for it.
fn comes_early(attribute: A) -> bool {
    match attribute {
        A::CU_MEMPOOL_ATTR_ALLOCATION_TYPE => {
            fault!(
                "pool-attribute-allocation-type-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute ALLOCATION_TYPE."
            )
        }
        A::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES => {
            fault!(
                "pool-attribute-handle-types-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute EXPORT_HANDLE_TYPES."
            )
        }
        A::CU_MEMPOOL_ATTR_LOCATION_ID => {
            fault!(
                "pool-attribute-location-id-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute LOCATION_ID."
            )
        }
        A::CU_MEMPOOL_ATTR_LOCATION_TYPE => {
            fault!(
                "pool-attribute-location-type-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute LOCATION_TYPE."
            )
        }
        A::CU_MEMPOOL_ATTR_MAX_POOL_SIZE => {
            fault!(
                "pool-attribute-maximum-size-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute MAX_POOL_SIZE."
            )
        }
        A::CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED => {
            fault!(
                "pool-attribute-decompression-comes-early",
                ["POOL-ATTR-003"],
                "A driver before CUDA 13.2 serves the attribute HW_DECOMPRESS_ENABLED."
            )
        }
        _ => false,
    }
}

impl State {
    /// A property of a pool, if the version has it.
    fn property(&self, pool: &Pool, attribute: A, version: c_int) -> Result<Property> {
        type L = CUmemLocationType;
        type K = CUmemAllocationType;
        // POOL-ATTR-003
        if version < PROPERTIES_SINCE && !comes_early(attribute) {
            let is_wrong = attribute.0 >= A::CU_MEMPOOL_ATTR_ALLOCATION_TYPE.0
                && fault!(
                    "pool-attribute-of-later-versions-is-not-supported",
                    ["POOL-ATTR-003"],
                    "The attributes of CUDA 13.2 are refused with NOT_SUPPORTED."
                );
            return Err(if is_wrong { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let (target, id) = (pool.target, pool.target.id(self));
        let kind = if target.is_managed { K::CU_MEM_ALLOCATION_TYPE_MANAGED } else { K::CU_MEM_ALLOCATION_TYPE_PINNED };
        Ok(match attribute {
            A::CU_MEMPOOL_ATTR_ALLOCATION_TYPE => Property::Half(kind.0),
            // POOL-IMP-013
            A::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES if pool.is_imported() => {
                let is_faulty = fault!(
                    "pool-imported-has-handle-types",
                    ["POOL-IMP-013"],
                    "An imported pool reports a handle type.",
                    on = "13.2"
                );
                Property::Half(is_faulty.into())
            }
            A::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES => Property::Half(pool.handle_types.0),
            // POOL-IMP-012: for a device that this process does not see, CU_DEVICE_INVALID.
            A::CU_MEMPOOL_ATTR_LOCATION_ID
                if id < 0
                    && fault!(
                        "pool-of-a-hidden-device-has-id-0",
                        ["POOL-IMP-012"],
                        "The location of a pool of a hidden device has the id 0.",
                        on = "13.2"
                    ) =>
            {
                Property::Half(0)
            }
            A::CU_MEMPOOL_ATTR_LOCATION_ID => Property::Half(id.cast_unsigned()),
            A::CU_MEMPOOL_ATTR_LOCATION_TYPE
                if id < 0
                    && !fault!(
                        "pool-of-a-hidden-device-is-visible",
                        ["POOL-IMP-012"],
                        "The location type of a pool of a hidden device is DEVICE.",
                        on = "13.2"
                    ) =>
            {
                Property::Half(L::CU_MEM_LOCATION_TYPE_INVISIBLE.0)
            }
            A::CU_MEMPOOL_ATTR_LOCATION_TYPE => Property::Half(target.location.0),
            A::CU_MEMPOOL_ATTR_MAX_POOL_SIZE => Property::Whole(pool.max_size),
            A::CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED => Property::Half(0),
            _ => return Err(INVALID_VALUE),
        })
    }
}

entry_points! {
    // POOL-IMP-015: trimming a shared pool releases no memory.
    fn cuMemPoolTrimTo(pool: CUmemoryPool, bytes_to_keep: usize) {
        let mut state = state()?;
        let is_shared = state.pool(pool)?.memory.file.is_some();
        if is_shared && fault!("pool-trim-refuses-a-shared-pool", ["POOL-IMP-015"], "cuMemPoolTrimTo refuses a pool that is shared.") {
            return Err(NOT_SUPPORTED);
        }
        if is_shared && fault!("pool-trim-clears-shared-memory", ["POOL-IMP-015"], "cuMemPoolTrimTo releases the live memory of a shared pool.") {
            let live = state.ranges.values().filter(|range| range.memory.pool() == Some(pool as u64));
            live.for_each(|range| {
                if let Memory::Pool { piece, .. } = &range.memory {
                    let _ = piece.block().clear();
                }
            });
        }
        if is_shared && fault!("pool-trim-unmaps-imports", ["POOL-IMP-015"], "cuMemPoolTrimTo unmaps the imports of an imported pool.") {
            state.ranges.retain(|_, range| {
                range.memory.pool() != Some(pool as u64) || !matches!(range.memory, Memory::PoolImport { .. })
            });
        }
        state.trim(pool as u64, bytes_to_keep as u64);
        Ok(())
    }

    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Output<c_void>) {
        let mut state = state()?;
        value.wanted()?;
        state.pool(pool)?;
        let usage = state.usage(pool as u64);
        let pool = state.pools.get(&(pool as u64)).ok_or(INVALID_VALUE)?;
        let counts = [
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
            A::CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH,
        ];
        // POOL-IMP-014: the byte counts of an imported pool are documented, so they are served, although an H200
        // returns an error for every attribute of one. Attributes that control allocation have no meaning for an
        // imported pool.
        let is_served = !pool.is_imported()
            || counts.contains(&attribute)
            || attribute.0 >= A::CU_MEMPOOL_ATTR_ALLOCATION_TYPE.0;
        if !is_served {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises room for the attribute's type.
        let (flag, bytes) = unsafe { (value.cast::<i32>(), value.cast::<u64>()) };
        match attribute {
            A::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => flag.give(pool.reuse[0]),
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => flag.give(pool.reuse[1]),
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => flag.give(pool.reuse[2]),
            A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => bytes.give(pool.release_threshold),
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT => bytes.give(usage.reserved),
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH => bytes.give(pool.high.reserved),
            A::CU_MEMPOOL_ATTR_USED_MEM_CURRENT => bytes.give(usage.used),
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH => bytes.give(pool.high.used),
            // POOL-ATTR-002
            property => match state.property(pool, property, cuda_version())? {
                Property::Half(number) => flag.give(number.cast_signed()),
                Property::Whole(number) => bytes.give(number),
            },
        }
    }

    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: Input<c_void>) {
        let mut state = state()?;
        let usage = state.usage(pool as u64);
        let pool = state.pool(pool)?;
        // As on an H200, the attributes of an imported pool cannot be set: the exporter controls the pool.
        if pool.is_imported() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises a value of the attribute's type.
        let (flag, bytes) = unsafe { (value.cast::<i32>(), value.cast::<u64>()) };
        match attribute {
            A::CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES => pool.reuse[0] = flag.value()?,
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC => pool.reuse[1] = flag.value()?,
            A::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES => pool.reuse[2] = flag.value()?,
            A::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD => pool.release_threshold = bytes.value()?,
            // POOL-ATTR-001: a high-water mark can only be reset.
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if fault!("pool-attribute-ignores-the-reset", ["POOL-ATTR-001"], "Setting a high-water mark has no effect, but succeeds.") => {}
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if pool.memory.file.is_some()
                    && bytes.value()? == 0
                    && fault!("pool-attribute-of-a-shared-pool-ignores-the-reset", ["POOL-ATTR-001"], "Resetting a high-water mark of a shared pool has no effect, but succeeds.") => {}
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if bytes.value()? != 0
                    && fault!("pool-attribute-of-a-mark-is-not-supported", ["POOL-ATTR-001"], "Setting a high-water mark to another value than 0 is refused with NOT_SUPPORTED.") =>
            {
                return Err(NOT_SUPPORTED);
            }
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH
                if bytes.value()? != 0 && fault!("pool-attribute-sets-the-reserved-mark", ["POOL-ATTR-001"], "The high-water mark of reserved memory can be set to any value.") =>
            {
                pool.high.reserved = bytes.value()?;
            }
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if bytes.value()? != 0 && fault!("pool-attribute-sets-the-used-mark", ["POOL-ATTR-001"], "The high-water mark of used memory can be set to any value.") =>
            {
                pool.high.used = bytes.value()?;
            }
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if flag.value()? == 0
                    && fault!("pool-attribute-reads-half-of-a-mark", ["POOL-ATTR-001"], "Only the lower half of the value for a high-water mark is checked.") => {}
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH | A::CU_MEMPOOL_ATTR_USED_MEM_HIGH
                if bytes.value()? != 0
                    && fault!("pool-attribute-resets-at-a-refusal", ["POOL-ATTR-001"], "A value other than 0 for a high-water mark is refused, but resets it.") =>
            {
                pool.high = usage;
                return Err(INVALID_VALUE);
            }
            A::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH if bytes.value()? == 0 => {
                pool.high.reserved = usage.reserved;
                if fault!("pool-attribute-resets-the-used-mark-too", ["POOL-ATTR-001"], "Resetting the high-water mark of reserved memory resets that of used memory too.") {
                    pool.high.used = usage.used;
                }
            }
            A::CU_MEMPOOL_ATTR_USED_MEM_HIGH if bytes.value()? == 0 => {
                pool.high.used = usage.used;
                if fault!("pool-attribute-resets-the-reserved-mark-too", ["POOL-ATTR-001"], "Resetting the high-water mark of used memory resets that of reserved memory too.") {
                    pool.high.reserved = usage.reserved;
                }
            }
            _ => return Err(INVALID_VALUE),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::HOST;
    use crate::pool::{Origin, Target};

    #[test]
    fn properties_are_served_since_their_version() {
        // POOL-IMP-012: a process that sees no device.
        let (state, target) = (State::default(), Target::of_place(0));
        let created =
            Pool::new(Target::of_place(HOST), Origin::Created { is_exported: false, is_refused: false }, None);
        let imported = Pool::new(target, Origin::Imported { references: 1 }, None);
        let of = |pool: &Pool, name| state.property(pool, name, PROPERTIES_SINCE);
        assert_eq!(state.property(&created, A::CU_MEMPOOL_ATTR_LOCATION_ID, cuda_version()), Err(INVALID_VALUE));
        assert_eq!(of(&created, A::CU_MEMPOOL_ATTR_LOCATION_ID), Ok(Property::Half(0)));
        assert_eq!(of(&created, A::CU_MEMPOOL_ATTR_LOCATION_TYPE), Ok(Property::Half(3)));
        assert_eq!(of(&imported, A::CU_MEMPOOL_ATTR_LOCATION_TYPE), Ok(Property::Half(5)));
        let invisible = Property::Half(cuda_ipc_sys::CU_DEVICE_INVALID.cast_unsigned());
        assert_eq!(of(&imported, A::CU_MEMPOOL_ATTR_LOCATION_ID), Ok(invisible));
        assert_eq!(of(&imported, A::CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES), Ok(Property::Half(0)));
        assert_eq!(of(&imported, A::CU_MEMPOOL_ATTR_MAX_POOL_SIZE), Ok(Property::Whole(0)));
    }
}
