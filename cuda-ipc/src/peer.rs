//! Peer access: what one device may do with another's memory.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdevice_P2PAttribute, CUresult};
use crate::{Context, Device, Error};

/// `cuDeviceCanAccessPeer`: whether a device can reach another's memory. It cannot "reach" itself.
///
/// # Errors
/// [`Error::Refused`] with what the driver answered.
#[doc(alias = "cuDeviceCanAccessPeer")]
pub fn can_access(device: Device, peer: Device) -> Result<bool, Error> {
    let mut can = 0;
    // SAFETY: the output is a local.
    let answer = unsafe { device.driver().calls()?.cuDeviceCanAccessPeer(&mut can, device.raw(), peer.raw()) };
    check("cuDeviceCanAccessPeer", answer, || format!("{}, peer {}", device.passed(), peer.raw()))?;
    Ok(can != 0)
}

/// `cuDeviceGetP2PAttribute`: one attribute of the link between two devices, as the number that the driver gives.
///
/// # Errors
/// [`Error::Refused`] where the two are one, or the driver does not know the attribute.
#[doc(alias = "cuDeviceGetP2PAttribute")]
pub fn attribute(attribute: CUdevice_P2PAttribute, device: Device, peer: Device) -> Result<i32, Error> {
    let (driver, mut value) = (device.driver().calls()?, 0);
    // SAFETY: the output is a local.
    let answer = unsafe { driver.cuDeviceGetP2PAttribute(&mut value, attribute, device.raw(), peer.raw()) };
    check("cuDeviceGetP2PAttribute", answer, || {
        format!("attribute {}, {}, peer {}", attribute.0, device.passed(), peer.raw())
    })?;
    Ok(value)
}

/// A context's access to the memory of another, until this is dropped.
///
/// It is for linear memory of this process. A legacy import enables what it needs itself, and virtual memory and pools
/// have an access of their own.
#[derive(Debug)]
pub struct PeerAccess(Owned<Enabled>);

#[derive(Debug)]
struct Enabled {
    context: Context,
    peer: Context,
    /// Someone else enabled it before, and is to disable it.
    was_enabled: bool,
}

impl Resource for Enabled {
    const NAME: &'static str = "PeerAccess";

    unsafe fn give_back(&self) -> Result<(), Error> {
        if self.was_enabled {
            return Ok(());
        }
        let driver = self.context.enter()?;
        // SAFETY: both contexts are live.
        let answer = unsafe { driver.cuCtxDisablePeerAccess(self.peer.raw()) };
        check("cuCtxDisablePeerAccess", answer, || self.peer.device().passed())
    }
}

impl PeerAccess {
    /// `cuCtxEnablePeerAccess`: let a context reach the memory of another. One way only: the other way is another call.
    ///
    /// Where it is enabled already this succeeds, and leaves it enabled when it ends.
    ///
    /// # Errors
    /// [`Error::Refused`] where the devices are no peers ([`can_access`]), or one and the same.
    #[doc(alias = "cuCtxEnablePeerAccess")]
    pub fn enable(context: &Context, peer: &Context) -> Result<Self, Error> {
        let driver = context.enter()?;
        // SAFETY: both contexts are live.
        let answer = unsafe { driver.cuCtxEnablePeerAccess(peer.raw(), 0) };
        let was_enabled = matches!(answer, Ok(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
        if !was_enabled {
            check("cuCtxEnablePeerAccess", answer, || {
                format!("from {} to {}", context.device().passed(), peer.device().passed())
            })?;
        }
        Ok(Self(Owned::new(Enabled { context: context.clone(), peer: peer.clone(), was_enabled })))
    }

    /// `cuCtxDisablePeerAccess`: what dropping does, and the error.
    ///
    /// Work that uses the access has to be done.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuCtxDisablePeerAccess")]
    pub fn disable(self) -> Result<(), Error> {
        self.0.close()
    }
}
