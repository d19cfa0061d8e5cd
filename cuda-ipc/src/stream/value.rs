//! Stream values: numbers in device memory that streams write and wait for.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::memory::DeviceMemory;
use crate::sys::{CUstreamWaitValue_flags, CUstreamWriteValue_flags};
use crate::{Error, Stream};

/// What a stream waits for, of the number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitValue {
    /// `CU_STREAM_WAIT_VALUE_GEQ`: the number minus the value, taken as signed, is not negative. So a counter may wrap.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_GEQ")]
    GreaterOrEqual,
    /// `CU_STREAM_WAIT_VALUE_EQ`: the number is the value.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_EQ")]
    Equal,
    /// `CU_STREAM_WAIT_VALUE_AND`: the two have a bit in common.
    #[doc(alias = "CU_STREAM_WAIT_VALUE_AND")]
    And,
    /// `CU_STREAM_WAIT_VALUE_NOR`: there is a bit that neither has.
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

/// What both widths share: the function of that name on a number of that type.
macro_rules! write_value {
    ($(#[$doc:meta])* $name:ident, $number:ty, $function:ident) => {
        $(#[$doc])*
        ///
        /// What the stream did before is visible to whoever sees the number, in other processes too.
        ///
        /// # Errors
        /// [`Error::OutOfBounds`], [`Error::Misaligned`]; [`Error::Refused`] where the device cannot do this.
        ///
        /// # Safety
        /// The memory is neither freed nor closed before the stream has done this.
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

macro_rules! wait_value {
    ($(#[$doc:meta])* $name:ident, $number:ty, $function:ident) => {
        $(#[$doc])*
        ///
        /// If nobody ever writes it, for example since the other process died, the stream never goes on: whoever
        /// writes a wait owes it a writer that is alive, or a write of its own that ends it.
        ///
        /// # Errors
        /// [`Error::OutOfBounds`], [`Error::Misaligned`]; [`Error::Refused`] where the device cannot do this.
        ///
        /// # Safety
        /// The memory is neither freed nor closed before the stream has done this.
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

/// Order between processes without an event. On one GPU, where a wait for another process's event costs a switch of
/// contexts, this is the quick way.
impl Stream {
    write_value! {
        /// `cuStreamWriteValue32`: write a number, in the order of the stream.
        #[doc(alias = "cuStreamWriteValue32")]
        write_value32, u32, cuStreamWriteValue32
    }

    write_value! {
        /// `cuStreamWriteValue64`: write a number, in the order of the stream; a device may lack it
        /// (`CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS`).
        #[doc(alias = "cuStreamWriteValue64")]
        write_value64, u64, cuStreamWriteValue64
    }

    wait_value! {
        /// `cuStreamWaitValue32`: let later work of the stream wait for a number in memory.
        #[doc(alias = "cuStreamWaitValue32")]
        wait_value32, u32, cuStreamWaitValue32
    }

    wait_value! {
        /// `cuStreamWaitValue64`: let later work of the stream wait for a number in memory; a device may lack it
        /// (`CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS`).
        #[doc(alias = "cuStreamWaitValue64")]
        wait_value64, u64, cuStreamWaitValue64
    }
}
