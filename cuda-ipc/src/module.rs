//! Device code: loading PTX, and launching its kernels in streams.
#![allow(unsafe_code)] // Calls the driver.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use crate::error::check;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CUfunc_st, CUfunction, CUmod_st};
use crate::{Context, Error, Stream};

/// Device code that is loaded in a context. Clones refer to the same module. It stays loaded until its kernels are
/// done, even if the last clone is dropped earlier.
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
        // CUDA does not say that unloading waits for the module's kernels.
        self.context.synchronize()?;
        let driver = self.context.enter()?;
        // SAFETY: the module is live, and its kernels are done. Its functions kept it alive, so all of them are gone.
        check("cuModuleUnload", unsafe { driver.cuModuleUnload(self.raw.0) }, String::new)
    }
}

impl Module {
    /// Returns the context that the module is loaded in.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// `cuModuleLoadData`: loads PTX, which the driver compiles for its device.
    ///
    /// The call may wait for all work of the context (seen on an H100). If a stream waits for another process, and that
    /// process waits for this one, neither goes on. Load modules first.
    ///
    /// # Errors
    /// [`Error::Refused`] if the text is not valid PTX, or is PTX of a version that this driver does not support.
    ///
    /// # Safety
    /// The caller must trust the text: the driver's compiler reads it, and it runs as device code.
    #[doc(alias = "cuModuleLoadData")]
    pub unsafe fn from_ptx(context: &Context, ptx: &CStr) -> Result<Self, Error> {
        let driver = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local, and the text ends with NUL.
        let answer = unsafe { driver.cuModuleLoadData(&mut raw, ptx.as_ptr().cast()) };
        check("cuModuleLoadData", answer, || format!("{} bytes of PTX", ptx.count_bytes()))?;
        Ok(Self(Arc::new(Owned::new(Loaded { context: context.clone(), raw: Raw(raw) }))))
    }

    /// `cuModuleGetFunction`: returns the kernel with the given name.
    ///
    /// # Errors
    /// [`Error::Refused`] if the module has no kernel of that name.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, name: &CStr) -> Result<Function, Error> {
        let driver = self.0.context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the output is a local, the module is live, and the name ends with NUL.
        let answer = unsafe { driver.cuModuleGetFunction(&mut raw, self.0.raw.0, name.as_ptr()) };
        check("cuModuleGetFunction", answer, || format!("{name:?}"))?;
        Ok(Function { module: self.clone(), raw: Raw(raw) })
    }

    /// `cuCtxSynchronize`, `cuModuleUnload`: unloads the module as dropping does, and returns the error.
    ///
    /// This does nothing while there are clones or functions of the module. Dropping the last of them first waits for
    /// all work of the context, which may be kernels of the module, and then unloads it. If such work never ends, neither
    /// does this.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code, or with the error of the work. If the work failed, the module
    /// stays loaded.
    #[doc(alias = "cuCtxSynchronize")]
    #[doc(alias = "cuModuleUnload")]
    pub fn unload(self) -> Result<(), Error> {
        Arc::into_inner(self.0).map_or(Ok(()), Owned::close)
    }
}

/// A kernel. It keeps its module loaded.
#[derive(Clone, Debug)]
pub struct Function {
    module: Module,
    raw: Raw<CUfunc_st>,
}

/// The number of threads and the amount of shared memory with which a kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaunchShape {
    /// The number of blocks in x, y and z.
    pub grid: [u32; 3],
    /// The number of threads per block in x, y and z.
    pub block: [u32; 3],
    /// The dynamic shared memory per block, in bytes.
    pub shared_memory: u32,
}

impl LaunchShape {
    /// Returns a shape with the given number of blocks and of threads per block, in one dimension.
    #[must_use]
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_memory: 0 }
    }
}

impl Function {
    /// Returns the raw function, which is valid as long as this value exists.
    #[must_use]
    pub const fn raw(&self) -> CUfunction {
        self.raw.0
    }

    /// Returns the module that contains the kernel.
    #[must_use]
    pub const fn module(&self) -> &Module {
        &self.module
    }

    /// `cuLaunchKernel`: runs the kernel, in the order of a stream.
    ///
    /// The driver copies the values that the parameters point to before this returns.
    ///
    /// # Errors
    /// [`Error::Refused`] if the device cannot run that shape.
    ///
    /// # Safety
    /// - Each parameter must point to a value of the type that the kernel declares at its position, and none may be
    ///   missing.
    /// - The kernel must use the parameters soundly: the memory that it accesses must be valid until it is done, and it
    ///   must not change anything to which Rust holds a reference.
    ///
    /// The module need not outlive the kernel: it is unloaded after the work of its context is complete.
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
        // SAFETY: the function and the stream are live; the caller promises that the parameters match the kernel.
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
                stream.handle(),
                parameters.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", answer, || format!("{shape:?}"))
    }
}
