//! Stream values: numbers in device memory that streams write and wait for.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::sys::{CUstreamWaitValue_flags, CUstreamWriteValue_flags};
use crate::{Error, Stream};

/// The condition under which a stream that waits for a number in memory continues.
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
            let answer = unsafe { driver.$function(self.raw(), pointer, value, flags) };
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
        /// code that enqueues a wait must ensure that a live process writes the number, or end the wait by writing the
        /// number itself.
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
            let answer = unsafe { driver.$function(self.raw(), pointer, value, wait.flags()) };
            check(stringify!($function), answer, || memory.passed(offset, size_of::<$number>()))
        }
    };
}

/// Ordering between processes without an event. This is the faster way on one GPU, where waiting for another process's
/// event costs a context switch.
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
