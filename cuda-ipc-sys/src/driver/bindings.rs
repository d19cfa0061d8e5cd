// Written by cuda-ipc-sys/generator: change that, then run it.

pub const CU_IPC_HANDLE_SIZE: u32 = 64;
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;
pub const CU_MEMHOSTALLOC_WRITECOMBINED: u32 = 4;
pub const CU_MEMHOSTREGISTER_PORTABLE: u32 = 1;
pub const CU_MEMHOSTREGISTER_DEVICEMAP: u32 = 2;
pub const CU_MEMHOSTREGISTER_IOMEMORY: u32 = 4;
pub const CU_MEMHOSTREGISTER_READ_ONLY: u32 = 8;
pub const CU_MEM_CREATE_USAGE_TILE_POOL: u32 = 1;
pub const CU_MEM_CREATE_USAGE_HW_DECOMPRESS: u32 = 2;
pub const CU_MEM_CREATE_USAGE_GPU_DIRECT_RDMA_OVER_PCIE: u32 = 4;
pub type cuuint32_t = u32;
pub type cuuint64_t = u64;
pub type CUdeviceptr = ::core::ffi::c_ulonglong;
pub type CUdevice = ::core::ffi::c_int;
#[repr(C)]
#[derive(Debug)]
pub struct CUctx_st {
    _unused: [u8; 0],
}
pub type CUcontext = *mut CUctx_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUmod_st {
    _unused: [u8; 0],
}
pub type CUmodule = *mut CUmod_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUfunc_st {
    _unused: [u8; 0],
}
pub type CUfunction = *mut CUfunc_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUevent_st {
    _unused: [u8; 0],
}
pub type CUevent = *mut CUevent_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUstream_st {
    _unused: [u8; 0],
}
pub type CUstream = *mut CUstream_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUextMemory_st {
    _unused: [u8; 0],
}
pub type CUexternalMemory = *mut CUextMemory_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraph_st {
    _unused: [u8; 0],
}
pub type CUgraph = *mut CUgraph_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphNode_st {
    _unused: [u8; 0],
}
pub type CUgraphNode = *mut CUgraphNode_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphExec_st {
    _unused: [u8; 0],
}
pub type CUgraphExec = *mut CUgraphExec_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUmemPoolHandle_st {
    _unused: [u8; 0],
}
pub type CUmemoryPool = *mut CUmemPoolHandle_st;
#[repr(C)]
#[derive(Debug)]
pub struct CUgraphDeviceUpdatableNode_st {
    _unused: [u8; 0],
}
pub type CUgraphDeviceNode = *mut CUgraphDeviceUpdatableNode_st;
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUuuid {
    pub bytes: [::core::ffi::c_char; 16usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUuuid"][::core::mem::size_of::<CUuuid>() - 16usize];
    ["Alignment of CUuuid"][::core::mem::align_of::<CUuuid>() - 1usize];
    ["Offset of field: CUuuid::bytes"][::core::mem::offset_of!(CUuuid, bytes) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemFabricHandle {
    pub data: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUmemFabricHandle"][::core::mem::size_of::<CUmemFabricHandle>() - 64usize];
    [
        "Alignment of CUmemFabricHandle",
    ][::core::mem::align_of::<CUmemFabricHandle>() - 1usize];
    [
        "Offset of field: CUmemFabricHandle::data",
    ][::core::mem::offset_of!(CUmemFabricHandle, data) - 0usize];
};
impl Default for CUmemFabricHandle {
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
pub struct CUipcEventHandle {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUipcEventHandle"][::core::mem::size_of::<CUipcEventHandle>() - 64usize];
    [
        "Alignment of CUipcEventHandle",
    ][::core::mem::align_of::<CUipcEventHandle>() - 1usize];
    [
        "Offset of field: CUipcEventHandle::reserved",
    ][::core::mem::offset_of!(CUipcEventHandle, reserved) - 0usize];
};
impl Default for CUipcEventHandle {
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
pub struct CUipcMemHandle {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUipcMemHandle"][::core::mem::size_of::<CUipcMemHandle>() - 64usize];
    ["Alignment of CUipcMemHandle"][::core::mem::align_of::<CUipcMemHandle>() - 1usize];
    [
        "Offset of field: CUipcMemHandle::reserved",
    ][::core::mem::offset_of!(CUipcMemHandle, reserved) - 0usize];
};
impl Default for CUipcMemHandle {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUipcMem_flags {
    pub const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS: CUipcMem_flags = CUipcMem_flags(1);
}
impl ::core::ops::BitOr<CUipcMem_flags> for CUipcMem_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUipcMem_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUipcMem_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUipcMem_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUipcMem_flags> for CUipcMem_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUipcMem_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUipcMem_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUipcMem_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUipcMem_flags(pub ::core::ffi::c_uint);
impl CUmemAttach_flags {
    pub const CU_MEM_ATTACH_GLOBAL: CUmemAttach_flags = CUmemAttach_flags(1);
    pub const CU_MEM_ATTACH_HOST: CUmemAttach_flags = CUmemAttach_flags(2);
    pub const CU_MEM_ATTACH_SINGLE: CUmemAttach_flags = CUmemAttach_flags(4);
}
impl ::core::ops::BitOr<CUmemAttach_flags> for CUmemAttach_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUmemAttach_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUmemAttach_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUmemAttach_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUmemAttach_flags> for CUmemAttach_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUmemAttach_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUmemAttach_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUmemAttach_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAttach_flags(pub ::core::ffi::c_uint);
impl CUctx_flags {
    pub const CU_CTX_SCHED_AUTO: CUctx_flags = CUctx_flags(0);
    pub const CU_CTX_SCHED_SPIN: CUctx_flags = CUctx_flags(1);
    pub const CU_CTX_SCHED_YIELD: CUctx_flags = CUctx_flags(2);
    pub const CU_CTX_SCHED_BLOCKING_SYNC: CUctx_flags = CUctx_flags(4);
    pub const CU_CTX_BLOCKING_SYNC: CUctx_flags = CUctx_flags(4);
    pub const CU_CTX_SCHED_MASK: CUctx_flags = CUctx_flags(7);
    pub const CU_CTX_MAP_HOST: CUctx_flags = CUctx_flags(8);
    pub const CU_CTX_LMEM_RESIZE_TO_MAX: CUctx_flags = CUctx_flags(16);
    pub const CU_CTX_COREDUMP_ENABLE: CUctx_flags = CUctx_flags(32);
    pub const CU_CTX_USER_COREDUMP_ENABLE: CUctx_flags = CUctx_flags(64);
    pub const CU_CTX_SYNC_MEMOPS: CUctx_flags = CUctx_flags(128);
    pub const CU_CTX_FLAGS_MASK: CUctx_flags = CUctx_flags(255);
}
impl ::core::ops::BitOr<CUctx_flags> for CUctx_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUctx_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUctx_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUctx_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUctx_flags> for CUctx_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUctx_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUctx_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUctx_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUctx_flags(pub ::core::ffi::c_uint);
impl CUstream_flags {
    pub const CU_STREAM_DEFAULT: CUstream_flags = CUstream_flags(0);
    pub const CU_STREAM_NON_BLOCKING: CUstream_flags = CUstream_flags(1);
}
impl ::core::ops::BitOr<CUstream_flags> for CUstream_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUstream_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUstream_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUstream_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUstream_flags> for CUstream_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUstream_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUstream_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUstream_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstream_flags(pub ::core::ffi::c_uint);
impl CUevent_flags {
    pub const CU_EVENT_DEFAULT: CUevent_flags = CUevent_flags(0);
    pub const CU_EVENT_BLOCKING_SYNC: CUevent_flags = CUevent_flags(1);
    pub const CU_EVENT_DISABLE_TIMING: CUevent_flags = CUevent_flags(2);
    pub const CU_EVENT_INTERPROCESS: CUevent_flags = CUevent_flags(4);
}
impl ::core::ops::BitOr<CUevent_flags> for CUevent_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUevent_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUevent_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUevent_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUevent_flags> for CUevent_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUevent_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUevent_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUevent_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_flags(pub ::core::ffi::c_uint);
impl CUevent_record_flags {
    pub const CU_EVENT_RECORD_DEFAULT: CUevent_record_flags = CUevent_record_flags(0);
    pub const CU_EVENT_RECORD_EXTERNAL: CUevent_record_flags = CUevent_record_flags(1);
}
impl ::core::ops::BitOr<CUevent_record_flags> for CUevent_record_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUevent_record_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUevent_record_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUevent_record_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUevent_record_flags> for CUevent_record_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUevent_record_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUevent_record_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUevent_record_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_record_flags(pub ::core::ffi::c_uint);
impl CUevent_wait_flags {
    pub const CU_EVENT_WAIT_DEFAULT: CUevent_wait_flags = CUevent_wait_flags(0);
    pub const CU_EVENT_WAIT_EXTERNAL: CUevent_wait_flags = CUevent_wait_flags(1);
}
impl ::core::ops::BitOr<CUevent_wait_flags> for CUevent_wait_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUevent_wait_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUevent_wait_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUevent_wait_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUevent_wait_flags> for CUevent_wait_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUevent_wait_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUevent_wait_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUevent_wait_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUevent_wait_flags(pub ::core::ffi::c_uint);
impl CUatomicOperation {
    pub const CU_ATOMIC_OPERATION_INTEGER_ADD: CUatomicOperation = CUatomicOperation(0);
    pub const CU_ATOMIC_OPERATION_INTEGER_MIN: CUatomicOperation = CUatomicOperation(1);
    pub const CU_ATOMIC_OPERATION_INTEGER_MAX: CUatomicOperation = CUatomicOperation(2);
    pub const CU_ATOMIC_OPERATION_INTEGER_INCREMENT: CUatomicOperation = CUatomicOperation(
        3,
    );
    pub const CU_ATOMIC_OPERATION_INTEGER_DECREMENT: CUatomicOperation = CUatomicOperation(
        4,
    );
    pub const CU_ATOMIC_OPERATION_AND: CUatomicOperation = CUatomicOperation(5);
    pub const CU_ATOMIC_OPERATION_OR: CUatomicOperation = CUatomicOperation(6);
    pub const CU_ATOMIC_OPERATION_XOR: CUatomicOperation = CUatomicOperation(7);
    pub const CU_ATOMIC_OPERATION_EXCHANGE: CUatomicOperation = CUatomicOperation(8);
    pub const CU_ATOMIC_OPERATION_CAS: CUatomicOperation = CUatomicOperation(9);
    pub const CU_ATOMIC_OPERATION_FLOAT_ADD: CUatomicOperation = CUatomicOperation(10);
    pub const CU_ATOMIC_OPERATION_FLOAT_MIN: CUatomicOperation = CUatomicOperation(11);
    pub const CU_ATOMIC_OPERATION_FLOAT_MAX: CUatomicOperation = CUatomicOperation(12);
    pub const CU_ATOMIC_OPERATION_MAX: CUatomicOperation = CUatomicOperation(13);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUatomicOperation(pub ::core::ffi::c_uint);
impl CUstreamWaitValue_flags {
    pub const CU_STREAM_WAIT_VALUE_GEQ: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        0,
    );
    pub const CU_STREAM_WAIT_VALUE_EQ: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        1,
    );
    pub const CU_STREAM_WAIT_VALUE_AND: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        2,
    );
    pub const CU_STREAM_WAIT_VALUE_NOR: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        3,
    );
    pub const CU_STREAM_WAIT_VALUE_FLUSH: CUstreamWaitValue_flags = CUstreamWaitValue_flags(
        1073741824,
    );
}
impl ::core::ops::BitOr<CUstreamWaitValue_flags> for CUstreamWaitValue_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUstreamWaitValue_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUstreamWaitValue_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUstreamWaitValue_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUstreamWaitValue_flags> for CUstreamWaitValue_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUstreamWaitValue_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUstreamWaitValue_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUstreamWaitValue_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamWaitValue_flags(pub ::core::ffi::c_uint);
impl CUstreamWriteValue_flags {
    pub const CU_STREAM_WRITE_VALUE_DEFAULT: CUstreamWriteValue_flags = CUstreamWriteValue_flags(
        0,
    );
    pub const CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER: CUstreamWriteValue_flags = CUstreamWriteValue_flags(
        1,
    );
}
impl ::core::ops::BitOr<CUstreamWriteValue_flags> for CUstreamWriteValue_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUstreamWriteValue_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUstreamWriteValue_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUstreamWriteValue_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUstreamWriteValue_flags> for CUstreamWriteValue_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUstreamWriteValue_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUstreamWriteValue_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUstreamWriteValue_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamWriteValue_flags(pub ::core::ffi::c_uint);
impl CUdevice_attribute {
    pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        1,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X: CUdevice_attribute = CUdevice_attribute(
        2,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: CUdevice_attribute = CUdevice_attribute(
        3,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: CUdevice_attribute = CUdevice_attribute(
        4,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: CUdevice_attribute = CUdevice_attribute(
        5,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y: CUdevice_attribute = CUdevice_attribute(
        6,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: CUdevice_attribute = CUdevice_attribute(
        7,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        8,
    );
    pub const CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        8,
    );
    pub const CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: CUdevice_attribute = CUdevice_attribute(
        9,
    );
    pub const CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = CUdevice_attribute(10);
    pub const CU_DEVICE_ATTRIBUTE_MAX_PITCH: CUdevice_attribute = CUdevice_attribute(11);
    pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        12,
    );
    pub const CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        12,
    );
    pub const CU_DEVICE_ATTRIBUTE_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(
        13,
    );
    pub const CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        14,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_OVERLAP: CUdevice_attribute = CUdevice_attribute(
        15,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
        16,
    );
    pub const CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT: CUdevice_attribute = CUdevice_attribute(
        17,
    );
    pub const CU_DEVICE_ATTRIBUTE_INTEGRATED: CUdevice_attribute = CUdevice_attribute(
        18,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: CUdevice_attribute = CUdevice_attribute(
        19,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_MODE: CUdevice_attribute = CUdevice_attribute(
        20,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        21,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        22,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        23,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        24,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        25,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
        26,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        27,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        28,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        29,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH: CUdevice_attribute = CUdevice_attribute(
        27,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        28,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES: CUdevice_attribute = CUdevice_attribute(
        29,
    );
    pub const CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        30,
    );
    pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS: CUdevice_attribute = CUdevice_attribute(
        31,
    );
    pub const CU_DEVICE_ATTRIBUTE_ECC_ENABLED: CUdevice_attribute = CUdevice_attribute(
        32,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_BUS_ID: CUdevice_attribute = CUdevice_attribute(
        33,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(
        34,
    );
    pub const CU_DEVICE_ATTRIBUTE_TCC_DRIVER: CUdevice_attribute = CUdevice_attribute(
        35,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: CUdevice_attribute = CUdevice_attribute(
        36,
    );
    pub const CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: CUdevice_attribute = CUdevice_attribute(
        37,
    );
    pub const CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(
        38,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        39,
    );
    pub const CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT: CUdevice_attribute = CUdevice_attribute(
        40,
    );
    pub const CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING: CUdevice_attribute = CUdevice_attribute(
        41,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        42,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        43,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER: CUdevice_attribute = CUdevice_attribute(
        44,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH: CUdevice_attribute = CUdevice_attribute(
        45,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        46,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        47,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        48,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE: CUdevice_attribute = CUdevice_attribute(
        49,
    );
    pub const CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID: CUdevice_attribute = CUdevice_attribute(
        50,
    );
    pub const CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT: CUdevice_attribute = CUdevice_attribute(
        51,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
        52,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        53,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        54,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        55,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        56,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        57,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH: CUdevice_attribute = CUdevice_attribute(
        58,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        59,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH: CUdevice_attribute = CUdevice_attribute(
        60,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        61,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        62,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        63,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        64,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        65,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH: CUdevice_attribute = CUdevice_attribute(
        66,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        67,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS: CUdevice_attribute = CUdevice_attribute(
        68,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
        69,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH: CUdevice_attribute = CUdevice_attribute(
        70,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        71,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH: CUdevice_attribute = CUdevice_attribute(
        72,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        73,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT: CUdevice_attribute = CUdevice_attribute(
        74,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = CUdevice_attribute(
        75,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = CUdevice_attribute(
        76,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH: CUdevice_attribute = CUdevice_attribute(
        77,
    );
    pub const CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        78,
    );
    pub const CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        79,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        80,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        81,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        82,
    );
    pub const CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY: CUdevice_attribute = CUdevice_attribute(
        83,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD: CUdevice_attribute = CUdevice_attribute(
        84,
    );
    pub const CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID: CUdevice_attribute = CUdevice_attribute(
        85,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        86,
    );
    pub const CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: CUdevice_attribute = CUdevice_attribute(
        87,
    );
    pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: CUdevice_attribute = CUdevice_attribute(
        88,
    );
    pub const CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS: CUdevice_attribute = CUdevice_attribute(
        89,
    );
    pub const CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        90,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: CUdevice_attribute = CUdevice_attribute(
        91,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
        92,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1: CUdevice_attribute = CUdevice_attribute(
        93,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1: CUdevice_attribute = CUdevice_attribute(
        94,
    );
    pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        95,
    );
    pub const CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        96,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = CUdevice_attribute(
        97,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES: CUdevice_attribute = CUdevice_attribute(
        98,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        99,
    );
    pub const CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: CUdevice_attribute = CUdevice_attribute(
        100,
    );
    pub const CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: CUdevice_attribute = CUdevice_attribute(
        101,
    );
    pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        102,
    );
    pub const CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        102,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        103,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        104,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        105,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: CUdevice_attribute = CUdevice_attribute(
        106,
    );
    pub const CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        107,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: CUdevice_attribute = CUdevice_attribute(
        108,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE: CUdevice_attribute = CUdevice_attribute(
        109,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        110,
    );
    pub const CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        111,
    );
    pub const CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        112,
    );
    pub const CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        113,
    );
    pub const CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        114,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        115,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        116,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: CUdevice_attribute = CUdevice_attribute(
        117,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING: CUdevice_attribute = CUdevice_attribute(
        118,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
        119,
    );
    pub const CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: CUdevice_attribute = CUdevice_attribute(
        120,
    );
    pub const CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        121,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS: CUdevice_attribute = CUdevice_attribute(
        122,
    );
    pub const CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR: CUdevice_attribute = CUdevice_attribute(
        123,
    );
    pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        124,
    );
    pub const CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        125,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
        126,
    );
    pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        127,
    );
    pub const CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        128,
    );
    pub const CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS: CUdevice_attribute = CUdevice_attribute(
        129,
    );
    pub const CU_DEVICE_ATTRIBUTE_NUMA_CONFIG: CUdevice_attribute = CUdevice_attribute(
        130,
    );
    pub const CU_DEVICE_ATTRIBUTE_NUMA_ID: CUdevice_attribute = CUdevice_attribute(131);
    pub const CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        132,
    );
    pub const CU_DEVICE_ATTRIBUTE_MPS_ENABLED: CUdevice_attribute = CUdevice_attribute(
        133,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID: CUdevice_attribute = CUdevice_attribute(
        134,
    );
    pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        135,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK: CUdevice_attribute = CUdevice_attribute(
        136,
    );
    pub const CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH: CUdevice_attribute = CUdevice_attribute(
        137,
    );
    pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        138,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID: CUdevice_attribute = CUdevice_attribute(
        139,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID: CUdevice_attribute = CUdevice_attribute(
        140,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        141,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        142,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        143,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        144,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        145,
    );
    pub const CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        146,
    );
    pub const CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        147,
    );
    pub const CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        148,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT: CUdevice_attribute = CUdevice_attribute(
        149,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = CUdevice_attribute(
        150,
    );
    pub const CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        151,
    );
    pub const CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        152,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        153,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        154,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        155,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        156,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT: CUdevice_attribute = CUdevice_attribute(
        157,
    );
    pub const CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES: CUdevice_attribute = CUdevice_attribute(
        158,
    );
    pub const CU_DEVICE_ATTRIBUTE_VULKAN_CIG_STREAMS_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        159,
    );
    pub const CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE: CUdevice_attribute = CUdevice_attribute(
        160,
    );
    pub const CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED: CUdevice_attribute = CUdevice_attribute(
        161,
    );
    pub const CU_DEVICE_ATTRIBUTE_MAX: CUdevice_attribute = CUdevice_attribute(162);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevice_attribute(pub ::core::ffi::c_uint);
impl CUpointer_attribute {
    pub const CU_POINTER_ATTRIBUTE_CONTEXT: CUpointer_attribute = CUpointer_attribute(1);
    pub const CU_POINTER_ATTRIBUTE_MEMORY_TYPE: CUpointer_attribute = CUpointer_attribute(
        2,
    );
    pub const CU_POINTER_ATTRIBUTE_DEVICE_POINTER: CUpointer_attribute = CUpointer_attribute(
        3,
    );
    pub const CU_POINTER_ATTRIBUTE_HOST_POINTER: CUpointer_attribute = CUpointer_attribute(
        4,
    );
    pub const CU_POINTER_ATTRIBUTE_P2P_TOKENS: CUpointer_attribute = CUpointer_attribute(
        5,
    );
    pub const CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: CUpointer_attribute = CUpointer_attribute(
        6,
    );
    pub const CU_POINTER_ATTRIBUTE_BUFFER_ID: CUpointer_attribute = CUpointer_attribute(
        7,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_MANAGED: CUpointer_attribute = CUpointer_attribute(
        8,
    );
    pub const CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: CUpointer_attribute = CUpointer_attribute(
        9,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        10,
    );
    pub const CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: CUpointer_attribute = CUpointer_attribute(
        11,
    );
    pub const CU_POINTER_ATTRIBUTE_RANGE_SIZE: CUpointer_attribute = CUpointer_attribute(
        12,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPED: CUpointer_attribute = CUpointer_attribute(13);
    pub const CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: CUpointer_attribute = CUpointer_attribute(
        14,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        15,
    );
    pub const CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: CUpointer_attribute = CUpointer_attribute(
        16,
    );
    pub const CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: CUpointer_attribute = CUpointer_attribute(
        17,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPING_SIZE: CUpointer_attribute = CUpointer_attribute(
        18,
    );
    pub const CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: CUpointer_attribute = CUpointer_attribute(
        19,
    );
    pub const CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: CUpointer_attribute = CUpointer_attribute(
        20,
    );
    pub const CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: CUpointer_attribute = CUpointer_attribute(
        21,
    );
    pub const CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL: CUpointer_attribute = CUpointer_attribute(
        22,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUpointer_attribute(pub ::core::ffi::c_uint);
impl CUmemorytype {
    pub const CU_MEMORYTYPE_HOST: CUmemorytype = CUmemorytype(1);
    pub const CU_MEMORYTYPE_DEVICE: CUmemorytype = CUmemorytype(2);
    pub const CU_MEMORYTYPE_ARRAY: CUmemorytype = CUmemorytype(3);
    pub const CU_MEMORYTYPE_UNIFIED: CUmemorytype = CUmemorytype(4);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemorytype(pub ::core::ffi::c_uint);
pub type CUhostFn = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
impl CUaccessProperty {
    pub const CU_ACCESS_PROPERTY_NORMAL: CUaccessProperty = CUaccessProperty(0);
    pub const CU_ACCESS_PROPERTY_STREAMING: CUaccessProperty = CUaccessProperty(1);
    pub const CU_ACCESS_PROPERTY_PERSISTING: CUaccessProperty = CUaccessProperty(2);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUaccessProperty(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUaccessPolicyWindow {
    pub base_ptr: *mut ::core::ffi::c_void,
    pub num_bytes: usize,
    pub hitRatio: f32,
    pub hitProp: CUaccessProperty,
    pub missProp: CUaccessProperty,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUaccessPolicyWindow",
    ][::core::mem::size_of::<CUaccessPolicyWindow>() - 32usize];
    [
        "Alignment of CUaccessPolicyWindow",
    ][::core::mem::align_of::<CUaccessPolicyWindow>() - 8usize];
    [
        "Offset of field: CUaccessPolicyWindow::base_ptr",
    ][::core::mem::offset_of!(CUaccessPolicyWindow, base_ptr) - 0usize];
    [
        "Offset of field: CUaccessPolicyWindow::num_bytes",
    ][::core::mem::offset_of!(CUaccessPolicyWindow, num_bytes) - 8usize];
    [
        "Offset of field: CUaccessPolicyWindow::hitRatio",
    ][::core::mem::offset_of!(CUaccessPolicyWindow, hitRatio) - 16usize];
    [
        "Offset of field: CUaccessPolicyWindow::hitProp",
    ][::core::mem::offset_of!(CUaccessPolicyWindow, hitProp) - 20usize];
    [
        "Offset of field: CUaccessPolicyWindow::missProp",
    ][::core::mem::offset_of!(CUaccessPolicyWindow, missProp) - 24usize];
};
impl Default for CUaccessPolicyWindow {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUsynchronizationPolicy {
    pub const CU_SYNC_POLICY_AUTO: CUsynchronizationPolicy = CUsynchronizationPolicy(1);
    pub const CU_SYNC_POLICY_SPIN: CUsynchronizationPolicy = CUsynchronizationPolicy(2);
    pub const CU_SYNC_POLICY_YIELD: CUsynchronizationPolicy = CUsynchronizationPolicy(3);
    pub const CU_SYNC_POLICY_BLOCKING_SYNC: CUsynchronizationPolicy = CUsynchronizationPolicy(
        4,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUsynchronizationPolicy(pub ::core::ffi::c_uint);
impl CUclusterSchedulingPolicy {
    pub const CU_CLUSTER_SCHEDULING_POLICY_DEFAULT: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        0,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_SPREAD: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        1,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        2,
    );
    pub const CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY: CUclusterSchedulingPolicy = CUclusterSchedulingPolicy(
        3,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUclusterSchedulingPolicy(pub ::core::ffi::c_uint);
impl CUlaunchMemSyncDomain {
    pub const CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT: CUlaunchMemSyncDomain = CUlaunchMemSyncDomain(
        0,
    );
    pub const CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE: CUlaunchMemSyncDomain = CUlaunchMemSyncDomain(
        1,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchMemSyncDomain(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUlaunchMemSyncDomainMap {
    pub default_: ::core::ffi::c_uchar,
    pub remote: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchMemSyncDomainMap",
    ][::core::mem::size_of::<CUlaunchMemSyncDomainMap>() - 2usize];
    [
        "Alignment of CUlaunchMemSyncDomainMap",
    ][::core::mem::align_of::<CUlaunchMemSyncDomainMap>() - 1usize];
    [
        "Offset of field: CUlaunchMemSyncDomainMap::default_",
    ][::core::mem::offset_of!(CUlaunchMemSyncDomainMap, default_) - 0usize];
    [
        "Offset of field: CUlaunchMemSyncDomainMap::remote",
    ][::core::mem::offset_of!(CUlaunchMemSyncDomainMap, remote) - 1usize];
};
impl CUlaunchAttributePortableClusterMode {
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        0,
    );
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        1,
    );
    pub const CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE: CUlaunchAttributePortableClusterMode = CUlaunchAttributePortableClusterMode(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributePortableClusterMode(pub ::core::ffi::c_uint);
impl CUsharedMemoryMode {
    pub const CU_SHARED_MEMORY_MODE_DEFAULT: CUsharedMemoryMode = CUsharedMemoryMode(0);
    pub const CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE: CUsharedMemoryMode = CUsharedMemoryMode(
        1,
    );
    pub const CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE: CUsharedMemoryMode = CUsharedMemoryMode(
        2,
    );
    pub const CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY: CUsharedMemoryMode = CUsharedMemoryMode(
        3,
    );
    pub const CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY: CUsharedMemoryMode = CUsharedMemoryMode(
        4,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUsharedMemoryMode(pub ::core::ffi::c_uint);
impl CUlaunchAttributeID {
    pub const CU_LAUNCH_ATTRIBUTE_IGNORE: CUlaunchAttributeID = CUlaunchAttributeID(0);
    pub const CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: CUlaunchAttributeID = CUlaunchAttributeID(
        1,
    );
    pub const CU_LAUNCH_ATTRIBUTE_COOPERATIVE: CUlaunchAttributeID = CUlaunchAttributeID(
        2,
    );
    pub const CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY: CUlaunchAttributeID = CUlaunchAttributeID(
        3,
    );
    pub const CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: CUlaunchAttributeID = CUlaunchAttributeID(
        4,
    );
    pub const CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: CUlaunchAttributeID = CUlaunchAttributeID(
        5,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: CUlaunchAttributeID = CUlaunchAttributeID(
        6,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: CUlaunchAttributeID = CUlaunchAttributeID(
        7,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PRIORITY: CUlaunchAttributeID = CUlaunchAttributeID(8);
    pub const CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: CUlaunchAttributeID = CUlaunchAttributeID(
        9,
    );
    pub const CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: CUlaunchAttributeID = CUlaunchAttributeID(
        10,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: CUlaunchAttributeID = CUlaunchAttributeID(
        11,
    );
    pub const CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: CUlaunchAttributeID = CUlaunchAttributeID(
        12,
    );
    pub const CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: CUlaunchAttributeID = CUlaunchAttributeID(
        13,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: CUlaunchAttributeID = CUlaunchAttributeID(
        14,
    );
    pub const CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: CUlaunchAttributeID = CUlaunchAttributeID(
        16,
    );
    pub const CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE: CUlaunchAttributeID = CUlaunchAttributeID(
        17,
    );
    pub const CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE: CUlaunchAttributeID = CUlaunchAttributeID(
        18,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlaunchAttributeID(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUlaunchAttributeValue {
    pub pad: [::core::ffi::c_char; 64usize],
    pub accessPolicyWindow: CUaccessPolicyWindow,
    pub cooperative: ::core::ffi::c_int,
    pub syncPolicy: CUsynchronizationPolicy,
    pub clusterDim: CUlaunchAttributeValue_union__bindgen_ty_1,
    pub clusterSchedulingPolicyPreference: CUclusterSchedulingPolicy,
    pub programmaticStreamSerializationAllowed: ::core::ffi::c_int,
    pub programmaticEvent: CUlaunchAttributeValue_union__bindgen_ty_2,
    pub launchCompletionEvent: CUlaunchAttributeValue_union__bindgen_ty_3,
    pub priority: ::core::ffi::c_int,
    pub memSyncDomainMap: CUlaunchMemSyncDomainMap,
    pub memSyncDomain: CUlaunchMemSyncDomain,
    pub preferredClusterDim: CUlaunchAttributeValue_union__bindgen_ty_4,
    pub deviceUpdatableKernelNode: CUlaunchAttributeValue_union__bindgen_ty_5,
    pub sharedMemCarveout: ::core::ffi::c_uint,
    pub nvlinkUtilCentricScheduling: ::core::ffi::c_uint,
    pub portableClusterSizeMode: CUlaunchAttributePortableClusterMode,
    pub sharedMemoryMode: CUsharedMemoryMode,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_1 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_1",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_1>() - 12usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_1",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::x",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, x) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::y",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, y) - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_1::z",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_1, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_2 {
    pub event: CUevent,
    pub flags: ::core::ffi::c_int,
    pub triggerAtBlockStart: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_2",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_2>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_2",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::event",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_2, event)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::flags",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_2, flags)
        - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_2::triggerAtBlockStart",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union__bindgen_ty_2, triggerAtBlockStart
    ) - 12usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_3 {
    pub event: CUevent,
    pub flags: ::core::ffi::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_3",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_3>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_3",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_3>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_3::event",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_3, event)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_3::flags",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_3, flags)
        - 8usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_4 {
    pub x: ::core::ffi::c_uint,
    pub y: ::core::ffi::c_uint,
    pub z: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_4",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_4>() - 12usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_4",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_4>() - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::x",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, x) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::y",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, y) - 4usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_4::z",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_4, z) - 8usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_5 {
    pub deviceUpdatable: ::core::ffi::c_int,
    pub devNode: CUgraphDeviceNode,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUlaunchAttributeValue_union__bindgen_ty_5",
    ][::core::mem::size_of::<CUlaunchAttributeValue_union__bindgen_ty_5>() - 16usize];
    [
        "Alignment of CUlaunchAttributeValue_union__bindgen_ty_5",
    ][::core::mem::align_of::<CUlaunchAttributeValue_union__bindgen_ty_5>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_5::deviceUpdatable",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue_union__bindgen_ty_5, deviceUpdatable
    ) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue_union__bindgen_ty_5::devNode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue_union__bindgen_ty_5, devNode)
        - 8usize];
};
impl Default for CUlaunchAttributeValue_union__bindgen_ty_5 {
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
        "Size of CUlaunchAttributeValue",
    ][::core::mem::size_of::<CUlaunchAttributeValue>() - 64usize];
    [
        "Alignment of CUlaunchAttributeValue",
    ][::core::mem::align_of::<CUlaunchAttributeValue>() - 8usize];
    [
        "Offset of field: CUlaunchAttributeValue::pad",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, pad) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::accessPolicyWindow",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, accessPolicyWindow) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::cooperative",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, cooperative) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::syncPolicy",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, syncPolicy) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::clusterDim",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, clusterDim) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::clusterSchedulingPolicyPreference",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, clusterSchedulingPolicyPreference)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::programmaticStreamSerializationAllowed",
    ][::core::mem::offset_of!(
        CUlaunchAttributeValue, programmaticStreamSerializationAllowed
    ) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::programmaticEvent",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, programmaticEvent) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::launchCompletionEvent",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, launchCompletionEvent) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::priority",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, priority) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::memSyncDomainMap",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, memSyncDomainMap) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::memSyncDomain",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, memSyncDomain) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::preferredClusterDim",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, preferredClusterDim) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::deviceUpdatableKernelNode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, deviceUpdatableKernelNode)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::sharedMemCarveout",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, sharedMemCarveout) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::nvlinkUtilCentricScheduling",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, nvlinkUtilCentricScheduling)
        - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::portableClusterSizeMode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, portableClusterSizeMode) - 0usize];
    [
        "Offset of field: CUlaunchAttributeValue::sharedMemoryMode",
    ][::core::mem::offset_of!(CUlaunchAttributeValue, sharedMemoryMode) - 0usize];
};
impl Default for CUlaunchAttributeValue {
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
pub struct CUlaunchAttribute {
    pub id: CUlaunchAttributeID,
    pub pad: [::core::ffi::c_char; 4usize],
    pub value: CUlaunchAttributeValue,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUlaunchAttribute"][::core::mem::size_of::<CUlaunchAttribute>() - 72usize];
    [
        "Alignment of CUlaunchAttribute",
    ][::core::mem::align_of::<CUlaunchAttribute>() - 8usize];
    [
        "Offset of field: CUlaunchAttribute::id",
    ][::core::mem::offset_of!(CUlaunchAttribute, id) - 0usize];
    [
        "Offset of field: CUlaunchAttribute::pad",
    ][::core::mem::offset_of!(CUlaunchAttribute, pad) - 4usize];
    [
        "Offset of field: CUlaunchAttribute::value",
    ][::core::mem::offset_of!(CUlaunchAttribute, value) - 8usize];
};
impl Default for CUlaunchAttribute {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUlaunchConfig {
    pub gridDimX: ::core::ffi::c_uint,
    pub gridDimY: ::core::ffi::c_uint,
    pub gridDimZ: ::core::ffi::c_uint,
    pub blockDimX: ::core::ffi::c_uint,
    pub blockDimY: ::core::ffi::c_uint,
    pub blockDimZ: ::core::ffi::c_uint,
    pub sharedMemBytes: ::core::ffi::c_uint,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUlaunchConfig"][::core::mem::size_of::<CUlaunchConfig>() - 56usize];
    ["Alignment of CUlaunchConfig"][::core::mem::align_of::<CUlaunchConfig>() - 8usize];
    [
        "Offset of field: CUlaunchConfig::gridDimX",
    ][::core::mem::offset_of!(CUlaunchConfig, gridDimX) - 0usize];
    [
        "Offset of field: CUlaunchConfig::gridDimY",
    ][::core::mem::offset_of!(CUlaunchConfig, gridDimY) - 4usize];
    [
        "Offset of field: CUlaunchConfig::gridDimZ",
    ][::core::mem::offset_of!(CUlaunchConfig, gridDimZ) - 8usize];
    [
        "Offset of field: CUlaunchConfig::blockDimX",
    ][::core::mem::offset_of!(CUlaunchConfig, blockDimX) - 12usize];
    [
        "Offset of field: CUlaunchConfig::blockDimY",
    ][::core::mem::offset_of!(CUlaunchConfig, blockDimY) - 16usize];
    [
        "Offset of field: CUlaunchConfig::blockDimZ",
    ][::core::mem::offset_of!(CUlaunchConfig, blockDimZ) - 20usize];
    [
        "Offset of field: CUlaunchConfig::sharedMemBytes",
    ][::core::mem::offset_of!(CUlaunchConfig, sharedMemBytes) - 24usize];
    [
        "Offset of field: CUlaunchConfig::hStream",
    ][::core::mem::offset_of!(CUlaunchConfig, hStream) - 32usize];
    [
        "Offset of field: CUlaunchConfig::attrs",
    ][::core::mem::offset_of!(CUlaunchConfig, attrs) - 40usize];
    [
        "Offset of field: CUlaunchConfig::numAttrs",
    ][::core::mem::offset_of!(CUlaunchConfig, numAttrs) - 48usize];
};
impl Default for CUlaunchConfig {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUstreamCaptureStatus {
    pub const CU_STREAM_CAPTURE_STATUS_NONE: CUstreamCaptureStatus = CUstreamCaptureStatus(
        0,
    );
    pub const CU_STREAM_CAPTURE_STATUS_ACTIVE: CUstreamCaptureStatus = CUstreamCaptureStatus(
        1,
    );
    pub const CU_STREAM_CAPTURE_STATUS_INVALIDATED: CUstreamCaptureStatus = CUstreamCaptureStatus(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCaptureStatus(pub ::core::ffi::c_uint);
impl CUstreamCaptureMode {
    pub const CU_STREAM_CAPTURE_MODE_GLOBAL: CUstreamCaptureMode = CUstreamCaptureMode(
        0,
    );
    pub const CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: CUstreamCaptureMode = CUstreamCaptureMode(
        1,
    );
    pub const CU_STREAM_CAPTURE_MODE_RELAXED: CUstreamCaptureMode = CUstreamCaptureMode(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUstreamCaptureMode(pub ::core::ffi::c_uint);
impl CUdriverProcAddress_flags {
    pub const CU_GET_PROC_ADDRESS_DEFAULT: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        0,
    );
    pub const CU_GET_PROC_ADDRESS_LEGACY_STREAM: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        1,
    );
    pub const CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM: CUdriverProcAddress_flags = CUdriverProcAddress_flags(
        2,
    );
}
impl ::core::ops::BitOr<CUdriverProcAddress_flags> for CUdriverProcAddress_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUdriverProcAddress_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUdriverProcAddress_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUdriverProcAddress_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUdriverProcAddress_flags> for CUdriverProcAddress_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUdriverProcAddress_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUdriverProcAddress_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUdriverProcAddress_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdriverProcAddress_flags(pub ::core::ffi::c_uint);
impl CUdriverProcAddressQueryResult {
    pub const CU_GET_PROC_ADDRESS_SUCCESS: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        0,
    );
    pub const CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        1,
    );
    pub const CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT: CUdriverProcAddressQueryResult = CUdriverProcAddressQueryResult(
        2,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdriverProcAddressQueryResult(pub ::core::ffi::c_uint);
impl CUresult {
    pub const CUDA_SUCCESS: CUresult = CUresult(0);
    pub const CUDA_ERROR_INVALID_VALUE: CUresult = CUresult(1);
    pub const CUDA_ERROR_OUT_OF_MEMORY: CUresult = CUresult(2);
    pub const CUDA_ERROR_NOT_INITIALIZED: CUresult = CUresult(3);
    pub const CUDA_ERROR_DEINITIALIZED: CUresult = CUresult(4);
    pub const CUDA_ERROR_PROFILER_DISABLED: CUresult = CUresult(5);
    pub const CUDA_ERROR_PROFILER_NOT_INITIALIZED: CUresult = CUresult(6);
    pub const CUDA_ERROR_PROFILER_ALREADY_STARTED: CUresult = CUresult(7);
    pub const CUDA_ERROR_PROFILER_ALREADY_STOPPED: CUresult = CUresult(8);
    pub const CUDA_ERROR_STUB_LIBRARY: CUresult = CUresult(34);
    pub const CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER: CUresult = CUresult(36);
    pub const CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = CUresult(46);
    pub const CUDA_ERROR_MULTICAST_RESOURCE_FULL: CUresult = CUresult(47);
    pub const CUDA_ERROR_NO_DEVICE: CUresult = CUresult(100);
    pub const CUDA_ERROR_INVALID_DEVICE: CUresult = CUresult(101);
    pub const CUDA_ERROR_DEVICE_NOT_LICENSED: CUresult = CUresult(102);
    pub const CUDA_ERROR_INVALID_IMAGE: CUresult = CUresult(200);
    pub const CUDA_ERROR_INVALID_CONTEXT: CUresult = CUresult(201);
    pub const CUDA_ERROR_CONTEXT_ALREADY_CURRENT: CUresult = CUresult(202);
    pub const CUDA_ERROR_MAP_FAILED: CUresult = CUresult(205);
    pub const CUDA_ERROR_UNMAP_FAILED: CUresult = CUresult(206);
    pub const CUDA_ERROR_ARRAY_IS_MAPPED: CUresult = CUresult(207);
    pub const CUDA_ERROR_ALREADY_MAPPED: CUresult = CUresult(208);
    pub const CUDA_ERROR_NO_BINARY_FOR_GPU: CUresult = CUresult(209);
    pub const CUDA_ERROR_ALREADY_ACQUIRED: CUresult = CUresult(210);
    pub const CUDA_ERROR_NOT_MAPPED: CUresult = CUresult(211);
    pub const CUDA_ERROR_NOT_MAPPED_AS_ARRAY: CUresult = CUresult(212);
    pub const CUDA_ERROR_NOT_MAPPED_AS_POINTER: CUresult = CUresult(213);
    pub const CUDA_ERROR_ECC_UNCORRECTABLE: CUresult = CUresult(214);
    pub const CUDA_ERROR_UNSUPPORTED_LIMIT: CUresult = CUresult(215);
    pub const CUDA_ERROR_CONTEXT_ALREADY_IN_USE: CUresult = CUresult(216);
    pub const CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: CUresult = CUresult(217);
    pub const CUDA_ERROR_INVALID_PTX: CUresult = CUresult(218);
    pub const CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: CUresult = CUresult(219);
    pub const CUDA_ERROR_NVLINK_UNCORRECTABLE: CUresult = CUresult(220);
    pub const CUDA_ERROR_JIT_COMPILER_NOT_FOUND: CUresult = CUresult(221);
    pub const CUDA_ERROR_UNSUPPORTED_PTX_VERSION: CUresult = CUresult(222);
    pub const CUDA_ERROR_JIT_COMPILATION_DISABLED: CUresult = CUresult(223);
    pub const CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY: CUresult = CUresult(224);
    pub const CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC: CUresult = CUresult(225);
    pub const CUDA_ERROR_CONTAINED: CUresult = CUresult(226);
    pub const CUDA_ERROR_INSUFFICIENT_LOADER_VERSION: CUresult = CUresult(227);
    pub const CUDA_ERROR_INVALID_SOURCE: CUresult = CUresult(300);
    pub const CUDA_ERROR_FILE_NOT_FOUND: CUresult = CUresult(301);
    pub const CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: CUresult = CUresult(302);
    pub const CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: CUresult = CUresult(303);
    pub const CUDA_ERROR_OPERATING_SYSTEM: CUresult = CUresult(304);
    pub const CUDA_ERROR_INVALID_HANDLE: CUresult = CUresult(400);
    pub const CUDA_ERROR_ILLEGAL_STATE: CUresult = CUresult(401);
    pub const CUDA_ERROR_LOSSY_QUERY: CUresult = CUresult(402);
    pub const CUDA_ERROR_NOT_FOUND: CUresult = CUresult(500);
    pub const CUDA_ERROR_NOT_READY: CUresult = CUresult(600);
    pub const CUDA_ERROR_ILLEGAL_ADDRESS: CUresult = CUresult(700);
    pub const CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: CUresult = CUresult(701);
    pub const CUDA_ERROR_LAUNCH_TIMEOUT: CUresult = CUresult(702);
    pub const CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING: CUresult = CUresult(703);
    pub const CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = CUresult(704);
    pub const CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = CUresult(705);
    pub const CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE: CUresult = CUresult(708);
    pub const CUDA_ERROR_CONTEXT_IS_DESTROYED: CUresult = CUresult(709);
    pub const CUDA_ERROR_ASSERT: CUresult = CUresult(710);
    pub const CUDA_ERROR_TOO_MANY_PEERS: CUresult = CUresult(711);
    pub const CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED: CUresult = CUresult(712);
    pub const CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED: CUresult = CUresult(713);
    pub const CUDA_ERROR_HARDWARE_STACK_ERROR: CUresult = CUresult(714);
    pub const CUDA_ERROR_ILLEGAL_INSTRUCTION: CUresult = CUresult(715);
    pub const CUDA_ERROR_MISALIGNED_ADDRESS: CUresult = CUresult(716);
    pub const CUDA_ERROR_INVALID_ADDRESS_SPACE: CUresult = CUresult(717);
    pub const CUDA_ERROR_INVALID_PC: CUresult = CUresult(718);
    pub const CUDA_ERROR_LAUNCH_FAILED: CUresult = CUresult(719);
    pub const CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: CUresult = CUresult(720);
    pub const CUDA_ERROR_TENSOR_MEMORY_LEAK: CUresult = CUresult(721);
    pub const CUDA_ERROR_NOT_PERMITTED: CUresult = CUresult(800);
    pub const CUDA_ERROR_NOT_SUPPORTED: CUresult = CUresult(801);
    pub const CUDA_ERROR_SYSTEM_NOT_READY: CUresult = CUresult(802);
    pub const CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: CUresult = CUresult(803);
    pub const CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: CUresult = CUresult(804);
    pub const CUDA_ERROR_MPS_CONNECTION_FAILED: CUresult = CUresult(805);
    pub const CUDA_ERROR_MPS_RPC_FAILURE: CUresult = CUresult(806);
    pub const CUDA_ERROR_MPS_SERVER_NOT_READY: CUresult = CUresult(807);
    pub const CUDA_ERROR_MPS_MAX_CLIENTS_REACHED: CUresult = CUresult(808);
    pub const CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED: CUresult = CUresult(809);
    pub const CUDA_ERROR_MPS_CLIENT_TERMINATED: CUresult = CUresult(810);
    pub const CUDA_ERROR_CDP_NOT_SUPPORTED: CUresult = CUresult(811);
    pub const CUDA_ERROR_CDP_VERSION_MISMATCH: CUresult = CUresult(812);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: CUresult = CUresult(900);
    pub const CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: CUresult = CUresult(901);
    pub const CUDA_ERROR_STREAM_CAPTURE_MERGE: CUresult = CUresult(902);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: CUresult = CUresult(903);
    pub const CUDA_ERROR_STREAM_CAPTURE_UNJOINED: CUresult = CUresult(904);
    pub const CUDA_ERROR_STREAM_CAPTURE_ISOLATION: CUresult = CUresult(905);
    pub const CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: CUresult = CUresult(906);
    pub const CUDA_ERROR_CAPTURED_EVENT: CUresult = CUresult(907);
    pub const CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: CUresult = CUresult(908);
    pub const CUDA_ERROR_TIMEOUT: CUresult = CUresult(909);
    pub const CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: CUresult = CUresult(910);
    pub const CUDA_ERROR_EXTERNAL_DEVICE: CUresult = CUresult(911);
    pub const CUDA_ERROR_INVALID_CLUSTER_SIZE: CUresult = CUresult(912);
    pub const CUDA_ERROR_FUNCTION_NOT_LOADED: CUresult = CUresult(913);
    pub const CUDA_ERROR_INVALID_RESOURCE_TYPE: CUresult = CUresult(914);
    pub const CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION: CUresult = CUresult(915);
    pub const CUDA_ERROR_KEY_ROTATION: CUresult = CUresult(916);
    pub const CUDA_ERROR_STREAM_DETACHED: CUresult = CUresult(917);
    pub const CUDA_ERROR_GRAPH_RECAPTURE_FAILURE: CUresult = CUresult(918);
    pub const CUDA_ERROR_FABRIC_NOT_READY: CUresult = CUresult(919);
    pub const CUDA_ERROR_UNKNOWN: CUresult = CUresult(999);
}
#[repr(transparent)]
#[derive(Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUresult(pub ::core::ffi::c_uint);
impl CUdevice_P2PAttribute {
    pub const CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        1,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        2,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        3,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        4,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        4,
    );
    pub const CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED: CUdevice_P2PAttribute = CUdevice_P2PAttribute(
        5,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUdevice_P2PAttribute(pub ::core::ffi::c_uint);
impl CUexternalMemoryHandleType {
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        1,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        2,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        3,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        4,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        5,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        6,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        7,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        8,
    );
    pub const CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD: CUexternalMemoryHandleType = CUexternalMemoryHandleType(
        9,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUexternalMemoryHandleType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    pub type_: CUexternalMemoryHandleType,
    pub handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1,
    pub size: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 {
    pub fd: ::core::ffi::c_int,
    pub win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciBufObject: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut ::core::ffi::c_void,
    pub name: *const ::core::ffi::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::handle",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, handle
    ) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1::name",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, name
    ) - 8usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
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
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1>()
        - 16usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::fd",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, fd)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::win32",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, win32)
        - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1::nvSciBufObject",
    ][::core::mem::offset_of!(
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, nvSciBufObject
    ) - 0usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 {
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
        "Size of CUDA_EXTERNAL_MEMORY_HANDLE_DESC",
    ][::core::mem::size_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>() - 104usize];
    [
        "Alignment of CUDA_EXTERNAL_MEMORY_HANDLE_DESC",
    ][::core::mem::align_of::<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>() - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC::type_",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, type_) - 0usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC::handle",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle) - 8usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC::size",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size) - 24usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC::flags",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags) - 32usize];
    [
        "Offset of field: CUDA_EXTERNAL_MEMORY_HANDLE_DESC::reserved",
    ][::core::mem::offset_of!(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, reserved) - 36usize];
};
impl Default for CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub type CUmemGenericAllocationHandle = ::core::ffi::c_ulonglong;
impl CUmemAllocationHandleType {
    pub const CU_MEM_HANDLE_TYPE_NONE: CUmemAllocationHandleType = CUmemAllocationHandleType(
        0,
    );
    pub const CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType(
        1,
    );
    pub const CU_MEM_HANDLE_TYPE_WIN32: CUmemAllocationHandleType = CUmemAllocationHandleType(
        2,
    );
    pub const CU_MEM_HANDLE_TYPE_WIN32_KMT: CUmemAllocationHandleType = CUmemAllocationHandleType(
        4,
    );
    pub const CU_MEM_HANDLE_TYPE_FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(
        8,
    );
    pub const CU_MEM_HANDLE_TYPE_MAX: CUmemAllocationHandleType = CUmemAllocationHandleType(
        2147483647,
    );
}
impl ::core::ops::BitOr<CUmemAllocationHandleType> for CUmemAllocationHandleType {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUmemAllocationHandleType(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUmemAllocationHandleType {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUmemAllocationHandleType) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUmemAllocationHandleType> for CUmemAllocationHandleType {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUmemAllocationHandleType(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUmemAllocationHandleType {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUmemAllocationHandleType) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationHandleType(pub ::core::ffi::c_uint);
impl CUmemAccess_flags {
    pub const CU_MEM_ACCESS_FLAGS_PROT_NONE: CUmemAccess_flags = CUmemAccess_flags(0);
    pub const CU_MEM_ACCESS_FLAGS_PROT_READ: CUmemAccess_flags = CUmemAccess_flags(1);
    pub const CU_MEM_ACCESS_FLAGS_PROT_READWRITE: CUmemAccess_flags = CUmemAccess_flags(
        3,
    );
    pub const CU_MEM_ACCESS_FLAGS_PROT_MAX: CUmemAccess_flags = CUmemAccess_flags(
        2147483647,
    );
}
impl ::core::ops::BitOr<CUmemAccess_flags> for CUmemAccess_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUmemAccess_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUmemAccess_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUmemAccess_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUmemAccess_flags> for CUmemAccess_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUmemAccess_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUmemAccess_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUmemAccess_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAccess_flags(pub ::core::ffi::c_uint);
impl CUmemLocationType {
    pub const CU_MEM_LOCATION_TYPE_INVALID: CUmemLocationType = CUmemLocationType(0);
    pub const CU_MEM_LOCATION_TYPE_NONE: CUmemLocationType = CUmemLocationType(0);
    pub const CU_MEM_LOCATION_TYPE_DEVICE: CUmemLocationType = CUmemLocationType(1);
    pub const CU_MEM_LOCATION_TYPE_HOST: CUmemLocationType = CUmemLocationType(2);
    pub const CU_MEM_LOCATION_TYPE_HOST_NUMA: CUmemLocationType = CUmemLocationType(3);
    pub const CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: CUmemLocationType = CUmemLocationType(
        4,
    );
    pub const CU_MEM_LOCATION_TYPE_INVISIBLE: CUmemLocationType = CUmemLocationType(5);
    pub const CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN: CUmemLocationType = CUmemLocationType(
        6,
    );
    pub const CU_MEM_LOCATION_TYPE_MAX: CUmemLocationType = CUmemLocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemLocationType(pub ::core::ffi::c_uint);
impl CUmemAllocationType {
    pub const CU_MEM_ALLOCATION_TYPE_INVALID: CUmemAllocationType = CUmemAllocationType(
        0,
    );
    pub const CU_MEM_ALLOCATION_TYPE_PINNED: CUmemAllocationType = CUmemAllocationType(
        1,
    );
    pub const CU_MEM_ALLOCATION_TYPE_MANAGED: CUmemAllocationType = CUmemAllocationType(
        2,
    );
    pub const CU_MEM_ALLOCATION_TYPE_MAX: CUmemAllocationType = CUmemAllocationType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationType(pub ::core::ffi::c_uint);
impl CUmemAllocationGranularity_flags {
    pub const CU_MEM_ALLOC_GRANULARITY_MINIMUM: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
        0,
    );
    pub const CU_MEM_ALLOC_GRANULARITY_RECOMMENDED: CUmemAllocationGranularity_flags = CUmemAllocationGranularity_flags(
        1,
    );
}
impl ::core::ops::BitOr<CUmemAllocationGranularity_flags>
for CUmemAllocationGranularity_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUmemAllocationGranularity_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUmemAllocationGranularity_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUmemAllocationGranularity_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUmemAllocationGranularity_flags>
for CUmemAllocationGranularity_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUmemAllocationGranularity_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUmemAllocationGranularity_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUmemAllocationGranularity_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemAllocationGranularity_flags(pub ::core::ffi::c_uint);
impl CUmemRangeHandleType {
    pub const CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD: CUmemRangeHandleType = CUmemRangeHandleType(
        1,
    );
    pub const CU_MEM_RANGE_HANDLE_TYPE_MAX: CUmemRangeHandleType = CUmemRangeHandleType(
        2147483647,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemRangeHandleType(pub ::core::ffi::c_uint);
impl CUmemRangeFlags {
    pub const CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE: CUmemRangeFlags = CUmemRangeFlags(
        1,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemRangeFlags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemLocation {
    pub type_: CUmemLocationType,
    pub __bindgen_anon_1: CUmemLocation_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union CUmemLocation_st__bindgen_ty_1 {
    pub id: ::core::ffi::c_int,
    pub localized: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUmemLocation_st__bindgen_ty_1__bindgen_ty_1 {
    pub deviceId: ::core::ffi::c_uchar,
    pub localityDomainId: ::core::ffi::c_uchar,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemLocation_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemLocation_st__bindgen_ty_1__bindgen_ty_1>() - 2usize];
    [
        "Alignment of CUmemLocation_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemLocation_st__bindgen_ty_1__bindgen_ty_1>() - 1usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1::deviceId",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1__bindgen_ty_1, deviceId)
        - 0usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1__bindgen_ty_1::localityDomainId",
    ][::core::mem::offset_of!(
        CUmemLocation_st__bindgen_ty_1__bindgen_ty_1, localityDomainId
    ) - 1usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemLocation_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemLocation_st__bindgen_ty_1>() - 4usize];
    [
        "Alignment of CUmemLocation_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemLocation_st__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1::id",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1, id) - 0usize];
    [
        "Offset of field: CUmemLocation_st__bindgen_ty_1::localized",
    ][::core::mem::offset_of!(CUmemLocation_st__bindgen_ty_1, localized) - 0usize];
};
impl Default for CUmemLocation_st__bindgen_ty_1 {
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
    ["Size of CUmemLocation"][::core::mem::size_of::<CUmemLocation>() - 8usize];
    ["Alignment of CUmemLocation"][::core::mem::align_of::<CUmemLocation>() - 4usize];
    [
        "Offset of field: CUmemLocation::type_",
    ][::core::mem::offset_of!(CUmemLocation, type_) - 0usize];
};
impl Default for CUmemLocation {
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
pub struct CUmemAllocationProp {
    pub type_: CUmemAllocationType,
    pub requestedHandleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32HandleMetaData: *mut ::core::ffi::c_void,
    pub allocFlags: CUmemAllocationProp_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUmemAllocationProp_st__bindgen_ty_1 {
    pub compressionType: ::core::ffi::c_uchar,
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    pub usage: ::core::ffi::c_ushort,
    pub reserved: [::core::ffi::c_uchar; 4usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemAllocationProp_st__bindgen_ty_1",
    ][::core::mem::size_of::<CUmemAllocationProp_st__bindgen_ty_1>() - 8usize];
    [
        "Alignment of CUmemAllocationProp_st__bindgen_ty_1",
    ][::core::mem::align_of::<CUmemAllocationProp_st__bindgen_ty_1>() - 2usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::compressionType",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, compressionType)
        - 0usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::gpuDirectRDMACapable",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, gpuDirectRDMACapable)
        - 1usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::usage",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, usage) - 2usize];
    [
        "Offset of field: CUmemAllocationProp_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(CUmemAllocationProp_st__bindgen_ty_1, reserved) - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemAllocationProp",
    ][::core::mem::size_of::<CUmemAllocationProp>() - 32usize];
    [
        "Alignment of CUmemAllocationProp",
    ][::core::mem::align_of::<CUmemAllocationProp>() - 8usize];
    [
        "Offset of field: CUmemAllocationProp::type_",
    ][::core::mem::offset_of!(CUmemAllocationProp, type_) - 0usize];
    [
        "Offset of field: CUmemAllocationProp::requestedHandleTypes",
    ][::core::mem::offset_of!(CUmemAllocationProp, requestedHandleTypes) - 4usize];
    [
        "Offset of field: CUmemAllocationProp::location",
    ][::core::mem::offset_of!(CUmemAllocationProp, location) - 8usize];
    [
        "Offset of field: CUmemAllocationProp::win32HandleMetaData",
    ][::core::mem::offset_of!(CUmemAllocationProp, win32HandleMetaData) - 16usize];
    [
        "Offset of field: CUmemAllocationProp::allocFlags",
    ][::core::mem::offset_of!(CUmemAllocationProp, allocFlags) - 24usize];
};
impl Default for CUmemAllocationProp {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUmulticastGranularity_flags {
    pub const CU_MULTICAST_GRANULARITY_MINIMUM: CUmulticastGranularity_flags = CUmulticastGranularity_flags(
        0,
    );
    pub const CU_MULTICAST_GRANULARITY_RECOMMENDED: CUmulticastGranularity_flags = CUmulticastGranularity_flags(
        1,
    );
}
impl ::core::ops::BitOr<CUmulticastGranularity_flags> for CUmulticastGranularity_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUmulticastGranularity_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUmulticastGranularity_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUmulticastGranularity_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUmulticastGranularity_flags> for CUmulticastGranularity_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUmulticastGranularity_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUmulticastGranularity_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUmulticastGranularity_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmulticastGranularity_flags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct CUmulticastObjectProp {
    pub numDevices: ::core::ffi::c_uint,
    pub size: usize,
    pub handleTypes: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_ulonglong,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmulticastObjectProp",
    ][::core::mem::size_of::<CUmulticastObjectProp>() - 32usize];
    [
        "Alignment of CUmulticastObjectProp",
    ][::core::mem::align_of::<CUmulticastObjectProp>() - 8usize];
    [
        "Offset of field: CUmulticastObjectProp::numDevices",
    ][::core::mem::offset_of!(CUmulticastObjectProp, numDevices) - 0usize];
    [
        "Offset of field: CUmulticastObjectProp::size",
    ][::core::mem::offset_of!(CUmulticastObjectProp, size) - 8usize];
    [
        "Offset of field: CUmulticastObjectProp::handleTypes",
    ][::core::mem::offset_of!(CUmulticastObjectProp, handleTypes) - 16usize];
    [
        "Offset of field: CUmulticastObjectProp::flags",
    ][::core::mem::offset_of!(CUmulticastObjectProp, flags) - 24usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemAccessDesc {
    pub location: CUmemLocation,
    pub flags: CUmemAccess_flags,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUmemAccessDesc"][::core::mem::size_of::<CUmemAccessDesc>() - 12usize];
    [
        "Alignment of CUmemAccessDesc",
    ][::core::mem::align_of::<CUmemAccessDesc>() - 4usize];
    [
        "Offset of field: CUmemAccessDesc::location",
    ][::core::mem::offset_of!(CUmemAccessDesc, location) - 0usize];
    [
        "Offset of field: CUmemAccessDesc::flags",
    ][::core::mem::offset_of!(CUmemAccessDesc, flags) - 8usize];
};
impl Default for CUmemAccessDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUmemPool_attribute {
    pub const CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: CUmemPool_attribute = CUmemPool_attribute(
        1,
    );
    pub const CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: CUmemPool_attribute = CUmemPool_attribute(
        2,
    );
    pub const CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: CUmemPool_attribute = CUmemPool_attribute(
        3,
    );
    pub const CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: CUmemPool_attribute = CUmemPool_attribute(
        4,
    );
    pub const CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: CUmemPool_attribute = CUmemPool_attribute(
        5,
    );
    pub const CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: CUmemPool_attribute = CUmemPool_attribute(
        6,
    );
    pub const CU_MEMPOOL_ATTR_USED_MEM_CURRENT: CUmemPool_attribute = CUmemPool_attribute(
        7,
    );
    pub const CU_MEMPOOL_ATTR_USED_MEM_HIGH: CUmemPool_attribute = CUmemPool_attribute(
        8,
    );
    pub const CU_MEMPOOL_ATTR_ALLOCATION_TYPE: CUmemPool_attribute = CUmemPool_attribute(
        9,
    );
    pub const CU_MEMPOOL_ATTR_EXPORT_HANDLE_TYPES: CUmemPool_attribute = CUmemPool_attribute(
        10,
    );
    pub const CU_MEMPOOL_ATTR_LOCATION_ID: CUmemPool_attribute = CUmemPool_attribute(11);
    pub const CU_MEMPOOL_ATTR_LOCATION_TYPE: CUmemPool_attribute = CUmemPool_attribute(
        12,
    );
    pub const CU_MEMPOOL_ATTR_MAX_POOL_SIZE: CUmemPool_attribute = CUmemPool_attribute(
        13,
    );
    pub const CU_MEMPOOL_ATTR_HW_DECOMPRESS_ENABLED: CUmemPool_attribute = CUmemPool_attribute(
        14,
    );
    pub const CU_MEMPOOL_ATTR_LOCALITY_DOMAIN_ID: CUmemPool_attribute = CUmemPool_attribute(
        15,
    );
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUmemPool_attribute(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct CUmemPoolProps {
    pub allocType: CUmemAllocationType,
    pub handleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    pub maxSize: usize,
    pub usage: ::core::ffi::c_ushort,
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    pub reserved: [::core::ffi::c_uchar; 53usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUmemPoolProps"][::core::mem::size_of::<CUmemPoolProps>() - 88usize];
    ["Alignment of CUmemPoolProps"][::core::mem::align_of::<CUmemPoolProps>() - 8usize];
    [
        "Offset of field: CUmemPoolProps::allocType",
    ][::core::mem::offset_of!(CUmemPoolProps, allocType) - 0usize];
    [
        "Offset of field: CUmemPoolProps::handleTypes",
    ][::core::mem::offset_of!(CUmemPoolProps, handleTypes) - 4usize];
    [
        "Offset of field: CUmemPoolProps::location",
    ][::core::mem::offset_of!(CUmemPoolProps, location) - 8usize];
    [
        "Offset of field: CUmemPoolProps::win32SecurityAttributes",
    ][::core::mem::offset_of!(CUmemPoolProps, win32SecurityAttributes) - 16usize];
    [
        "Offset of field: CUmemPoolProps::maxSize",
    ][::core::mem::offset_of!(CUmemPoolProps, maxSize) - 24usize];
    [
        "Offset of field: CUmemPoolProps::usage",
    ][::core::mem::offset_of!(CUmemPoolProps, usage) - 32usize];
    [
        "Offset of field: CUmemPoolProps::gpuDirectRDMACapable",
    ][::core::mem::offset_of!(CUmemPoolProps, gpuDirectRDMACapable) - 34usize];
    [
        "Offset of field: CUmemPoolProps::reserved",
    ][::core::mem::offset_of!(CUmemPoolProps, reserved) - 35usize];
};
impl Default for CUmemPoolProps {
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
pub struct CUmemPoolPtrExportData {
    pub reserved: [::core::ffi::c_uchar; 64usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUmemPoolPtrExportData",
    ][::core::mem::size_of::<CUmemPoolPtrExportData>() - 64usize];
    [
        "Alignment of CUmemPoolPtrExportData",
    ][::core::mem::align_of::<CUmemPoolPtrExportData>() - 1usize];
    [
        "Offset of field: CUmemPoolPtrExportData::reserved",
    ][::core::mem::offset_of!(CUmemPoolPtrExportData, reserved) - 0usize];
};
impl Default for CUmemPoolPtrExportData {
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
pub struct CUDA_MEM_ALLOC_NODE_PARAMS {
    pub poolProps: CUmemPoolProps,
    pub accessDescs: *const CUmemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: CUdeviceptr,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of CUDA_MEM_ALLOC_NODE_PARAMS",
    ][::core::mem::size_of::<CUDA_MEM_ALLOC_NODE_PARAMS>() - 120usize];
    [
        "Alignment of CUDA_MEM_ALLOC_NODE_PARAMS",
    ][::core::mem::align_of::<CUDA_MEM_ALLOC_NODE_PARAMS>() - 8usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS::poolProps",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS, poolProps) - 0usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS::accessDescs",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS, accessDescs) - 88usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS::accessDescCount",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS, accessDescCount) - 96usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS::bytesize",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS, bytesize) - 104usize];
    [
        "Offset of field: CUDA_MEM_ALLOC_NODE_PARAMS::dptr",
    ][::core::mem::offset_of!(CUDA_MEM_ALLOC_NODE_PARAMS, dptr) - 112usize];
};
impl Default for CUDA_MEM_ALLOC_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUgraphInstantiate_flags {
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        1,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        2,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        4,
    );
    pub const CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY: CUgraphInstantiate_flags = CUgraphInstantiate_flags(
        8,
    );
}
impl ::core::ops::BitOr<CUgraphInstantiate_flags> for CUgraphInstantiate_flags {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        CUgraphInstantiate_flags(self.0 | other.0)
    }
}
impl ::core::ops::BitOrAssign for CUgraphInstantiate_flags {
    #[inline]
    fn bitor_assign(&mut self, rhs: CUgraphInstantiate_flags) {
        self.0 |= rhs.0;
    }
}
impl ::core::ops::BitAnd<CUgraphInstantiate_flags> for CUgraphInstantiate_flags {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        CUgraphInstantiate_flags(self.0 & other.0)
    }
}
impl ::core::ops::BitAndAssign for CUgraphInstantiate_flags {
    #[inline]
    fn bitand_assign(&mut self, rhs: CUgraphInstantiate_flags) {
        self.0 &= rhs.0;
    }
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUgraphInstantiate_flags(pub ::core::ffi::c_uint);
impl CUcliqueType {
    pub const CU_CLIQUE_TYPE_UNICAST_POINTER: CUcliqueType = CUcliqueType(0);
    pub const CU_CLIQUE_TYPE_MULTICAST_POINTER: CUcliqueType = CUcliqueType(1);
    pub const CU_CLIQUE_TYPE_UNICAST_LOGICAL_ENDPOINT: CUcliqueType = CUcliqueType(2);
    pub const CU_CLIQUE_TYPE_MULTICAST_LOGICAL_ENDPOINT: CUcliqueType = CUcliqueType(3);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUcliqueType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct CUcliqueInfo {
    pub type_: CUcliqueType,
    pub id: ::core::ffi::c_uint,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of CUcliqueInfo"][::core::mem::size_of::<CUcliqueInfo>() - 8usize];
    ["Alignment of CUcliqueInfo"][::core::mem::align_of::<CUcliqueInfo>() - 4usize];
    [
        "Offset of field: CUcliqueInfo::type_",
    ][::core::mem::offset_of!(CUcliqueInfo, type_) - 0usize];
    [
        "Offset of field: CUcliqueInfo::id",
    ][::core::mem::offset_of!(CUcliqueInfo, id) - 4usize];
};
impl Default for CUcliqueInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl CUlogLevel {
    pub const CU_LOG_LEVEL_ERROR: CUlogLevel = CUlogLevel(0);
    pub const CU_LOG_LEVEL_WARNING: CUlogLevel = CUlogLevel(1);
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CUlogLevel(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct CUlogsCallbackEntry_st {
    _unused: [u8; 0],
}
pub type CUlogsCallbackHandle = *mut CUlogsCallbackEntry_st;
pub type CUlogsCallback = ::core::option::Option<
    unsafe extern "C" fn(
        data: *mut ::core::ffi::c_void,
        logLevel: CUlogLevel,
        message: *mut ::core::ffi::c_char,
        length: usize,
    ),
>;

impl CUresult {
    /// The enumerator's name, or `None` for a code that is newer than these bindings.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(
            match self {
                Self::CUDA_SUCCESS => "CUDA_SUCCESS",
                Self::CUDA_ERROR_INVALID_VALUE => "CUDA_ERROR_INVALID_VALUE",
                Self::CUDA_ERROR_OUT_OF_MEMORY => "CUDA_ERROR_OUT_OF_MEMORY",
                Self::CUDA_ERROR_NOT_INITIALIZED => "CUDA_ERROR_NOT_INITIALIZED",
                Self::CUDA_ERROR_DEINITIALIZED => "CUDA_ERROR_DEINITIALIZED",
                Self::CUDA_ERROR_PROFILER_DISABLED => "CUDA_ERROR_PROFILER_DISABLED",
                Self::CUDA_ERROR_PROFILER_NOT_INITIALIZED => {
                    "CUDA_ERROR_PROFILER_NOT_INITIALIZED"
                }
                Self::CUDA_ERROR_PROFILER_ALREADY_STARTED => {
                    "CUDA_ERROR_PROFILER_ALREADY_STARTED"
                }
                Self::CUDA_ERROR_PROFILER_ALREADY_STOPPED => {
                    "CUDA_ERROR_PROFILER_ALREADY_STOPPED"
                }
                Self::CUDA_ERROR_STUB_LIBRARY => "CUDA_ERROR_STUB_LIBRARY",
                Self::CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER => {
                    "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"
                }
                Self::CUDA_ERROR_DEVICE_UNAVAILABLE => "CUDA_ERROR_DEVICE_UNAVAILABLE",
                Self::CUDA_ERROR_MULTICAST_RESOURCE_FULL => {
                    "CUDA_ERROR_MULTICAST_RESOURCE_FULL"
                }
                Self::CUDA_ERROR_NO_DEVICE => "CUDA_ERROR_NO_DEVICE",
                Self::CUDA_ERROR_INVALID_DEVICE => "CUDA_ERROR_INVALID_DEVICE",
                Self::CUDA_ERROR_DEVICE_NOT_LICENSED => "CUDA_ERROR_DEVICE_NOT_LICENSED",
                Self::CUDA_ERROR_INVALID_IMAGE => "CUDA_ERROR_INVALID_IMAGE",
                Self::CUDA_ERROR_INVALID_CONTEXT => "CUDA_ERROR_INVALID_CONTEXT",
                Self::CUDA_ERROR_CONTEXT_ALREADY_CURRENT => {
                    "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"
                }
                Self::CUDA_ERROR_MAP_FAILED => "CUDA_ERROR_MAP_FAILED",
                Self::CUDA_ERROR_UNMAP_FAILED => "CUDA_ERROR_UNMAP_FAILED",
                Self::CUDA_ERROR_ARRAY_IS_MAPPED => "CUDA_ERROR_ARRAY_IS_MAPPED",
                Self::CUDA_ERROR_ALREADY_MAPPED => "CUDA_ERROR_ALREADY_MAPPED",
                Self::CUDA_ERROR_NO_BINARY_FOR_GPU => "CUDA_ERROR_NO_BINARY_FOR_GPU",
                Self::CUDA_ERROR_ALREADY_ACQUIRED => "CUDA_ERROR_ALREADY_ACQUIRED",
                Self::CUDA_ERROR_NOT_MAPPED => "CUDA_ERROR_NOT_MAPPED",
                Self::CUDA_ERROR_NOT_MAPPED_AS_ARRAY => "CUDA_ERROR_NOT_MAPPED_AS_ARRAY",
                Self::CUDA_ERROR_NOT_MAPPED_AS_POINTER => {
                    "CUDA_ERROR_NOT_MAPPED_AS_POINTER"
                }
                Self::CUDA_ERROR_ECC_UNCORRECTABLE => "CUDA_ERROR_ECC_UNCORRECTABLE",
                Self::CUDA_ERROR_UNSUPPORTED_LIMIT => "CUDA_ERROR_UNSUPPORTED_LIMIT",
                Self::CUDA_ERROR_CONTEXT_ALREADY_IN_USE => {
                    "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"
                }
                Self::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => {
                    "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"
                }
                Self::CUDA_ERROR_INVALID_PTX => "CUDA_ERROR_INVALID_PTX",
                Self::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT => {
                    "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"
                }
                Self::CUDA_ERROR_NVLINK_UNCORRECTABLE => {
                    "CUDA_ERROR_NVLINK_UNCORRECTABLE"
                }
                Self::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
                    "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"
                }
                Self::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
                    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
                }
                Self::CUDA_ERROR_JIT_COMPILATION_DISABLED => {
                    "CUDA_ERROR_JIT_COMPILATION_DISABLED"
                }
                Self::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY => {
                    "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"
                }
                Self::CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC => {
                    "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"
                }
                Self::CUDA_ERROR_CONTAINED => "CUDA_ERROR_CONTAINED",
                Self::CUDA_ERROR_INSUFFICIENT_LOADER_VERSION => {
                    "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION"
                }
                Self::CUDA_ERROR_INVALID_SOURCE => "CUDA_ERROR_INVALID_SOURCE",
                Self::CUDA_ERROR_FILE_NOT_FOUND => "CUDA_ERROR_FILE_NOT_FOUND",
                Self::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND => {
                    "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"
                }
                Self::CUDA_ERROR_SHARED_OBJECT_INIT_FAILED => {
                    "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"
                }
                Self::CUDA_ERROR_OPERATING_SYSTEM => "CUDA_ERROR_OPERATING_SYSTEM",
                Self::CUDA_ERROR_INVALID_HANDLE => "CUDA_ERROR_INVALID_HANDLE",
                Self::CUDA_ERROR_ILLEGAL_STATE => "CUDA_ERROR_ILLEGAL_STATE",
                Self::CUDA_ERROR_LOSSY_QUERY => "CUDA_ERROR_LOSSY_QUERY",
                Self::CUDA_ERROR_NOT_FOUND => "CUDA_ERROR_NOT_FOUND",
                Self::CUDA_ERROR_NOT_READY => "CUDA_ERROR_NOT_READY",
                Self::CUDA_ERROR_ILLEGAL_ADDRESS => "CUDA_ERROR_ILLEGAL_ADDRESS",
                Self::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
                    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                }
                Self::CUDA_ERROR_LAUNCH_TIMEOUT => "CUDA_ERROR_LAUNCH_TIMEOUT",
                Self::CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING => {
                    "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"
                }
                Self::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {
                    "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"
                }
                Self::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => {
                    "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"
                }
                Self::CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE => {
                    "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"
                }
                Self::CUDA_ERROR_CONTEXT_IS_DESTROYED => {
                    "CUDA_ERROR_CONTEXT_IS_DESTROYED"
                }
                Self::CUDA_ERROR_ASSERT => "CUDA_ERROR_ASSERT",
                Self::CUDA_ERROR_TOO_MANY_PEERS => "CUDA_ERROR_TOO_MANY_PEERS",
                Self::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => {
                    "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"
                }
                Self::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED => {
                    "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"
                }
                Self::CUDA_ERROR_HARDWARE_STACK_ERROR => {
                    "CUDA_ERROR_HARDWARE_STACK_ERROR"
                }
                Self::CUDA_ERROR_ILLEGAL_INSTRUCTION => "CUDA_ERROR_ILLEGAL_INSTRUCTION",
                Self::CUDA_ERROR_MISALIGNED_ADDRESS => "CUDA_ERROR_MISALIGNED_ADDRESS",
                Self::CUDA_ERROR_INVALID_ADDRESS_SPACE => {
                    "CUDA_ERROR_INVALID_ADDRESS_SPACE"
                }
                Self::CUDA_ERROR_INVALID_PC => "CUDA_ERROR_INVALID_PC",
                Self::CUDA_ERROR_LAUNCH_FAILED => "CUDA_ERROR_LAUNCH_FAILED",
                Self::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
                    "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
                }
                Self::CUDA_ERROR_TENSOR_MEMORY_LEAK => "CUDA_ERROR_TENSOR_MEMORY_LEAK",
                Self::CUDA_ERROR_NOT_PERMITTED => "CUDA_ERROR_NOT_PERMITTED",
                Self::CUDA_ERROR_NOT_SUPPORTED => "CUDA_ERROR_NOT_SUPPORTED",
                Self::CUDA_ERROR_SYSTEM_NOT_READY => "CUDA_ERROR_SYSTEM_NOT_READY",
                Self::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
                    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
                }
                Self::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
                    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"
                }
                Self::CUDA_ERROR_MPS_CONNECTION_FAILED => {
                    "CUDA_ERROR_MPS_CONNECTION_FAILED"
                }
                Self::CUDA_ERROR_MPS_RPC_FAILURE => "CUDA_ERROR_MPS_RPC_FAILURE",
                Self::CUDA_ERROR_MPS_SERVER_NOT_READY => {
                    "CUDA_ERROR_MPS_SERVER_NOT_READY"
                }
                Self::CUDA_ERROR_MPS_MAX_CLIENTS_REACHED => {
                    "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"
                }
                Self::CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED => {
                    "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"
                }
                Self::CUDA_ERROR_MPS_CLIENT_TERMINATED => {
                    "CUDA_ERROR_MPS_CLIENT_TERMINATED"
                }
                Self::CUDA_ERROR_CDP_NOT_SUPPORTED => "CUDA_ERROR_CDP_NOT_SUPPORTED",
                Self::CUDA_ERROR_CDP_VERSION_MISMATCH => {
                    "CUDA_ERROR_CDP_VERSION_MISMATCH"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED => {
                    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => {
                    "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_MERGE => {
                    "CUDA_ERROR_STREAM_CAPTURE_MERGE"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_UNMATCHED => {
                    "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_UNJOINED => {
                    "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_ISOLATION => {
                    "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"
                }
                Self::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT => {
                    "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"
                }
                Self::CUDA_ERROR_CAPTURED_EVENT => "CUDA_ERROR_CAPTURED_EVENT",
                Self::CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD => {
                    "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"
                }
                Self::CUDA_ERROR_TIMEOUT => "CUDA_ERROR_TIMEOUT",
                Self::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE => {
                    "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"
                }
                Self::CUDA_ERROR_EXTERNAL_DEVICE => "CUDA_ERROR_EXTERNAL_DEVICE",
                Self::CUDA_ERROR_INVALID_CLUSTER_SIZE => {
                    "CUDA_ERROR_INVALID_CLUSTER_SIZE"
                }
                Self::CUDA_ERROR_FUNCTION_NOT_LOADED => "CUDA_ERROR_FUNCTION_NOT_LOADED",
                Self::CUDA_ERROR_INVALID_RESOURCE_TYPE => {
                    "CUDA_ERROR_INVALID_RESOURCE_TYPE"
                }
                Self::CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION => {
                    "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"
                }
                Self::CUDA_ERROR_KEY_ROTATION => "CUDA_ERROR_KEY_ROTATION",
                Self::CUDA_ERROR_STREAM_DETACHED => "CUDA_ERROR_STREAM_DETACHED",
                Self::CUDA_ERROR_GRAPH_RECAPTURE_FAILURE => {
                    "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE"
                }
                Self::CUDA_ERROR_FABRIC_NOT_READY => "CUDA_ERROR_FABRIC_NOT_READY",
                Self::CUDA_ERROR_UNKNOWN => "CUDA_ERROR_UNKNOWN",
                _ => return None,
            },
        )
    }
}
