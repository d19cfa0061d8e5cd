//! Whether GPU 0 gives dma-bufs.

use conformance::{Outcome, Role, Stop};
use cuda_ipc_sys::CUdevice_attribute as Attribute;

/// Whether GPU 0 has a boolean attribute.
pub(crate) fn is_supported(role: &Role, attribute: Attribute) -> Result<bool, Stop> {
    Ok(role.device_get_attribute(attribute.0, 0)? != 0)
}

/// Skips the case if GPU 0 does not support dma-bufs.
pub(crate) fn needs_dma_bufs(role: &Role) -> Outcome {
    if is_supported(role, Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED)? {
        return Ok(());
    }
    Err(Stop::Unsupported("needs a GPU that supports dma-bufs".to_owned()))
}
