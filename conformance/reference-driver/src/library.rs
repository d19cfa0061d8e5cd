//! Libraries: images that belong to no context. Each context gets a module of a library when it first uses it.

use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};

use cuda_ipc_sys::{CUdeviceptr, CUfunction, CUjit_option, CUkernel, CUlibrary, CUlibraryOption, CUmodule, CUresult};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::module::{Contents, check_options, contents, read};
use crate::process::{State, check_usable, state};

#[derive(Debug)]
pub(crate) struct Library {
    /// What the image has, or the error of its first use. Seen on an H200: a load does not read the image.
    contents: Result<Contents>,
    /// The handle of the kernel, if the image has one.
    kernel: Option<u64>,
    /// The module of each context.
    modules: HashMap<u64, u64>,
}

impl State {
    fn library(&mut self, library: CUlibrary) -> Result<&mut Library> {
        self.libraries.get_mut(&(library as u64)).ok_or(INVALID_HANDLE)
    }

    /// The library's module in a context.
    fn module_in(&mut self, context: u64, library: CUlibrary) -> Result<CUmodule> {
        let found = self.library(library)?;
        let (known, contents) = (found.modules.get(&context).copied(), found.contents.clone()?);
        let module = match known.filter(|module| self.modules.contains_key(module)) {
            Some(module) => module,
            None => self.add_module(context, contents, true)?,
        };
        self.library(library)?.modules.insert(context, module);
        Ok(module as CUmodule)
    }

    /// The library of a kernel.
    fn library_of(&self, kernel: CUkernel) -> Result<CUlibrary> {
        let has = |library: &&Library| library.kernel == Some(kernel as u64);
        let found = self.libraries.iter().find(|(_, library)| has(library));
        found.map(|(id, _)| *id as CUlibrary).ok_or(INVALID_HANDLE)
    }

    /// The function that a launch means: a function, or a kernel of a library in the context of the launch.
    pub(crate) fn function_in(&mut self, context: u64, function: CUfunction) -> Result<CUfunction> {
        let Ok(library) = self.library_of(function as CUkernel) else { return Ok(function) };
        let module = self.module_in(context, library)?;
        let name = self.kernel_of(library)?.entry;
        self.function_of(module, name)
    }

    /// Whether a handle is that of a library's kernel.
    pub(crate) fn has_kernel(&self, kernel: u64) -> bool {
        self.library_of(kernel as CUkernel).is_ok()
    }

    fn kernel_of(&mut self, library: CUlibrary) -> Result<&'static kernels::Kernel> {
        let (kernel, _) = self.library(library)?.contents.clone()?;
        kernel.ok_or(CUresult::CUDA_ERROR_NOT_FOUND)
    }
}

fn load(output: Output<CUlibrary>, image: Input<c_char>) -> Result<()> {
    let mut state = state()?;
    output.wanted()?;
    let contents = contents(image.text()?);
    if contents == Err(NOT_SUPPORTED) {
        return Err(NOT_SUPPORTED);
    }
    let has_kernel = matches!(contents, Ok((Some(_), _)));
    let kernel = has_kernel.then(|| state.new_id());
    let id = state.new_id();
    state.libraries.insert(id, Library { contents, kernel, modules: HashMap::new() });
    output.give(id as CUlibrary)
}

/// Checks the options of a library itself, which only change how long its image is needed.
fn check_library_options(count: u32, options: Input<CUlibraryOption>, values: Input<*mut c_void>) -> Result<()> {
    // SAFETY: the caller promises `count` options and values.
    unsafe { options.values(count as usize)?.into_iter().zip(values.values(count as usize)?) }.for_each(drop);
    Ok(())
}

entry_points! {
    fn cuLibraryLoadData(
        output: Output<CUlibrary>,
        image: Input<c_char>,
        options: Input<CUjit_option>,
        values: Input<*mut c_void>,
        count: u32,
        library_options: Input<CUlibraryOption>,
        library_values: Input<*mut c_void>,
        library_count: u32,
    ) {
        check_usable()?;
        check_options(count, options, values)?;
        check_library_options(library_count, library_options, library_values)?;
        load(output, image)
    }

    fn cuLibraryLoadFromFile(
        output: Output<CUlibrary>,
        path: Input<c_char>,
        options: Input<CUjit_option>,
        values: Input<*mut c_void>,
        count: u32,
        library_options: Input<CUlibraryOption>,
        library_values: Input<*mut c_void>,
        library_count: u32,
    ) {
        check_usable()?;
        check_options(count, options, values)?;
        check_library_options(library_count, library_options, library_values)?;
        output.wanted()?;
        let image: CString = read(path)?;
        // SAFETY: the text lives until the call returns.
        load(output, unsafe { Input::new(image.as_ptr()) })
    }

    fn cuLibraryUnload(library: CUlibrary) {
        let mut state = state()?;
        let unloaded = state.libraries.remove(&(library as u64)).ok_or(INVALID_HANDLE)?;
        unloaded.modules.into_values().for_each(|module| state.remove_module(module));
        Ok(())
    }

    fn cuLibraryGetModule(output: Output<CUmodule>, library: CUlibrary) {
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        output.give(state.module_in(context, library)?)
    }

    fn cuLibraryGetGlobal(
        pointer: Output<CUdeviceptr>,
        size: Output<usize>,
        library: CUlibrary,
        name: Input<c_char>,
    ) {
        let mut state = state()?;
        let context = state.current()?;
        if pointer.wanted().is_err() && size.wanted().is_err() {
            return Err(INVALID_VALUE);
        }
        let module = state.module_in(context, library)?;
        let (base, bytes) = state.global_of(module, name.text()?)?;
        pointer.give_if_wanted(base);
        size.give_if_wanted(bytes as usize);
        Ok(())
    }

    fn cuLibraryGetKernel(output: Output<CUkernel>, library: CUlibrary, name: Input<c_char>) {
        let mut state = state()?;
        output.wanted()?;
        let name = name.text()?;
        let kernel = state.kernel_of(library)?;
        let handle = state.library(library)?.kernel.filter(|_| kernel.entry == name);
        output.give(handle.ok_or(CUresult::CUDA_ERROR_NOT_FOUND)? as CUkernel)
    }

    fn cuLibraryGetKernelCount(count: Output<u32>, library: CUlibrary) {
        let mut state = state()?;
        count.wanted()?;
        let library = state.library(library)?;
        library.contents.clone()?;
        count.give(library.kernel.is_some().into())
    }

    fn cuKernelGetFunction(output: Output<CUfunction>, kernel: CUkernel) {
        let mut state = state()?;
        let context = state.current()?;
        output.wanted()?;
        state.library_of(kernel)?;
        output.give(state.function_in(context, kernel as CUfunction)?)
    }

    fn cuKernelGetLibrary(output: Output<CUlibrary>, kernel: CUkernel) {
        let state = state()?;
        output.give(state.library_of(kernel)?)
    }
}
