//! Code that the examples share: kernels with their types, so that safe code launches them.
#![allow(dead_code, reason = "each example needs some of the kernels")]

use cuda_ipc::kernel::{Kernel, Parameters, Read, Write, WriteOne};
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Error, Stream};

/// Enough threads to keep a large GPU busy. The kernels are correct for any number of them.
pub(crate) const SHAPE: LaunchShape = LaunchShape::linear(1024, 256);

/// Arguments: the words, and a seed or a factor.
pub(crate) type Change = Kernel<(Write<u32>, u32)>;
/// Arguments: the words, the seed, and the counter.
pub(crate) type Verify = Kernel<(Read<u32>, u32, WriteOne<u64>)>;

/// Writes the pattern of a seed to every word.
pub(crate) fn fill(context: &Context) -> Result<Change, Error> {
    // SAFETY: these are the parameters of `kernels::FILL`, which writes `count` words.
    unsafe { kernel(context, kernels::FILL) }
}

/// Counts the words that differ from the pattern of a seed, and adds the number to a counter.
pub(crate) fn verify(context: &Context) -> Result<Verify, Error> {
    // SAFETY: these are the parameters of `kernels::VERIFY`, which reads `count` words and adds to the counter.
    unsafe { kernel(context, kernels::VERIFY) }
}

/// Multiplies every word by a factor.
pub(crate) fn scale(context: &Context) -> Result<Change, Error> {
    // SAFETY: these are the parameters of `kernels::SCALE`, which reads and writes `count` words.
    unsafe { kernel(context, kernels::SCALE) }
}

/// Keeps the stream busy for a number of nanoseconds.
pub(crate) fn spin(context: &Context) -> Result<Kernel<(u64,)>, Error> {
    // SAFETY: this is the parameter of `kernels::SPIN`, which accesses no memory.
    unsafe { kernel(context, kernels::SPIN) }
}

/// Lets the GPU of a context compare every word, and returns how many differ from the pattern of a seed.
pub(crate) fn mismatches(context: &Context, memory: &DeviceMemory, seed: u32) -> Result<u64, Error> {
    let (stream, verify) = (Stream::non_blocking(context)?, verify(context)?);
    let (counter, mut found) = (DeviceBuffer::new(context, size_of::<u64>())?, [0]);
    stream.scope(|stream| {
        stream.fill(counter.slice::<u32>(..)?, 0)?;
        stream.launch(&verify, SHAPE, (memory.slice(..)?, seed, counter.slice(..)?))?;
        stream.read(counter.slice(..)?, &mut found)
    })?;
    Ok(found[0])
}

/// # Safety
/// As [`Kernel::new`].
unsafe fn kernel<P: Parameters>(context: &Context, kernel: kernels::Kernel) -> Result<Kernel<P>, Error> {
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(context, kernel.ptx) }?;
    let function = module.function(kernel.entry)?;
    // SAFETY: the caller makes the same promise. The kernels are correct for any number of blocks and threads.
    Ok(unsafe { Kernel::new(function) })
}
