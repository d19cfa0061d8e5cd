//! Values in memory that streams write and wait for.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use cuda_ipc_sys::{CUdeviceptr, CUstream, CUstreamWaitValue_flags, CUstreamWriteValue_flags};

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, Result};
use crate::kernel::poll;
use crate::process::{State, state};
use crate::range::{Access, By, Span};

impl State {
    /// The memory of a value. Managed memory is not allowed.
    fn value(&self, context: u64, address: u64, size: u64, access: Access) -> Result<Span> {
        let is_managed = self.range(address).is_some_and(|range| range.memory.is_managed());
        if is_managed || !address.is_multiple_of(size) {
            return Err(INVALID_VALUE);
        }
        self.reach_device(context, address, size, By::Driver, access)?.pop().ok_or(INVALID_VALUE)
    }

    /// Whether a stream writes the value before its earlier work, as it does with a fault.
    fn writes_at_once(&self, address: u64) -> bool {
        self.is_import(address)
            && fault!(
                "a-stream-writes-a-value-to-an-import-at-once",
                ["IPCMEM-OPEN-001", "POOL-PTR-024", "VMM-IMP-001"],
                "A write of a value to an import does not wait for the earlier work of its stream."
            )
    }

    /// Whether a stream goes on without the value, as it does with a fault.
    fn skips_wait(&self, address: u64) -> bool {
        self.is_import(address)
            && fault!(
                "a-stream-does-not-wait-for-a-value-of-an-import",
                ["IPCMEM-OPEN-001", "POOL-PTR-024", "VMM-IMP-001"],
                "A wait for a value in an import ends at once."
            )
    }
}

/// Checks the flags of a wait, and returns its condition.
fn check_wait(flags: u32) -> Result<CUstreamWaitValue_flags> {
    type F = CUstreamWaitValue_flags;
    let condition = CUstreamWaitValue_flags(flags & !F::CU_STREAM_WAIT_VALUE_FLUSH.0);
    if condition.0 > F::CU_STREAM_WAIT_VALUE_NOR.0 {
        return Err(INVALID_VALUE);
    }
    // The flush flag is not supported: the attribute CAN_FLUSH_REMOTE_WRITES is 0.
    if condition.0 == flags { Ok(condition) } else { Err(NOT_SUPPORTED) }
}

fn check_write(flags: u32) -> Result<()> {
    if flags > CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER.0 {
        Err(INVALID_VALUE)
    } else {
        Ok(())
    }
}

macro_rules! values {
    ($($value:ty as $atomic:ty: $write:ident, $wait:ident, $is_met:ident;)*) => {$(
        /// The comparison is cyclic, so that counters may wrap.
        fn $is_met(condition: CUstreamWaitValue_flags, found: $value, value: $value) -> bool {
            type F = CUstreamWaitValue_flags;
            match condition {
                F::CU_STREAM_WAIT_VALUE_EQ => found == value,
                F::CU_STREAM_WAIT_VALUE_AND => found & value != 0,
                F::CU_STREAM_WAIT_VALUE_NOR => !(found | value) != 0,
                _ => found.wrapping_sub(value).cast_signed() >= 0,
            }
        }

        entry_points! {
            fn $write(stream: CUstream, address: CUdeviceptr, value: $value, flags: u32) {
                let mut state = state()?;
                let stream = state.stream(stream)?;
                check_write(flags)?;
                let place = state.value(stream.context, address, size_of::<$value>() as u64, Access::Write)?;
                if state.writes_at_once(address) {
                    // SAFETY: the address is checked and aligned, and the span keeps it mapped.
                    unsafe { <$atomic>::from_ptr(place.address as *mut $value) }.store(value, Ordering::SeqCst);
                    place.broadcast();
                    return Ok(());
                }
                state.issue(&stream, move |_| {
                    // SAFETY: the address is checked and aligned, and the span keeps it mapped.
                    unsafe { <$atomic>::from_ptr(place.address as *mut $value) }.store(value, Ordering::SeqCst);
                    place.broadcast();
                    Ok(())
                })
            }

            fn $wait(stream: CUstream, address: CUdeviceptr, value: $value, flags: u32) {
                let mut state = state()?;
                let stream = state.stream(stream)?;
                let condition = check_wait(flags)?;
                let place = state.value(stream.context, address, size_of::<$value>() as u64, Access::Read)?;
                if state.skips_wait(address) {
                    return Ok(());
                }
                state.issue(&stream, move |health| {
                    // SAFETY: the address is checked and aligned, and the span keeps it mapped.
                    let found = unsafe { <$atomic>::from_ptr(place.address as *mut $value) };
                    poll(health, || $is_met(condition, found.load(Ordering::SeqCst), value));
                    Ok(())
                })
            }
        }
    )*};
}

values! {
    u32 as AtomicU32: cuStreamWriteValue32_v2, cuStreamWaitValue32_v2, is_met_32;
    u64 as AtomicU64: cuStreamWriteValue64_v2, cuStreamWaitValue64_v2, is_met_64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_the_documentation() {
        type F = CUstreamWaitValue_flags;
        assert!(is_met_32(F::CU_STREAM_WAIT_VALUE_GEQ, 5, 5));
        assert!(!is_met_32(F::CU_STREAM_WAIT_VALUE_GEQ, 4, 5));
        assert!(is_met_32(F::CU_STREAM_WAIT_VALUE_GEQ, 1, u32::MAX), "the comparison is cyclic");
        assert!(is_met_64(F::CU_STREAM_WAIT_VALUE_GEQ, 1 << 40, 5), "all 64 bits count");
        assert!(!is_met_64(F::CU_STREAM_WAIT_VALUE_EQ, 1 << 40, 0));
        assert!(is_met_32(F::CU_STREAM_WAIT_VALUE_AND, 6, 2) && !is_met_32(F::CU_STREAM_WAIT_VALUE_AND, 5, 2));
        assert!(is_met_32(F::CU_STREAM_WAIT_VALUE_NOR, 0, 1) && !is_met_32(F::CU_STREAM_WAIT_VALUE_NOR, u32::MAX, 0));
    }
}
