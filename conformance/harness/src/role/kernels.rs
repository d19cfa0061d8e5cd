//! Loads the kernels once for each context of a role, and launches them by name.

use std::ffi::c_void;
use std::ptr;

use super::session::{Session, ThreadSession};
use crate::message::Refused;
use crate::{Argument, Stream};

/// The number of blocks of a launch: enough threads to show a race, but few enough for a driver that runs them one by
/// one.
pub const BLOCKS: u32 = 4;
/// The number of threads per block.
pub const THREADS: u32 = 64;

/// Whether a kernel waits. More threads would have no effect, so it runs on one.
fn one_thread(entry: &str) -> bool {
    matches!(entry, "latch" | "spin")
}

pub(crate) fn pointers(arguments: &mut [Argument]) -> Vec<*mut c_void> {
    let address = |argument: &mut Argument| match argument {
        Argument::U32(value) => ptr::from_mut(value).cast(),
        Argument::U64(value) => ptr::from_mut(value).cast(),
    };
    arguments.iter_mut().map(address).collect()
}

impl Session {
    /// Launches one of our kernels.
    pub(crate) fn launch(&mut self, entry: &str, arguments: Vec<Argument>, stream: Stream) -> Result<(), Refused> {
        let grid = if one_thread(entry) { (1, 1) } else { (BLOCKS, THREADS) };
        let function = self.function(entry)?;
        ThreadSession { driver: self.driver }.launch(function, grid, arguments, stream)
    }

    /// Loads the kernels that fill and verify, so that no later call loads a module: loading may wait for the device.
    pub(crate) fn load_kernels(&mut self) -> Result<(), Refused> {
        self.function("fill")?;
        self.function("verify")?;
        Ok(())
    }

    /// Returns a kernel from a module of the current context.
    pub(crate) fn function(&mut self, entry: &str) -> Result<cuda_ipc_sys::CUfunction, Refused> {
        let kernel = kernels::ALL.iter().find(|kernel| kernel.entry.to_bytes() == entry.as_bytes());
        let kernel = kernel.ok_or_else(|| Refused::Role(format!("the kernel {entry} does not exist")))?;
        let session = self;
        let mut context = ptr::null_mut();
        cuda!(session.cuCtxGetCurrent(&mut context));
        if let Some(function) = session.functions.get(&(context as u64, kernel.entry)) {
            return Ok(*function as _);
        }
        let mut module = ptr::null_mut();
        cuda!(session.cuModuleLoadData(&mut module, kernel.ptx.as_ptr().cast()));
        let mut function = ptr::null_mut();
        cuda!(session.cuModuleGetFunction(&mut function, module, kernel.entry.as_ptr()));
        session.functions.insert((context as u64, kernel.entry), function as u64);
        Ok(function)
    }
}

impl ThreadSession {
    /// Launches a loaded kernel with a number of blocks, and of threads in each.
    pub(crate) fn launch(
        &self,
        function: cuda_ipc_sys::CUfunction,
        (blocks, threads): (u32, u32),
        mut arguments: Vec<Argument>,
        stream: Stream,
    ) -> Result<(), Refused> {
        let session = self;
        let mut pointers = pointers(&mut arguments);
        cuda!(session.cuLaunchKernel(
            function,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            0,
            stream.0 as _,
            pointers.as_mut_ptr(),
            ptr::null_mut(),
        ));
        Ok(())
    }
}
