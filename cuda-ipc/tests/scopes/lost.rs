//! The device fails, or other code destroys the context: the scope ends with the error.

use std::sync::Mutex;

use cuda_ipc::kernel::Kernel;
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DeviceBuffer, DropError, Error, Stream, set_drop_hook};

use crate::common::context;
use crate::peer::{Peer, roles};
use crate::{Gate, alone, buffer};

#[test]
fn a_failure_of_the_device_ends_the_scope() {
    let _alone = alone();
    Peer::start(module_path!(), "role_loses_its_device").finish();
}

#[test]
fn a_context_that_is_reset_ends_the_scope() {
    let _alone = alone();
    Peer::start(module_path!(), "role_resets_its_context").finish();
}

static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());

roles! {
    fn role_loses_its_device(_connection) {
        set_drop_hook(|error| MET.lock().unwrap().push(error));
        let context = context();
        let (failing, waiting) = (Stream::non_blocking(&context).unwrap(), Stream::non_blocking(&context).unwrap());
        let (gate, memory) = (Gate::closed(&context), buffer([0; 4]));
        // SAFETY: the promise is broken: `kernels::SCALE` writes as many words as it is told, wherever they are. The
        // test shows what becomes of the scope when the device fails.
        let wild: Kernel<(u64, u64, u32)> = unsafe {
            Kernel::new(Module::from_ptx(&context, kernels::SCALE.ptx).unwrap().function(kernels::SCALE.entry).unwrap())
        };
        let failed = stream::scope(|scope| {
            let (failing, waiting) = (scope.on(&failing), scope.on(&waiting));
            // Nothing but the failure ends this wait.
            waiting.wait_value(gate.number(), WaitValue::Equal, 1)?;
            waiting.fill(memory.slice(..)?, 1_u32)?;
            failing.launch(&wild, LaunchShape::linear(1, 1), (16, 1, 2))
        });
        assert_eq!(failed.unwrap_err().code(), Some(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
        // If the function fails too, its error is returned, and the other one is not lost.
        let failed = failing.scope(|_| Err::<(), _>(Error::NotTheOwner));
        assert!(matches!(failed, Err(Error::NotTheOwner)), "{failed:?}");
        let met = std::mem::take(&mut *MET.lock().unwrap());
        assert_eq!(met.len(), 1, "{met:?}");
        assert_eq!((met[0].resource, met[0].error.code()), ("Scope", Some(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)));
    }

    fn role_resets_its_context(_connection) {
        let context = context();
        let stream = Stream::non_blocking(&context).unwrap();
        let memory = DeviceBuffer::new(&context, 16).unwrap();
        let lost = stream.scope(|scoped| {
            // Not a wait that nothing ends: a driver may complete the work before it resets the context.
            scoped.fill(memory.slice::<u32>(..)?, 1)?;
            // SAFETY: the values of the context are not used again, except to see what they return.
            assert_eq!(unsafe { context.driver().raw().cuDevicePrimaryCtxReset(0) }, Ok(CUresult::CUDA_SUCCESS));
            Ok(())
        });
        let code = lost.unwrap_err().code();
        let gone = [CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED, CUresult::CUDA_ERROR_INVALID_CONTEXT];
        assert!(code.is_some_and(|code| gone.contains(&code)), "{code:?}");
    }
}
