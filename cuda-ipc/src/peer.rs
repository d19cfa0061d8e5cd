//! Peer access: the access of one device to the memory of another.
#![allow(unsafe_code)] // Calls the driver.

use crate::error::check;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdevice_P2PAttribute, CUresult};
use crate::{Context, Device, Error};

/// `cuDeviceCanAccessPeer`: returns whether a device can reach the memory of another. A device is not its own peer.
///
/// # Errors
/// [`Error::Refused`] with the driver's error code.
#[doc(alias = "cuDeviceCanAccessPeer")]
pub fn can_access(device: Device, peer: Device) -> Result<bool, Error> {
    let mut can = 0;
    // SAFETY: the output is a local.
    let answer = unsafe { device.driver().calls()?.cuDeviceCanAccessPeer(&mut can, device.raw(), peer.raw()) };
    check("cuDeviceCanAccessPeer", answer, || format!("{}, peer {}", device.passed(), peer.raw()))?;
    Ok(can != 0)
}

/// `cuDeviceGetP2PAttribute`: returns one attribute of the link between two devices, as the driver's number.
///
/// # Errors
/// [`Error::Refused`] if the two are the same device, or if the driver does not know the attribute.
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

/// The access of one context to the memory of another. Dropping the value disables the access.
///
/// It applies to linear memory of this process. A legacy import itself enables the access it needs. Virtual memory and
/// pools have access settings of their own.
#[derive(Debug)]
pub struct PeerAccess(Owned<Enabled>);

#[derive(Debug)]
struct Enabled {
    context: Context,
    peer: Context,
    /// Other code enabled the access before, and is responsible for disabling it.
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
    /// `cuCtxEnablePeerAccess`: lets a context reach the memory of another. The opposite direction needs its own call.
    ///
    /// If the access is already enabled, this succeeds, and dropping the value leaves it enabled.
    ///
    /// # Errors
    /// [`Error::Refused`] if the devices are not peers ([`can_access`]), or are the same device.
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

    /// `cuCtxDisablePeerAccess`: disables the access as dropping does, and returns the error.
    ///
    /// Work that uses the access must be complete.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuCtxDisablePeerAccess")]
    pub fn disable(self) -> Result<(), Error> {
        self.0.close()
    }
}
