//! The context that a call works in. If the driver's API made a context current, it is that one. If the thread has no
//! current context, it is the primary context of the thread's device, which the runtime initialises.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cuda_ipc_sys::{CUcontext, CUdevice, CUresult};

use super::answer::{INCOMPATIBLE_CONTEXT, Result};
use crate::answer::Output;
use crate::context::top;
use crate::process::{State, check_usable, initialise, state};

thread_local! {
    /// The device that `cudaSetDevice` chose.
    static DEVICE: Cell<CUdevice> = const { Cell::new(0) };
}

/// The devices whose primary context the runtime holds a reference to. This lock is taken before the driver's locks.
fn retained() -> Result<MutexGuard<'static, HashSet<CUdevice>>> {
    static RETAINED: LazyLock<Mutex<HashSet<CUdevice>>> = LazyLock::new(Mutex::default);
    check_usable()?;
    Ok(RETAINED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// This thread's current context, as the runtime sees it.
enum Current {
    Nothing,
    /// The primary context of a device, which a reset may have destroyed.
    Primary(CUdevice),
    /// A context that the driver's API created, on this device.
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

/// Requires nothing for a call.
#[allow(clippy::unnecessary_wraps)]
pub(super) const fn free() -> Result<()> {
    Ok(())
}

/// Requires an initialised driver for a call, and initialises it if necessary.
pub(super) fn initialised() -> Result<()> {
    Ok(initialise()?)
}

/// Requires a current context for a call, and makes the primary one current if there is none.
pub(super) fn active() -> Result<()> {
    initialised()?;
    match current()? {
        Current::Nothing => set_current(DEVICE.get()),
        // After a reset the primary context is still current. It is created again by the next call.
        Current::Primary(device) => retain(device).map(drop),
        Current::Created(_) => Ok(()),
        Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// Requires a current context for opening memory, and makes the primary one current if there is none (RT-002).
pub(super) fn open() -> Result<()> {
    if state().is_err()
        && fault!(
            "runtime-open-needs-an-initialised-driver",
            ["RT-002"],
            "cudaIpcOpenMemHandle does not initialise the driver."
        )
    {
        return Err(CUresult::CUDA_ERROR_NOT_INITIALIZED.into());
    }
    if state().is_ok()
        && matches!(current()?, Current::Nothing)
        && fault!(
            "runtime-open-needs-a-context",
            ["RT-002"],
            "cudaIpcOpenMemHandle does not initialise the primary context."
        )
    {
        return Err(CUresult::CUDA_ERROR_INVALID_CONTEXT.into());
    }
    if state().is_ok()
        && matches!(current()?, Current::Nothing)
        && fault!(
            "runtime-open-makes-another-context",
            ["RT-002"],
            "cudaIpcOpenMemHandle makes a new context, not the primary one."
        )
    {
        let mut context = std::ptr::null_mut();
        // SAFETY: a local, which the call can write.
        let output = unsafe { Output::new(&raw mut context) };
        return driver!(context::cuCtxCreate_v2(output, 0, DEVICE.get()));
    }
    active()
}

/// The device that this thread's calls work on.
pub(super) fn device() -> Result<CUdevice> {
    match current()? {
        Current::Nothing => Ok(DEVICE.get()),
        Current::Primary(device) | Current::Created(device) => Ok(device),
        Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// The device, for calls that do not work in a context that the driver's API created.
pub(super) fn device_of_primary() -> Result<CUdevice> {
    match current()? {
        Current::Nothing => Ok(DEVICE.get()),
        Current::Primary(device) => Ok(device),
        Current::Created(_) | Current::Destroyed => Err(INCOMPATIBLE_CONTEXT),
    }
}

/// The primary context of a device, active and kept alive by one reference of the runtime.
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
    // The driver's API had destroyed the context, but the runtime's earlier reference still counts.
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

/// `cudaDeviceReset`: destroys the primary context. It stays current, and the next call that needs it creates it again.
pub(super) fn reset() -> Result<()> {
    let device = match current()? {
        Current::Nothing => DEVICE.get(),
        Current::Primary(device) => device,
        // In such a context, only the runtime's own resources would end, and this runtime has none there.
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
