//! Versions and devices.

use std::ffi::{c_char, c_int, c_void};

use cuda_ipc_sys::{CUdevice, CUdevice_attribute, CUdriverProcAddressQueryResult};

use super::context::{device, reset, set_current};
use crate::answer::{Input, Output};
use crate::version::cuda_version;

runtime_calls! {
    free fn cudaRuntimeGetVersion(version: Output<c_int>) {
        Ok(version.give(cuda_version())?)
    }

    free fn cudaDriverGetVersion(version: Output<c_int>) {
        driver!(device::cuDriverGetVersion(version))
    }

    // The status has the driver's values.
    initialised fn cudaGetDriverEntryPointByVersion(
        name: Input<c_char>,
        address: Output<*mut c_void>,
        version: u32,
        flags: u64,
        status: Output<CUdriverProcAddressQueryResult>,
    ) {
        driver!(proc_address::cuGetProcAddress_v2(name, address, version.cast_signed(), flags, status))
    }

    initialised fn cudaGetDeviceCount(count: Output<c_int>) {
        driver!(device::cuDeviceGetCount(count))
    }

    // Since CUDA 12, the context exists when this returns.
    initialised fn cudaSetDevice(device: CUdevice) {
        set_current(device)
    }

    initialised fn cudaGetDevice(output: Output<CUdevice>) {
        Ok(output.give(device()?)?)
    }

    initialised fn cudaDeviceGetAttribute(value: Output<c_int>, name: CUdevice_attribute, device: CUdevice) {
        driver!(device::cuDeviceGetAttribute(value, name, device))
    }

    initialised fn cudaDeviceGetByPCIBusId(device: Output<CUdevice>, text: Input<c_char>) {
        driver!(device::cuDeviceGetByPCIBusId(device, text))
    }

    initialised fn cudaDeviceGetPCIBusId(text: Output<c_char>, length: c_int, device: CUdevice) {
        driver!(device::cuDeviceGetPCIBusId(text, length, device))
    }

    active fn cudaDeviceSynchronize() {
        driver!(context::cuCtxSynchronize())
    }

    active fn cudaProfilerStart() {
        driver!(tools::cuProfilerStart())
    }

    active fn cudaProfilerStop() {
        driver!(tools::cuProfilerStop())
    }

    initialised fn cudaDeviceReset() {
        reset()
    }
}
