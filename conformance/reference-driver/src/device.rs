//! Devices.

use std::ffi::{CString, c_char, c_int};

use cuda_ipc_sys::{CUdevice, CUdevice_attribute, CUresult, CUuuid};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::environment::environment;
use crate::handle::fnv1a;
use crate::pool::handle_types;
use crate::process::{State, state};
use crate::profile::{Managed, profile};
use crate::version::{attributes_end, cuda_version};
use crate::visible::select;
use crate::vmm::fabric::is_fabric_supported;

/// A device that this process sees.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    /// The device's index in the machine, which is the same in every process.
    pub(crate) index: usize,
    /// The primary context's id, once the context was retained. It stays the same through resets.
    pub(crate) primary_context: Option<u64>,
    pub(crate) primary_references: usize,
}

/// The name of every device. It says that this is software, so that nobody takes it for a GPU.
fn name() -> String {
    let version = cuda_version();
    format!("Reference device (software, CUDA {}.{})", version / 1000, version % 1000 / 10)
}

/// The devices that `CUDA_VISIBLE_DEVICES` makes visible, in its order.
pub(crate) fn visible() -> Result<Vec<Device>> {
    let uuids: Vec<_> = (0..environment().devices).map(uuid_of).collect();
    let indices = match &environment().visible {
        None => (0..uuids.len()).collect(),
        Some(list) => select(list, &uuids, if profile().has_instances { "MIG-" } else { "GPU-" })?,
    };
    let device = |index| Device { index, primary_context: None, primary_references: 0 };
    Ok(indices.into_iter().map(device).collect())
}

/// A device's UUID, computed from the machine's name and the device's index. The UUIDs of two devices differ from the
/// first bytes on.
fn uuid_of(index: usize) -> [u8; 16] {
    let half = |name: &[u8]| {
        let place = (index as u32).to_be_bytes();
        fnv1a(place.iter().chain(environment().machine.as_bytes()).chain(name).copied()).to_be_bytes()
    };
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&half(b"the first half"));
    bytes[8..].copy_from_slice(&half(b"the other half"));
    bytes
}

impl State {
    /// The device at an ordinal of this process.
    pub(crate) fn device(&mut self, ordinal: CUdevice) -> Result<&mut Device> {
        usize::try_from(ordinal).ok().and_then(|ordinal| self.devices.get_mut(ordinal)).ok_or(INVALID_DEVICE)
    }

    /// This process's ordinal of a device; CU_DEVICE_INVALID if the process does not see the device.
    pub(crate) fn ordinal(&self, index: usize) -> CUdevice {
        let position = self.devices.iter().position(|device| device.index == index);
        position.map_or(cuda_ipc_sys::CU_DEVICE_INVALID, |position| position as CUdevice)
    }
}

/// The value of an attribute. Attributes that are not implemented read 0, so the driver claims nothing that does not
/// work.
fn attribute(attribute: CUdevice_attribute, index: usize) -> Result<c_int> {
    type A = CUdevice_attribute;
    // DEVATTR-001, -008
    let is_accepted = attribute.0 >= attributes_end()
        && fault!("device-unknown-attribute-is-zero", ["DEVATTR-008"], "An unknown device attribute reads 0.")
        || attribute.0 == 0 && fault!("device-attribute-zero-is-known", ["DEVATTR-008"], "The attribute id 0 reads 0.")
        || attribute.0.cast_signed() < 0
            && fault!(
                "device-attribute-id-is-signed",
                ["DEVATTR-008"],
                "Attribute ids are compared as signed numbers, so the largest ones are accepted."
            )
        || attribute == A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
            && attribute.0 >= attributes_end()
            && fault!(
                "device-ipc-comes-early",
                ["DEVATTR-001"],
                "A driver before CUDA 12.0 serves the attribute IPC_EVENT_SUPPORTED.",
                on = "11.8"
            );
    if is_accepted {
        return Ok(0);
    }
    if (attribute.0 == 0 || attribute.0 >= attributes_end())
        && fault!(
            "device-unknown-attribute-code",
            ["DEVATTR-008"],
            "An unknown device attribute returns CUDA_ERROR_NOT_SUPPORTED."
        )
    {
        return Err(NOT_SUPPORTED);
    }
    if attribute.0 == 0 || attribute.0 >= attributes_end() {
        return Err(INVALID_VALUE);
    }
    let faulty = match attribute {
        A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
            if fault!("ipc-attribute-reads-zero", ["IPCEVT-038"], "IPC_EVENT_SUPPORTED is 0, although IPC works.") =>
        {
            Some(0)
        }
        A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
            if fault!("ipc-attribute-reads-two", ["IPCEVT-038"], "IPC_EVENT_SUPPORTED is 2, although IPC works.") =>
        {
            Some(2)
        }
        A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
            if index != 0
                && fault!(
                    "ipc-attribute-of-the-second-device",
                    ["IPCEVT-038"],
                    "IPC_EVENT_SUPPORTED is 0 for all devices after the first.",
                ) =>
        {
            Some(0)
        }
        A::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE
            if fault!(
                "compute-mode-exclusive-is-not-kept",
                ["PROC-011"],
                "The compute mode is EXCLUSIVE_PROCESS, but a second process gets a context.",
            ) =>
        {
            Some(3)
        }
        _ => None,
    };
    if let Some(value) = faulty {
        return Ok(value);
    }
    let machine = profile();
    Ok(match attribute {
        A::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
            if fault!(
                "dma-buf-attribute-reads-0",
                ["DMABUF-001"],
                "The attribute reads 0 although dma-bufs exist."
            ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED
            if fault!(
                "dma-buf-attribute-of-the-host-reads-1",
                ["DMABUF-006"],
                "The attribute for host memory reads 1 although host memory has no dma-buf."
            ) =>
        {
            1
        }
        A::CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED
            if fault!(
                "dma-buf-attribute-of-mmap-reads-1",
                ["DMABUF-010"],
                "The attribute for mmap reads 1 although no dma-buf can be mapped.",
                on = "13.3"
            ) =>
        {
            1
        }
        A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
            if fault!("device-unified-addressing-reads-zero", ["DEVATTR-006"], "UNIFIED_ADDRESSING reads 0.")
                || index > 0
                    && fault!(
                        "device-unified-addressing-of-the-second-device",
                        ["DEVATTR-006"],
                        "UNIFIED_ADDRESSING reads 0 for every device but the first."
                    ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
            if fault!("device-vmm-reads-zero", ["DEVATTR-002"], "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED reads 0.")
                || index > 0
                    && fault!(
                        "device-vmm-of-the-second-device",
                        ["DEVATTR-002"],
                        "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED reads 0 for every device but the first."
                    ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
            if fault!(
                "device-descriptors-reads-zero",
                ["DEVATTR-003"],
                "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED reads 0."
            ) || index > 0
                && fault!(
                    "device-descriptors-of-the-second-device",
                    ["DEVATTR-003"],
                    "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED reads 0 for every device but the first."
                ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES
            if fault!("device-pool-mask-reads-zero", ["DEVATTR-004"], "MEMPOOL_SUPPORTED_HANDLE_TYPES reads 0.")
                || index > 0
                    && fault!(
                        "device-pool-mask-of-the-second-device",
                        ["DEVATTR-004"],
                        "MEMPOOL_SUPPORTED_HANDLE_TYPES reads 0 for every device but the first."
                    ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
            if fault!(
                "device-numa-vmm-reads-zero",
                ["DEVATTR-007"],
                "HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED reads 0."
            ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED
            if fault!("device-numa-pools-reads-zero", ["DEVATTR-007"], "HOST_NUMA_MEMORY_POOLS_SUPPORTED reads 0.") =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED
            if fault!("device-host-pools-reads-zero", ["DEVATTR-007"], "HOST_MEMORY_POOLS_SUPPORTED reads 0.") =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
            if fault!(
                "device-host-vmm-reads-zero",
                ["DEVATTR-007"],
                "HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED reads 0."
            ) =>
        {
            0
        }
        A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
            if fault!("device-ipc-unknown", ["DEVATTR-001"], "IPC_EVENT_SUPPORTED is refused as unknown.")
                || index > 0
                    && fault!(
                        "device-ipc-of-the-second-device-unknown",
                        ["DEVATTR-001"],
                        "IPC_EVENT_SUPPORTED is refused as unknown for every device but the first."
                    ) =>
        {
            return Err(INVALID_VALUE);
        }
        A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES
            if fault!(
                "device-pool-mask-with-unused-bits",
                ["DEVATTR-004"],
                "MEMPOOL_SUPPORTED_HANDLE_TYPES has bits that no handle type has."
            ) =>
        {
            handle_types().0.cast_signed() | 0x70_0000
        }
        A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES
            if fault!(
                "device-pool-mask-with-windows-handles",
                ["DEVATTR-004"],
                "MEMPOOL_SUPPORTED_HANDLE_TYPES names the handles of Windows."
            ) =>
        {
            handle_types().0.cast_signed() | 2
        }
        A::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
            if fault!(
                "device-rdma-vmm-reads-one",
                ["DEVATTR-005"],
                "GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED reads 1 although such memory cannot be created."
            ) =>
        {
            1
        }
        A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
        | A::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
        | A::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        | A::CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS
        | A::CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR
        | A::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
        | A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 1,
        A::CU_DEVICE_ATTRIBUTE_INTEGRATED => machine.is_integrated.into(),
        A::CU_DEVICE_ATTRIBUTE_MPS_ENABLED => machine.has_mps.into(),
        A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
        | A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
        | A::CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
        | A::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED => machine.is_coherent.into(),
        A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED => machine.has_interprocess_events.into(),
        A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY => (machine.managed != Managed::None).into(),
        A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS => (machine.managed == Managed::Concurrent).into(),
        A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED => machine.has_pools.into(),
        A::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        | A::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED => machine.has_virtual_memory.into(),
        A::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED => machine.has_dma_bufs.into(),
        // FAB-001
        A::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED => is_fabric_supported().into(),
        // DEVATTR-004
        A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES => handle_types().0.cast_signed(),
        A::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED => crate::multicast::is_there().into(),
        A::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID => index as c_int,
        A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => machine.compute_capability.0,
        A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => machine.compute_capability.1,
        A::CU_DEVICE_ATTRIBUTE_WARP_SIZE => 32,
        A::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED => {
            fault!("the-attribute-for-rdma-reads-1", ["VMM-CREATE-018"], "Memory for RDMA is refused all the same.")
                .into()
        }
        A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        | A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
        | A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y => 1024,
        A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR => 2048,
        A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z => 64,
        A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => c_int::MAX,
        A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y | A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z => 65535,
        _ => 0,
    })
}

fn pci_address(index: usize) -> String {
    format!("0000:{index:02x}:00.0")
}

fn give_uuid(uuid: Output<CUuuid>, device: CUdevice) -> Result<()> {
    let index = state()?.device(device)?.index;
    uuid.give(CUuuid { bytes: uuid_of(index).map(|byte| byte as c_char) })
}

entry_points! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        crate::process::initialise()
    }

    fn cuDriverGetVersion(version: Output<c_int>) {
        version.give(cuda_version())
    }

    fn cuDeviceGetCount(count: Output<c_int>) {
        let state = match state() {
            Ok(state) => state,
            Err(_) if fault!("device-count-needs-no-init", ["FORK-006"], "cuDeviceGetCount works before cuInit.") => {
                return count.give(environment().devices as c_int);
            }
            Err(_) if fault!("device-count-before-init-is-zero", ["FORK-006"], "Before cuInit, there are 0 devices.") => {
                return count.give(0);
            }
            Err(_) if fault!("device-count-wrong-code", ["FORK-006"], "Before cuInit, the code is CUDA_ERROR_NO_DEVICE.") => {
                return Err(CUresult::CUDA_ERROR_NO_DEVICE);
            }
            Err(code) => return Err(code),
        };
        count.give(state.devices.len() as c_int)
    }

    fn cuDeviceGet(device: Output<CUdevice>, ordinal: c_int) {
        let mut state = state()?;
        device.wanted()?;
        state.device(ordinal)?;
        device.give(ordinal)
    }

    fn cuDeviceGetName(name: Output<c_char>, length: c_int, device: CUdevice) {
        state()?.device(device)?;
        name.wanted()?;
        // The name is truncated to the caller's buffer.
        let room = usize::try_from(length).ok().filter(|length| *length > 0).ok_or(INVALID_VALUE)?;
        let mut text = self::name();
        text.truncate(room - 1);
        name.give_text(length, &CString::new(text).unwrap_or_default())
    }

    // Differs from the second version only with MIG, which no machine of this driver has.
    fn cuDeviceGetUuid(uuid: Output<CUuuid>, device: CUdevice) {
        give_uuid(uuid, device)
    }

    fn cuDeviceGetUuid_v2(uuid: Output<CUuuid>, device: CUdevice) {
        give_uuid(uuid, device)
    }

    fn cuDeviceTotalMem_v2(bytes: Output<usize>, device: CUdevice) {
        state()?.device(device)?;
        bytes.give(environment().memory as usize)
    }

    fn cuDeviceGetAttribute(value: Output<c_int>, name: CUdevice_attribute, device: CUdevice) {
        let mut state = state()?;
        value.wanted()?;
        let index = state.device(device)?.index;
        value.give(attribute(name, index)?)
    }

    fn cuDeviceGetPCIBusId(text: Output<c_char>, length: c_int, device: CUdevice) {
        let index = state()?.device(device)?.index;
        text.give_text(length, &CString::new(pci_address(index)).unwrap_or_default())
    }

    fn cuDeviceGetByPCIBusId(device: Output<CUdevice>, text: Input<c_char>) {
        let state = state()?;
        device.wanted()?;
        let text = text.text()?.to_string_lossy().to_lowercase();
        // The domain and the function may be omitted.
        let named = |index| {
            let address = pci_address(index);
            let short = address.trim_start_matches("0000:");
            [address.as_str(), short, address.trim_end_matches(".0"), short.trim_end_matches(".0")].contains(&&*text)
        };
        let found = state.devices.iter().position(|candidate| named(candidate.index));
        device.give(found.ok_or(INVALID_DEVICE)? as CUdevice)
    }
}
