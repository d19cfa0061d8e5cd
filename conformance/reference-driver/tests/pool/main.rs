//! Pools that processes share keep their rules.

// A kernel that fails ends its process's device work, and descriptors are of the whole process: such tests are processes
// of their own.
#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[path = "../common/mod.rs"]
mod common;
#[path = "exporter.rs"]
mod exporter_process;

use std::ffi::c_void;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cuda_ipc_sys::{
    CUcontext, CUdeviceptr, CUmemAccess_flags as Access, CUmemAccessDesc, CUmemAllocationHandleType as HandleType,
    CUmemAllocationType as Kind, CUmemLocation, CUmemLocationType, CUmemPool_attribute as Attribute, CUmemPoolProps,
    CUmemPoolPtrExportData, CUmemoryPool, CUpointer_attribute, CUresult, CUstream, Driver,
};
use exporter_process::{Exporter, orders, send_descriptor};

const DEFAULT: CUstream = ptr::null_mut();
const MIB: u64 = 1 << 20;
const DESCRIPTOR: HandleType = HandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const SUCCESS: CUresult = CUresult::CUDA_SUCCESS;
const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;

type Result<T> = std::result::Result<T, CUresult>;

/// A machine of three devices and of this process's own: the last is not seen here.
fn machine() -> String {
    std::env::var("REFERENCE_DRIVER_MACHINE").unwrap_or_else(|_| format!("pool-{}", std::process::id()))
}

fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let visible = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_else(|_| "0,1".to_owned());
        // SAFETY: tests take turns, and no other thread looks at the environment.
        unsafe {
            std::env::set_var("REFERENCE_DRIVER_MACHINE", machine());
            std::env::set_var("REFERENCE_DRIVER_DEVICES", "3");
            std::env::set_var("CUDA_VISIBLE_DEVICES", visible);
        }
        // SAFETY: the library is the reference driver.
        unsafe { Driver::load_from(common::library()) }.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The code of a driver call.
macro_rules! code {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: outputs and inputs are locals of the caller; handles and addresses may be anything for this driver.
        unsafe { driver().$function($($argument),*) }.unwrap_or_else(|missing| panic!("{missing}"))
    }};
}

/// Perform a driver call, which must succeed.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(code!($function($($argument),*)), SUCCESS, stringify!($function))
    };
}

mod across;
mod local;
mod share;

/// A turn, with a context of each of two devices, of which the first is current.
struct Turn {
    contexts: [CUcontext; 2],
    _turn: MutexGuard<'static, ()>,
}

fn turn() -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    call!(cuInit(0));
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
            code!(cuCtxDestroy(context));
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
    // SAFETY: where the call succeeds, the descriptor is new and ours.
    code.result().map(|()| unsafe { OwnedFd::from_raw_fd(descriptor) })
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

/// A pool of this process, exported and imported here.
fn both_sides() -> (CUmemoryPool, OwnedFd, CUmemoryPool) {
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    let descriptor = export(pool, DESCRIPTOR).unwrap();
    let imported = import(descriptor.as_raw_fd()).unwrap();
    (pool, descriptor, imported)
}

/// An attribute of a pointer that is a number of 32 bits, or of 64.
fn pointer_attribute(pointer: CUdeviceptr, name: CUpointer_attribute) -> u64 {
    let mut value = 0_u64;
    call!(cuPointerGetAttribute((&raw mut value).cast(), name, pointer));
    value
}

#[test]
#[ignore = "the role that the other tests start"]
fn exporter() {
    // SAFETY: who starts the role gives it a socket as standard input, and nobody else uses that.
    let mut socket = unsafe { UnixStream::from_raw_fd(0) };
    let turn = turn_of_one();
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    send_descriptor(&socket, export(pool, DESCRIPTOR).unwrap().as_raw_fd());
    let mut pointers = Vec::new();
    for (what, size, word) in orders(&socket.try_clone().unwrap()) {
        let newest = pointers.last().copied();
        let answer = match (what, newest) {
            (b'a', _) => {
                let pointer = allocate(pool, size).unwrap();
                call!(cuMemsetD32(pointer, word, size as usize / 4));
                call!(cuCtxSynchronize());
                pointers.push(pointer);
                export_pointer(pointer).unwrap().to_vec()
            }
            (b'r', Some(pointer)) => read(pointer).unwrap().to_le_bytes().to_vec(),
            (b'f', Some(pointer)) => {
                free(pointer);
                pointers.pop();
                vec![0; 4]
            }
            (b'd', _) => {
                call!(cuMemPoolDestroy(pool));
                vec![0; 4]
            }
            other => panic!("{other:?}"),
        };
        socket.write_all(&answer).unwrap();
    }
    code!(cuCtxDestroy(turn));
}

/// A context of the only device that a role sees.
fn turn_of_one() -> CUcontext {
    let mut context = ptr::null_mut();
    call!(cuInit(0));
    call!(cuCtxCreate(&mut context, 0, 0));
    context
}
