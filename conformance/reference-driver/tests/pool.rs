//! Pools that processes share keep their rules.

mod common;
#[path = "common/exporter.rs"]
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
        Driver::load_from(common::library()).unwrap_or_else(|error| panic!("{error}"))
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

/// A pool of this process, exported and imported here.
fn both_sides() -> (CUmemoryPool, OwnedFd, CUmemoryPool) {
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    let descriptor = export(pool, DESCRIPTOR).unwrap();
    let imported = import(descriptor.as_raw_fd()).unwrap();
    (pool, descriptor, imported)
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

#[test]
fn memory_that_was_allocated_after_the_export_is_imported() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let (small, large) = (exporter.allocate(1000, 7), exporter.allocate(5 * MIB, 8));
    let (small, large) = (import_pointer(pool, small).unwrap(), import_pointer(pool, large).unwrap());
    assert_eq!((read(small), read(large), read(large + 5 * MIB - 4)), (Ok(7), Ok(8), Ok(8)));
    let (mut base, mut size) = (0, 0);
    call!(cuMemGetAddressRange(&mut base, &mut size, large + 3));
    assert_eq!((base, size as u64), (large, 5 * MIB));
    assert_eq!(used(pool), Ok(5 * MIB + 1000), "what was imported, and nothing else");
    call!(cuMemsetD32(large, 9, 1));
    call!(cuCtxSynchronize());
    assert_eq!(exporter.read(), 9, "the exporter sees what the importer writes");
    free(large);
    free(small);
    assert_eq!((used(pool), read(small)), (Ok(0), Err(INVALID_VALUE)));
    assert_eq!(exporter.read(), 9, "the exporter's memory is as it was");
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn memory_outlives_a_killed_exporter_and_then_goes() {
    let _turn = turn();
    let free_bytes = || {
        let (mut free, mut total) = (0, 0);
        call!(cuMemGetInfo(&mut free, &mut total));
        free as u64
    };
    let before = free_bytes();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let (first, second) = (exporter.allocate(4 * MIB, 7), exporter.allocate(2 * MIB, 8));
    let first = import_pointer(pool, first).unwrap();
    exporter.kill();
    let second = import_pointer(pool, second).unwrap();
    assert_eq!((read(first), read(second)), (Ok(7), Ok(8)));
    assert_eq!(before - free_bytes(), 6 * MIB);
    call!(cuMemFree(first));
    call!(cuMemPoolDestroy(pool));
    assert_eq!(read(second), Ok(8), "pointers outlive their pool");
    call!(cuMemFree(second));
    assert_eq!(free_bytes(), before);
}

#[test]
fn what_the_exporter_freed_is_not_imported() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "0");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let stale = exporter.allocate(2 * MIB, 7);
    exporter.free();
    assert_eq!(import_pointer(pool, stale), Err(INVALID_VALUE));
    let fresh = exporter.allocate(2 * MIB, 8);
    assert_eq!(import_pointer(pool, stale), Err(INVALID_VALUE), "another allocation lies there now");
    let pointer = import_pointer(pool, fresh).unwrap();
    exporter.free();
    exporter.destroy();
    assert_eq!(read(pointer), Ok(8), "still mapped here");
    free(pointer);
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn a_pool_of_an_invisible_device_needs_access() {
    let _turn = turn();
    let mut exporter = Exporter::start(&machine(), "2");
    let pool = import(exporter.pool().as_raw_fd()).unwrap();
    let pointer = import_pointer(pool, exporter.allocate(4096, 7)).unwrap();
    assert_eq!(read(pointer), Err(INVALID_VALUE));
    assert_eq!(grant(pool, 0, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), SUCCESS);
    assert_eq!(read(pointer), Ok(7));
    free(pointer);
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn access_is_each_devices_own_and_each_sides_own() {
    const ALL: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const NONE: Access = Access::CU_MEM_ACCESS_FLAGS_PROT_NONE;
    let turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    assert_eq!(grant(pool, 1, ALL), SUCCESS);
    let own = allocate(pool, 4096).unwrap();
    let pointer = import_pointer(imported, export_pointer(own).unwrap()).unwrap();
    assert_eq!([granted(imported, 0), granted(imported, 1)], [ALL, NONE], "the exporter's grants stay there");
    call!(cuCtxSetCurrent(turn.contexts[1]));
    assert_eq!((read(own), read(pointer)), (Ok(0), Err(INVALID_VALUE)));
    assert_eq!(code!(cuMemsetD8(pointer, 1, 1)), INVALID_VALUE);
    assert_eq!(grant(imported, 1, ALL), SUCCESS);
    assert_eq!(read(pointer), Ok(0));
    assert_eq!(grant(imported, 1, NONE), SUCCESS);
    assert_eq!(read(pointer), Err(INVALID_VALUE));
    let (mut module, mut fill) = (ptr::null_mut(), ptr::null_mut());
    call!(cuModuleLoadData(&mut module, kernels::FILL.ptx.as_ptr().cast()));
    call!(cuModuleGetFunction(&mut fill, module, kernels::FILL.entry.as_ptr()));
    let (count, seed) = (1_u64, 0_u32);
    let mut arguments = [
        (&raw const pointer).cast_mut().cast(),
        (&raw const count).cast_mut().cast(),
        (&raw const seed).cast_mut().cast(),
    ];
    call!(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, DEFAULT, arguments.as_mut_ptr(), ptr::null_mut()));
    assert_eq!(code!(cuCtxSynchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    call!(cuCtxSetCurrent(turn.contexts[0]));
    assert_eq!(grant(imported, 0, NONE), CUresult::CUDA_ERROR_INVALID_DEVICE, "a pool's own device keeps its access");
    free(pointer);
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn only_what_was_made_to_be_shared_is_exported() {
    let _turn = turn();
    let plain = create(&properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)).unwrap();
    let shared = create(&properties(DESCRIPTOR)).unwrap();
    let mut default = ptr::null_mut();
    call!(cuDeviceGetDefaultMemPool(&mut default, 0));
    for pool in [plain, default, ptr::null_mut()] {
        assert_eq!(export(pool, DESCRIPTOR).err(), Some(INVALID_VALUE));
    }
    for kind in [HandleType(0), HandleType(2), HandleType::CU_MEM_HANDLE_TYPE_FABRIC, HandleType(64)] {
        assert_eq!(export(shared, kind).err(), Some(INVALID_VALUE), "{kind:?}");
    }
    let mut descriptor: RawFd = -1;
    let flagged = code!(cuMemPoolExportToShareableHandle((&raw mut descriptor).cast(), shared, DESCRIPTOR, 1));
    assert_eq!((flagged, descriptor), (INVALID_VALUE, -1));
    assert_eq!(code!(cuMemPoolExportToShareableHandle(ptr::null_mut(), shared, DESCRIPTOR, 0)), INVALID_VALUE);

    let (pointer, other) = (allocate(shared, 4096).unwrap(), allocate(plain, 4096).unwrap());
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE), "the pool was not exported yet");
    let _descriptor = export(shared, DESCRIPTOR).unwrap();
    assert!(export_pointer(pointer).is_ok());
    for refused in [other, pointer + 256, 0] {
        assert_eq!(export_pointer(refused), Err(INVALID_VALUE));
    }
    free(pointer);
    free(other);
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE));
    call!(cuMemPoolDestroy(plain));
    call!(cuMemPoolDestroy(shared));
}

#[test]
fn foreign_descriptors_are_refused_and_left_alone() {
    let _turn = turn();
    let mut pipe = [-1; 2];
    // SAFETY: the calls make descriptors, which are ours.
    let made = unsafe {
        assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
        [pipe[0], pipe[1], libc::eventfd(0, 0), libc::memfd_create(c"cuda".as_ptr(), 0)]
            .map(|descriptor| OwnedFd::from_raw_fd(descriptor))
    };
    let (socket, _peer) = UnixStream::pair().unwrap();
    let mut others = Vec::from(made);
    others.extend([OwnedFd::from(socket), File::open("/dev/null").unwrap().into()]);
    others.push(File::open(std::env::current_exe().unwrap()).unwrap().into());
    for descriptor in &others {
        assert_eq!(import(descriptor.as_raw_fd()), Err(INVALID_VALUE), "{descriptor:?}");
        assert!(descriptor.try_clone().is_ok(), "it is still open");
    }
    for number in [-1, RawFd::MIN, RawFd::MAX] {
        assert_eq!(import(number), Err(INVALID_VALUE));
    }
    let (pool, descriptor, imported) = both_sides();
    let (mut output, number) = (ptr::null_mut(), descriptor.as_raw_fd());
    let pointer = (&raw const number).cast_mut().cast();
    let code = code!(cuMemPoolImportFromShareableHandle(&mut output, pointer, DESCRIPTOR, 0));
    assert_eq!(code, INVALID_VALUE, "the number, not its address");
    assert_eq!(import(number), Ok(imported), "one more reference to the same pool");
    call!(cuMemPoolDestroy(imported));
    assert_eq!(used(imported), Ok(0));
    call!(cuMemPoolDestroy(imported));
    assert_eq!(used(imported), Err(INVALID_VALUE));
    drop(descriptor);
    assert_eq!(import(number), Err(INVALID_VALUE), "it is closed");
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn an_imported_pool_only_imports() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    let pointer = import_pointer(imported, data).unwrap();
    assert_eq!(allocate(imported, 4096), Err(INVALID_VALUE));
    assert_eq!(export(imported, DESCRIPTOR).err(), Some(INVALID_VALUE));
    assert_eq!(export_pointer(pointer), Err(INVALID_VALUE));
    assert_eq!(code!(cuDeviceSetMemPool(0, imported)), INVALID_VALUE);
    let mut threshold = 1_u64;
    let name = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    assert_eq!(code!(cuMemPoolSetAttribute(imported, name, (&raw mut threshold).cast())), INVALID_VALUE);
    assert_eq!(import_pointer(pool, data), Err(INVALID_VALUE), "into the exporter's own");
    free(pointer);
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn every_bit_of_the_data_counts_and_so_does_its_pool() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let (other, _other_descriptor, other_imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    for bit in 0..512 {
        let mut corrupted = data;
        corrupted[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(import_pointer(imported, corrupted), Err(INVALID_VALUE), "bit {bit}");
    }
    assert_eq!(import_pointer(imported, [0; 64]), Err(INVALID_VALUE));
    assert_eq!(import_pointer(other_imported, data), Err(INVALID_VALUE));
    free(own);
    for pool in [pool, imported, other, other_imported] {
        call!(cuMemPoolDestroy(pool));
    }
}

#[test]
fn a_pointer_is_freed_as_often_as_it_was_imported() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let own = allocate(pool, 4096).unwrap();
    let data = export_pointer(own).unwrap();
    let first = import_pointer(imported, data).unwrap();
    assert_eq!(import_pointer(imported, data), Ok(first));
    free(first);
    assert_eq!(read(first), Ok(0), "the second import still stands");
    call!(cuMemFree(first));
    assert_eq!(read(first), Err(INVALID_VALUE));
    assert_eq!(code!(cuMemFree(first)), INVALID_VALUE);
    assert_eq!(code!(cuMemFreeAsync(first, DEFAULT)), INVALID_VALUE);
    assert_eq!(read(own), Ok(0));
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn freed_memory_is_kept_up_to_the_threshold_and_until_it_is_trimmed() {
    let _turn = turn();
    let pool = create(&properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)).unwrap();
    let first = allocate(pool, 4 * MIB).unwrap();
    free(first);
    assert_eq!(reserved(pool), Ok(0));
    let mut threshold = 4 * MIB;
    let name = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    call!(cuMemPoolSetAttribute(pool, name, (&raw mut threshold).cast()));
    let (first, second) = (allocate(pool, 4 * MIB).unwrap(), allocate(pool, 4 * MIB).unwrap());
    call!(cuMemsetD32(first, 7, 1));
    free(first);
    assert_eq!(reserved(pool), Ok(4 * MIB), "the other one is the pool's limit");
    call!(cuMemsetD32(second, 7, 1));
    free(second);
    assert_eq!((reserved(pool), used(pool)), (Ok(4 * MIB), Ok(0)));
    let third = allocate(pool, 4 * MIB).unwrap();
    assert_eq!((third, read(third)), (second, Ok(0)), "the same memory, without its bytes");
    free(third);
    call!(cuMemPoolTrimTo(pool, 4 * MIB as usize));
    assert_eq!(reserved(pool), Ok(4 * MIB));
    call!(cuMemPoolTrimTo(pool, 0));
    assert_eq!(reserved(pool), Ok(0));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn a_shared_pool_never_shrinks() {
    let _turn = turn();
    let (pool, _descriptor, imported) = both_sides();
    let (first, second) = (allocate(pool, 4 * MIB).unwrap(), allocate(pool, 1000).unwrap());
    call!(cuMemsetD32(first, 7, 1));
    free(first);
    call!(cuMemPoolTrimTo(pool, 0));
    assert_eq!(reserved(pool), Ok(6 * MIB));
    let third = allocate(pool, 4 * MIB).unwrap();
    assert_eq!((reserved(pool), read(third)), (Ok(6 * MIB), Ok(0)), "the place of the first, without its bytes");
    call!(cuMemPoolTrimTo(imported, 0));
    free(second);
    free(third);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

/// An attribute of a pointer that is a number of 32 bits, or of 64.
fn pointer_attribute(pointer: CUdeviceptr, name: CUpointer_attribute) -> u64 {
    let mut value = 0_u64;
    call!(cuPointerGetAttribute((&raw mut value).cast(), name, pointer));
    value
}

#[test]
fn pools_of_the_host_are_the_hosts_until_a_device_has_access() {
    let _turn = turn();
    let node = CUmemPoolProps { location: CUmemLocation::host_numa(0), ..properties(DESCRIPTOR) };
    let pool = create(&node).unwrap();
    let descriptor = export(pool, DESCRIPTOR).unwrap();
    let imported = import(descriptor.as_raw_fd()).unwrap();
    let own = allocate(pool, 4096).unwrap();
    // SAFETY: the memory is the host's, mapped, and nobody else's.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(own as usize).write(7) };
    assert_eq!(read(own), Err(INVALID_VALUE));
    assert_eq!(pointer_attribute(own, CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), 1);
    let data = export_pointer(own).unwrap();
    let pointer = import_pointer(imported, data).unwrap();
    assert_eq!(grant(imported, 0, Access::CU_MEM_ACCESS_FLAGS_PROT_READWRITE), SUCCESS);
    assert_eq!(read(pointer), Ok(7));
    assert_eq!(import_pointer(imported, data), Err(CUresult::CUDA_ERROR_ALREADY_MAPPED));
    free(pointer);
    free(own);
    call!(cuMemPoolDestroy(imported));
    call!(cuMemPoolDestroy(pool));
}

#[test]
fn managed_pools_are_everybodys_and_cannot_be_shared() {
    let turn = turn();
    let managed = CUmemPoolProps {
        allocType: Kind::CU_MEM_ALLOCATION_TYPE_MANAGED,
        ..properties(HandleType::CU_MEM_HANDLE_TYPE_NONE)
    };
    let pool = create(&managed).unwrap();
    let pointer = allocate(pool, 4096).unwrap();
    // SAFETY: managed memory is the host's too, and nobody else uses it.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(pointer as usize).write(7) };
    for context in turn.contexts {
        call!(cuCtxSetCurrent(context));
        assert_eq!(read(pointer), Ok(7));
    }
    assert_eq!(pointer_attribute(pointer, CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_MANAGED), 1);
    free(pointer);
    call!(cuMemPoolDestroy(pool));
    assert_eq!(create(&CUmemPoolProps { handleTypes: DESCRIPTOR, ..managed }), Err(INVALID_VALUE));
    assert_eq!(create(&CUmemPoolProps { maxSize: 1 << 21, ..managed }), Err(INVALID_VALUE));
}

#[test]
fn impossible_pools_are_refused() {
    type L = CUmemLocationType;
    let _turn = turn();
    let wished = properties(DESCRIPTOR);
    let at = |location| CUmemPoolProps { location, ..wished };
    let mut reserved = wished;
    reserved.reserved[7] = 1;
    let refused = [
        at(CUmemLocation::host()),
        at(CUmemLocation::host_numa(1)),
        at(CUmemLocation::device(-1)),
        at(CUmemLocation::device(2)),
        at(CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0)),
        at(CUmemLocation::new(L::CU_MEM_LOCATION_TYPE_NONE, 0)),
        at(CUmemLocation::new(CUmemLocationType(99), 0)),
        properties(HandleType(2)),
        properties(HandleType(16)),
        CUmemPoolProps { allocType: Kind::CU_MEM_ALLOCATION_TYPE_INVALID, ..wished },
        reserved,
    ];
    for properties in &refused {
        assert_eq!(create(properties), Err(INVALID_VALUE), "{:?}", properties.location.type_);
    }
    let mut pool = ptr::null_mut();
    assert_eq!(code!(cuMemPoolCreate(&mut pool, ptr::null())), INVALID_VALUE);
    assert_eq!(code!(cuMemPoolCreate(ptr::null_mut(), &wished)), INVALID_VALUE);
}

#[test]
fn each_kind_of_memory_has_a_default_pool_and_a_current_one() {
    let _turn = turn();
    let places = [(CUmemLocation::device(0), 1), (CUmemLocation::device(1), 1), (CUmemLocation::host_numa(0), 1)];
    let places = places.into_iter().chain([(CUmemLocation::host(), 1), (CUmemLocation::device(0), 2)]);
    let mut defaults = Vec::new();
    for (mut location, kind) in places {
        let (mut default, mut current) = (ptr::null_mut(), ptr::null_mut());
        call!(cuMemGetDefaultMemPool(&mut default, &mut location, Kind(kind)));
        call!(cuMemGetMemPool(&mut current, &mut location, Kind(kind)));
        assert_eq!(default, current);
        assert!(!defaults.contains(&default));
        assert_eq!(code!(cuMemPoolDestroy(default)), INVALID_VALUE);
        defaults.push(default);
    }
    let (pool, mut current) = (create(&properties(DESCRIPTOR)).unwrap(), ptr::null_mut());
    assert_eq!(code!(cuDeviceSetMemPool(1, pool)), INVALID_VALUE, "it is another device's");
    call!(cuDeviceSetMemPool(0, pool));
    call!(cuMemGetMemPool(&mut current, &mut CUmemLocation::device(0), Kind(1)));
    assert_eq!(current, pool);
    let mut pointer = 0;
    call!(cuMemAllocAsync(&mut pointer, 4096, DEFAULT));
    assert_eq!(used(pool), Ok(4096));
    free(pointer);
    call!(cuMemPoolDestroy(pool));
    call!(cuDeviceGetMemPool(&mut current, 0));
    assert_eq!(current, defaults[0], "a destroyed pool is nobody's current one");
}

#[test]
fn a_free_comes_after_the_work_before_it() {
    let _turn = turn();
    let (pool, _descriptor, _imported) = both_sides();
    let (memory, flag) = (allocate(pool, 4096).unwrap(), allocate(pool, 4).unwrap());
    let mut stream = ptr::null_mut();
    call!(cuStreamCreate(&mut stream, 1));
    let mut host = ptr::null_mut();
    call!(cuMemsetD32(memory, 7, 1));
    call!(cuCtxSynchronize());
    call!(cuStreamWaitValue32(stream, flag, 1, 0));
    call!(cuMemAllocHost(&mut host, 4));
    call!(cuMemcpyDtoHAsync(host, memory, 4, stream));
    call!(cuMemFreeAsync(memory, stream));
    assert_eq!(used(pool), Ok(4), "what is going to be freed is not used");
    assert_eq!(code!(cuMemFreeAsync(memory, stream)), INVALID_VALUE);
    assert_ne!(allocate(pool, 4096), Ok(memory), "the place is not free yet");
    call!(cuMemsetD32(flag, 1, 1));
    call!(cuStreamSynchronize(stream));
    // SAFETY: the memory is page-locked, and the copy into it is done.
    assert_eq!(unsafe { host.cast::<u32>().read() }, 7);
    assert_eq!(read(memory), Err(INVALID_VALUE));
    call!(cuMemFreeHost(host));
    call!(cuStreamDestroy(stream));
}

#[test]
fn attributes_that_came_later_or_are_counts_cannot_be_set() {
    let _turn = turn();
    let pool = create(&properties(DESCRIPTOR)).unwrap();
    let set = |name, mut value: u64| code!(cuMemPoolSetAttribute(pool, name, (&raw mut value).cast()));
    let pointer = allocate(pool, 4096).unwrap();
    free(pointer);
    assert_eq!(attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH), Ok(4096));
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 1), INVALID_VALUE);
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0), SUCCESS);
    assert_eq!(attribute(pool, Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH), Ok(0));
    assert_eq!(set(Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, 0), INVALID_VALUE);
    for number in [0, 9, 10, 15, 16, u32::MAX] {
        assert_eq!(attribute(pool, Attribute(number)), Err(INVALID_VALUE), "{number}");
        assert_eq!(set(Attribute(number), 0), INVALID_VALUE, "{number}");
    }
    call!(cuMemPoolDestroy(pool));
    assert_eq!(code!(cuMemPoolDestroy(pool)), INVALID_VALUE);
}
