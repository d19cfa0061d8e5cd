// Written by cuda-ipc-sys/generator: change that, then run it.

#[allow(unused_imports)]
use crate::driver::bindings::*;
pub const cudaHostAllocDefault: u32 = 0;
pub const cudaHostAllocPortable: u32 = 1;
pub const cudaHostAllocMapped: u32 = 2;
pub const cudaHostAllocWriteCombined: u32 = 4;
pub const cudaHostRegisterDefault: u32 = 0;
pub const cudaHostRegisterPortable: u32 = 1;
pub const cudaHostRegisterMapped: u32 = 2;
pub const cudaHostRegisterIoMemory: u32 = 4;
pub const cudaHostRegisterReadOnly: u32 = 8;
pub const cudaStreamDefault: u32 = 0;
pub const cudaStreamNonBlocking: u32 = 1;
pub const cudaEventDefault: u32 = 0;
pub const cudaEventBlockingSync: u32 = 1;
pub const cudaEventDisableTiming: u32 = 2;
pub const cudaEventInterprocess: u32 = 4;
pub const cudaEventRecordDefault: u32 = 0;
pub const cudaEventRecordExternal: u32 = 1;
pub const cudaEventWaitDefault: u32 = 0;
pub const cudaEventWaitExternal: u32 = 1;
pub const cudaIpcMemLazyEnablePeerAccess: u32 = 1;
pub const cudaMemAttachGlobal: u32 = 1;
pub const cudaMemAttachHost: u32 = 2;
pub const cudaMemAttachSingle: u32 = 4;
pub const CUDA_IPC_HANDLE_SIZE: u32 = 64;
impl cudaError {
    pub const cudaSuccess: cudaError = cudaError(0);
    pub const cudaErrorInvalidValue: cudaError = cudaError(1);
    pub const cudaErrorMemoryAllocation: cudaError = cudaError(2);
    pub const cudaErrorInitializationError: cudaError = cudaError(3);
    pub const cudaErrorCudartUnloading: cudaError = cudaError(4);
    pub const cudaErrorProfilerDisabled: cudaError = cudaError(5);
    pub const cudaErrorProfilerNotInitialized: cudaError = cudaError(6);
    pub const cudaErrorProfilerAlreadyStarted: cudaError = cudaError(7);
    pub const cudaErrorProfilerAlreadyStopped: cudaError = cudaError(8);
    pub const cudaErrorInvalidConfiguration: cudaError = cudaError(9);
    pub const cudaErrorVersionTranslation: cudaError = cudaError(10);
    pub const cudaErrorInvalidPitchValue: cudaError = cudaError(12);
    pub const cudaErrorInvalidSymbol: cudaError = cudaError(13);
    pub const cudaErrorInvalidHostPointer: cudaError = cudaError(16);
    pub const cudaErrorInvalidDevicePointer: cudaError = cudaError(17);
    pub const cudaErrorInvalidTexture: cudaError = cudaError(18);
    pub const cudaErrorInvalidTextureBinding: cudaError = cudaError(19);
    pub const cudaErrorInvalidChannelDescriptor: cudaError = cudaError(20);
    pub const cudaErrorInvalidMemcpyDirection: cudaError = cudaError(21);
    pub const cudaErrorAddressOfConstant: cudaError = cudaError(22);
    pub const cudaErrorTextureFetchFailed: cudaError = cudaError(23);
    pub const cudaErrorTextureNotBound: cudaError = cudaError(24);
    pub const cudaErrorSynchronizationError: cudaError = cudaError(25);
    pub const cudaErrorInvalidFilterSetting: cudaError = cudaError(26);
    pub const cudaErrorInvalidNormSetting: cudaError = cudaError(27);
    pub const cudaErrorMixedDeviceExecution: cudaError = cudaError(28);
    pub const cudaErrorNotYetImplemented: cudaError = cudaError(31);
    pub const cudaErrorMemoryValueTooLarge: cudaError = cudaError(32);
    pub const cudaErrorStubLibrary: cudaError = cudaError(34);
    pub const cudaErrorInsufficientDriver: cudaError = cudaError(35);
    pub const cudaErrorCallRequiresNewerDriver: cudaError = cudaError(36);
    pub const cudaErrorInvalidSurface: cudaError = cudaError(37);
    pub const cudaErrorDuplicateVariableName: cudaError = cudaError(43);
    pub const cudaErrorDuplicateTextureName: cudaError = cudaError(44);
    pub const cudaErrorDuplicateSurfaceName: cudaError = cudaError(45);
    pub const cudaErrorDevicesUnavailable: cudaError = cudaError(46);
    pub const cudaErrorIncompatibleDriverContext: cudaError = cudaError(49);
    pub const cudaErrorMissingConfiguration: cudaError = cudaError(52);
    pub const cudaErrorPriorLaunchFailure: cudaError = cudaError(53);
    pub const cudaErrorLaunchMaxDepthExceeded: cudaError = cudaError(65);
    pub const cudaErrorLaunchFileScopedTex: cudaError = cudaError(66);
    pub const cudaErrorLaunchFileScopedSurf: cudaError = cudaError(67);
    pub const cudaErrorSyncDepthExceeded: cudaError = cudaError(68);
    pub const cudaErrorLaunchPendingCountExceeded: cudaError = cudaError(69);
    pub const cudaErrorInvalidDeviceFunction: cudaError = cudaError(98);
    pub const cudaErrorNoDevice: cudaError = cudaError(100);
    pub const cudaErrorInvalidDevice: cudaError = cudaError(101);
    pub const cudaErrorDeviceNotLicensed: cudaError = cudaError(102);
    pub const cudaErrorSoftwareValidityNotEstablished: cudaError = cudaError(103);
    pub const cudaErrorStartupFailure: cudaError = cudaError(127);
    pub const cudaErrorInvalidKernelImage: cudaError = cudaError(200);
    pub const cudaErrorDeviceUninitialized: cudaError = cudaError(201);
    pub const cudaErrorMapBufferObjectFailed: cudaError = cudaError(205);
    pub const cudaErrorUnmapBufferObjectFailed: cudaError = cudaError(206);
    pub const cudaErrorArrayIsMapped: cudaError = cudaError(207);
    pub const cudaErrorAlreadyMapped: cudaError = cudaError(208);
    pub const cudaErrorNoKernelImageForDevice: cudaError = cudaError(209);
    pub const cudaErrorAlreadyAcquired: cudaError = cudaError(210);
    pub const cudaErrorNotMapped: cudaError = cudaError(211);
    pub const cudaErrorNotMappedAsArray: cudaError = cudaError(212);
    pub const cudaErrorNotMappedAsPointer: cudaError = cudaError(213);
    pub const cudaErrorECCUncorrectable: cudaError = cudaError(214);
    pub const cudaErrorUnsupportedLimit: cudaError = cudaError(215);
    pub const cudaErrorDeviceAlreadyInUse: cudaError = cudaError(216);
    pub const cudaErrorPeerAccessUnsupported: cudaError = cudaError(217);
    pub const cudaErrorInvalidPtx: cudaError = cudaError(218);
    pub const cudaErrorInvalidGraphicsContext: cudaError = cudaError(219);
    pub const cudaErrorNvlinkUncorrectable: cudaError = cudaError(220);
    pub const cudaErrorJitCompilerNotFound: cudaError = cudaError(221);
    pub const cudaErrorUnsupportedPtxVersion: cudaError = cudaError(222);
    pub const cudaErrorJitCompilationDisabled: cudaError = cudaError(223);
    pub const cudaErrorUnsupportedExecAffinity: cudaError = cudaError(224);
    pub const cudaErrorUnsupportedDevSideSync: cudaError = cudaError(225);
    pub const cudaErrorContained: cudaError = cudaError(226);
    pub const cudaErrorInsufficientLoaderVersion: cudaError = cudaError(227);
    pub const cudaErrorInvalidSource: cudaError = cudaError(300);
    pub const cudaErrorFileNotFound: cudaError = cudaError(301);
    pub const cudaErrorSharedObjectSymbolNotFound: cudaError = cudaError(302);
    pub const cudaErrorSharedObjectInitFailed: cudaError = cudaError(303);
    pub const cudaErrorOperatingSystem: cudaError = cudaError(304);
    pub const cudaErrorInvalidResourceHandle: cudaError = cudaError(400);
    pub const cudaErrorIllegalState: cudaError = cudaError(401);
    pub const cudaErrorLossyQuery: cudaError = cudaError(402);
    pub const cudaErrorSymbolNotFound: cudaError = cudaError(500);
    pub const cudaErrorNotReady: cudaError = cudaError(600);
    pub const cudaErrorIllegalAddress: cudaError = cudaError(700);
    pub const cudaErrorLaunchOutOfResources: cudaError = cudaError(701);
    pub const cudaErrorLaunchTimeout: cudaError = cudaError(702);
    pub const cudaErrorLaunchIncompatibleTexturing: cudaError = cudaError(703);
    pub const cudaErrorPeerAccessAlreadyEnabled: cudaError = cudaError(704);
    pub const cudaErrorPeerAccessNotEnabled: cudaError = cudaError(705);
    pub const cudaErrorSetOnActiveProcess: cudaError = cudaError(708);
    pub const cudaErrorContextIsDestroyed: cudaError = cudaError(709);
    pub const cudaErrorAssert: cudaError = cudaError(710);
    pub const cudaErrorTooManyPeers: cudaError = cudaError(711);
    pub const cudaErrorHostMemoryAlreadyRegistered: cudaError = cudaError(712);
    pub const cudaErrorHostMemoryNotRegistered: cudaError = cudaError(713);
    pub const cudaErrorHardwareStackError: cudaError = cudaError(714);
    pub const cudaErrorIllegalInstruction: cudaError = cudaError(715);
    pub const cudaErrorMisalignedAddress: cudaError = cudaError(716);
    pub const cudaErrorInvalidAddressSpace: cudaError = cudaError(717);
    pub const cudaErrorInvalidPc: cudaError = cudaError(718);
    pub const cudaErrorLaunchFailure: cudaError = cudaError(719);
    pub const cudaErrorCooperativeLaunchTooLarge: cudaError = cudaError(720);
    pub const cudaErrorTensorMemoryLeak: cudaError = cudaError(721);
    pub const cudaErrorNotPermitted: cudaError = cudaError(800);
    pub const cudaErrorNotSupported: cudaError = cudaError(801);
    pub const cudaErrorSystemNotReady: cudaError = cudaError(802);
    pub const cudaErrorSystemDriverMismatch: cudaError = cudaError(803);
    pub const cudaErrorCompatNotSupportedOnDevice: cudaError = cudaError(804);
    pub const cudaErrorMpsConnectionFailed: cudaError = cudaError(805);
    pub const cudaErrorMpsRpcFailure: cudaError = cudaError(806);
    pub const cudaErrorMpsServerNotReady: cudaError = cudaError(807);
    pub const cudaErrorMpsMaxClientsReached: cudaError = cudaError(808);
    pub const cudaErrorMpsMaxConnectionsReached: cudaError = cudaError(809);
    pub const cudaErrorMpsClientTerminated: cudaError = cudaError(810);
    pub const cudaErrorCdpNotSupported: cudaError = cudaError(811);
    pub const cudaErrorCdpVersionMismatch: cudaError = cudaError(812);
    pub const cudaErrorStreamCaptureUnsupported: cudaError = cudaError(900);
    pub const cudaErrorStreamCaptureInvalidated: cudaError = cudaError(901);
    pub const cudaErrorStreamCaptureMerge: cudaError = cudaError(902);
    pub const cudaErrorStreamCaptureUnmatched: cudaError = cudaError(903);
    pub const cudaErrorStreamCaptureUnjoined: cudaError = cudaError(904);
    pub const cudaErrorStreamCaptureIsolation: cudaError = cudaError(905);
    pub const cudaErrorStreamCaptureImplicit: cudaError = cudaError(906);
    pub const cudaErrorCapturedEvent: cudaError = cudaError(907);
    pub const cudaErrorStreamCaptureWrongThread: cudaError = cudaError(908);
    pub const cudaErrorTimeout: cudaError = cudaError(909);
    pub const cudaErrorGraphExecUpdateFailure: cudaError = cudaError(910);
    pub const cudaErrorExternalDevice: cudaError = cudaError(911);
    pub const cudaErrorInvalidClusterSize: cudaError = cudaError(912);
    pub const cudaErrorFunctionNotLoaded: cudaError = cudaError(913);
    pub const cudaErrorInvalidResourceType: cudaError = cudaError(914);
    pub const cudaErrorInvalidResourceConfiguration: cudaError = cudaError(915);
    pub const cudaErrorStreamDetached: cudaError = cudaError(917);
    pub const cudaErrorGraphRecaptureFailure: cudaError = cudaError(918);
    pub const cudaErrorFabricNotReady: cudaError = cudaError(919);
    pub const cudaErrorUnknown: cudaError = cudaError(999);
    pub const cudaErrorApiFailureBase: cudaError = cudaError(10000);
}
#[repr(transparent)]
#[must_use]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaError(pub ::core::ffi::c_uint);
impl cudaMemoryType {
    pub const cudaMemoryTypeUnregistered: cudaMemoryType = cudaMemoryType(0);
    pub const cudaMemoryTypeHost: cudaMemoryType = cudaMemoryType(1);
    pub const cudaMemoryTypeDevice: cudaMemoryType = cudaMemoryType(2);
    pub const cudaMemoryTypeManaged: cudaMemoryType = cudaMemoryType(3);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemoryType(pub ::core::ffi::c_uint);
impl cudaMemcpyKind {
    pub const cudaMemcpyHostToHost: cudaMemcpyKind = cudaMemcpyKind(0);
    pub const cudaMemcpyHostToDevice: cudaMemcpyKind = cudaMemcpyKind(1);
    pub const cudaMemcpyDeviceToHost: cudaMemcpyKind = cudaMemcpyKind(2);
    pub const cudaMemcpyDeviceToDevice: cudaMemcpyKind = cudaMemcpyKind(3);
    pub const cudaMemcpyDefault: cudaMemcpyKind = cudaMemcpyKind(4);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemcpyKind(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaPointerAttributes {
    pub type_: cudaMemoryType,
    pub device: ::core::ffi::c_int,
    pub devicePointer: *mut ::core::ffi::c_void,
    pub hostPointer: *mut ::core::ffi::c_void,
    pub __bindgen_anon_1: cudaPointerAttributes__bindgen_ty_1,
    pub reserved: [::core::ffi::c_long; 7usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union cudaPointerAttributes__bindgen_ty_1 {
    pub localityDomainOrdinal: ::core::ffi::c_int,
    pub unused: ::core::ffi::c_long,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaPointerAttributes__bindgen_ty_1",
    ][::core::mem::size_of::<cudaPointerAttributes__bindgen_ty_1>() - 8usize];
    [
        "Alignment of cudaPointerAttributes__bindgen_ty_1",
    ][::core::mem::align_of::<cudaPointerAttributes__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: cudaPointerAttributes__bindgen_ty_1::localityDomainOrdinal",
    ][::core::mem::offset_of!(cudaPointerAttributes__bindgen_ty_1, localityDomainOrdinal)
        - 0usize];
    [
        "Offset of field: cudaPointerAttributes__bindgen_ty_1::unused",
    ][::core::mem::offset_of!(cudaPointerAttributes__bindgen_ty_1, unused) - 0usize];
};
impl Default for cudaPointerAttributes__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaPointerAttributes",
    ][::core::mem::size_of::<cudaPointerAttributes>() - 88usize];
    [
        "Alignment of cudaPointerAttributes",
    ][::core::mem::align_of::<cudaPointerAttributes>() - 8usize];
    [
        "Offset of field: cudaPointerAttributes::type_",
    ][::core::mem::offset_of!(cudaPointerAttributes, type_) - 0usize];
    [
        "Offset of field: cudaPointerAttributes::device",
    ][::core::mem::offset_of!(cudaPointerAttributes, device) - 4usize];
    [
        "Offset of field: cudaPointerAttributes::devicePointer",
    ][::core::mem::offset_of!(cudaPointerAttributes, devicePointer) - 8usize];
    [
        "Offset of field: cudaPointerAttributes::hostPointer",
    ][::core::mem::offset_of!(cudaPointerAttributes, hostPointer) - 16usize];
    [
        "Offset of field: cudaPointerAttributes::reserved",
    ][::core::mem::offset_of!(cudaPointerAttributes, reserved) - 32usize];
};
impl Default for cudaPointerAttributes {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl cudaDeviceAttr {
    pub const cudaDevAttrMaxThreadsPerBlock: cudaDeviceAttr = cudaDeviceAttr(1);
    pub const cudaDevAttrMaxBlockDimX: cudaDeviceAttr = cudaDeviceAttr(2);
    pub const cudaDevAttrMaxBlockDimY: cudaDeviceAttr = cudaDeviceAttr(3);
    pub const cudaDevAttrMaxBlockDimZ: cudaDeviceAttr = cudaDeviceAttr(4);
    pub const cudaDevAttrMaxGridDimX: cudaDeviceAttr = cudaDeviceAttr(5);
    pub const cudaDevAttrMaxGridDimY: cudaDeviceAttr = cudaDeviceAttr(6);
    pub const cudaDevAttrMaxGridDimZ: cudaDeviceAttr = cudaDeviceAttr(7);
    pub const cudaDevAttrMaxSharedMemoryPerBlock: cudaDeviceAttr = cudaDeviceAttr(8);
    pub const cudaDevAttrTotalConstantMemory: cudaDeviceAttr = cudaDeviceAttr(9);
    pub const cudaDevAttrWarpSize: cudaDeviceAttr = cudaDeviceAttr(10);
    pub const cudaDevAttrMaxPitch: cudaDeviceAttr = cudaDeviceAttr(11);
    pub const cudaDevAttrMaxRegistersPerBlock: cudaDeviceAttr = cudaDeviceAttr(12);
    pub const cudaDevAttrClockRate: cudaDeviceAttr = cudaDeviceAttr(13);
    pub const cudaDevAttrTextureAlignment: cudaDeviceAttr = cudaDeviceAttr(14);
    pub const cudaDevAttrGpuOverlap: cudaDeviceAttr = cudaDeviceAttr(15);
    pub const cudaDevAttrMultiProcessorCount: cudaDeviceAttr = cudaDeviceAttr(16);
    pub const cudaDevAttrKernelExecTimeout: cudaDeviceAttr = cudaDeviceAttr(17);
    pub const cudaDevAttrIntegrated: cudaDeviceAttr = cudaDeviceAttr(18);
    pub const cudaDevAttrCanMapHostMemory: cudaDeviceAttr = cudaDeviceAttr(19);
    pub const cudaDevAttrComputeMode: cudaDeviceAttr = cudaDeviceAttr(20);
    pub const cudaDevAttrMaxTexture1DWidth: cudaDeviceAttr = cudaDeviceAttr(21);
    pub const cudaDevAttrMaxTexture2DWidth: cudaDeviceAttr = cudaDeviceAttr(22);
    pub const cudaDevAttrMaxTexture2DHeight: cudaDeviceAttr = cudaDeviceAttr(23);
    pub const cudaDevAttrMaxTexture3DWidth: cudaDeviceAttr = cudaDeviceAttr(24);
    pub const cudaDevAttrMaxTexture3DHeight: cudaDeviceAttr = cudaDeviceAttr(25);
    pub const cudaDevAttrMaxTexture3DDepth: cudaDeviceAttr = cudaDeviceAttr(26);
    pub const cudaDevAttrMaxTexture2DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(27);
    pub const cudaDevAttrMaxTexture2DLayeredHeight: cudaDeviceAttr = cudaDeviceAttr(28);
    pub const cudaDevAttrMaxTexture2DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(29);
    pub const cudaDevAttrSurfaceAlignment: cudaDeviceAttr = cudaDeviceAttr(30);
    pub const cudaDevAttrConcurrentKernels: cudaDeviceAttr = cudaDeviceAttr(31);
    pub const cudaDevAttrEccEnabled: cudaDeviceAttr = cudaDeviceAttr(32);
    pub const cudaDevAttrPciBusId: cudaDeviceAttr = cudaDeviceAttr(33);
    pub const cudaDevAttrPciDeviceId: cudaDeviceAttr = cudaDeviceAttr(34);
    pub const cudaDevAttrTccDriver: cudaDeviceAttr = cudaDeviceAttr(35);
    pub const cudaDevAttrMemoryClockRate: cudaDeviceAttr = cudaDeviceAttr(36);
    pub const cudaDevAttrGlobalMemoryBusWidth: cudaDeviceAttr = cudaDeviceAttr(37);
    pub const cudaDevAttrL2CacheSize: cudaDeviceAttr = cudaDeviceAttr(38);
    pub const cudaDevAttrMaxThreadsPerMultiProcessor: cudaDeviceAttr = cudaDeviceAttr(
        39,
    );
    pub const cudaDevAttrAsyncEngineCount: cudaDeviceAttr = cudaDeviceAttr(40);
    pub const cudaDevAttrUnifiedAddressing: cudaDeviceAttr = cudaDeviceAttr(41);
    pub const cudaDevAttrMaxTexture1DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(42);
    pub const cudaDevAttrMaxTexture1DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(43);
    pub const cudaDevAttrMaxTexture2DGatherWidth: cudaDeviceAttr = cudaDeviceAttr(45);
    pub const cudaDevAttrMaxTexture2DGatherHeight: cudaDeviceAttr = cudaDeviceAttr(46);
    pub const cudaDevAttrMaxTexture3DWidthAlt: cudaDeviceAttr = cudaDeviceAttr(47);
    pub const cudaDevAttrMaxTexture3DHeightAlt: cudaDeviceAttr = cudaDeviceAttr(48);
    pub const cudaDevAttrMaxTexture3DDepthAlt: cudaDeviceAttr = cudaDeviceAttr(49);
    pub const cudaDevAttrPciDomainId: cudaDeviceAttr = cudaDeviceAttr(50);
    pub const cudaDevAttrTexturePitchAlignment: cudaDeviceAttr = cudaDeviceAttr(51);
    pub const cudaDevAttrMaxTextureCubemapWidth: cudaDeviceAttr = cudaDeviceAttr(52);
    pub const cudaDevAttrMaxTextureCubemapLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(
        53,
    );
    pub const cudaDevAttrMaxTextureCubemapLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(
        54,
    );
    pub const cudaDevAttrMaxSurface1DWidth: cudaDeviceAttr = cudaDeviceAttr(55);
    pub const cudaDevAttrMaxSurface2DWidth: cudaDeviceAttr = cudaDeviceAttr(56);
    pub const cudaDevAttrMaxSurface2DHeight: cudaDeviceAttr = cudaDeviceAttr(57);
    pub const cudaDevAttrMaxSurface3DWidth: cudaDeviceAttr = cudaDeviceAttr(58);
    pub const cudaDevAttrMaxSurface3DHeight: cudaDeviceAttr = cudaDeviceAttr(59);
    pub const cudaDevAttrMaxSurface3DDepth: cudaDeviceAttr = cudaDeviceAttr(60);
    pub const cudaDevAttrMaxSurface1DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(61);
    pub const cudaDevAttrMaxSurface1DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(62);
    pub const cudaDevAttrMaxSurface2DLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(63);
    pub const cudaDevAttrMaxSurface2DLayeredHeight: cudaDeviceAttr = cudaDeviceAttr(64);
    pub const cudaDevAttrMaxSurface2DLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(65);
    pub const cudaDevAttrMaxSurfaceCubemapWidth: cudaDeviceAttr = cudaDeviceAttr(66);
    pub const cudaDevAttrMaxSurfaceCubemapLayeredWidth: cudaDeviceAttr = cudaDeviceAttr(
        67,
    );
    pub const cudaDevAttrMaxSurfaceCubemapLayeredLayers: cudaDeviceAttr = cudaDeviceAttr(
        68,
    );
    pub const cudaDevAttrMaxTexture1DLinearWidth: cudaDeviceAttr = cudaDeviceAttr(69);
    pub const cudaDevAttrMaxTexture2DLinearWidth: cudaDeviceAttr = cudaDeviceAttr(70);
    pub const cudaDevAttrMaxTexture2DLinearHeight: cudaDeviceAttr = cudaDeviceAttr(71);
    pub const cudaDevAttrMaxTexture2DLinearPitch: cudaDeviceAttr = cudaDeviceAttr(72);
    pub const cudaDevAttrMaxTexture2DMipmappedWidth: cudaDeviceAttr = cudaDeviceAttr(73);
    pub const cudaDevAttrMaxTexture2DMipmappedHeight: cudaDeviceAttr = cudaDeviceAttr(
        74,
    );
    pub const cudaDevAttrComputeCapabilityMajor: cudaDeviceAttr = cudaDeviceAttr(75);
    pub const cudaDevAttrComputeCapabilityMinor: cudaDeviceAttr = cudaDeviceAttr(76);
    pub const cudaDevAttrMaxTexture1DMipmappedWidth: cudaDeviceAttr = cudaDeviceAttr(77);
    pub const cudaDevAttrStreamPrioritiesSupported: cudaDeviceAttr = cudaDeviceAttr(78);
    pub const cudaDevAttrGlobalL1CacheSupported: cudaDeviceAttr = cudaDeviceAttr(79);
    pub const cudaDevAttrLocalL1CacheSupported: cudaDeviceAttr = cudaDeviceAttr(80);
    pub const cudaDevAttrMaxSharedMemoryPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        81,
    );
    pub const cudaDevAttrMaxRegistersPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        82,
    );
    pub const cudaDevAttrManagedMemory: cudaDeviceAttr = cudaDeviceAttr(83);
    pub const cudaDevAttrIsMultiGpuBoard: cudaDeviceAttr = cudaDeviceAttr(84);
    pub const cudaDevAttrMultiGpuBoardGroupID: cudaDeviceAttr = cudaDeviceAttr(85);
    pub const cudaDevAttrHostNativeAtomicSupported: cudaDeviceAttr = cudaDeviceAttr(86);
    pub const cudaDevAttrSingleToDoublePrecisionPerfRatio: cudaDeviceAttr = cudaDeviceAttr(
        87,
    );
    pub const cudaDevAttrPageableMemoryAccess: cudaDeviceAttr = cudaDeviceAttr(88);
    pub const cudaDevAttrConcurrentManagedAccess: cudaDeviceAttr = cudaDeviceAttr(89);
    pub const cudaDevAttrComputePreemptionSupported: cudaDeviceAttr = cudaDeviceAttr(90);
    pub const cudaDevAttrCanUseHostPointerForRegisteredMem: cudaDeviceAttr = cudaDeviceAttr(
        91,
    );
    pub const cudaDevAttrReserved92: cudaDeviceAttr = cudaDeviceAttr(92);
    pub const cudaDevAttrReserved93: cudaDeviceAttr = cudaDeviceAttr(93);
    pub const cudaDevAttrReserved94: cudaDeviceAttr = cudaDeviceAttr(94);
    pub const cudaDevAttrCooperativeLaunch: cudaDeviceAttr = cudaDeviceAttr(95);
    pub const cudaDevAttrReserved96: cudaDeviceAttr = cudaDeviceAttr(96);
    pub const cudaDevAttrMaxSharedMemoryPerBlockOptin: cudaDeviceAttr = cudaDeviceAttr(
        97,
    );
    pub const cudaDevAttrCanFlushRemoteWrites: cudaDeviceAttr = cudaDeviceAttr(98);
    pub const cudaDevAttrHostRegisterSupported: cudaDeviceAttr = cudaDeviceAttr(99);
    pub const cudaDevAttrPageableMemoryAccessUsesHostPageTables: cudaDeviceAttr = cudaDeviceAttr(
        100,
    );
    pub const cudaDevAttrDirectManagedMemAccessFromHost: cudaDeviceAttr = cudaDeviceAttr(
        101,
    );
    pub const cudaDevAttrMaxBlocksPerMultiprocessor: cudaDeviceAttr = cudaDeviceAttr(
        106,
    );
    pub const cudaDevAttrMaxPersistingL2CacheSize: cudaDeviceAttr = cudaDeviceAttr(108);
    pub const cudaDevAttrMaxAccessPolicyWindowSize: cudaDeviceAttr = cudaDeviceAttr(109);
    pub const cudaDevAttrReservedSharedMemoryPerBlock: cudaDeviceAttr = cudaDeviceAttr(
        111,
    );
    pub const cudaDevAttrSparseCudaArraySupported: cudaDeviceAttr = cudaDeviceAttr(112);
    pub const cudaDevAttrHostRegisterReadOnlySupported: cudaDeviceAttr = cudaDeviceAttr(
        113,
    );
    pub const cudaDevAttrTimelineSemaphoreInteropSupported: cudaDeviceAttr = cudaDeviceAttr(
        114,
    );
    pub const cudaDevAttrMemoryPoolsSupported: cudaDeviceAttr = cudaDeviceAttr(115);
    pub const cudaDevAttrGPUDirectRDMASupported: cudaDeviceAttr = cudaDeviceAttr(116);
    pub const cudaDevAttrGPUDirectRDMAFlushWritesOptions: cudaDeviceAttr = cudaDeviceAttr(
        117,
    );
    pub const cudaDevAttrGPUDirectRDMAWritesOrdering: cudaDeviceAttr = cudaDeviceAttr(
        118,
    );
    pub const cudaDevAttrMemoryPoolSupportedHandleTypes: cudaDeviceAttr = cudaDeviceAttr(
        119,
    );
    pub const cudaDevAttrClusterLaunch: cudaDeviceAttr = cudaDeviceAttr(120);
    pub const cudaDevAttrDeferredMappingCudaArraySupported: cudaDeviceAttr = cudaDeviceAttr(
        121,
    );
    pub const cudaDevAttrReserved122: cudaDeviceAttr = cudaDeviceAttr(122);
    pub const cudaDevAttrReserved123: cudaDeviceAttr = cudaDeviceAttr(123);
    pub const cudaDevAttrReserved124: cudaDeviceAttr = cudaDeviceAttr(124);
    pub const cudaDevAttrIpcEventSupport: cudaDeviceAttr = cudaDeviceAttr(125);
    pub const cudaDevAttrMemSyncDomainCount: cudaDeviceAttr = cudaDeviceAttr(126);
    pub const cudaDevAttrReserved127: cudaDeviceAttr = cudaDeviceAttr(127);
    pub const cudaDevAttrReserved128: cudaDeviceAttr = cudaDeviceAttr(128);
    pub const cudaDevAttrReserved129: cudaDeviceAttr = cudaDeviceAttr(129);
    pub const cudaDevAttrNumaConfig: cudaDeviceAttr = cudaDeviceAttr(130);
    pub const cudaDevAttrNumaId: cudaDeviceAttr = cudaDeviceAttr(131);
    pub const cudaDevAttrReserved132: cudaDeviceAttr = cudaDeviceAttr(132);
    pub const cudaDevAttrMpsEnabled: cudaDeviceAttr = cudaDeviceAttr(133);
    pub const cudaDevAttrHostNumaId: cudaDeviceAttr = cudaDeviceAttr(134);
    pub const cudaDevAttrD3D12CigSupported: cudaDeviceAttr = cudaDeviceAttr(135);
    pub const cudaDevAttrVulkanCigSupported: cudaDeviceAttr = cudaDeviceAttr(138);
    pub const cudaDevAttrGpuPciDeviceId: cudaDeviceAttr = cudaDeviceAttr(139);
    pub const cudaDevAttrGpuPciSubsystemId: cudaDeviceAttr = cudaDeviceAttr(140);
    pub const cudaDevAttrReserved141: cudaDeviceAttr = cudaDeviceAttr(141);
    pub const cudaDevAttrHostNumaMemoryPoolsSupported: cudaDeviceAttr = cudaDeviceAttr(
        142,
    );
    pub const cudaDevAttrHostNumaMultinodeIpcSupported: cudaDeviceAttr = cudaDeviceAttr(
        143,
    );
    pub const cudaDevAttrHostMemoryPoolsSupported: cudaDeviceAttr = cudaDeviceAttr(144);
    pub const cudaDevAttrReserved145: cudaDeviceAttr = cudaDeviceAttr(145);
    pub const cudaDevAttrOnlyPartialHostNativeAtomicSupported: cudaDeviceAttr = cudaDeviceAttr(
        147,
    );
    pub const cudaDevAttrAtomicReductionSupported: cudaDeviceAttr = cudaDeviceAttr(148);
    pub const cudaDevAttrLocalityDomainCount: cudaDeviceAttr = cudaDeviceAttr(149);
    pub const cudaDevAttrOversizedSharedMemoryPerBlock: cudaDeviceAttr = cudaDeviceAttr(
        150,
    );
    pub const cudaDevAttrCigStreamsSupported: cudaDeviceAttr = cudaDeviceAttr(151);
    pub const cudaDevAttrLocalityDomainMultiprocessorCount: cudaDeviceAttr = cudaDeviceAttr(
        157,
    );
    pub const cudaDevAttrTensorMapLargeTensorMinSize: cudaDeviceAttr = cudaDeviceAttr(
        160,
    );
    pub const cudaDevAttrMax: cudaDeviceAttr = cudaDeviceAttr(161);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaDeviceAttr(pub ::core::ffi::c_uint);
impl cudaMemPoolAttr {
    pub const cudaMemPoolReuseFollowEventDependencies: cudaMemPoolAttr = cudaMemPoolAttr(
        1,
    );
    pub const cudaMemPoolReuseAllowOpportunistic: cudaMemPoolAttr = cudaMemPoolAttr(2);
    pub const cudaMemPoolReuseAllowInternalDependencies: cudaMemPoolAttr = cudaMemPoolAttr(
        3,
    );
    pub const cudaMemPoolAttrReleaseThreshold: cudaMemPoolAttr = cudaMemPoolAttr(4);
    pub const cudaMemPoolAttrReservedMemCurrent: cudaMemPoolAttr = cudaMemPoolAttr(5);
    pub const cudaMemPoolAttrReservedMemHigh: cudaMemPoolAttr = cudaMemPoolAttr(6);
    pub const cudaMemPoolAttrUsedMemCurrent: cudaMemPoolAttr = cudaMemPoolAttr(7);
    pub const cudaMemPoolAttrUsedMemHigh: cudaMemPoolAttr = cudaMemPoolAttr(8);
    pub const cudaMemPoolAttrAllocationType: cudaMemPoolAttr = cudaMemPoolAttr(9);
    pub const cudaMemPoolAttrExportHandleTypes: cudaMemPoolAttr = cudaMemPoolAttr(10);
    pub const cudaMemPoolAttrLocationId: cudaMemPoolAttr = cudaMemPoolAttr(11);
    pub const cudaMemPoolAttrLocationType: cudaMemPoolAttr = cudaMemPoolAttr(12);
    pub const cudaMemPoolAttrMaxPoolSize: cudaMemPoolAttr = cudaMemPoolAttr(13);
    pub const cudaMemPoolAttrHwDecompressEnabled: cudaMemPoolAttr = cudaMemPoolAttr(14);
    pub const cudaMemPoolAttrLocalityDomainId: cudaMemPoolAttr = cudaMemPoolAttr(15);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemPoolAttr(pub ::core::ffi::c_uint);
impl cudaMemLocationType {
    pub const cudaMemLocationTypeInvalid: cudaMemLocationType = cudaMemLocationType(0);
    pub const cudaMemLocationTypeNone: cudaMemLocationType = cudaMemLocationType(0);
    pub const cudaMemLocationTypeDevice: cudaMemLocationType = cudaMemLocationType(1);
    pub const cudaMemLocationTypeHost: cudaMemLocationType = cudaMemLocationType(2);
    pub const cudaMemLocationTypeHostNuma: cudaMemLocationType = cudaMemLocationType(3);
    pub const cudaMemLocationTypeHostNumaCurrent: cudaMemLocationType = cudaMemLocationType(
        4,
    );
    pub const cudaMemLocationTypeInvisible: cudaMemLocationType = cudaMemLocationType(5);
    pub const cudaMemLocationTypeDeviceLocalityDomain: cudaMemLocationType = cudaMemLocationType(
        6,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemLocationType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemLocation {
    pub type_: cudaMemLocationType,
    pub __bindgen_anon_1: cudaMemLocation__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union cudaMemLocation__bindgen_ty_1 {
    pub id: ::core::ffi::c_int,
    pub localized: cudaMemLocation__bindgen_ty_1__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct cudaMemLocation__bindgen_ty_1__bindgen_ty_1 {
    pub deviceId: ::core::ffi::c_uchar,
    pub localityDomainId: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemLocation__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<cudaMemLocation__bindgen_ty_1__bindgen_ty_1>() - 2usize];
    [
        "Alignment of cudaMemLocation__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<cudaMemLocation__bindgen_ty_1__bindgen_ty_1>() - 1usize];
    [
        "Offset of field: cudaMemLocation__bindgen_ty_1__bindgen_ty_1::deviceId",
    ][::core::mem::offset_of!(cudaMemLocation__bindgen_ty_1__bindgen_ty_1, deviceId)
        - 0usize];
    [
        "Offset of field: cudaMemLocation__bindgen_ty_1__bindgen_ty_1::localityDomainId",
    ][::core::mem::offset_of!(
        cudaMemLocation__bindgen_ty_1__bindgen_ty_1, localityDomainId
    ) - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemLocation__bindgen_ty_1",
    ][::core::mem::size_of::<cudaMemLocation__bindgen_ty_1>() - 4usize];
    [
        "Alignment of cudaMemLocation__bindgen_ty_1",
    ][::core::mem::align_of::<cudaMemLocation__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: cudaMemLocation__bindgen_ty_1::id",
    ][::core::mem::offset_of!(cudaMemLocation__bindgen_ty_1, id) - 0usize];
    [
        "Offset of field: cudaMemLocation__bindgen_ty_1::localized",
    ][::core::mem::offset_of!(cudaMemLocation__bindgen_ty_1, localized) - 0usize];
};
impl Default for cudaMemLocation__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemLocation"][::core::mem::size_of::<cudaMemLocation>() - 8usize];
    [
        "Alignment of cudaMemLocation",
    ][::core::mem::align_of::<cudaMemLocation>() - 4usize];
    [
        "Offset of field: cudaMemLocation::type_",
    ][::core::mem::offset_of!(cudaMemLocation, type_) - 0usize];
};
impl Default for cudaMemLocation {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl cudaMemAccessFlags {
    pub const cudaMemAccessFlagsProtNone: cudaMemAccessFlags = cudaMemAccessFlags(0);
    pub const cudaMemAccessFlagsProtRead: cudaMemAccessFlags = cudaMemAccessFlags(1);
    pub const cudaMemAccessFlagsProtReadWrite: cudaMemAccessFlags = cudaMemAccessFlags(
        3,
    );
}
impl ::core::ops::BitOr<cudaMemAccessFlags> for cudaMemAccessFlags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        cudaMemAccessFlags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for cudaMemAccessFlags {
    #[inline]
    fn bitor_assign(&mut self, rhs: cudaMemAccessFlags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<cudaMemAccessFlags> for cudaMemAccessFlags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        cudaMemAccessFlags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for cudaMemAccessFlags {
    #[inline]
    fn bitand_assign(&mut self, rhs: cudaMemAccessFlags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAccessFlags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemAccessDesc {
    pub location: cudaMemLocation,
    pub flags: cudaMemAccessFlags,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemAccessDesc"][::core::mem::size_of::<cudaMemAccessDesc>() - 12usize];
    [
        "Alignment of cudaMemAccessDesc",
    ][::core::mem::align_of::<cudaMemAccessDesc>() - 4usize];
    [
        "Offset of field: cudaMemAccessDesc::location",
    ][::core::mem::offset_of!(cudaMemAccessDesc, location) - 0usize];
    [
        "Offset of field: cudaMemAccessDesc::flags",
    ][::core::mem::offset_of!(cudaMemAccessDesc, flags) - 8usize];
};
impl Default for cudaMemAccessDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl cudaMemAllocationType {
    pub const cudaMemAllocationTypeInvalid: cudaMemAllocationType = cudaMemAllocationType(
        0,
    );
    pub const cudaMemAllocationTypePinned: cudaMemAllocationType = cudaMemAllocationType(
        1,
    );
    pub const cudaMemAllocationTypeManaged: cudaMemAllocationType = cudaMemAllocationType(
        2,
    );
    pub const cudaMemAllocationTypeMax: cudaMemAllocationType = cudaMemAllocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAllocationType(pub ::core::ffi::c_uint);
impl cudaMemAllocationHandleType {
    pub const cudaMemHandleTypeNone: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        0,
    );
    pub const cudaMemHandleTypePosixFileDescriptor: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        1,
    );
    pub const cudaMemHandleTypeWin32: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        2,
    );
    pub const cudaMemHandleTypeWin32Kmt: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        4,
    );
    pub const cudaMemHandleTypeFabric: cudaMemAllocationHandleType = cudaMemAllocationHandleType(
        8,
    );
}
impl ::core::ops::BitOr<cudaMemAllocationHandleType> for cudaMemAllocationHandleType {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        cudaMemAllocationHandleType(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for cudaMemAllocationHandleType {
    #[inline]
    fn bitor_assign(&mut self, rhs: cudaMemAllocationHandleType) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<cudaMemAllocationHandleType> for cudaMemAllocationHandleType {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        cudaMemAllocationHandleType(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for cudaMemAllocationHandleType {
    #[inline]
    fn bitand_assign(&mut self, rhs: cudaMemAllocationHandleType) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaMemAllocationHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemPoolProps {
    pub allocType: cudaMemAllocationType,
    pub handleTypes: cudaMemAllocationHandleType,
    pub location: cudaMemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub usage: ::core::ffi::c_ushort,
    pub reserved: [::core::ffi::c_uchar; 53usize],
    pub reserved1: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of cudaMemPoolProps"][::core::mem::size_of::<cudaMemPoolProps>() - 88usize];
    [
        "Alignment of cudaMemPoolProps",
    ][::core::mem::align_of::<cudaMemPoolProps>() - 8usize];
    [
        "Offset of field: cudaMemPoolProps::allocType",
    ][::core::mem::offset_of!(cudaMemPoolProps, allocType) - 0usize];
    [
        "Offset of field: cudaMemPoolProps::handleTypes",
    ][::core::mem::offset_of!(cudaMemPoolProps, handleTypes) - 4usize];
    [
        "Offset of field: cudaMemPoolProps::location",
    ][::core::mem::offset_of!(cudaMemPoolProps, location) - 8usize];
    [
        "Offset of field: cudaMemPoolProps::win32SecurityAttributes",
    ][::core::mem::offset_of!(cudaMemPoolProps, win32SecurityAttributes) - 16usize];
    [
        "Offset of field: cudaMemPoolProps::maxSize",
    ][::core::mem::offset_of!(cudaMemPoolProps, maxSize) - 24usize];
    [
        "Offset of field: cudaMemPoolProps::usage",
    ][::core::mem::offset_of!(cudaMemPoolProps, usage) - 32usize];
    [
        "Offset of field: cudaMemPoolProps::reserved",
    ][::core::mem::offset_of!(cudaMemPoolProps, reserved) - 34usize];
    [
        "Offset of field: cudaMemPoolProps::reserved1",
    ][::core::mem::offset_of!(cudaMemPoolProps, reserved1) - 87usize];
};
impl Default for cudaMemPoolProps {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemPoolPtrExportData {
    pub reserved: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemPoolPtrExportData",
    ][::core::mem::size_of::<cudaMemPoolPtrExportData>() - 64usize];
    [
        "Alignment of cudaMemPoolPtrExportData",
    ][::core::mem::align_of::<cudaMemPoolPtrExportData>() - 1usize];
    [
        "Offset of field: cudaMemPoolPtrExportData::reserved",
    ][::core::mem::offset_of!(cudaMemPoolPtrExportData, reserved) - 0usize];
};
impl Default for cudaMemPoolPtrExportData {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl cudaDeviceP2PAttr {
    pub const cudaDevP2PAttrPerformanceRank: cudaDeviceP2PAttr = cudaDeviceP2PAttr(1);
    pub const cudaDevP2PAttrAccessSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(2);
    pub const cudaDevP2PAttrNativeAtomicSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(
        3,
    );
    pub const cudaDevP2PAttrCudaArrayAccessSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(
        4,
    );
    pub const cudaDevP2PAttrOnlyPartialNativeAtomicSupported: cudaDeviceP2PAttr = cudaDeviceP2PAttr(
        5,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct cudaDeviceP2PAttr(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaIpcEventHandle_t {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaIpcEventHandle_t",
    ][::core::mem::size_of::<cudaIpcEventHandle_t>() - 64usize];
    [
        "Alignment of cudaIpcEventHandle_t",
    ][::core::mem::align_of::<cudaIpcEventHandle_t>() - 1usize];
    [
        "Offset of field: cudaIpcEventHandle_t::reserved",
    ][::core::mem::offset_of!(cudaIpcEventHandle_t, reserved) - 0usize];
};
impl Default for cudaIpcEventHandle_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaIpcMemHandle_t {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaIpcMemHandle_t",
    ][::core::mem::size_of::<cudaIpcMemHandle_t>() - 64usize];
    [
        "Alignment of cudaIpcMemHandle_t",
    ][::core::mem::align_of::<cudaIpcMemHandle_t>() - 1usize];
    [
        "Offset of field: cudaIpcMemHandle_t::reserved",
    ][::core::mem::offset_of!(cudaIpcMemHandle_t, reserved) - 0usize];
};
impl Default for cudaIpcMemHandle_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct cudaMemFabricHandle_t {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of cudaMemFabricHandle_t",
    ][::core::mem::size_of::<cudaMemFabricHandle_t>() - 64usize];
    [
        "Alignment of cudaMemFabricHandle_t",
    ][::core::mem::align_of::<cudaMemFabricHandle_t>() - 1usize];
    [
        "Offset of field: cudaMemFabricHandle_t::reserved",
    ][::core::mem::offset_of!(cudaMemFabricHandle_t, reserved) - 0usize];
};
impl Default for cudaMemFabricHandle_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub use self::cudaError as cudaError_t;
pub type cudaStream_t = *mut CUstream_st;
pub type cudaEvent_t = *mut CUevent_st;
pub type cudaMemPool_t = *mut CUmemPoolHandle_st;

impl cudaError {
    /// The enumerator's name, or `None` for a code that is newer than these bindings.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self {
                Self::cudaSuccess => "cudaSuccess",
                Self::cudaErrorInvalidValue => "cudaErrorInvalidValue",
                Self::cudaErrorMemoryAllocation => "cudaErrorMemoryAllocation",
                Self::cudaErrorInitializationError => "cudaErrorInitializationError",
                Self::cudaErrorCudartUnloading => "cudaErrorCudartUnloading",
                Self::cudaErrorProfilerDisabled => "cudaErrorProfilerDisabled",
                Self::cudaErrorProfilerNotInitialized => {
                    "cudaErrorProfilerNotInitialized"
                }
                Self::cudaErrorProfilerAlreadyStarted => {
                    "cudaErrorProfilerAlreadyStarted"
                }
                Self::cudaErrorProfilerAlreadyStopped => {
                    "cudaErrorProfilerAlreadyStopped"
                }
                Self::cudaErrorInvalidConfiguration => "cudaErrorInvalidConfiguration",
                Self::cudaErrorVersionTranslation => "cudaErrorVersionTranslation",
                Self::cudaErrorInvalidPitchValue => "cudaErrorInvalidPitchValue",
                Self::cudaErrorInvalidSymbol => "cudaErrorInvalidSymbol",
                Self::cudaErrorInvalidHostPointer => "cudaErrorInvalidHostPointer",
                Self::cudaErrorInvalidDevicePointer => "cudaErrorInvalidDevicePointer",
                Self::cudaErrorInvalidTexture => "cudaErrorInvalidTexture",
                Self::cudaErrorInvalidTextureBinding => "cudaErrorInvalidTextureBinding",
                Self::cudaErrorInvalidChannelDescriptor => {
                    "cudaErrorInvalidChannelDescriptor"
                }
                Self::cudaErrorInvalidMemcpyDirection => {
                    "cudaErrorInvalidMemcpyDirection"
                }
                Self::cudaErrorAddressOfConstant => "cudaErrorAddressOfConstant",
                Self::cudaErrorTextureFetchFailed => "cudaErrorTextureFetchFailed",
                Self::cudaErrorTextureNotBound => "cudaErrorTextureNotBound",
                Self::cudaErrorSynchronizationError => "cudaErrorSynchronizationError",
                Self::cudaErrorInvalidFilterSetting => "cudaErrorInvalidFilterSetting",
                Self::cudaErrorInvalidNormSetting => "cudaErrorInvalidNormSetting",
                Self::cudaErrorMixedDeviceExecution => "cudaErrorMixedDeviceExecution",
                Self::cudaErrorNotYetImplemented => "cudaErrorNotYetImplemented",
                Self::cudaErrorMemoryValueTooLarge => "cudaErrorMemoryValueTooLarge",
                Self::cudaErrorStubLibrary => "cudaErrorStubLibrary",
                Self::cudaErrorInsufficientDriver => "cudaErrorInsufficientDriver",
                Self::cudaErrorCallRequiresNewerDriver => {
                    "cudaErrorCallRequiresNewerDriver"
                }
                Self::cudaErrorInvalidSurface => "cudaErrorInvalidSurface",
                Self::cudaErrorDuplicateVariableName => "cudaErrorDuplicateVariableName",
                Self::cudaErrorDuplicateTextureName => "cudaErrorDuplicateTextureName",
                Self::cudaErrorDuplicateSurfaceName => "cudaErrorDuplicateSurfaceName",
                Self::cudaErrorDevicesUnavailable => "cudaErrorDevicesUnavailable",
                Self::cudaErrorIncompatibleDriverContext => {
                    "cudaErrorIncompatibleDriverContext"
                }
                Self::cudaErrorMissingConfiguration => "cudaErrorMissingConfiguration",
                Self::cudaErrorPriorLaunchFailure => "cudaErrorPriorLaunchFailure",
                Self::cudaErrorLaunchMaxDepthExceeded => {
                    "cudaErrorLaunchMaxDepthExceeded"
                }
                Self::cudaErrorLaunchFileScopedTex => "cudaErrorLaunchFileScopedTex",
                Self::cudaErrorLaunchFileScopedSurf => "cudaErrorLaunchFileScopedSurf",
                Self::cudaErrorSyncDepthExceeded => "cudaErrorSyncDepthExceeded",
                Self::cudaErrorLaunchPendingCountExceeded => {
                    "cudaErrorLaunchPendingCountExceeded"
                }
                Self::cudaErrorInvalidDeviceFunction => "cudaErrorInvalidDeviceFunction",
                Self::cudaErrorNoDevice => "cudaErrorNoDevice",
                Self::cudaErrorInvalidDevice => "cudaErrorInvalidDevice",
                Self::cudaErrorDeviceNotLicensed => "cudaErrorDeviceNotLicensed",
                Self::cudaErrorSoftwareValidityNotEstablished => {
                    "cudaErrorSoftwareValidityNotEstablished"
                }
                Self::cudaErrorStartupFailure => "cudaErrorStartupFailure",
                Self::cudaErrorInvalidKernelImage => "cudaErrorInvalidKernelImage",
                Self::cudaErrorDeviceUninitialized => "cudaErrorDeviceUninitialized",
                Self::cudaErrorMapBufferObjectFailed => "cudaErrorMapBufferObjectFailed",
                Self::cudaErrorUnmapBufferObjectFailed => {
                    "cudaErrorUnmapBufferObjectFailed"
                }
                Self::cudaErrorArrayIsMapped => "cudaErrorArrayIsMapped",
                Self::cudaErrorAlreadyMapped => "cudaErrorAlreadyMapped",
                Self::cudaErrorNoKernelImageForDevice => {
                    "cudaErrorNoKernelImageForDevice"
                }
                Self::cudaErrorAlreadyAcquired => "cudaErrorAlreadyAcquired",
                Self::cudaErrorNotMapped => "cudaErrorNotMapped",
                Self::cudaErrorNotMappedAsArray => "cudaErrorNotMappedAsArray",
                Self::cudaErrorNotMappedAsPointer => "cudaErrorNotMappedAsPointer",
                Self::cudaErrorECCUncorrectable => "cudaErrorECCUncorrectable",
                Self::cudaErrorUnsupportedLimit => "cudaErrorUnsupportedLimit",
                Self::cudaErrorDeviceAlreadyInUse => "cudaErrorDeviceAlreadyInUse",
                Self::cudaErrorPeerAccessUnsupported => "cudaErrorPeerAccessUnsupported",
                Self::cudaErrorInvalidPtx => "cudaErrorInvalidPtx",
                Self::cudaErrorInvalidGraphicsContext => {
                    "cudaErrorInvalidGraphicsContext"
                }
                Self::cudaErrorNvlinkUncorrectable => "cudaErrorNvlinkUncorrectable",
                Self::cudaErrorJitCompilerNotFound => "cudaErrorJitCompilerNotFound",
                Self::cudaErrorUnsupportedPtxVersion => "cudaErrorUnsupportedPtxVersion",
                Self::cudaErrorJitCompilationDisabled => {
                    "cudaErrorJitCompilationDisabled"
                }
                Self::cudaErrorUnsupportedExecAffinity => {
                    "cudaErrorUnsupportedExecAffinity"
                }
                Self::cudaErrorUnsupportedDevSideSync => {
                    "cudaErrorUnsupportedDevSideSync"
                }
                Self::cudaErrorContained => "cudaErrorContained",
                Self::cudaErrorInsufficientLoaderVersion => {
                    "cudaErrorInsufficientLoaderVersion"
                }
                Self::cudaErrorInvalidSource => "cudaErrorInvalidSource",
                Self::cudaErrorFileNotFound => "cudaErrorFileNotFound",
                Self::cudaErrorSharedObjectSymbolNotFound => {
                    "cudaErrorSharedObjectSymbolNotFound"
                }
                Self::cudaErrorSharedObjectInitFailed => {
                    "cudaErrorSharedObjectInitFailed"
                }
                Self::cudaErrorOperatingSystem => "cudaErrorOperatingSystem",
                Self::cudaErrorInvalidResourceHandle => "cudaErrorInvalidResourceHandle",
                Self::cudaErrorIllegalState => "cudaErrorIllegalState",
                Self::cudaErrorLossyQuery => "cudaErrorLossyQuery",
                Self::cudaErrorSymbolNotFound => "cudaErrorSymbolNotFound",
                Self::cudaErrorNotReady => "cudaErrorNotReady",
                Self::cudaErrorIllegalAddress => "cudaErrorIllegalAddress",
                Self::cudaErrorLaunchOutOfResources => "cudaErrorLaunchOutOfResources",
                Self::cudaErrorLaunchTimeout => "cudaErrorLaunchTimeout",
                Self::cudaErrorLaunchIncompatibleTexturing => {
                    "cudaErrorLaunchIncompatibleTexturing"
                }
                Self::cudaErrorPeerAccessAlreadyEnabled => {
                    "cudaErrorPeerAccessAlreadyEnabled"
                }
                Self::cudaErrorPeerAccessNotEnabled => "cudaErrorPeerAccessNotEnabled",
                Self::cudaErrorSetOnActiveProcess => "cudaErrorSetOnActiveProcess",
                Self::cudaErrorContextIsDestroyed => "cudaErrorContextIsDestroyed",
                Self::cudaErrorAssert => "cudaErrorAssert",
                Self::cudaErrorTooManyPeers => "cudaErrorTooManyPeers",
                Self::cudaErrorHostMemoryAlreadyRegistered => {
                    "cudaErrorHostMemoryAlreadyRegistered"
                }
                Self::cudaErrorHostMemoryNotRegistered => {
                    "cudaErrorHostMemoryNotRegistered"
                }
                Self::cudaErrorHardwareStackError => "cudaErrorHardwareStackError",
                Self::cudaErrorIllegalInstruction => "cudaErrorIllegalInstruction",
                Self::cudaErrorMisalignedAddress => "cudaErrorMisalignedAddress",
                Self::cudaErrorInvalidAddressSpace => "cudaErrorInvalidAddressSpace",
                Self::cudaErrorInvalidPc => "cudaErrorInvalidPc",
                Self::cudaErrorLaunchFailure => "cudaErrorLaunchFailure",
                Self::cudaErrorCooperativeLaunchTooLarge => {
                    "cudaErrorCooperativeLaunchTooLarge"
                }
                Self::cudaErrorTensorMemoryLeak => "cudaErrorTensorMemoryLeak",
                Self::cudaErrorNotPermitted => "cudaErrorNotPermitted",
                Self::cudaErrorNotSupported => "cudaErrorNotSupported",
                Self::cudaErrorSystemNotReady => "cudaErrorSystemNotReady",
                Self::cudaErrorSystemDriverMismatch => "cudaErrorSystemDriverMismatch",
                Self::cudaErrorCompatNotSupportedOnDevice => {
                    "cudaErrorCompatNotSupportedOnDevice"
                }
                Self::cudaErrorMpsConnectionFailed => "cudaErrorMpsConnectionFailed",
                Self::cudaErrorMpsRpcFailure => "cudaErrorMpsRpcFailure",
                Self::cudaErrorMpsServerNotReady => "cudaErrorMpsServerNotReady",
                Self::cudaErrorMpsMaxClientsReached => "cudaErrorMpsMaxClientsReached",
                Self::cudaErrorMpsMaxConnectionsReached => {
                    "cudaErrorMpsMaxConnectionsReached"
                }
                Self::cudaErrorMpsClientTerminated => "cudaErrorMpsClientTerminated",
                Self::cudaErrorCdpNotSupported => "cudaErrorCdpNotSupported",
                Self::cudaErrorCdpVersionMismatch => "cudaErrorCdpVersionMismatch",
                Self::cudaErrorStreamCaptureUnsupported => {
                    "cudaErrorStreamCaptureUnsupported"
                }
                Self::cudaErrorStreamCaptureInvalidated => {
                    "cudaErrorStreamCaptureInvalidated"
                }
                Self::cudaErrorStreamCaptureMerge => "cudaErrorStreamCaptureMerge",
                Self::cudaErrorStreamCaptureUnmatched => {
                    "cudaErrorStreamCaptureUnmatched"
                }
                Self::cudaErrorStreamCaptureUnjoined => "cudaErrorStreamCaptureUnjoined",
                Self::cudaErrorStreamCaptureIsolation => {
                    "cudaErrorStreamCaptureIsolation"
                }
                Self::cudaErrorStreamCaptureImplicit => "cudaErrorStreamCaptureImplicit",
                Self::cudaErrorCapturedEvent => "cudaErrorCapturedEvent",
                Self::cudaErrorStreamCaptureWrongThread => {
                    "cudaErrorStreamCaptureWrongThread"
                }
                Self::cudaErrorTimeout => "cudaErrorTimeout",
                Self::cudaErrorGraphExecUpdateFailure => {
                    "cudaErrorGraphExecUpdateFailure"
                }
                Self::cudaErrorExternalDevice => "cudaErrorExternalDevice",
                Self::cudaErrorInvalidClusterSize => "cudaErrorInvalidClusterSize",
                Self::cudaErrorFunctionNotLoaded => "cudaErrorFunctionNotLoaded",
                Self::cudaErrorInvalidResourceType => "cudaErrorInvalidResourceType",
                Self::cudaErrorInvalidResourceConfiguration => {
                    "cudaErrorInvalidResourceConfiguration"
                }
                Self::cudaErrorStreamDetached => "cudaErrorStreamDetached",
                Self::cudaErrorGraphRecaptureFailure => "cudaErrorGraphRecaptureFailure",
                Self::cudaErrorFabricNotReady => "cudaErrorFabricNotReady",
                Self::cudaErrorUnknown => "cudaErrorUnknown",
                Self::cudaErrorApiFailureBase => "cudaErrorApiFailureBase",
                _ => return None,
            },
        )
    }
}
