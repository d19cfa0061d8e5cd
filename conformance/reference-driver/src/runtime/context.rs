//! Which context a call works in. Where the thread has none, it is the primary one of the thread's device, which the
//! runtime initialises; where the driver's API made another one current, it is that one.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUcontext, CUdevice};

use super::answer::{INCOMPATIBLE_CONTEXT, Result};
use crate::answer::Output;
use crate::context::top;
use crate::process::{State, check_usable, initialise, state};

thread_local! {
    /// What `cudaSetDevice` chose.
    static DEVICE: Cell<CUdevice> = const { Cell::new(0) };
}

/// The devices whose primary context the runtime holds a reference to. It is taken before the driver's locks.
fn retained() -> Result<MutexGuard<'static, HashSet<CUdevice>>> {
    static RETAINED: LazyLock<Mutex<HashSet<CUdevice>>> = LazyLock::new(Mutex::default);
    check_usable()?;
    Ok(RETAINED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// This thread's current context, as the runtime sees it.
enum Current {
    Nothing,
    /// The primary context of a device, which a reset may have ended.
    Primary(CUdevice),
    /// One that the driver's API created, on a device.
    Created(CUdevice),
    Destroyed,
}

impl State {
    fn current_of_runtime(&self) -> Current {
        let id = top();
        let is_primary = |ordinal: &usize| self.devices[*ordinal].primary_context == Some(id);
        match (0..self.devices.len()).find(is_primary) {
            _ if id == 0 => Current::Nothing,
            Some(ordinal) => Current::Primary(ordinal as CUdevice),
            None => self.contexts.get(&id).map_or(Current::Destroyed, |context| Current::Created(context.device)),
        }
    }
}

fn current() -> Result<Current> {
    Ok(state()?.current_of_runtime())
}

/// What a call has to have: nothing.
#[allow(clippy::unnecessary_wraps)]
pub(super) const fn free() -> Result<()> {
    Ok(())
}

/// What a call has to have: an initialised driver.
pub(super) fn initialised() -> Result<()> {
    Ok(initialise()?)
}

/// What a call has to have: a current context in working order.
pub(super) fn active() -> Result<()> {
    initialised()?;
    match current()? {
        Current::Nothing => set_current(DEVICE.get()),
        // After a reset it is current still, and comes back with the next call.
        Current::Primary(device) => retain(device).map(drop),
        Current::Created(_) => Ok(()),
        Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// The device that calls of this thread are for.
pub(super) fn device() -> Result<CUdevice> {
    match current()? {
        Current::Nothing => Ok(DEVICE.get()),
        Current::Primary(device) | Current::Created(device) => Ok(device),
        Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// The same for calls that do not work in a context that the driver's API created.
pub(super) fn device_of_primary() -> Result<CUdevice> {
    match current()? {
        Current::Nothing => Ok(DEVICE.get()),
        Current::Primary(device) => Ok(device),
        Current::Created(_) | Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// The primary context of a device, active and kept by one reference of the runtime.
pub(super) fn retain(device: CUdevice) -> Result<CUcontext> {
    let mut retained = retained()?;
    let (primary, references) = {
        let mut state = state()?;
        let device = state.device(device)?;
        let (primary, references) = (device.primary_context, device.primary_references);
        (primary.filter(|id| state.contexts.contains_key(id)), references)
    };
    if let Some(id) = primary.filter(|_| retained.contains(&device)) {
        return Ok(id as CUcontext);
    }
    let mut context = std::ptr::null_mut();
    // SAFETY: a local, which the call can write.
    let output = unsafe { Output::new(&raw mut context) };
    driver!(context::cuDevicePrimaryCtxRetain(output, device))?;
    // The driver's API ended the context, and left our reference.
    if !retained.insert(device) && references > 0 {
        driver!(context::cuDevicePrimaryCtxRelease_v2(device))?;
    }
    Ok(context)
}

/// `cudaSetDevice`.
pub(super) fn set_current(device: CUdevice) -> Result<()> {
    let context = retain(device)?;
    driver!(context::cuCtxSetCurrent(context))?;
    DEVICE.set(device);
    Ok(())
}

/// `cudaDeviceReset`: the primary context ends, and stays current until the next call that needs it brings it back.
pub(super) fn reset() -> Result<()> {
    let device = match current()? {
        Current::Nothing => DEVICE.get(),
        Current::Primary(device) => device,
        // Only what the runtime keeps of such a context would end, and this one keeps nothing.
        Current::Created(_) => return Ok(()),
        Current::Destroyed => return Err(INCOMPATIBLE_CONTEXT),
    };
    let mut retained = retained()?;
    driver!(context::cuDevicePrimaryCtxReset_v2(device))?;
    if retained.remove(&device) {
        driver!(context::cuDevicePrimaryCtxRelease_v2(device))?;
    }
    Ok(())
}
