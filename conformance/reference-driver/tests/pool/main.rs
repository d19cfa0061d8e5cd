//! Memory pools, most of them shared between processes.

// A failing kernel ends the device work of its whole process, and descriptors belong to the whole process. Tests with
// such a kernel, and tests that count descriptors, run in processes of their own.
#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[macro_use]
#[path = "../common/mod.rs"]
mod common;
#[path = "exporter.rs"]
mod exporter_process;
#[path = "../common/waiting.rs"]
mod waiting;

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use cuda_ipc_sys::{
    CUcontext, CUdeviceptr, CUmemAccess_flags as Access, CUmemAccessDesc, CUmemAllocationHandleType as HandleType,
    CUmemAllocationType as Kind, CUmemFabricHandle, CUmemLocation, CUmemLocationType, CUmemPool_attribute as Attribute,
    CUmemPoolProps, CUmemPoolPtrExportData, CUmemoryPool, CUpointer_attribute, CUresult, CUstream,
};
use exporter_process::{Exporter, Order};

const DEFAULT: CUstream = ptr::null_mut();
const MIB: u64 = 1 << 20;
const DESCRIPTOR: HandleType = HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: HandleType = HandleType::CU_MEM_HANDLE_TYPE_FABRIC;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

type Result<T> = std::result::Result<T, CUresult>;

/// Returns the name of the machine: the one in the environment, or one of this process's own.
fn machine() -> String {
    std::env::var("REFERENCE_DRIVER_MACHINE").unwrap_or_else(|_| format!("pool-{}", std::process::id()))
}

/// Initialises the driver on a machine of three devices. Unless the environment says otherwise, this process does not
/// see the last one.
fn initialise() {
    static ENVIRONMENT: Once = Once::new();
    ENVIRONMENT.call_once(|| {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_else(|_| "0,1".to_owned());
        // SAFETY: only the driver reads the environment without the lock of `std`, and no call has reached it yet.
        unsafe {
            std::env::set_var("REFERENCE_DRIVER_MACHINE", machine());
            std::env::set_var("REFERENCE_DRIVER_DEVICES", "3");
            std::env::set_var("CUDA_VISIBLE_DEVICES", visible);
        }
    });
    call!(cuInit(0));
}

mod across;
mod concurrent;
mod fabric;
mod local;
mod share;

/// Lets one test of this process run at a time. It has a context of each of two devices, and the first one is current.
struct Turn {
    contexts: [CUcontext; 2],
    _turn: MutexGuard<'static, ()>,
}

fn turn() -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    initialise();
    let contexts = [1, 0].map(|device| {
        let mut context = ptr::null_mut();
        call!(cuCtxCreate(&mut context, 0, device));
        context
    });
    Turn { contexts: [contexts[1], contexts[0]], _turn: turn }
}

impl Drop for Turn {
    fn drop(&mut self) {
        for context in self.contexts {
            call!(cuCtxDestroy(context));
        }
    }
}

fn properties(kind: HandleType) -> CUmemPoolProps {
    CUmemPoolProps {
        allocType: Kind::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: kind,
        location: CUmemLocation::device(0),
        ..Default::default()
    }
}

fn create(properties: &CUmemPoolProps) -> Result<CUmemoryPool> {
    let mut pool = ptr::null_mut();
    code!(cuMemPoolCreate(&mut pool, properties)).result().map(|()| pool)
}

fn export(pool: CUmemoryPool, kind: HandleType) -> Result<OwnedFd> {
    let mut descriptor: RawFd = -1;
    let output = (&raw mut descriptor).cast();
    let code = code!(cuMemPoolExportToShareableHandle(output, pool, kind, 0));
    // SAFETY: if the call succeeds, the descriptor is new, and nothing else owns it.
    code.result().map(|()| unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn export_fabric(pool: CUmemoryPool) -> Result<[u8; 64]> {
    let mut handle = CUmemFabricHandle::default();
    let code = code!(cuMemPoolExportToShareableHandle((&raw mut handle).cast(), pool, FABRIC, 0));
    code.result().map(|()| handle.to_bytes())
}

fn import_fabric(bytes: [u8; 64]) -> Result<CUmemoryPool> {
    let (mut pool, mut handle) = (ptr::null_mut(), CUmemFabricHandle::from_bytes(bytes));
    code!(cuMemPoolImportFromShareableHandle(&mut pool, (&raw mut handle).cast(), FABRIC, 0)).result().map(|()| pool)
}

fn import(descriptor: RawFd) -> Result<CUmemoryPool> {
    let mut pool = ptr::null_mut();
    let handle = descriptor as isize as *mut c_void;
    code!(cuMemPoolImportFromShareableHandle(&mut pool, handle, DESCRIPTOR, 0)).result().map(|()| pool)
}

fn allocate(pool: CUmemoryPool, size: u64) -> Result<CUdeviceptr> {
    let mut pointer = 0;
    code!(cuMemAllocFromPoolAsync(&mut pointer, size as usize, pool, DEFAULT)).result().map(|()| pointer)
}

fn export_pointer(pointer: CUdeviceptr) -> Result<[u8; 64]> {
    let mut data = CUmemPoolPtrExportData::default();
    code!(cuMemPoolExportPointer(&mut data, pointer)).result().map(|()| data.to_bytes())
}

fn import_pointer(pool: CUmemoryPool, data: [u8; 64]) -> Result<CUdeviceptr> {
    let (mut pointer, mut data) = (0, CUmemPoolPtrExportData::from_bytes(data));
    code!(cuMemPoolImportPointer(&mut pointer, pool, &mut data)).result().map(|()| pointer)
}

fn free(pointer: CUdeviceptr) {
    call!(cuMemFreeAsync(pointer, DEFAULT));
    call!(cuStreamSynchronize(DEFAULT));
}

fn read(pointer: CUdeviceptr) -> Result<u32> {
    let mut word = 0_u32;
    code!(cuMemcpyDtoH((&raw mut word).cast(), pointer, 4)).result().map(|()| word)
}

fn attribute(pool: CUmemoryPool, name: Attribute) -> Result<u64> {
    let mut value = 0_u64;
    code!(cuMemPoolGetAttribute(pool, name, (&raw mut value).cast())).result().map(|()| value)
}

fn used(pool: CUmemoryPool) -> Result<u64> {
    attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
}

fn reserved(pool: CUmemoryPool) -> Result<u64> {
    attribute(pool, Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
}

fn grant(pool: CUmemoryPool, device: i32, flags: Access) -> CUresult {
    code!(cuMemPoolSetAccess(pool, &CUmemAccessDesc { location: CUmemLocation::device(device), flags }, 1))
}

fn granted(pool: CUmemoryPool, device: i32) -> Access {
    let (mut flags, mut location) = (Access::CU_MEM_ACCESS_FLAGS_PROT_READ, CUmemLocation::device(device));
    call!(cuMemPoolGetAccess(&mut flags, pool, &mut location));
    flags
}

fn free_bytes() -> u64 {
    let (mut free, mut total) = (0, 0);
    call!(cuMemGetInfo(&mut free, &mut total));
    free as u64
}

/// Creates a pool, and exports and imports it in this process.
fn both_sides() -> (CUmemoryPool, OwnedFd, CUmemoryPool) {
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    let descriptor = export(pool, DESCRIPTOR).unwrap();
    let imported = import(descriptor.as_raw_fd()).unwrap();
    (pool, descriptor, imported)
}

/// Returns a pointer attribute that is a number of 32 or 64 bits.
fn pointer_attribute(pointer: CUdeviceptr, name: CUpointer_attribute) -> u64 {
    let mut value = 0_u64;
    call!(cuPointerGetAttribute((&raw mut value).cast(), name, pointer));
    value
}

#[test]
#[ignore = "started by other tests, as another process"]
fn exporter() {
    let channel = peer::inherited().unwrap();
    let turn = turn_of_one();
    let has_channel = std::env::var("REFERENCE_DRIVER_FABRIC").is_ok_and(|fabric| fabric == "channel");
    let pool = create(&properties(if has_channel { DESCRIPTOR | FABRIC } else { DESCRIPTOR })).unwrap();
    let mut pointers = Vec::new();
    let served = peer::serve(&channel, |order, _| {
        let mut descriptors = Vec::new();
        let answer = match (order, pointers.last().copied()) {
            (Order::Pool, _) => {
                descriptors.push(export(pool, DESCRIPTOR).unwrap());
                Vec::new()
            }
            (Order::Fabric, _) => export_fabric(pool).unwrap().to_vec(),
            (Order::FreeBytes, _) => free_bytes().to_le_bytes().to_vec(),
            (Order::Allocate { size, word }, _) => {
                let pointer = allocate(pool, size).unwrap();
                call!(cuMemsetD32(pointer, word, size as usize / 4));
                call!(cuCtxSynchronize());
                pointers.push(pointer);
                export_pointer(pointer).unwrap().to_vec()
            }
            (Order::Read, Some(pointer)) => read(pointer).unwrap().to_le_bytes().to_vec(),
            (Order::Free, Some(pointer)) => {
                free(pointer);
                pointers.pop();
                Vec::new()
            }
            (Order::Destroy, _) => {
                call!(cuMemPoolDestroy(pool));
                Vec::new()
            }
            (order, None) => panic!("{order:?} needs an allocation"),
        };
        (answer, descriptors)
    });
    served.unwrap();
    call!(cuCtxDestroy(turn));
}

/// Creates a context of the only device that the exporter sees.
fn turn_of_one() -> CUcontext {
    let mut context = ptr::null_mut();
    initialise();
    call!(cuCtxCreate(&mut context, 0, 0));
    context
}
