//! Modules: PTX by its entry names, and launches.

use std::ffi::{CStr, c_char, c_void};

use cuda_ipc_sys::{
    CUdeviceptr, CUevent, CUfunction, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig, CUmodule, CUresult,
    CUstream,
};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::kernel::Kernel;
use crate::process::{State, state};

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: u64,
    entries: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) context: u64,
    module: u64,
    entry: String,
}

/// The entries of a module's image.
fn entries(image: &CStr) -> Result<Vec<String>> {
    let Ok(text) = image.to_str() else { return Err(CUresult::CUDA_ERROR_INVALID_IMAGE) };
    if text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        return Err(CUresult::CUDA_ERROR_INVALID_IMAGE);
    }
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    if !words.contains(&".version") || !words.contains(&".target") {
        return Err(CUresult::CUDA_ERROR_INVALID_PTX);
    }
    let names = words.windows(2).filter(|pair| pair[0] == ".entry").map(|pair| pair[1]);
    Ok(names.map(|name| name.split(['(', '{']).next().unwrap_or(name).to_owned()).collect())
}

/// The sizes of a grid and of its blocks.
struct Grid([u32; 3], [u32; 3]);

impl Grid {
    /// How many threads there are in all.
    fn threads(&self) -> Result<u64> {
        const MOST_IN_A_BLOCK: u64 = 1024;
        let product = |sizes: [u32; 3]| sizes.iter().try_fold(1_u64, |all, size| all.checked_mul((*size).into()));
        let blocks = product(self.0).ok_or(INVALID_VALUE)?;
        let in_a_block = product(self.1).filter(|threads| *threads <= MOST_IN_A_BLOCK).ok_or(INVALID_VALUE)?;
        let threads = blocks.checked_mul(in_a_block).ok_or(INVALID_VALUE)?;
        if threads == 0 { Err(INVALID_VALUE) } else { Ok(threads) }
    }
}

impl State {
    /// A module whose context is in working order.
    fn module(&self, handle: CUmodule) -> Result<&Module> {
        let module = self.modules.get(&(handle as u64)).ok_or_else(|| self.missing(handle as u64))?;
        self.context(module.context)?.health.check()?;
        Ok(module)
    }

    fn launch(
        &mut self,
        function: CUfunction,
        grid: &Grid,
        stream: CUstream,
        arguments: Input<*const c_void>,
        extra: Input<*const c_void>,
    ) -> Result<()> {
        let stream = self.stream(stream)?;
        let function = self.functions.get(&(function as u64)).ok_or(INVALID_HANDLE)?;
        if function.context != stream.context {
            return Err(INVALID_HANDLE);
        }
        let threads = grid.threads()?;
        // Arguments in a buffer are another way to say the same.
        if !extra.is_null() {
            return Err(if arguments.is_null() { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let kernel = Kernel::read(&function.entry, arguments)?;
        let context = stream.context;
        self.enqueue(&stream, move |health| kernel.run(context, threads, health))?;
        Ok(())
    }

    /// IPCEVT-035: an interprocess event cannot be recorded by a launch. The code is that of an H200.
    fn check_attribute(&self, attribute: &CUlaunchAttribute) -> Result<()> {
        type A = CUlaunchAttributeID;
        let event: CUevent = match attribute.id {
            // SAFETY: the identifier says which member of the union was written.
            A::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT => unsafe { attribute.value.programmaticEvent.event },
            // SAFETY: as above.
            A::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => unsafe { attribute.value.launchCompletionEvent.event },
            // What else there is only makes a launch faster.
            _ => return Ok(()),
        };
        // One of this process alone would be legal, and is not written.
        self.event(event).and(Err(NOT_SUPPORTED))
    }
}

entry_points! {
    fn cuModuleLoadData(output: Output<CUmodule>, image: Input<c_char>) {
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        let entries = entries(image.text()?)?;
        let id = state.new_id();
        state.modules.insert(id, Module { context, entries });
        output.give(id as CUmodule)
    }

    fn cuModuleUnload(module: CUmodule) {
        let mut state = state()?;
        let id = module as u64;
        state.module(module)?;
        state.modules.remove(&id);
        state.functions.retain(|_, function| function.module != id);
        Ok(())
    }

    fn cuModuleGetFunction(output: Output<CUfunction>, module: CUmodule, name: Input<c_char>) {
        let mut state = state()?;
        output.wanted()?;
        let name = name.text()?.to_string_lossy().into_owned();
        let id = module as u64;
        let module = state.module(module)?;
        if !module.entries.contains(&name) {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        let function = Function { context: module.context, module: id, entry: name };
        let known = state.functions.iter().find(|(_, known)| **known == function).map(|(id, _)| *id);
        let id = known.unwrap_or_else(|| state.new_id());
        state.functions.insert(id, function);
        output.give(id as CUfunction)
    }

    // No kernel that this driver can run has global variables.
    fn cuModuleGetGlobal_v2(
        _pointer: Output<CUdeviceptr>,
        _size: Output<usize>,
        module: CUmodule,
        name: Input<c_char>,
    ) {
        let state = state()?;
        name.text()?;
        state.module(module)?;
        Err(CUresult::CUDA_ERROR_NOT_FOUND)
    }

    fn cuLaunchKernel(
        function: CUfunction,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        _shared_memory: u32,
        stream: CUstream,
        arguments: Input<*const c_void>,
        extra: Input<*const c_void>,
    ) {
        let grid = Grid([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        state()?.launch(function, &grid, stream, arguments, extra)
    }

    fn cuLaunchKernelEx(
        config: Input<CUlaunchConfig>,
        function: CUfunction,
        arguments: Input<*const c_void>,
        extra: Input<*const c_void>,
    ) {
        let mut state = state()?;
        let config = config.value()?;
        let grid = Grid(
            [config.gridDimX, config.gridDimY, config.gridDimZ],
            [config.blockDimX, config.blockDimY, config.blockDimZ],
        );
        // SAFETY: the caller of the launch promises null or a pointer to so many attributes.
        let attributes = unsafe { Input::new(config.attrs).values(config.numAttrs as usize) }?;
        attributes.iter().try_for_each(|attribute| state.check_attribute(attribute))?;
        state.launch(function, &grid, config.hStream, arguments, extra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_ours_is_found_in_its_module() {
        for kernel in kernels::ALL {
            assert_eq!(entries(kernel.ptx), Ok(vec![kernel.entry.to_str().unwrap().to_owned()]));
        }
    }

    #[test]
    fn what_is_no_ptx_is_refused() {
        assert_eq!(entries(c"hello"), Err(CUresult::CUDA_ERROR_INVALID_PTX));
        assert_eq!(entries(c"\x7fELF\x02"), Err(CUresult::CUDA_ERROR_INVALID_IMAGE));
        assert_eq!(entries(c".version 6.0\n.target sm_70\n// .entry old(\n"), Ok(Vec::new()));
    }
}
