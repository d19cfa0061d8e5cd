//! Modules: PTX by its entry names, and launches.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use cuda_ipc_sys::{CUdeviceptr, CUfunction, CUlaunchAttributeID, CUlaunchConfig, CUmodule, CUresult, CUstream};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, Result, give, take, wanted};
use crate::kernel::Kernel;
use crate::process::{State, state};

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: u64,
    entries: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) context: u64,
    entry: String,
}

/// The entries of a PTX text. Anything that is not PTX is no image that this device could run.
fn entries(text: &str) -> Result<Vec<String>> {
    if !text.contains(".version") || !text.contains(".target") {
        let is_text = text.bytes().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
        let invalid = if is_text { CUresult::CUDA_ERROR_INVALID_PTX } else { CUresult::CUDA_ERROR_INVALID_IMAGE };
        return Err(invalid);
    }
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$');
    let entry = |rest: &str| rest.trim_start().split(|character| !is_name(character)).next().unwrap_or("").to_owned();
    Ok(text.split(".entry").skip(1).map(entry).collect())
}

impl State {
    fn launch(
        &mut self,
        function: CUfunction,
        threads: u64,
        stream: CUstream,
        arguments: *mut *mut c_void,
    ) -> Result<()> {
        let stream = self.stream(stream)?;
        let function = self.functions.get(&(function as u64)).cloned().ok_or(INVALID_HANDLE)?;
        if function.context != stream.context {
            return Err(INVALID_HANDLE);
        }
        let kernel = Kernel::read(&function.entry, arguments, threads)?;
        let context = stream.context;
        self.enqueue(&stream, move || kernel.run(context))?;
        Ok(())
    }
}

fn threads(sizes: [u32; 6]) -> Result<u64> {
    const MOST_IN_A_BLOCK: u64 = 1024;
    let block = sizes[3..].iter().map(|size| u64::from(*size)).product::<u64>();
    let threads = sizes.iter().map(|size| u64::from(*size)).product::<u64>();
    if threads == 0 || block > MOST_IN_A_BLOCK { Err(INVALID_VALUE) } else { Ok(threads) }
}

entry_points! {
    fn cuModuleLoadData(output: *mut CUmodule, image: *const c_void) {
        let mut state = state()?;
        let context = state.current()?;
        wanted(output)?;
        if image.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: not null; PTX is a C string, and other images begin with a byte that ends this reading soon.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
        let entries = entries(&text)?;
        let id = state.new_id();
        state.modules.insert(id, Module { context, entries });
        give(output, id as CUmodule)
    }

    fn cuModuleUnload(module: CUmodule) {
        let mut state = state()?;
        state.modules.remove(&(module as u64)).ok_or(INVALID_HANDLE)?;
        Ok(())
    }

    fn cuModuleGetFunction(output: *mut CUfunction, module: CUmodule, name: *const c_char) {
        let mut state = state()?;
        wanted(output)?;
        if name.is_null() {
            return Err(INVALID_VALUE);
        }
        let module = state.modules.get(&(module as u64)).ok_or(INVALID_HANDLE)?;
        // SAFETY: not null, and the caller promises a C string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        if !module.entries.contains(&name) {
            return Err(CUresult::CUDA_ERROR_NOT_FOUND);
        }
        let function = Function { context: module.context, entry: name };
        let id = state.new_id();
        state.functions.insert(id, function);
        give(output, id as CUfunction)
    }

    fn cuModuleGetGlobal_v2(_address: *mut CUdeviceptr, _size: *mut usize, module: CUmodule, name: *const c_char) {
        // Our kernels have no global variables.
        let state = state()?;
        state.modules.get(&(module as u64)).ok_or(INVALID_HANDLE)?;
        Err(if name.is_null() { INVALID_VALUE } else { CUresult::CUDA_ERROR_NOT_FOUND })
    }

    fn cuLaunchKernel(
        function: CUfunction, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
        _shared_memory: u32, stream: CUstream, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let threads = threads([grid_x, grid_y, grid_z, block_x, block_y, block_z])?;
        if !extra.is_null() {
            return Err(NOT_SUPPORTED);
        }
        state()?.launch(function, threads, stream, arguments)
    }

    fn cuLaunchKernelEx(
        config: *const CUlaunchConfig, function: CUfunction, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        type A = CUlaunchAttributeID;
        let config = take(config)?;
        let sizes =
            [config.gridDimX, config.gridDimY, config.gridDimZ, config.blockDimX, config.blockDimY, config.blockDimZ];
        let threads = threads(sizes)?;
        if !extra.is_null() {
            return Err(NOT_SUPPORTED);
        }
        let mut state = state()?;
        for index in 0..config.numAttrs as usize {
            // SAFETY: the configuration says how many attributes there are.
            let attribute = take(unsafe { config.attrs.add(index) })?;
            let event = match attribute.id {
                // SAFETY: the identifier says which reading of the union is meant.
                A::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT => unsafe { attribute.value.programmaticEvent.event },
                // SAFETY: as above.
                A::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => unsafe {
                    attribute.value.launchCompletionEvent.event
                },
                _ => ptr::null_mut(),
            };
            // IPCEVT-035, with the H200's code.
            if !event.is_null() && state.event(event)?.is_interprocess() {
                return Err(NOT_SUPPORTED);
            }
        }
        state.launch(function, threads, config.hStream, arguments)
    }
}
