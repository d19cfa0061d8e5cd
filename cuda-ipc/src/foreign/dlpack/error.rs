//! The errors of tensors.

use thiserror::Error;

use super::abi::{DataType, Device};
use crate::error::Advice;

/// The reason why a tensor of other code cannot be used, or a tensor cannot be exported.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TensorError {
    /// The pointer to the structure is null.
    #[error("the tensor is null")]
    Null,
    /// The structure has the layout of another major version of DLPack.
    #[non_exhaustive]
    #[error("the tensor has the layout of DLPack {major}.{minor}{}", self.advice())]
    OtherVersion {
        /// The major version.
        major: u32,
        /// The minor version.
        minor: u32,
    },
    /// The elements are not in the memory of a GPU of CUDA.
    #[error("the tensor is on a device of kind {} with ordinal {}{}", .0.kind, .0.ordinal, self.advice())]
    NotCuda(Device),
    /// The address of the elements is null, or the address of one would not fit into 64 bits.
    #[non_exhaustive]
    #[error("{size} bytes at offset {offset} of {data:#x} are not in memory")]
    NoMemory {
        /// The address in the tensor.
        data: usize,
        /// The offset of the first element, in bytes.
        offset: u64,
        /// The size of the tensor, in bytes.
        size: usize,
    },
    /// A number of dimensions or of elements is negative, or its array is missing.
    #[error("{0} is not a number of dimensions or elements, or the shape is missing")]
    Shape(i64),
    /// The number of bytes does not fit into the address space.
    #[error("the tensor's size does not fit into 64 bits")]
    TooLarge,
    /// The elements are not next to each other in row-major order.
    #[error("the tensor's elements are not next to each other{}", self.advice())]
    NotContiguous,
    /// An element is not a whole number of bytes.
    #[error("elements of {} lanes of {} bits are not whole bytes", .0.lanes, .0.bits)]
    NotBytes(DataType),
    /// The tensor must not be written to, but safe code can write to all device memory.
    #[error("the tensor is read-only{}", self.advice())]
    ReadOnly,
}

impl TensorError {
    /// Returns what to do about the error, if that is known. The error's message ends with it.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::OtherVersion { .. } => "ask the producer for max_version=(1, 0)",
            Self::NotCuda(_) => "move the tensor to a GPU first",
            Self::NotContiguous => "make it contiguous first",
            Self::ReadOnly => "copy the tensor first",
            _ => return None,
        })
    }

    fn advice(&self) -> Advice {
        Advice(self.hint())
    }
}
