//! The errors after which no work runs any more.

use super::Error;
use crate::sys::CUresult as C;

impl Error {
    /// Returns whether the error means that no work of this process runs on the device any more.
    ///
    /// CUDA documents of most of these codes that they leave the process in an inconsistent state, in which any further
    /// work returns the same error. An assertion ends its context, and a context that is destroyed has no work either.
    /// `CUDA_ERROR_DEINITIALIZED` means that the driver ends with the process.
    // Relies on: the end of work.
    pub(crate) const fn ends_work(&self) -> bool {
        match self {
            // A forked child has no work: that of the streams which it inherits is its parent's.
            Self::Forked => true,
            Self::Refused { code, .. } => matches!(
                *code,
                C::CUDA_ERROR_CONTAINED
                    | C::CUDA_ERROR_ILLEGAL_ADDRESS
                    | C::CUDA_ERROR_LAUNCH_TIMEOUT
                    | C::CUDA_ERROR_ASSERT
                    | C::CUDA_ERROR_HARDWARE_STACK_ERROR
                    | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
                    | C::CUDA_ERROR_MISALIGNED_ADDRESS
                    | C::CUDA_ERROR_INVALID_ADDRESS_SPACE
                    | C::CUDA_ERROR_INVALID_PC
                    | C::CUDA_ERROR_LAUNCH_FAILED
                    | C::CUDA_ERROR_TENSOR_MEMORY_LEAK
                    | C::CUDA_ERROR_MPS_CLIENT_TERMINATED
                    | C::CUDA_ERROR_EXTERNAL_DEVICE
                    | C::CUDA_ERROR_INVALID_CONTEXT
                    | C::CUDA_ERROR_CONTEXT_IS_DESTROYED
                    | C::CUDA_ERROR_DEINITIALIZED
            ),
            _ => false,
        }
    }
}
