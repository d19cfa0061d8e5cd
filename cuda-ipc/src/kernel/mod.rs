//! Checked kernels: what a kernel needs is promised once, and then safe code launches it.
//!
//! A [`Kernel`] is a function whose parameters have Rust types. The code that makes it promises that these types are
//! right, and that the kernel accesses only the slices that it is given. From then on, a [scope](crate::stream::scope)
//! launches it safely.
#![allow(unsafe_code)] // Launches kernels.

mod parameters;

use std::fmt;
use std::marker::PhantomData;

pub use parameters::{Parameter, Parameters, Read, ReadOne, Write, WriteOne};

use crate::module::{Function, LaunchShape};
use crate::{Error, Stream};

/// A kernel whose parameters have the types `P`, a tuple such as `(Write<u32>, f32)`.
///
/// | type of a parameter | argument of a launch | what the kernel declares |
/// |---|---|---|
/// | [`Read<T>`] | `DeviceSlice<T>` | `const T *values, uint64_t length` |
/// | [`Write<T>`] | `DeviceSlice<T>` | `T *values, uint64_t length` |
/// | [`ReadOne<T>`] | `DeviceSlice<T>` of one value | `const T *value` |
/// | [`WriteOne<T>`] | `DeviceSlice<T>` of one value | `T *value` |
/// | any other `T` | `T` | `T value` |
///
/// ```no_run
/// use std::ffi::CStr;
///
/// use cuda_ipc::kernel::{Kernel, Write};
/// use cuda_ipc::module::{LaunchShape, Module};
/// use cuda_ipc::{Context, DeviceMemory, Error, Stream};
///
/// /// Multiplies words: `extern "C" __global__ void scale(uint32_t *words, uint64_t count, uint32_t factor)`.
/// fn scale(context: &Context, ptx: &CStr) -> Result<Kernel<(Write<u32>, u32)>, Error> {
///     // SAFETY: the text is our kernel, with these parameters. It uses the `count` words that it is given, and no other
///     // memory, for every number of blocks and threads.
///     unsafe { Ok(Kernel::new(Module::from_ptx(context, ptx)?.function(c"scale")?)) }
/// }
///
/// fn double(memory: &DeviceMemory, scale: &Kernel<(Write<u32>, u32)>, stream: &Stream) -> Result<(), Error> {
///     stream.scope(|stream| stream.launch(scale, LaunchShape::linear(64, 256), (memory.slice(..)?, 2)))
/// }
/// ```
///
/// To launch a kernel with other parameters, such as one length for several slices, use [`Function::launch`]. If the
/// stream is in a scope, the scope waits for this kernel too.
pub struct Kernel<P> {
    function: Function,
    parameters: PhantomData<fn(P)>,
}

impl<P: Parameters> Kernel<P> {
    /// Makes a kernel that safe code can launch.
    ///
    /// # Safety
    /// The caller promises that
    /// - the kernel declares exactly these parameters, in this order;
    /// - with any arguments and any launch shape, it accesses only the memory of its slices, within their lengths, and
    ///   writes only to slices that are to be written. Slices may overlap, and may have no values;
    /// - it leaves no work behind that goes on after it has ended.
    #[must_use]
    pub const unsafe fn new(function: Function) -> Self {
        Self { function, parameters: PhantomData }
    }

    /// Returns the function.
    #[must_use]
    pub const fn function(&self) -> &Function {
        &self.function
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// The kernel and the memory of its slices must exist until the stream has done this.
    pub(crate) unsafe fn launch(
        &self,
        shape: LaunchShape,
        stream: &Stream,
        arguments: P::Arguments<'_>,
    ) -> Result<(), Error> {
        let context = stream.context();
        if self.function.module().context() != context {
            return Err(Error::OtherContext);
        }
        P::launch(arguments, context, |pointers| {
            // SAFETY: whoever made the kernel promised that it takes these parameters and uses them soundly. The caller
            // keeps what it uses.
            unsafe { self.function.launch(shape, stream, pointers) }
        })
    }
}

impl<P> fmt::Debug for Kernel<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.function).finish()
    }
}
