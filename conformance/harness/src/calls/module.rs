//! Modules and launches of our kernels by name.

use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc_sys::{CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig};

use crate::role::{BLOCKS, Resource, THREADS, pointers};
use crate::{Argument, Event, Pointer, Stream};

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

    /// `cuLaunchKernel` of one of our kernels by its entry name, with several blocks of threads. Kernels that wait run on
    /// one thread.
    fn launch(session, entry: String, arguments: Vec<Argument>, stream: Stream) -> () {
        session.launch(&entry, arguments, stream)
    }

    /// `cuLaunchKernel` of `fill` over several ranges at once, each on a thread and in a stream of its own, then
    /// `cuStreamSynchronize` there.
    fn fill_from_threads(session, pointers: Vec<Pointer>, size: u64, seed: u32, streams: Vec<Stream>) -> () {
        // A handle is a pointer, which threads cannot share.
        let (function, next) = (session.function("fill")? as u64, AtomicUsize::new(0));
        let answers = session.on_threads(pointers.len().min(streams.len()), |session| {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let arguments = vec![pointers[place].into(), (size / 4).into(), seed.into()];
            session.launch(function as _, (BLOCKS, THREADS), arguments, streams[place])?;
            cuda!(session.cuStreamSynchronize(streams[place].0 as _));
            Ok(())
        })?;
        answers.into_iter().collect()
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
