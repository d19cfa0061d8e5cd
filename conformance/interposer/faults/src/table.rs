//! The table that every exported function jumps through.

use std::cell::Cell;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuda_ipc_sys::{CUresult, Driver, LoadError, SYMBOLS};

use crate::hook;

/// The environment variable that names the real driver.
pub const LIBRARY_VARIABLE: &str = "FAULT_INTERPOSER_LIBRARY";

/// The real driver, if the environment names none.
const SYSTEM_DRIVER: &str = "libcuda.so.1";

/// Where each function of `cuda_ipc_sys::SYMBOLS` jumps to. At first, each place fills the table.
pub static TABLE: [AtomicPtr<c_void>; SYMBOLS.len()] =
    [const { AtomicPtr::new(first_call as *mut c_void) }; SYMBOLS.len()];

/// The body of an exported function: jumps to what the table has at a place, with all arguments untouched.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! jump_through_the_table {
    ($place:literal) => {
        // r10 and r11 belong to no argument, and a function need not keep them.
        ::std::arch::naked_asm!(
            "mov r11d, {place}",
            "lea r10, [rip + {table}]",
            "jmp [r10 + 8 * r11]",
            place = const $place,
            table = sym $crate::TABLE,
        )
    };
}

/// Fills the table, and repeats the jump of the function that was called first.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn first_call() {
    // The six registers of arguments, and the place. With the return address, they keep the stack aligned. No driver
    // function takes more than two floating-point numbers.
    std::arch::naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push r11",
        "sub rsp, 32",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "call {fill}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "add rsp, 32",
        "pop r11",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "lea r10, [rip + {table}]",
        "jmp [r10 + 8 * r11]",
        fill = sym fill,
        table = sym TABLE,
    )
}

/// The body of an exported function: jumps to what the table has at a place, with all arguments untouched.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! jump_through_the_table {
    ($place:literal) => {
        // x16 and x17 are for such jumps.
        ::std::arch::naked_asm!(
            "mov x16, {place}",
            "adrp x17, {table}",
            "add x17, x17, :lo12:{table}",
            "ldr x17, [x17, x16, lsl #3]",
            "br x17",
            place = const $place,
            table = sym $crate::TABLE,
        )
    };
}

/// Fills the table, and repeats the jump of the function that was called first.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn first_call() {
    // The registers of arguments, and the place. No driver function takes more than two floating-point numbers.
    std::arch::naked_asm!(
        "stp x29, x30, [sp, #-112]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        "stp x8, x16, [sp, #80]",
        "stp d0, d1, [sp, #96]",
        "bl {fill}",
        "ldp d0, d1, [sp, #96]",
        "ldp x0, x1, [sp, #16]",
        "ldp x2, x3, [sp, #32]",
        "ldp x4, x5, [sp, #48]",
        "ldp x6, x7, [sp, #64]",
        "ldp x8, x16, [sp, #80]",
        "ldp x29, x30, [sp], #112",
        "adrp x17, {table}",
        "add x17, x17, :lo12:{table}",
        "ldr x17, [x17, x16, lsl #3]",
        "br x17",
        fill = sym fill,
        table = sym TABLE,
    )
}

extern "C" fn fill() {
    driver();
}

/// Returns the real driver. The first call loads it, fills the table, and switches the chosen fault on.
///
/// A library that cannot be loaded ends the process: nothing else can be returned from the first call of a driver.
pub fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    thread_local!(static LOADING: Cell<bool> = const { Cell::new(false) });
    if LOADING.get() {
        stop("the library that is loaded is the interposer itself");
    }
    DRIVER.get_or_init(|| {
        LOADING.set(true);
        let library = std::env::var_os(LIBRARY_VARIABLE).filter(|library| !library.is_empty());
        let library = library.map_or_else(|| PathBuf::from(SYSTEM_DRIVER), PathBuf::from);
        // SAFETY: whoever loads this library asks for the driver that it stands before.
        let driver = match unsafe { Driver::load_from(&library) } {
            Ok(driver) => driver,
            Err(error) => stop(&format!("cannot load the driver {}: {}", library.display(), cause(&error))),
        };
        let chosen = hook::chosen();
        for (place, address) in driver.addresses().iter().enumerate() {
            let altered = chosen.filter(|hook| hook.place == place);
            let target = match altered {
                _ if address.is_null() => missing as *mut c_void,
                Some(hook) => hook.address as *mut c_void,
                None => address.cast_mut(),
            };
            TABLE[place].store(target, Ordering::Release);
        }
        LOADING.set(false);
        driver
    })
}

/// Returns why a library was not loaded. The advice of the error is for programs that choose the library otherwise.
fn cause(error: &LoadError) -> String {
    match error {
        LoadError::NotLoaded { attempts, .. } => attempts.iter().map(|attempt| &*attempt.message).collect(),
        other => other.to_string(),
    }
}

fn stop(problem: &str) -> ! {
    eprintln!(
        "fault interposer: {problem}. Set {LIBRARY_VARIABLE} to the path of a CUDA driver; without it, {SYSTEM_DRIVER} \
         is loaded"
    );
    std::process::exit(1);
}

/// Stands in for a function that the real driver lacks.
extern "C" fn missing() -> CUresult {
    CUresult::CUDA_ERROR_NOT_SUPPORTED
}

/// Makes every later call return CUDA_ERROR_LAUNCH_FAILED, except those in `NEED_NO_CONTEXT`.
pub(crate) fn spoil() {
    const NEED_NO_CONTEXT: [&std::ffi::CStr; 4] =
        [c"cuInit", c"cuDriverGetVersion", c"cuGetErrorName", c"cuGetErrorString"];
    extern "C" fn unusable() -> CUresult {
        CUresult::CUDA_ERROR_LAUNCH_FAILED
    }
    let needs_a_context = SYMBOLS.iter().zip(&TABLE).filter(|(symbol, _)| !NEED_NO_CONTEXT.contains(&symbol.name));
    needs_a_context.for_each(|(_, entry)| entry.store(unusable as *mut c_void, Ordering::Release));
}
