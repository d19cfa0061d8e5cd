//! Peer access: the access of one device to the memory of another.
#![allow(unsafe_code)] // Calls the driver.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use crate::error::check;
use crate::known::Known;
use crate::lock::lock;
use crate::resource::{Owned, Resource};
use crate::sys::{CUdevice_P2PAttribute, CUresult};
use crate::{Context, Device, Error, fork};

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

/// The access of one context to the memory of another. Dropping the last value for these two contexts disables the
/// access.
///
/// It applies to linear memory of this process. A legacy import itself enables the access it needs. Virtual memory and
/// pools have access settings of their own.
///
/// Before the access is disabled, both contexts are synchronised, so that no work loses it. If their work never ends,
/// neither does the drop, nor a thread that enables the same access meanwhile.
///
/// Other code of this process may rely on access that it finds enabled: libraries ignore `PEER_ACCESS_ALREADY_ENABLED`,
/// and their work fails once the access is gone. If that can happen, keep the value, for example with
/// [`std::mem::forget`].
#[derive(Debug)]
pub struct PeerAccess(Owned<Holder>);

/// One of the values that hold the access of a pair.
#[derive(Debug)]
struct Holder(Arc<Pair>);

/// A context, and the peer whose memory it reaches. There is at most one of each pair, as long as it has holders.
#[derive(Debug)]
struct Pair {
    context: Context,
    peer: Context,
    /// Held while the access is enabled or disabled.
    access: Mutex<Access>,
}

#[derive(Debug)]
struct Access {
    holders: usize,
    /// Other code enabled the access before, and is responsible for disabling it.
    was_enabled: bool,
}

impl Pair {
    /// Returns the pair of two contexts.
    fn of(context: &Context, peer: &Context) -> Arc<Self> {
        // The pair keeps its contexts alive, so that no others have their addresses.
        static PAIRS: Known<[usize; 2], Pair> = Known::new();
        let make = || {
            let access = Mutex::new(Access { holders: 0, was_enabled: false });
            Ok(Arc::new(Self { context: context.clone(), peer: peer.clone(), access }))
        };
        let Ok(pair) = PAIRS.get_or_make::<Infallible>([context, peer].map(|context| context.raw().addr()), make);
        pair
    }

    fn enable(&self) -> Result<(), Error> {
        let mut access = lock(&self.access);
        if access.holders == 0 {
            let driver = self.context.enter()?;
            // SAFETY: both contexts are live.
            let answer = unsafe { driver.cuCtxEnablePeerAccess(self.peer.raw(), 0) };
            access.was_enabled = matches!(answer, Ok(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
            if !access.was_enabled {
                check("cuCtxEnablePeerAccess", answer, || {
                    format!("from {} to {}", self.context.device().passed(), self.peer.device().passed())
                })?;
            }
        }
        access.holders += 1;
        Ok(())
    }

    // Relies on: correct raw calls.
    fn disable(&self) -> Result<(), Error> {
        let mut access = lock(&self.access);
        access.holders -= 1;
        if access.holders > 0 || access.was_enabled {
            return Ok(());
        }
        // Work that loses its access fails, and the process can then do no more device work.
        self.context.synchronize()?;
        self.peer.synchronize()?;
        let driver = self.context.enter()?;
        // SAFETY: both contexts are live.
        let answer = unsafe { driver.cuCtxDisablePeerAccess(self.peer.raw()) };
        check("cuCtxDisablePeerAccess", answer, || self.peer.device().passed())
    }
}

impl Resource for Holder {
    const NAME: &'static str = "PeerAccess";

    unsafe fn give_back(&self) -> Result<(), Error> {
        self.0.disable()
    }
}

impl PeerAccess {
    /// `cuCtxEnablePeerAccess`: lets a context reach the memory of another. The opposite direction needs its own call.
    ///
    /// If another value has already enabled the access, this one shares it. If other code has enabled it, this succeeds,
    /// and dropping the value leaves it enabled.
    ///
    /// # Errors
    /// [`Error::Refused`] if the devices are not peers ([`can_access`]), or are the same device.
    #[doc(alias = "cuCtxEnablePeerAccess")]
    pub fn enable(context: &Context, peer: &Context) -> Result<Self, Error> {
        // First of all: in a forked child, a lock that another thread of the parent held is never released.
        fork::check()?;
        let pair = Pair::of(context, peer);
        pair.enable()?;
        Ok(Self(Owned::new(Holder(pair))))
    }

    /// `cuCtxSynchronize`, `cuCtxDisablePeerAccess`: gives up the access as dropping does, and returns the error.
    ///
    /// While other values for these two contexts exist, this leaves the access enabled. Otherwise it first waits for all
    /// work of both contexts.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code, or with the error of the work. If the work failed, the access
    /// stays enabled.
    #[doc(alias = "cuCtxSynchronize")]
    #[doc(alias = "cuCtxDisablePeerAccess")]
    pub fn disable(self) -> Result<(), Error> {
        self.0.close()
    }
}
