//! Names of codes, and the outputs and log messages of calls that fail.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use cuda_ipc_sys::{
    CUdevice_attribute, CUipcEventHandle, CUipcMemHandle, CUlogLevel, CUmemAllocationHandleType, CUmemAllocationProp,
    CUpointer_attribute, CUresult, MissingSymbol,
};
use serde::{Deserialize, Serialize};

use crate::MemProperties;
use crate::calls::ipc::UNWRITTEN;
use crate::log;
use crate::message::Refused;
use crate::role::Session;

/// The code that a call returned, and the bytes of its output afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The code that the call returned.
    pub code: u32,
    /// The 64 bytes from the start of the output. They are [`UNWRITTEN`] before the call.
    pub output: Vec<u8>,
}

/// A call that cannot succeed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum FailingCall {
    /// `cuDeviceGetAttribute` of a nonexistent attribute.
    GetUnknownAttribute,
    /// `cuMemAlloc` of 0 bytes.
    AllocNothing,
    /// `cuMemGetAddressRange` of memory that CUDA did not allocate.
    GetRangeOfHeap,
    /// `cuPointerGetAttribute` of memory that CUDA did not allocate.
    GetAttributeOfHeap,
    /// `cuIpcGetMemHandle` of memory that CUDA did not allocate.
    GetMemHandleOfHeap,
    /// `cuIpcOpenMemHandle` of zeros.
    OpenMemHandleOfZeros,
    /// `cuIpcCloseMemHandle` of memory that CUDA did not allocate.
    CloseMemHandleOfHeap,
    /// `cuIpcGetEventHandle` of a null event.
    GetEventHandleOfNothing,
    /// `cuIpcOpenEventHandle` of zeros.
    OpenEventHandleOfZeros,
    /// `cuMemAddressReserve` of 0 bytes.
    ReserveNothing,
    /// `cuMemCreate` of 0 bytes.
    CreateNothing,
    /// `cuMemExportToShareableHandle` of a null handle.
    ExportNothing,
    /// `cuMemImportFromShareableHandle` of descriptor -1.
    ImportNoDescriptor,
    /// `cuMemPoolImportFromShareableHandle` of descriptor -1.
    ImportPoolOfNoDescriptor,
    /// `cuMemPoolExportPointer` of memory that CUDA did not allocate.
    ExportPoolPointerOfHeap,
}

/// The messages of the driver's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// The messages while a callback was registered.
    pub registered: Vec<String>,
    /// The messages after the callback was unregistered.
    pub afterwards: Vec<String>,
}

/// Appends a log message to a list.
unsafe extern "C" fn listen(data: *mut c_void, _level: CUlogLevel, message: *mut c_char, length: usize) {
    // SAFETY: the call that registered this callback passed the list, which outlives the registration.
    let lines = unsafe { &*data.cast::<Mutex<Vec<String>>>() };
    // SAFETY: the driver called this as its log callback.
    let line = unsafe { log::line(message, length) };
    lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
}

/// Room for any output. The driver may require alignment.
#[repr(align(16))]
struct Room([u8; 64]);

/// Performs a call whose output is filled with [`UNWRITTEN`].
fn answer(call: impl FnOnce(*mut c_void) -> Result<CUresult, MissingSymbol>) -> Result<Answer, Refused> {
    let mut room = Room(UNWRITTEN);
    let code = call(ptr::from_mut(&mut room).cast()).map_err(|missing| Refused::Missing(missing.to_string()))?;
    Ok(Answer { code: code.0, output: room.0.to_vec() })
}

calls! {
    /// `cuGetErrorName`.
    fn get_error_name(session, code: u32) -> String {
        let mut name = ptr::null();
        cuda!(session.cuGetErrorName(CUresult(code), &mut name));
        if name.is_null() {
            // The driver broke the rule, but did not crash.
            return Ok("null".to_owned());
        }
        // SAFETY: the driver returned a C string that it keeps.
        Ok(unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// `cuGetErrorName`. Returns its code and output, whether it succeeds or fails.
    fn get_error_name_or_not(session, code: u32) -> Answer {
        // SAFETY: the output has room for a pointer.
        answer(|output| unsafe { called!(session.driver, cuGetErrorName(CUresult(code), output.cast())) })
    }

    /// Performs a call that cannot succeed, once while a log callback is registered and once afterwards. Returns the
    /// log messages of both.
    fn fail_and_listen(session, call: FailingCall) -> Heard {
        let lines = Mutex::new(Vec::new());
        let mut handle = ptr::null_mut();
        let data = ptr::from_ref(&lines).cast_mut().cast();
        cuda!(session.cuLogsRegisterCallback(Some(listen), data, &mut handle));
        let failed = session.fail(call);
        cuda!(session.cuLogsUnregisterCallback(handle));
        failed?;
        let registered = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
        session.fail(call)?;
        let afterwards = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Heard { registered, afterwards })
    }

    /// A call that cannot succeed.
    fn fail(session, call: FailingCall) -> Answer {
        session.fail(call)
    }
}

impl Session {
    fn fail(&mut self, call: FailingCall) -> Result<Answer, Refused> {
        let session = self;
        type F = FailingCall;
        let driver = session.driver;
        let heap = 0_u64;
        let heap = ptr::from_ref(&heap) as u64;
        let (device, no_descriptor) = (session.device, -1_isize as *mut c_void);
        let descriptor = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        let properties = CUmemAllocationProp::from(MemProperties::device(device));
        // SAFETY: every output has room. The driver must detect the invalid inputs.
        answer(|output| unsafe {
            match call {
                F::GetUnknownAttribute => {
                    called!(driver, cuDeviceGetAttribute(output.cast(), CUdevice_attribute(100_000), device))
                }
                F::AllocNothing => called!(driver, cuMemAlloc(output.cast(), 0)),
                F::GetRangeOfHeap => called!(driver, cuMemGetAddressRange(output.cast(), ptr::null_mut(), heap)),
                F::GetAttributeOfHeap => {
                    called!(
                        driver,
                        cuPointerGetAttribute(output, CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE, heap)
                    )
                }
                F::GetMemHandleOfHeap => called!(driver, cuIpcGetMemHandle(output.cast(), heap)),
                F::OpenMemHandleOfZeros => {
                    called!(driver, cuIpcOpenMemHandle(output.cast(), CUipcMemHandle::from_bytes([0; 64]), 1))
                }
                F::CloseMemHandleOfHeap => called!(driver, cuIpcCloseMemHandle(heap)),
                F::GetEventHandleOfNothing => called!(driver, cuIpcGetEventHandle(output.cast(), ptr::null_mut())),
                F::OpenEventHandleOfZeros => {
                    called!(driver, cuIpcOpenEventHandle(output.cast(), CUipcEventHandle::from_bytes([0; 64])))
                }
                F::ReserveNothing => called!(driver, cuMemAddressReserve(output.cast(), 0, 0, 0, 0)),
                F::CreateNothing => called!(driver, cuMemCreate(output.cast(), 0, &properties, 0)),
                F::ExportNothing => called!(driver, cuMemExportToShareableHandle(output, 0, descriptor, 0)),
                F::ImportNoDescriptor => {
                    called!(driver, cuMemImportFromShareableHandle(output.cast(), no_descriptor, descriptor))
                }
                F::ImportPoolOfNoDescriptor => {
                    called!(driver, cuMemPoolImportFromShareableHandle(output.cast(), no_descriptor, descriptor, 0))
                }
                F::ExportPoolPointerOfHeap => called!(driver, cuMemPoolExportPointer(output.cast(), heap)),
            }
        })
    }
}
