//! The CUDA runtime of the reference driver, as a library of its own: programs load it as their `libcudart`.
//!
//! It only has the names. Each exported function jumps through a table, with the caller's arguments untouched, to the
//! function of that name in the reference driver. So `libcuda` exports no name of the runtime, and both share one state.
//!
//! The table is filled when the library is loaded. The driver is the `libcuda.so.1` that the process has loaded already,
//! otherwise the one that `CUDA_IPC_DRIVER` names, otherwise the one that the loader finds. If that is not the reference
//! driver, every function returns `cudaErrorInsufficientDriver`.

// The exported functions have the names of the C API.
#![allow(non_snake_case)]
#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Exports functions that jump through the table, each at its place, and lists their names.
macro_rules! exports {
    ($($place:literal $name:ident)*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                std::arch::naked_asm!("jmp qword ptr [rip + {table} + {offset}]",
                    table = sym TABLE, offset = const $place * 8);
                #[cfg(target_arch = "aarch64")]
                std::arch::naked_asm!(
                    "adrp x16, {table} + {offset}",
                    "ldr x16, [x16, :lo12:{table} + {offset}]",
                    "br x16",
                    table = sym TABLE, offset = const $place * 8);
            }
        )*

        const NAMES: &[&CStr] = &[$(name(concat!(stringify!($name), "\0"))),*];

        static TABLE: [AtomicPtr<c_void>; NAMES.len()] = [$(AtomicPtr::new(without_a_driver(stringify!($name)))),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));

const fn name(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name ends with its NUL"),
    }
}

/// Whether a function fills a structure that CUDA 13 changed, in a library for an older CUDA. The driver has the newer one.
const fn has_another_structure(name: &[u8]) -> bool {
    cfg!(cuda12) && matches!(name, b"cudaGetDeviceProperties")
}

/// What CUDA 12 calls `cudaGetDeviceProperties`.
#[cfg(cuda12)]
#[unsafe(no_mangle)]
extern "C" fn cudaGetDeviceProperties_v2() -> c_int {
    not_supported()
}

/// What a function does before the driver's table is read, or if there is no reference driver.
const fn without_a_driver(name: &str) -> *mut c_void {
    match name.as_bytes() {
        name if has_another_structure(name) => not_supported as *mut c_void,
        b"cudaGetErrorName" | b"cudaGetErrorString" => text as *mut c_void,
        b"__cudaRegisterFatBinary" => no_code as *mut c_void,
        _ => insufficient_driver as *mut c_void,
    }
}

extern "C" fn insufficient_driver() -> c_int {
    35
}

extern "C" fn not_supported() -> c_int {
    801
}

extern "C" fn text() -> *const c_char {
    c"this libcudart needs the reference driver as its libcuda".as_ptr()
}

/// The handle of code that is not registered. A program is loaded all the same, and its first call fails.
extern "C" fn no_code() -> *mut c_void {
    ptr::null_mut()
}

/// A function of the runtime in the reference driver.
#[repr(C)]
struct Function {
    name: *const c_char,
    address: *mut c_void,
}

/// The id of the driver's table of functions of the runtime, for `cuGetExportTable`. The table ends with a null name.
const RUNTIME_TABLE: [u8; 16] = *b"reference-driver";

unsafe extern "C" {
    /// Of glibc: null in programs that run with more rights than the user who starts them.
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Asks the driver for its table.
fn functions() -> Option<*const Function> {
    type GetExportTable = unsafe extern "C" fn(*mut *const c_void, *const [u8; 16]) -> c_int;
    const NAME: &CStr = c"libcuda.so.1";
    // SAFETY: the names are C strings. Loading the driver runs its initialisers, as the loader would for a program that
    // links it. The library is never closed, since the table keeps addresses in it.
    let driver = unsafe {
        let loaded = libc::dlopen(NAME.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        let named = if loaded.is_null() { secure_getenv(c"CUDA_IPC_DRIVER".as_ptr()) } else { ptr::null() };
        match (loaded.is_null(), named.is_null() || *named == 0) {
            (false, _) => loaded,
            (true, false) => libc::dlopen(named, libc::RTLD_NOW),
            (true, true) => libc::dlopen(NAME.as_ptr(), libc::RTLD_NOW),
        }
    };
    if driver.is_null() {
        return None;
    }
    // SAFETY: a live handle and a C string.
    let ask = unsafe { libc::dlsym(driver, c"cuGetExportTable".as_ptr()) };
    if ask.is_null() {
        return None;
    }
    let mut table = ptr::null();
    // SAFETY: every driver has the function with this signature. The output and the id are valid.
    let code = unsafe { std::mem::transmute::<*mut c_void, GetExportTable>(ask)(&raw mut table, &RUNTIME_TABLE) };
    (code == 0 && !table.is_null()).then_some(table.cast())
}

/// The driver's `cudaRuntimeGetVersion`, in a library for CUDA 12.
static DRIVERS_VERSION: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The version of a library for CUDA 12, whose driver may serve another one: no program expects a later major version of
/// the library that it links.
extern "C" fn version_of_cuda_12(output: *mut c_int) -> c_int {
    type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
    // SAFETY: the table has this function only after the driver's was stored, which has this signature.
    let of_driver = unsafe { std::mem::transmute::<*mut c_void, GetVersion>(DRIVERS_VERSION.load(Ordering::Acquire)) };
    // SAFETY: the output is null or the caller's.
    let code = unsafe { of_driver(output) };
    if code == 0 {
        // SAFETY: the driver has written to the output.
        unsafe { *output = (*output).clamp(12_000, 12_090) };
    }
    code
}

extern "C" fn fill() {
    let Some(mut function) = functions() else { return };
    // SAFETY: only the reference driver has the table. It ends with a null name, and lives as long as the driver.
    while let Function { name, address } = unsafe { &*function }
        && !name.is_null()
    {
        // SAFETY: the names are C strings.
        let name = unsafe { CStr::from_ptr(*name) };
        if let Some(place) = NAMES.iter().position(|own| *own == name)
            && !has_another_structure(name.to_bytes())
        {
            let is_version = cfg!(cuda12) && name == c"cudaRuntimeGetVersion";
            if is_version {
                DRIVERS_VERSION.store(*address, Ordering::Release);
            }
            TABLE[place]
                .store(if is_version { version_of_cuda_12 as *mut c_void } else { *address }, Ordering::Release);
        }
        // SAFETY: this entry is not the last one.
        function = unsafe { function.add(1) };
    }
}

// The loader calls this before any function of the library can be called.
#[used]
#[unsafe(link_section = ".init_array")]
static FILL: extern "C" fn() = fill;
