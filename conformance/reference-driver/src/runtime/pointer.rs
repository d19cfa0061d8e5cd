//! `cudaPointerGetAttributes`.

use cuda_ipc_sys::runtime::{cudaMemoryType, cudaPointerAttributes};
use cuda_ipc_sys::{CU_DEVICE_INVALID, CUdeviceptr, CUmemorytype, CUpointer_attribute};

use super::answer::{INCOMPATIBLE_CONTEXT, Result};
use crate::answer::{Input, Output};
use crate::process::{State, state};

/// The driver's attributes of an address.
#[derive(Default)]
struct Answers {
    kind: u32,
    is_managed: u32,
    ordinal: i32,
    context: u64,
    device_pointer: u64,
    host_pointer: u64,
}

fn ask(pointer: CUdeviceptr) -> Result<Answers> {
    type A = CUpointer_attribute;
    let mut answers = Answers::default();
    let names = [
        A::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        A::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        A::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        A::CU_POINTER_ATTRIBUTE_CONTEXT,
        A::CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        A::CU_POINTER_ATTRIBUTE_HOST_POINTER,
    ];
    let outputs = [
        (&raw mut answers.kind).cast(),
        (&raw mut answers.is_managed).cast(),
        (&raw mut answers.ordinal).cast(),
        (&raw mut answers.context).cast(),
        (&raw mut answers.device_pointer).cast(),
        (&raw mut answers.host_pointer).cast(),
    ];
    // SAFETY: both are local arrays of the same length, and each output has its attribute's type.
    let (names_read, outputs_read) = unsafe { (Input::new(names.as_ptr()), Input::new(outputs.as_ptr())) };
    driver!(pointer::cuPointerGetAttributes(names.len() as u32, names_read, outputs_read, pointer))?;
    Ok(answers)
}

impl State {
    /// Whether memory belongs to a context that the driver's API created. Memory of the runtime belongs to a primary
    /// context, or to none.
    fn is_of_created_context(&self, context: u64) -> bool {
        context != 0 && !self.devices.iter().any(|device| device.primary_context == Some(context))
    }
}

runtime_calls! {
    active fn cudaPointerGetAttributes(output: Output<cudaPointerAttributes>, pointer: CUdeviceptr) {
        type T = cudaMemoryType;
        output.wanted()?;
        let answers = ask(pointer)?;
        if state()?.is_of_created_context(answers.context) {
            return Err(INCOMPATIBLE_CONTEXT);
        }
        let kind = match (CUmemorytype(answers.kind), answers.is_managed) {
            (CUmemorytype(0), _) => T::cudaMemoryTypeUnregistered,
            (_, 1..) => T::cudaMemoryTypeManaged,
            (CUmemorytype::CU_MEMORYTYPE_HOST, _) => T::cudaMemoryTypeHost,
            _ => T::cudaMemoryTypeDevice,
        };
        let is_unregistered = kind == T::cudaMemoryTypeUnregistered;
        Ok(output.give(cudaPointerAttributes {
            type_: kind,
            // Memory that CUDA does not know belongs to no device. The host can access it at its own address.
            device: if is_unregistered { CU_DEVICE_INVALID } else { answers.ordinal },
            devicePointer: answers.device_pointer as _,
            hostPointer: if is_unregistered { pointer } else { answers.host_pointer } as _,
            ..Default::default()
        })?)
    }
}
