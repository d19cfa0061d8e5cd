//! `cudaGetDeviceProperties`. The structure is that of CUDA 13.

use std::ffi::c_int;

use cuda_ipc_sys::runtime::cudaDeviceProp;
use cuda_ipc_sys::{CUdevice, CUdevice_attribute};

use super::answer::{NOT_SUPPORTED, Result, output_of};
use crate::answer::Output;
use crate::version::cuda_version;

type A = CUdevice_attribute;

/// Attributes of one device. One that the served version of CUDA does not have reads 0.
struct Attributes(CUdevice);

impl Attributes {
    fn get(&self, attribute: A) -> c_int {
        output_of(|output| driver!(device::cuDeviceGetAttribute(output, attribute, self.0))).unwrap_or(0)
    }

    fn size(&self, attribute: A) -> usize {
        usize::try_from(self.get(attribute)).unwrap_or(0)
    }

    fn all<const N: usize>(&self, attributes: [A; N]) -> [c_int; N] {
        attributes.map(|attribute| self.get(attribute))
    }
}

fn of(device: CUdevice) -> Result<cudaDeviceProp> {
    let attributes = Attributes(device);
    let is = |attribute| attributes.get(attribute);
    let size = |attribute| attributes.size(attribute);
    let mut properties = cudaDeviceProp {
        totalGlobalMem: output_of(|output| driver!(device::cuDeviceTotalMem_v2(output, device)))?,
        uuid: output_of(|output| driver!(device::cuDeviceGetUuid_v2(output, device)))?,
        sharedMemPerBlock: size(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        regsPerBlock: is(A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        warpSize: is(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        memPitch: size(A::CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        maxThreadsPerBlock: is(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        maxThreadsDim: attributes.all([
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
            A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        ]),
        maxGridSize: attributes.all([
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
            A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        ]),
        totalConstMem: size(A::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        major: is(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        minor: is(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        multiProcessorCount: is(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        integrated: is(A::CU_DEVICE_ATTRIBUTE_INTEGRATED),
        canMapHostMemory: is(A::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY),
        concurrentKernels: is(A::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS),
        ECCEnabled: is(A::CU_DEVICE_ATTRIBUTE_ECC_ENABLED),
        pciBusID: is(A::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
        pciDeviceID: is(A::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID),
        pciDomainID: is(A::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
        asyncEngineCount: is(A::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        unifiedAddressing: is(A::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING),
        memoryBusWidth: is(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        l2CacheSize: is(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        maxThreadsPerMultiProcessor: is(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        streamPrioritiesSupported: is(A::CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED),
        sharedMemPerMultiprocessor: size(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        regsPerMultiprocessor: is(A::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
        managedMemory: is(A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY),
        hostNativeAtomicSupported: is(A::CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED),
        pageableMemoryAccess: is(A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS),
        concurrentManagedAccess: is(A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS),
        canUseHostPointerForRegisteredMem: is(A::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM),
        cooperativeLaunch: is(A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH),
        sharedMemPerBlockOptin: size(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
        pageableMemoryAccessUsesHostPageTables: is(A::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES),
        directManagedMemAccessFromHost: is(A::CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST),
        memoryPoolsSupported: is(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED),
        memoryPoolSupportedHandleTypes: is(A::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES).cast_unsigned(),
        ipcEventSupported: is(A::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED),
        mpsEnabled: is(A::CU_DEVICE_ATTRIBUTE_MPS_ENABLED),
        ..Default::default()
    };
    let room = properties.name.len() as c_int;
    // SAFETY: a local, which the call can write up to its size.
    let name = unsafe { Output::new(properties.name.as_mut_ptr()) };
    driver!(device::cuDeviceGetName(name, room, device))?;
    Ok(properties)
}

runtime_calls! {
    initialised fn cudaGetDeviceProperties(properties: Output<cudaDeviceProp>, device: CUdevice) {
        properties.wanted()?;
        // The function of this name wrote a shorter structure before CUDA 13, which a caller may have.
        if cuda_version() < 13_000 {
            return Err(NOT_SUPPORTED);
        }
        Ok(properties.give(of(device)?)?)
    }
}
