//! Device code: loaded as PTX, launched in streams.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use crate::error::check;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUfunc_st, CUfunction, CUmod_st};
use crate::{Context, Error, Stream};

/// Device code in a context. Clones are the same module.
#[derive(Clone, Debug)]
pub struct Module(Arc<Owned<Loaded>>);

#[derive(Debug)]
struct Loaded {
    context: Context,
    raw: Raw<CUmod_st>,
}

impl Resource for Loaded {
    const NAME: &'static str = "Module";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the module is live; its functions held it, and are gone.
        check("cuModuleUnload", unsafe { driver.cuModuleUnload(self.raw.0) }, String::new)
    }
}

impl Module {
    /// `cuModuleLoadData`: load PTX, which the driver compiles for its device.
    ///
    /// # Errors
    /// [`Error::Refused`] where the text is no PTX, or of a version that this driver does not know.
    ///
    /// # Safety
    /// The text runs as device code, and the driver's compiler reads it.
    #[doc(alias = "cuModuleLoadData")]
    pub unsafe fn from_ptx(context: &Context, ptx: &CStr) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local, and the text ends with NUL.
        let answer = unsafe { driver.cuModuleLoadData(&mut raw, ptx.as_ptr().cast()) };
        check("cuModuleLoadData", answer, || format!("{} bytes of PTX", ptx.count_bytes()))?;
        Ok(Self(Arc::new(Owned::new(Loaded { context: context.clone(), raw: Raw(raw) }))))
    }

    /// `cuModuleGetFunction`: a kernel by its name.
    ///
    /// # Errors
    /// [`Error::Refused`] where the module has none of that name.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: &CStr) -> Result<Function, Error> {
        let driver = self.0.context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local, the module is live, and the name ends with NUL.
        let answer = unsafe { driver.cuModuleGetFunction(&mut raw, self.0.raw.0, name.as_ptr()) };
        check("cuModuleGetFunction", answer, || format!("{name:?}"))?;
        Ok(Function { module: self.clone(), raw: Raw(raw) })
    }

    /// `cuModuleUnload`: what dropping does, and the error.
    ///
    /// While clones or functions live this does nothing: the last one unloads it.
    ///
    /// # Errors
    /// [`Error::Refused`] with what the driver answered.
    #[doc(alias = "cuModuleUnload")]
    pub fn unload(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }
}

/// A kernel, which holds its module.
#[derive(Clone, Debug)]
pub struct Function {
    module: Module,
    raw: Raw<CUfunc_st>,
}

/// How many threads a kernel runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared_memory: u32,
}

impl LaunchShape {
    /// So many blocks of so many threads.
    #[must_use]
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_memory: 0 }
    }
}

impl Function {
    /// The raw function, which lives as long as this value.
    #[must_use]
    pub const fn raw(&self) -> CUfunction {
        self.raw.0
    }

    /// The module that it is of.
    #[must_use]
    pub const fn module(&self) -> &Module {
        &self.module
    }

    /// `cuLaunchKernel`: run the kernel, in the order of a stream.
    ///
    /// The driver copies what the parameters point to before this returns.
    ///
    /// # Errors
    /// [`Error::Refused`] where the device cannot run that shape.
    ///
    /// # Safety
    /// - Each parameter points to a value of the type that the kernel declares at its place, and none is missing.
    /// - What the kernel does with them is sound: the memory that it reaches is there until it is done, and nothing
    ///   that Rust holds a reference to is changed.
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch(
        &self,
        shape: LaunchShape,
        stream: &Stream,
        parameters: &mut [*mut c_void],
    ) -> Result<(), Error> {
        let driver = stream.context().enter()?;
        let ([x, y, z], [block_x, block_y, block_z]) = (shape.grid, shape.block);
        let (raw, shared) = (self.raw.0, shape.shared_memory);
        // SAFETY: function and stream are live; the caller promises the parameters.
        let answer = unsafe {
            driver.cuLaunchKernel(
                raw,
                x,
                y,
                z,
                block_x,
                block_y,
                block_z,
                shared,
                stream.raw(),
                parameters.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", answer, || format!("{shape:?}"))
    }
}
