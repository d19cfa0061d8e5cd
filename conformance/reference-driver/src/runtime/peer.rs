//! Peer access between the primary contexts of two devices.

use std::ffi::c_int;

use cuda_ipc_sys::{CUdevice, CUdevice_P2PAttribute};

use super::answer::{INVALID_DEVICE, output_of};
use super::context::{device_of_primary, retain};
use crate::answer::Output;

runtime_calls! {
    initialised fn cudaDeviceCanAccessPeer(output: Output<c_int>, device: CUdevice, peer: CUdevice) {
        driver!(peer::cuDeviceCanAccessPeer(output, device, peer))
    }

    active fn cudaDeviceEnablePeerAccess(peer: CUdevice, flags: u32) {
        let device = device_of_primary()?;
        // This is the documented code. The driver's own code is more specific.
        if output_of(|output| driver!(peer::cuDeviceCanAccessPeer(output, device, peer)))? == 0 {
            return Err(INVALID_DEVICE);
        }
        let peer = retain(peer)?;
        driver!(peer::cuCtxEnablePeerAccess(peer, flags))
    }

    active fn cudaDeviceDisablePeerAccess(peer: CUdevice) {
        device_of_primary()?;
        let peer = retain(peer)?;
        driver!(peer::cuCtxDisablePeerAccess(peer))
    }

    initialised fn cudaDeviceGetP2PAttribute(
        output: Output<c_int>,
        attribute: CUdevice_P2PAttribute,
        device: CUdevice,
        peer: CUdevice,
    ) {
        driver!(peer::cuDeviceGetP2PAttribute(output, attribute, device, peer))
    }
}
