//! Stream values: numbers in device memory that streams write and wait for.
#![allow(unsafe_code)] // Calls the driver.

use bytemuck::{AnyBitPattern, NoUninit};

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::sys::{CUstreamWaitValue_flags, CUstreamWriteValue_flags};
use crate::{Error, Stream};

/// The condition on which a stream stops waiting for a number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitValue {
    /// `CU_STREAM_WAIT_VALUE_GEQ`: the number minus the value, as a signed number, is not negative. So a counter may
    /// wrap.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_GEQ")]
    GreaterOrEqual,
    /// `CU_STREAM_WAIT_VALUE_EQ`: the number equals the value.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_EQ")]
    Equal,
    /// `CU_STREAM_WAIT_VALUE_AND`: the number and the value have a set bit in common.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_AND")]
    And,
    /// `CU_STREAM_WAIT_VALUE_NOR`: there is a bit that is set in neither the number nor the value.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_NOR")]
    Nor,
}

impl WaitValue {
    const fn flags(self) -> u32 {
        match self {
            Self::GreaterOrEqual => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_GEQ.0,
            Self::Equal => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_EQ.0,
            Self::And => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_AND.0,
            Self::Nor => CUstreamWaitValue_flags::CU_STREAM_WAIT_VALUE_NOR.0,
        }
    }
}

impl WaitValue {
    /// Returns whether a number of 32 or 64 bits meets the condition with a value. `greatest` has all of its bits set.
    pub(crate) const fn is_met(self, number: u64, value: u64, greatest: u64) -> bool {
        match self {
            // The sign is the topmost bit of the number.
            Self::GreaterOrEqual => number.wrapping_sub(value) & greatest <= greatest / 2,
            Self::Equal => number == value,
            Self::And => number & value != 0,
            Self::Nor => (number | value) != greatest,
        }
    }
}

/// A number that streams write and wait for: `u32` or `u64`.
pub trait StreamValue: Sealed + AnyBitPattern + NoUninit {}

/// What scopes do with numbers. Nothing outside this crate can name it, so there are no other numbers.
pub trait Sealed: Into<u64> + Copy {
    /// All bits set.
    const GREATEST: Self;

    /// Writes the number in stream order.
    ///
    /// # Safety
    /// As [`Stream::write_value32`].
    unsafe fn write(self, stream: &Stream, memory: &DeviceMemory, offset: usize) -> Result<(), Error>;

    /// Makes the stream wait.
    ///
    /// # Safety
    /// As [`Stream::wait_value32`].
    unsafe fn wait(self, stream: &Stream, memory: &DeviceMemory, offset: usize, wait: WaitValue) -> Result<(), Error>;

    /// Returns whether a number meets the condition with this one.
    fn is_met_by(self, number: Self, wait: WaitValue) -> bool {
        wait.is_met(number.into(), self.into(), Self::GREATEST.into())
    }

    /// Returns an error if no number meets the condition with this one. Otherwise this number itself does.
    fn require_end(self, wait: WaitValue) -> Result<(), Error> {
        let is_met = self.is_met_by(self, wait);
        if is_met { Ok(()) } else { Err(Error::EndlessWait { wait, value: self.into() }) }
    }
}

macro_rules! numbers {
    ($($number:ty: $write:ident, $wait:ident;)*) => {$(
        impl StreamValue for $number {}

        impl Sealed for $number {
            const GREATEST: Self = Self::MAX;

            unsafe fn write(self, stream: &Stream, memory: &DeviceMemory, offset: usize) -> Result<(), Error> {
                // SAFETY: the caller makes the same promise.
                unsafe { stream.$write(memory, offset, self) }
            }

            unsafe fn wait(
                self,
                stream: &Stream,
                memory: &DeviceMemory,
                offset: usize,
                wait: WaitValue,
            ) -> Result<(), Error> {
                // SAFETY: the caller makes the same promise.
                unsafe { stream.$wait(memory, offset, wait, self) }
            }
        }
    )*};
}

numbers! {
    u32: write_value32, wait_value32;
    u64: write_value64, wait_value64;
}

/// Defines the method that writes a number of the given type with the given driver function.
macro_rules! write_value {
    ($(#[$doc:meta])* $name:ident, $number:ty, $function:ident) => {
        $(#[$doc])*
        ///
        /// A reader that sees the number also sees the effects of the stream's earlier work, in other processes too.
        ///
        /// # Errors
        /// [`Error::OutOfBounds`], [`Error::Misaligned`]; [`Error::Refused`] if the device does not support this.
        ///
        /// # Safety
        /// The memory is neither freed nor closed before the stream has completed this operation.
        pub unsafe fn $name(&self, memory: &DeviceMemory, offset: usize, value: $number) -> Result<(), Error> {
            let pointer = memory.number_at(offset, size_of::<$number>())?;
            let driver = self.context().enter()?;
            let flags = CUstreamWriteValue_flags::CU_STREAM_WRITE_VALUE_DEFAULT.0;
            // SAFETY: the stream is live, and the caller keeps the memory.
            let answer = unsafe { driver.$function(self.handle(), pointer, value, flags) };
            check(stringify!($function), answer, || memory.passed(offset, size_of::<$number>()))
        }
    };
}

/// Defines the method that waits for a number of the given type with the given driver function.
macro_rules! wait_value {
    ($(#[$doc:meta])* $name:ident, $number:ty, $function:ident) => {
        $(#[$doc])*
        ///
        /// If the number is never written, for example because the other process died, the stream never continues. The
        /// code that enqueues a wait must ensure that a live process writes the number. Otherwise it must end the wait
        /// by writing the number itself.
        ///
        /// # Errors
        /// [`Error::OutOfBounds`], [`Error::Misaligned`]; [`Error::Refused`] if the device does not support this.
        ///
        /// # Safety
        /// The memory is neither freed nor closed before the stream has completed this operation.
        pub unsafe fn $name(
            &self,
            memory: &DeviceMemory,
            offset: usize,
            wait: WaitValue,
            value: $number,
        ) -> Result<(), Error> {
            let pointer = memory.number_at(offset, size_of::<$number>())?;
            let driver = self.context().enter()?;
            // SAFETY: the stream is live, and the caller keeps the memory.
            let answer = unsafe { driver.$function(self.handle(), pointer, value, wait.flags()) };
            check(stringify!($function), answer, || memory.passed(offset, size_of::<$number>()))
        }
    };
}

/// Ordering between processes without an event. This is the faster way on one GPU, where waiting for another process's
/// event costs a context switch.
///
/// These methods are for code that keeps work in flight from one call to the next, such as a ring. A
/// [`scope()`](crate::stream::scope) has the same operations for safe code.
impl Stream {
    write_value! {
        /// `cuStreamWriteValue32`: writes a number, in stream order.
        #[doc(alias = "cuStreamWriteValue32")]
        write_value32, u32, cuStreamWriteValue32
    }

    write_value! {
        /// `cuStreamWriteValue64`: writes a number, in stream order. Some devices do not support this
        /// (`CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS`).
        #[doc(alias = "cuStreamWriteValue64")]
        write_value64, u64, cuStreamWriteValue64
    }

    wait_value! {
        /// `cuStreamWaitValue32`: makes later work of the stream wait for a number in memory.
        #[doc(alias = "cuStreamWaitValue32")]
        wait_value32, u32, cuStreamWaitValue32
    }

    wait_value! {
        /// `cuStreamWaitValue64`: makes later work of the stream wait for a number in memory. Some devices do not
        /// support this (`CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS`).
        #[doc(alias = "cuStreamWaitValue64")]
        wait_value64, u64, cuStreamWaitValue64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_cuda() {
        use WaitValue::{And, Equal, GreaterOrEqual, Nor};
        let met = |wait, value: u32, number| value.is_met_by(number, wait);
        assert!(met(GreaterOrEqual, 5, 5) && met(GreaterOrEqual, 5, 6) && !met(GreaterOrEqual, 5, 4));
        assert!(met(GreaterOrEqual, u32::MAX, 0) && !met(GreaterOrEqual, 0, u32::MAX), "counters may wrap");
        assert!(met(GreaterOrEqual, 0, (1 << 31) - 1) && !met(GreaterOrEqual, 0, 1 << 31));
        assert!(5_u64.is_met_by(1 << 40, GreaterOrEqual) && !(1_u64 << 40).is_met_by(5, GreaterOrEqual));
        assert!(u64::MAX.is_met_by(0, GreaterOrEqual) && !0_u64.is_met_by(1 << 63, GreaterOrEqual));
        assert!(met(Equal, 5, 5) && !met(Equal, 5, 6));
        assert!(met(And, 6, 2) && !met(And, 6, 1));
        assert!(met(Nor, 6, 1) && !met(Nor, 1, u32::MAX - 1) && !0_u64.is_met_by(u64::MAX, Nor));
        assert!(u64::from(u32::MAX).is_met_by(0, Nor), "the upper 32 bits count");
    }

    /// A wait either has a number that ends it, and then its own value does, or no number ends it.
    #[test]
    fn the_value_of_a_wait_ends_it_or_nothing_does() {
        for wait in [WaitValue::GreaterOrEqual, WaitValue::Equal, WaitValue::And, WaitValue::Nor] {
            for value in [0, 1, 6, 1 << 31, u32::MAX - 1, u32::MAX] {
                let ends = [0, 1, value, !value, u32::MAX].iter().any(|number| value.is_met_by(*number, wait));
                assert_eq!(value.require_end(wait).is_ok(), ends, "{wait:?} {value:#x}");
            }
        }
    }
}
