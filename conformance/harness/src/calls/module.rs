//! Modules and launches of our kernels by name.

use std::ffi::{CStr, c_void};
use std::ptr;

use cuda_ipc_sys::{CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig};

use crate::message::Refused;
use crate::role::{Resource, Session};
use crate::{Argument, Event, Pointer, Stream};

/// The number of blocks of a launch: enough threads to show a race, but few enough for a driver that runs them one by
/// one.
pub const BLOCKS: u32 = 4;
/// The number of threads per block.
pub const THREADS: u32 = 64;

/// A module with one variable and no kernel.
const VARIABLE: &CStr = c".version 6.0
.target sm_70
.address_size 64
.visible .global .align 4 .b8 variable[4096];
";

calls! {
    /// `cuModuleGetGlobal` of a variable of 4096 bytes. Its module is unloaded when the case ends.
    fn module_get_global(session) -> Pointer {
        let mut module = ptr::null_mut();
        cuda!(session.cuModuleLoadData(&mut module, VARIABLE.as_ptr().cast()));
        session.ledger.add(Resource::Module(module as u64));
        let mut pointer = 0;
        cuda!(session.cuModuleGetGlobal(&mut pointer, ptr::null_mut(), module, c"variable".as_ptr()));
        Ok(Pointer(pointer))
    }

    /// `cuLaunchKernel` of one of our kernels by its entry name, with [`BLOCKS`] blocks of [`THREADS`] threads. Kernels
    /// that wait run on one thread.
    fn launch(session, entry: String, arguments: Vec<Argument>, stream: Stream) -> () {
        let blocks = if one_thread(&entry) { (1, 1) } else { (BLOCKS, THREADS) };
        let function = session.function(&entry)?;
        let mut arguments = arguments;
        let mut pointers = pointers(&mut arguments);
        cuda!(session.cuLaunchKernel(
            function, blocks.0, 1, 1, blocks.1, 1, 1, 0, stream.0 as _, pointers.as_mut_ptr(), ptr::null_mut(),
        ));
        Ok(())
    }

    /// `cuLaunchKernelEx` of `spin` for no time, with an event in the launch attribute with this number.
    fn launch_with_event_attribute(session, attribute: u32, event: Event, stream: Stream) -> () {
        let function = session.function("spin")?;
        let mut attribute = CUlaunchAttribute { id: CUlaunchAttributeID(attribute), ..Default::default() };
        // The programmatic event and the launch-completion event have the same offset in the union.
        attribute.value.programmaticEvent.event = event.0 as _;
        let config = CUlaunchConfig {
            gridDimX: 1, gridDimY: 1, gridDimZ: 1, blockDimX: 1, blockDimY: 1, blockDimZ: 1,
            hStream: stream.0 as _, attrs: &mut attribute, numAttrs: 1, ..Default::default()
        };
        let mut arguments = [Argument::U64(0)];
        let mut pointers = pointers(&mut arguments);
        cuda!(session.cuLaunchKernelEx(&config, function, pointers.as_mut_ptr(), ptr::null_mut()));
        Ok(())
    }
}

/// Whether a kernel waits. More threads would have no effect, so it runs on one.
fn one_thread(entry: &str) -> bool {
    matches!(entry, "latch" | "spin")
}

fn pointers(arguments: &mut [Argument]) -> Vec<*mut c_void> {
    let address = |argument: &mut Argument| match argument {
        Argument::U32(value) => ptr::from_mut(value).cast(),
        Argument::U64(value) => ptr::from_mut(value).cast(),
    };
    arguments.iter_mut().map(address).collect()
}

impl Session {
    /// Returns a kernel from a module of the current context.
    fn function(&mut self, entry: &str) -> Result<cuda_ipc_sys::CUfunction, Refused> {
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
