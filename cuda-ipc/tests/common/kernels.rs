//! The kernels of the workspace with their types, so that tests launch them safely.

use cuda_ipc::Context;
use cuda_ipc::kernel::{Kernel, Parameters, Read, ReadOne, Write, WriteOne};
use cuda_ipc::module::Module;

/// Writes a pattern: its seed.
pub(crate) fn fill(context: &Context) -> Kernel<(Write<u32>, u32)> {
    // SAFETY: these are the parameters of `kernels::FILL`, which writes `count` words.
    unsafe { kernel(context, kernels::FILL) }
}

/// Counts the words that differ from a pattern: its seed, and the counter.
pub(crate) fn verify(context: &Context) -> Kernel<(Read<u32>, u32, WriteOne<u64>)> {
    // SAFETY: these are the parameters of `kernels::VERIFY`, which reads `count` words and adds to the counter.
    unsafe { kernel(context, kernels::VERIFY) }
}

/// Waits until a flag equals a value.
#[allow(dead_code, reason = "not every test target waits")]
pub(crate) fn latch(context: &Context) -> Kernel<(ReadOne<u32>, u32)> {
    // SAFETY: these are the parameters of `kernels::LATCH`, which reads the flag.
    unsafe { kernel(context, kernels::LATCH) }
}

/// Keeps the stream busy: nanoseconds.
#[allow(dead_code, reason = "not every test target waits")]
pub(crate) fn spin(context: &Context) -> Kernel<(u64,)> {
    // SAFETY: this is the parameter of `kernels::SPIN`, which accesses no memory.
    unsafe { kernel(context, kernels::SPIN) }
}

/// # Safety
/// As [`Kernel::new`].
unsafe fn kernel<P: Parameters>(context: &Context, kernel: kernels::Kernel) -> Kernel<P> {
    // SAFETY: the text is a kernel of this workspace.
    let module = unsafe { Module::from_ptx(context, kernel.ptx) }.expect("PTX that every driver compiles");
    let function = module.function(kernel.entry).expect("the module's only kernel");
    // SAFETY: the caller makes the same promise. The kernels are correct for any number of blocks and threads.
    unsafe { Kernel::new(function) }
}
