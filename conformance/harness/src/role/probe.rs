//! Probes the machine: a role asks the driver once, before the cases are listed.

use cuda_ipc_sys::{
    CUdevice_P2PAttribute, CUdevice_attribute, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUresult, CudaVersion,
};
use rustix::fs::Access;

use super::session::Session;
use crate::MemProperties;
use crate::library::Library;
use crate::machine::{Device, Fabric, Link, Machine};
use crate::message::Refused;

impl Session {
    /// Probes the machine through the driver.
    pub(crate) fn probe_machine(&mut self) -> Result<Machine, Refused> {
        let session = self;
        let count = session.device_count()?;
        let devices = (0..count).map(|device| session.probe_device(device)).collect::<Result<Vec<_>, _>>()?;
        let peers = |device| (0..count).map(|peer| session.reaches(device, peer)).collect::<Result<Vec<_>, _>>();
        let Library { path, nvidia_release } = Library::of_this_process(session.driver.path());
        Ok(Machine {
            cuda_version: session.driver.version().0,
            library: path,
            nvidia_release,
            devices,
            peer_access: (0..count).map(peers).collect::<Result<_, _>>()?,
            links: session.probe_links(count)?,
            runtime_problem: session.probe_runtime()?,
            problem: None,
        })
    }

    fn probe_device(&mut self, device: i32) -> Result<Device, Refused> {
        let ipc = self.ipc(device)?;
        let legacy_memory = ipc && self.exports_memory(device)?;
        let managed_memory = self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, device)?;
        let memory_pools = self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device)?;
        let virtual_memory =
            self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device)?;
        let pool_handle_types =
            self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, device)?;
        let memory_descriptors =
            self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device)?;
        let fabric = if virtual_memory { self.fabric(device)? } else { Fabric::Absent };
        let multicast = self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, device)?;
        let mps = self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device)?;
        let session = self;
        let mut name = [0; 256];
        cuda!(session.cuDeviceGetName(name.as_mut_ptr(), 256, device));
        let mut uuid = cuda_ipc_sys::CUuuid::default();
        cuda!(session.cuDeviceGetUuid(&mut uuid, device));
        let mut memory = 0;
        cuda!(session.cuDeviceTotalMem(&mut memory, device));
        let name: Vec<u8> = name.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
        Ok(Device {
            // It is printed beside the results, so it must not look like a line of them or control a terminal.
            name: String::from_utf8_lossy(&name).replace(char::is_control, "\u{fffd}"),
            uuid: uuid.bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect(),
            memory: memory as u64,
            ipc,
            legacy_memory,
            managed_memory,
            memory_pools,
            pool_handle_types: pool_handle_types.cast_unsigned(),
            virtual_memory,
            memory_descriptors,
            fabric,
            multicast,
            mps,
        })
    }

    /// Whether IPC is supported. CUDA before 12 has no attribute for IPC, so the probe reads UNIFIED_ADDRESSING, which
    /// the documentation requires.
    fn ipc(&mut self, device: i32) -> Result<bool, Refused> {
        let attribute = if self.driver.version() < CudaVersion(12_000) {
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
        } else {
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED
        };
        self.flag(attribute, device)
    }

    /// Whether memory can be exported by legacy handles. A discrete device that supports IPC can. A device that is
    /// integrated into a processor may support events but not memory, so the probe tries an export.
    /// <https://docs.nvidia.com/cuda/cuda-for-tegra-appnote/>
    fn exports_memory(&mut self, device: i32) -> Result<bool, Refused> {
        if !self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED, device)? {
            return Ok(true);
        }
        let session = self;
        let (mut pointer, mut handle) = (0, cuda_ipc_sys::CUipcMemHandle::default());
        cuda!(session.cuMemAlloc(&mut pointer, 4));
        let mut export = |session: &mut Self| {
            cuda!(session.cuIpcGetMemHandle(&mut handle, pointer));
            Ok(())
        };
        let exported = export(session);
        cuda!(session.cuMemFree(pointer));
        match exported {
            Err(Refused::Driver { .. }) => Ok(false),
            exported => exported.map(|()| true),
        }
    }

    /// Determines the state of fabric handles. The attribute says whether the device supports them; only an attempt
    /// shows whether this process may use them.
    fn fabric(&mut self, device: i32) -> Result<Fabric, Refused> {
        if !self.flag(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, device)? {
            return Ok(Fabric::Absent);
        }
        let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC;
        let properties = CUmemAllocationProp::from(MemProperties::device(device).exportable(handle_type.0));
        let option = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        let session = self;
        let (mut granularity, mut handle) = (0, 0);
        cuda!(session.cuMemGetAllocationGranularity(&mut granularity, &properties, option));
        let mut create = |session: &mut Self| {
            cuda!(session.cuMemCreate(&mut handle, granularity, &properties, 0));
            cuda!(session.cuMemRelease(handle));
            Ok(())
        };
        match create(session) {
            Ok(()) => Ok(Fabric::Channel),
            Err(Refused::Driver { code, .. })
                if code == CUresult::CUDA_ERROR_NOT_PERMITTED.0 || is_real_and_without_channel(session) =>
            {
                Ok(Fabric::NoChannel)
            }
            Err(Refused::Driver { .. }) => Ok(Fabric::NotReady),
            Err(refused) => Err(refused),
        }
    }

    fn flag(&mut self, attribute: CUdevice_attribute, device: i32) -> Result<bool, Refused> {
        Ok(self.attribute(attribute, device)? != 0)
    }

    /// Returns an attribute, or 0 if the driver is too old to know it.
    fn attribute(&mut self, attribute: CUdevice_attribute, device: i32) -> Result<i32, Refused> {
        let session = self;
        let ask = |session: &mut Self| {
            let mut value = 0;
            cuda!(session.cuDeviceGetAttribute(&mut value, attribute, device));
            Ok(value)
        };
        match ask(session) {
            Err(Refused::Driver { code, .. }) if code == CUresult::CUDA_ERROR_INVALID_VALUE.0 => Ok(0),
            answer => answer,
        }
    }

    fn probe_links(&self, count: i32) -> Result<Vec<Link>, Refused> {
        use CUdevice_P2PAttribute as A;
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let probe = |(from, to)| {
            let session = self;
            let ask = |attribute| {
                let mut value = 0;
                cuda!(session.cuDeviceGetP2PAttribute(&mut value, attribute, from, to));
                Ok::<_, Refused>(value)
            };
            Ok(Link {
                from,
                to,
                access: ask(A::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)? != 0,
                performance_rank: ask(A::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)?,
                native_atomics: ask(A::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)? != 0,
                arrays: ask(A::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)? != 0,
            })
        };
        pairs.map(probe).collect()
    }

    fn reaches(&self, device: i32, peer: i32) -> Result<bool, Refused> {
        let session = self;
        let mut value = 0;
        if device != peer {
            cuda!(session.cuDeviceCanAccessPeer(&mut value, device, peer));
        }
        Ok(value != 0)
    }
}

/// Whether the driver is a real one and this process may open no IMEX channel. Then a case can check which code the
/// driver returns.
fn is_real_and_without_channel(session: &Session) -> bool {
    let is_simulated = Library::is_reference(&Library::of_this_process(session.driver.path()).path);
    let mut nodes = std::fs::read_dir("/dev/nvidia-caps-imex-channels").into_iter().flatten().flatten();
    !is_simulated && !nodes.any(|node| rustix::fs::access(node.path(), Access::READ_OK | Access::WRITE_OK).is_ok())
}
