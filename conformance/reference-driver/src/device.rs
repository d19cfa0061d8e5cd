//! Devices.

use std::ffi::{CStr, c_char, c_int};

use cuda_ipc_sys::{CUdevice, CUdevice_attribute, CUresult, CUuuid};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Result, give, wanted};
use crate::environment::environment;
use crate::process::{State, state};

/// A device that this process sees.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    /// Its place in the machine, which is the same for every process.
    pub(crate) index: usize,
    pub(crate) primary_context: Option<u64>,
    pub(crate) primary_references: usize,
    pub(crate) current_pool: Option<u64>,
    pub(crate) default_pool: Option<u64>,
}

const NAME: &CStr = c"Reference device";

/// The devices that `CUDA_VISIBLE_DEVICES` leaves, in its order. It ends at the first entry that names none.
pub(crate) fn visible() -> Vec<Device> {
    let count = environment().devices;
    let indices: Vec<usize> = match &environment().visible {
        None => (0..count).collect(),
        Some(list) => list.split(',').map_while(|entry| find(entry.trim(), count)).collect(),
    };
    let device =
        |index| Device { index, primary_context: None, primary_references: 0, current_pool: None, default_pool: None };
    indices.into_iter().map(device).collect()
}

fn find(entry: &str, count: usize) -> Option<usize> {
    match entry.strip_prefix("GPU-") {
        Some(uuid) => {
            let digits: String = uuid.chars().filter(|character| *character != '-').collect();
            let hexadecimal = |index| uuid_of(index).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            (0..count).find(|index| !digits.is_empty() && hexadecimal(*index).starts_with(&digits))
        }
        None => entry.parse().ok().filter(|index| *index < count),
    }
}

/// 16 bytes that follow from the machine's name and the device's place.
fn uuid_of(index: usize) -> [u8; 16] {
    let mut bytes = *b"reference-gpu-00";
    let sum = environment().machine.bytes().fold(7_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
    bytes[13] = sum;
    bytes[15] = index as u8;
    bytes
}

impl State {
    /// The device at an ordinal of this process.
    pub(crate) fn device(&mut self, ordinal: CUdevice) -> Result<&mut Device> {
        usize::try_from(ordinal).ok().and_then(|ordinal| self.devices.get_mut(ordinal)).ok_or(INVALID_DEVICE)
    }

    /// The ordinal of a device of the machine, where this process sees it.
    pub(crate) fn ordinal(&self, index: usize) -> CUdevice {
        let position = self.devices.iter().position(|device| device.index == index);
        position.map_or(cuda_ipc_sys::CU_DEVICE_INVALID, |position| position as CUdevice)
    }
}

/// The value of an attribute. What is not written yet reads 0: nothing is claimed that does not work.
fn attribute(attribute: CUdevice_attribute) -> Result<c_int> {
    type A = CUdevice_attribute;
    Ok(match attribute {
        A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
        | A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
        | A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
        | A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
        | A::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
        | A::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED => 1,
        A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
        A::CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 1,
        A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK => 1024,
        // DEVATTR-008: numbers that no enumerator has.
        CUdevice_attribute(number) if number == 0 || number >= A::CU_DEVICE_ATTRIBUTE_MAX.0 => {
            return Err(INVALID_VALUE);
        }
        _ => 0,
    })
}

entry_points! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        crate::process::initialise()
    }

    fn cuDriverGetVersion(version: *mut c_int) {
        give(version, crate::proc_address::CUDA_VERSION)
    }

    fn cuDeviceGetCount(count: *mut c_int) {
        let state = state()?;
        give(count, state.devices.len() as c_int)
    }

    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) {
        let mut state = state()?;
        state.device(ordinal)?;
        give(device, ordinal)
    }

    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice) {
        let mut state = state()?;
        state.device(device)?;
        wanted(name)?;
        let length = usize::try_from(length).ok().filter(|length| *length > 0).ok_or(INVALID_VALUE)?;
        let bytes = NAME.to_bytes();
        for index in 0..length {
            let byte = if index + 1 < length { bytes.get(index).copied().unwrap_or(0) } else { 0 };
            // SAFETY: the caller promises `length` bytes.
            unsafe { name.add(index).write(byte as c_char) };
        }
        Ok(())
    }

    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice) {
        let mut state = state()?;
        let index = state.device(device)?.index;
        give(uuid, CUuuid { bytes: uuid_of(index).map(|byte| byte as c_char) })
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) {
        let mut state = state()?;
        state.device(device)?;
        give(bytes, environment().memory as usize)
    }

    fn cuDeviceGetAttribute(value: *mut c_int, name: CUdevice_attribute, device: CUdevice) {
        let mut state = state()?;
        wanted(value)?;
        let found = attribute(name)?;
        state.device(device)?;
        give(value, found)
    }

    fn cuDeviceGetPCIBusId(text: *mut c_char, length: c_int, device: CUdevice) {
        let mut state = state()?;
        let index = state.device(device)?.index;
        wanted(text)?;
        let address = format!("0000:{index:02X}:00.0\0");
        if usize::try_from(length).map_or(true, |length| length < address.len()) {
            return Err(INVALID_VALUE);
        }
        for (position, byte) in address.bytes().enumerate() {
            // SAFETY: the caller promises `length` bytes, and the text is not longer.
            unsafe { text.add(position).write(byte as c_char) };
        }
        Ok(())
    }

    fn cuDeviceGetByPCIBusId(device: *mut CUdevice, text: *const c_char) {
        let state = state()?;
        if text.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: not null, and the caller promises a C string.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().to_lowercase();
        let place = |index: usize| format!("{index:02x}:00.0");
        let named = |index: usize| text == place(index) || text == format!("0000:{}", place(index));
        let found = state.devices.iter().position(|candidate| named(candidate.index));
        give(device, found.ok_or(CUresult::CUDA_ERROR_INVALID_DEVICE)? as CUdevice)
    }
}
