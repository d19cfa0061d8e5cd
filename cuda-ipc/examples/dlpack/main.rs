//! Device memory of this crate in PyTorch, and a tensor of PyTorch here, through DLPack's capsules.
//!
//! This is a library for Python's `ctypes`. `with_torch.py` beside it builds it, loads it and exchanges tensors:
//!
//! ```text
//! cuda-ipc/examples/dlpack/with_torch.py
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc::foreign::dlpack::{Managed, Tensor};
use cuda_ipc::{Context, DeviceMemory, Driver, Error, SharedBuffer};

/// The number of exported buffers that were not released yet.
static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Counted(Arc<SharedBuffer>);

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

impl std::ops::Deref for Counted {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.0
    }
}

fn context() -> Result<Context, Error> {
    Context::primary(Driver::get()?.device(0)?)
}

/// Prints an error and returns the other value.
fn or_print<T>(result: Result<T, Error>, other: T) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        other
    })
}

/// Exports `rows` × `columns` numbers, 0, 1, 2 …, that lie in the middle of a buffer that other processes can open.
/// Returns null after an error.
#[unsafe(no_mangle)]
pub extern "C" fn beside_export(rows: usize, columns: usize) -> *mut Managed {
    let export = || {
        const BEFORE: usize = 256;
        let buffer = SharedBuffer::new(&context()?, BEFORE + 4 * rows * columns)?;
        let values: Vec<f32> = (0..rows * columns).map(|value| value as f32).collect();
        buffer.write(BEFORE, &values)?;
        LIVE.fetch_add(1, Ordering::SeqCst);
        Ok(Tensor::export::<f32, _>(Counted(Arc::new(buffer)), BEFORE, &[rows, columns])?.into_raw())
    };
    or_print(export(), std::ptr::null_mut())
}

/// Returns the number of exported buffers that were not released yet.
#[unsafe(no_mangle)]
pub extern "C" fn beside_live() -> usize {
    LIVE.load(Ordering::SeqCst)
}

/// Adds the numbers of a tensor, writes 0.5 to the first, and releases the tensor. Returns a NaN after an error.
///
/// # Safety
/// As [`Tensor::from_raw`]. The tensor's work is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_import(raw: *mut Managed) -> f64 {
    let import = || {
        // SAFETY: the caller promises what `from_raw` requires.
        let tensor = unsafe { Tensor::from_raw(raw)? };
        let memory = tensor.memory(&context()?)?;
        let mut values = vec![0.0_f32; memory.size() / 4];
        memory.read(0, &mut values)?;
        memory.write(0, &[0.5_f32])?;
        Ok(values.iter().map(|value| f64::from(*value)).sum())
    };
    or_print(import(), f64::NAN)
}
