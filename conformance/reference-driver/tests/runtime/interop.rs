//! Devices, streams, events and peer access, which the runtime has from the driver.

use std::ffi::{CString, c_char};
use std::ptr;

use cuda_ipc_sys::runtime::{cudaDeviceAttr, cudaDeviceP2PAttr, cudaError};

use crate::*;

tests! {
    fn devices_tell_of_themselves() {
        let (mut pools, mut device) = (0, -1);
        call!(cudaDeviceGetAttribute(&mut pools, cudaDeviceAttr::cudaDevAttrMemoryPoolsSupported, 1));
        assert_eq!(pools, 1);
        assert_eq!(code!(cudaDeviceGetAttribute(&mut pools, cudaDeviceAttr(100_000), 1)), INVALID_VALUE);
        assert_eq!(code!(cudaDeviceGetAttribute(&mut pools, cudaDeviceAttr(75), 2)), INVALID_DEVICE);
        let mut address = [0 as c_char; 16];
        call!(cudaDeviceGetPCIBusId(address.as_mut_ptr(), 16, 1));
        let address = CString::new(text(address.as_ptr())).unwrap();
        call!(cudaDeviceGetByPCIBusId(&mut device, address.as_ptr()));
        assert_eq!(device, 1);
    }

    fn streams_and_events_serve_both_apis() {
        let (mut stream, mut event, mut other) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        call!(cudaStreamCreateWithFlags(&mut stream, 1));
        call!(cudaEventCreateWithFlags(&mut event, 2));
        driver_call!(cuEventRecord(event, stream));
        driver_call!(cuStreamSynchronize(stream));
        call!(cudaEventQuery(event));
        driver_call!(cuStreamCreate(&mut other, 1));
        call!(cudaStreamWaitEvent(other, event, 0));
        call!(cudaStreamSynchronize(other));
        driver_call!(cuEventDestroy(event));
        assert_eq!(code!(cudaEventQuery(event)), cudaError::cudaErrorInvalidResourceHandle);
        assert_eq!(code!(cudaStreamCreateWithFlags(&mut stream, 2)), INVALID_VALUE);
        assert_eq!(code!(cudaEventCreateWithFlags(&mut event, 4)), INVALID_VALUE, "shared events have no timing");
    }

    fn the_time_between_events_is_told() {
        let (mut start, mut end, mut milliseconds) = (ptr::null_mut(), ptr::null_mut(), -1.0);
        call!(cudaEventCreateWithFlags(&mut start, 0));
        call!(cudaEventCreateWithFlags(&mut end, 0));
        call!(cudaEventRecord(start, DEFAULT));
        call!(cudaEventRecord(end, DEFAULT));
        call!(cudaEventSynchronize(end));
        call!(cudaEventElapsedTime(&mut milliseconds, start, end));
        assert!(milliseconds >= 0.0, "{milliseconds}");
    }

    fn peer_access_is_between_devices() {
        let mut answer = -1;
        call!(cudaDeviceCanAccessPeer(&mut answer, 0, 1));
        assert_eq!(answer, 1);
        call!(cudaDeviceGetP2PAttribute(&mut answer, cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported, 0, 1));
        assert_eq!(answer, 1);
        assert_eq!(code!(cudaDeviceDisablePeerAccess(1)), cudaError::cudaErrorPeerAccessNotEnabled);
        assert_eq!(code!(cudaDeviceEnablePeerAccess(1, 1)), INVALID_VALUE);
        call!(cudaDeviceEnablePeerAccess(1, 0));
        assert!(is_active(1), "the other device is initialised too");
        assert_eq!(code!(cudaDeviceEnablePeerAccess(1, 0)), cudaError::cudaErrorPeerAccessAlreadyEnabled);
        assert_eq!(driver_code!(cuCtxEnablePeerAccess(primary(1), 0)), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        call!(cudaDeviceDisablePeerAccess(1));
    }

    fn a_device_is_no_peer_of_itself() {
        for peer in [0, 2] {
            assert_eq!(code!(cudaDeviceEnablePeerAccess(peer, 0)), INVALID_DEVICE, "{peer}");
        }
    }
}
