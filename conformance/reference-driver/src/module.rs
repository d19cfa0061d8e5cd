//! Modules and launches. A module is one of the `kernels` package, or PTX without code, of which only the global
//! variables are read.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use cuda_ipc_sys::{
    CUdeviceptr, CUevent, CUfunction, CUjit_option, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig, CUmodule,
    CUresult, CUstream,
};

use crate::answer::{INVALID_HANDLE, INVALID_VALUE, Input, NOT_PERMITTED, NOT_SUPPORTED, Output, Result};
use crate::block::Block;
use crate::environment::note;
use crate::kernel::Kernel;
use crate::process::{State, check_usable, own_number, state};
use crate::ptx;
use crate::range::Memory;
use crate::seen::FirstThread;
use crate::stream::wait_for_streams;

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) context: u64,
    /// Whether the module belongs to a library, with which it ends.
    is_of_library: bool,
    kernel: Option<&'static kernels::Kernel>,
    globals: Vec<Global>,
}

/// A global variable of a module: its declaration and its address.
#[derive(Debug, PartialEq, Eq)]
struct Global {
    name: String,
    size: u64,
    base: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) context: u64,
    module: u64,
    kernel: &'static kernels::Kernel,
}

/// What is served of a module's image: a kernel of ours, and the names and sizes of its global variables.
pub(crate) type Contents = (Option<&'static kernels::Kernel>, Vec<(String, u64)>);

/// How images of compiled code begin: a cubin, and a fat binary.
const MACHINE_CODE: [&[u8]; 2] = [b"\x7fELF", b"\x50\xed\x55\xba"];

/// Reads an image. Code of others is refused, also if it has the name of a kernel of ours: it does something else.
pub(crate) fn contents(image: &CStr) -> Result<Contents> {
    if let Some(kernel) = kernels::ALL.iter().find(|kernel| kernel.ptx == image) {
        return Ok((Some(kernel), Vec::new()));
    }
    if MACHINE_CODE.iter().any(|magic| image.to_bytes().starts_with(magic)) {
        note(format_args!("machine code cannot be loaded: only the reference driver's own kernels run on the CPU"));
        return Err(NOT_SUPPORTED);
    }
    let Ok(text) = image.to_str() else { return Err(CUresult::CUDA_ERROR_INVALID_IMAGE) };
    if text.bytes().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
        return Err(CUresult::CUDA_ERROR_INVALID_IMAGE);
    }
    let tokens = ptx::tokens(text).ok_or(CUresult::CUDA_ERROR_INVALID_PTX)?;
    if !tokens.contains(&".version") {
        return Err(CUresult::CUDA_ERROR_INVALID_IMAGE);
    }
    if !tokens.contains(&".target") {
        return Err(CUresult::CUDA_ERROR_INVALID_PTX);
    }
    if tokens.contains(&"#") {
        note(format_args!("PTX with directives of the preprocessor cannot be loaded"));
        return Err(NOT_SUPPORTED);
    }
    if let Some(name) = ptx::kernel(&tokens) {
        note(format_args!(
            "the kernel `{name}` cannot be loaded: only the reference driver's own kernels run on the CPU"
        ));
        return Err(NOT_SUPPORTED);
    }
    let variables = ptx::variables(&tokens).map_err(|declaration| {
        note(format_args!(
            "`{declaration}` cannot be loaded: a variable needs a known size, no initial value, and a place in its module"
        ));
        NOT_SUPPORTED
    })?;
    Ok((None, variables))
}

/// The sizes of a grid and of its blocks.
struct Grid([u32; 3], [u32; 3]);

impl Grid {
    /// The total number of threads.
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
    /// The module behind a handle. Returns an error if its context no longer works.
    fn module(&self, handle: CUmodule) -> Result<&Module> {
        let module = self.modules.get(&(handle as u64)).ok_or_else(|| self.missing(handle as u64))?;
        self.context(module.context)?.health.check()?;
        Ok(module)
    }

    /// Allocates zeroed memory for a variable of a module. It belongs to the module's context.
    fn add_global(&mut self, context: u64, name: String, size: u64) -> Result<Global> {
        let device = self.context(context)?.device_index;
        let block = Block::new(device, size)?;
        let base = block.base;
        // IPCMEM-GET-020: the memory does not come from `cuMemAlloc`.
        self.add_range(base, size, context, device, Memory::Global(Arc::new(block)));
        Ok(Global { name, size, base })
    }

    fn remove_globals(&mut self, globals: &[Global]) {
        globals.iter().for_each(|global| drop(self.ranges.remove(&global.base)));
    }

    /// Adds a module to a context.
    pub(crate) fn add_module(&mut self, context: u64, contents: Contents, is_of_library: bool) -> Result<u64> {
        let (kernel, globals) = contents;
        let mut added = Vec::new();
        for (name, size) in globals {
            let global = self.add_global(context, name, size).inspect_err(|_| self.remove_globals(&added))?;
            added.push(global);
        }
        let id = self.new_id();
        self.modules.insert(id, Module { context, is_of_library, kernel, globals: added });
        Ok(id)
    }

    pub(crate) fn remove_module(&mut self, id: u64) {
        let globals = self.modules.remove(&id).map(|module| module.globals).unwrap_or_default();
        self.remove_globals(&globals);
        self.functions.retain(|_, function| function.module != id);
    }

    /// The function of a module's kernel. The same kernel gives the same handle.
    pub(crate) fn function_of(&mut self, module: CUmodule, name: &CStr) -> Result<CUfunction> {
        let id = module as u64;
        let module = self.module(module)?;
        let kernel = module.kernel.filter(|kernel| kernel.entry == name).ok_or(CUresult::CUDA_ERROR_NOT_FOUND)?;
        let function = Function { context: module.context, module: id, kernel };
        let known = self.functions.iter().find(|(_, known)| **known == function).map(|(id, _)| *id);
        let id = known.unwrap_or_else(|| self.new_id());
        self.functions.insert(id, function);
        Ok(id as CUfunction)
    }

    /// The address and the size of a module's global variable.
    pub(crate) fn global_of(&self, module: CUmodule, name: &CStr) -> Result<(u64, u64)> {
        let name = name.to_string_lossy();
        let global = self.module(module)?.globals.iter().find(|global| global.name == name);
        global.map(|global| (global.base, global.size)).ok_or(CUresult::CUDA_ERROR_NOT_FOUND)
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
        let function = self.function_in(stream.context, function)?;
        let function = self.functions.get(&(function as u64)).ok_or(INVALID_HANDLE)?;
        if function.context != stream.context {
            return Err(INVALID_HANDLE);
        }
        let threads = grid.threads()?;
        // `extra` passes the arguments in a buffer, instead of the pointers in `arguments`. That is not implemented.
        if !extra.is_null() {
            return Err(if arguments.is_null() { NOT_SUPPORTED } else { INVALID_VALUE });
        }
        let kernel = Kernel::read(function.kernel, arguments)?;
        static FIRST: FirstThread = FirstThread::new();
        if FIRST.is_another()
            && fault!(
                "launch-on-another-thread-does-nothing",
                ["IPCMEM-OPEN-046", "VMM-IMP-001", "POOL-PTR-001"],
                "A launch does nothing, except in the thread that launched first."
            )
        {
            return Ok(());
        }
        let context = stream.context;
        self.issue(&stream, move |health| {
            if !(crate::ipc::spreads_death() || crate::ipc::clears_at_death()) {
                return kernel.run(context, threads, health);
            }
            state()?.note_in_imports(own_number().into());
            let done = kernel.run(context, threads, health);
            state()?.note_in_imports(0);
            done
        })
    }

    /// Checks an attribute of a launch. IPCEVT-035: a launch cannot record an interprocess event. An H200 returns this
    /// code.
    fn check_attribute(&self, attribute: &CUlaunchAttribute) -> Result<()> {
        type A = CUlaunchAttributeID;
        let event: CUevent = match attribute.id {
            // SAFETY: the identifier names the member of the union that was written.
            A::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT => unsafe { attribute.value.programmaticEvent.event },
            // SAFETY: as above.
            A::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => unsafe { attribute.value.launchCompletionEvent.event },
            // All other attributes only make a launch faster.
            _ => return Ok(()),
        };
        let event = self.event(event)?;
        let is_programmatic = attribute.id == A::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
        let is_accepted = match (event.is_exportable(), event.is_imported()) {
            (true, _) if is_programmatic => fault!(
                "launch-accepts-a-programmatic-ipc-event",
                ["IPCEVT-035"],
                "A launch ignores an interprocess event in PROGRAMMATIC_EVENT.",
            ),
            (true, _) => fault!(
                "launch-accepts-a-completion-ipc-event",
                ["IPCEVT-035"],
                "A launch ignores an interprocess event in LAUNCH_COMPLETION_EVENT.",
            ),
            (_, true) => fault!(
                "launch-accepts-an-imported-event",
                ["IPCEVT-035"],
                "A launch ignores an imported event in its attributes.",
            ),
            _ => false,
        };
        // Recording a local event would be legal, but it is not implemented.
        if is_accepted { Ok(()) } else { Err(NOT_SUPPORTED) }
    }
}

/// Loads an image into the current context. As on an H100, this waits for all work of the context.
fn load(output: Output<CUmodule>, image: Input<c_char>) -> Result<()> {
    let context = state()?.current()?;
    output.wanted()?;
    let contents = contents(image.text()?)?;
    wait_for_streams(context)?;
    let mut state = state()?;
    // Another thread may have destroyed it meanwhile.
    state.context(context)?;
    output.give(state.add_module(context, contents, false)? as CUmodule)
}

/// Reads an image from a file, up to the first NUL.
pub(crate) fn read(path: Input<c_char>) -> Result<CString> {
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path.text()?.to_bytes()));
    let mut bytes = std::fs::read(path).map_err(|_| CUresult::CUDA_ERROR_FILE_NOT_FOUND)?;
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    CString::new(bytes).map_err(|_| CUresult::CUDA_ERROR_INVALID_IMAGE)
}

/// Checks the options of a load.
pub(crate) fn check_options(count: u32, options: Input<CUjit_option>, values: Input<*mut c_void>) -> Result<()> {
    // SAFETY: the caller promises `count` options and values.
    let (options, _) = unsafe { (options.values(count as usize)?, values.values(count as usize)?) };
    if options.iter().all(|option| option.0 < CUjit_option::CU_JIT_NUM_OPTIONS.0) { Ok(()) } else { Err(INVALID_VALUE) }
}

entry_points! {
    fn cuModuleLoadData(output: Output<CUmodule>, image: Input<c_char>) {
        load(output, image)
    }

    // The options are for the compiler of PTX, and none is needed to load the kernels of this repository.
    fn cuModuleLoadDataEx(
        output: Output<CUmodule>,
        image: Input<c_char>,
        count: u32,
        options: Input<CUjit_option>,
        values: Input<*mut c_void>,
    ) {
        check_usable()?;
        check_options(count, options, values)?;
        load(output, image)
    }

    fn cuModuleLoad(output: Output<CUmodule>, path: Input<c_char>) {
        state()?.current()?;
        output.wanted()?;
        let image = read(path)?;
        // SAFETY: the text lives until the call returns.
        load(output, unsafe { Input::new(image.as_ptr()) })
    }

    fn cuModuleUnload(module: CUmodule) {
        let mut state = state()?;
        if state.module(module)?.is_of_library {
            return Err(NOT_PERMITTED);
        }
        state.remove_module(module as u64);
        Ok(())
    }

    fn cuModuleGetFunction(output: Output<CUfunction>, module: CUmodule, name: Input<c_char>) {
        let mut state = state()?;
        output.wanted()?;
        output.give(state.function_of(module, name.text()?)?)
    }

    fn cuModuleGetGlobal_v2(
        pointer: Output<CUdeviceptr>,
        size: Output<usize>,
        module: CUmodule,
        name: Input<c_char>,
    ) {
        let state = state()?;
        let (base, bytes) = state.global_of(module, name.text()?)?;
        pointer.give_if_wanted(base);
        size.give_if_wanted(bytes as usize);
        Ok(())
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
        // SAFETY: the caller of the launch promises null or a pointer to `numAttrs` attributes.
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
            assert_eq!(contents(kernel.ptx), Ok((Some(kernel), Vec::new())));
        }
    }

    #[test]
    fn variables_are_found_by_name_and_size() {
        let image = c".version 6.0\n.target sm_70\n.visible .global .align 4 .b8 one[12];\n.global .b8 other[8];\n";
        let globals = vec![("one".to_owned(), 12), ("other".to_owned(), 8)];
        assert_eq!(contents(image), Ok((None, globals)));
    }

    /// The contents of PTX with these declarations.
    fn of_ptx(declarations: &str) -> Result<Contents> {
        contents(&CString::new(format!(".version 6.0\n.target sm_70\n{declarations}\n")).unwrap())
    }

    #[test]
    fn variables_of_every_type_are_found() {
        let text = ".global .u32 one;.const .align 8 .v2 .f64 two[2][0x3], three;\n/* .global .b8 old[1]; */\n\
                    .func helper() { .reg .b32 %r<2>; ld.global.u32 %r1, [one]; }\n.weak .global .attribute(.managed) .s8 four;";
        let globals = [("one", 4), ("two", 96), ("three", 16), ("four", 1)];
        assert_eq!(of_ptx(text), Ok((None, globals.map(|(name, size)| (name.to_owned(), size)).to_vec())));
    }

    /// Such a variable would not have its value, or would be missing.
    #[test]
    fn a_variable_that_cannot_be_served_is_not_supported() {
        for variable in [
            ".global .b8 text[3] = {1, 2, 3};",
            ".global .texref image;",
            ".extern .global .u32 elsewhere;",
            ".global .b8 x[];",
        ] {
            assert_eq!(of_ptx(variable), Err(NOT_SUPPORTED), "{variable}");
        }
    }

    #[test]
    fn code_of_others_is_not_supported() {
        for image in [c"\x7fELF\x02", c"\x50\xed\x55\xba\x01"] {
            assert_eq!(contents(image), Err(NOT_SUPPORTED), "{image:?}");
        }
        for kernel in [
            ".entry fill() {}",
            "/* a kernel */.entry fill() {}",
            ".func helper() {}.visible .entry fill() {}",
            ".visible.entry\tfill() {}",
            ".global .u32 x;.entry/**/fill() {}",
            ".file 1 \"//\" .entry fill() {}",
            ".target sm_70.entry fill() {}",
            ".file 1 \"\\\"/*\"\n.entry fill() {}\n.file 2 \"*/\\\"\"",
            "#define OF(x) .x\nOF(entry) fill() {}",
        ] {
            assert_eq!(of_ptx(kernel), Err(NOT_SUPPORTED), "{kernel}");
        }
        for text in ["/* .entry old() {} */", "// .entry old()", ".file 1 \".entry old\""] {
            assert_eq!(of_ptx(text), Ok((None, Vec::new())), "{text}");
        }
    }

    #[test]
    fn what_is_no_ptx_is_refused() {
        assert_eq!(contents(c"hello"), Err(CUresult::CUDA_ERROR_INVALID_IMAGE));
        assert_eq!(contents(c".version 6.0\n"), Err(CUresult::CUDA_ERROR_INVALID_PTX));
        assert_eq!(contents(c"\x02\x03"), Err(CUresult::CUDA_ERROR_INVALID_IMAGE));
        assert_eq!(of_ptx("/* without an end"), Err(CUresult::CUDA_ERROR_INVALID_PTX));
    }
}
