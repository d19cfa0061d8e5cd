//! Device code that the conformance suite, the tests and the benches of `cuda-ipc` launch.
//!
//! Each [`Kernel`] holds its PTX in the form that `cuModuleLoadData` expects. The checked-in PTX
//! (ISA 6.0, target `sm_70`) was made by the script `compile` and loads in every driver since CUDA 9.
//! With the feature `nvcc`, the sources are recompiled if nvcc is found; that PTX needs a driver at
//! least as new as nvcc.
//!
//! Grids are one-dimensional, and every kernel is correct for any number of blocks and threads.
//! Pointer parameters are addresses that the launching context can access, aligned to the type they
//! point to.

use std::ffi::CStr;

/// One kernel: a module with a single entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name of the entry, for `cuModuleGetFunction`.
    pub entry: &'static CStr,
    /// The text of the module, for `cuModuleLoadData`.
    pub ptx: &'static CStr,
}

/// The PTX that the build script compiled, or the checked-in PTX.
#[cfg(compiled_kernels)]
macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!(env!("KERNELS_PTX"), "/", $name, ".ptx"))
    };
}
#[cfg(not(compiled_kernels))]
macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!($name, ".ptx"))
    };
}

/// The kernel with the given name.
macro_rules! kernel {
    ($name:literal) => {
        Kernel { entry: c_str(concat!($name, "\0")), ptx: c_str(concat!(ptx!($name), "\0")) }
    };
}

/// Writes the [`pattern`] of a seed to every word.
///
/// Parameters:
/// 1. `words: *mut u32`
/// 2. `count: u64`, the number of words
/// 3. `seed: u32`
pub const FILL: Kernel = kernel!("fill");

/// Counts the words that differ from the [`pattern`] of a seed, and adds the number to a counter.
///
/// The counter is not reset first. The addition is atomic at system scope.
///
/// Parameters:
/// 1. `words: *const u32`
/// 2. `count: u64`, the number of words
/// 3. `seed: u32`
/// 4. `mismatches: *mut u64`
pub const VERIFY: Kernel = kernel!("verify");

/// Multiplies every word by a factor, wrapping.
///
/// Parameters:
/// 1. `words: *mut u32`
/// 2. `count: u64`, the number of words
/// 3. `factor: u32`
pub const SCALE: Kernel = kernel!("scale");

/// Waits until a flag equals a value. If the flag never equals it, the kernel never ends.
///
/// Every thread waits, so one thread is enough. The flag may be in pinned host memory or in another
/// process's memory. Writes that the flag's writer released before the flag are visible after the wait.
///
/// Parameters:
/// 1. `flag: *const u32`
/// 2. `value: u32`
pub const LATCH: Kernel = kernel!("latch");

/// Keeps every thread busy for at least the given time, by the device's nanosecond clock.
///
/// The clock advances in steps of up to about a microsecond.
///
/// Parameters:
/// 1. `nanoseconds: u64`
pub const SPIN: Kernel = kernel!("spin");

/// Adds a value to a counter, wrapping, `rounds` times in every thread.
///
/// The additions are atomic at system scope, so other devices and processes may add to the same
/// counter if the devices support atomics on each other's memory.
///
/// Parameters:
/// 1. `counter: *mut u32`
/// 2. `value: u32`
/// 3. `rounds: u64`, the number of additions in each thread
pub const ADD: Kernel = kernel!("add");

/// Every kernel.
pub const ALL: &[Kernel] = &[FILL, VERIFY, SCALE, LATCH, SPIN, ADD];

/// The word that [`FILL`] writes at an index and [`VERIFY`] expects there.
#[inline]
pub const fn pattern(seed: u32, index: u64) -> u32 {
    seed ^ (index as u32).wrapping_mul(0x9E37_79B9)
}

const fn c_str(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text must end with a NUL and contain no other"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rest of the line after a directive such as `.version`.
    fn directive<'ptx>(ptx: &'ptx str, name: &str) -> &'ptx str {
        ptx.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
            .unwrap_or_else(|| panic!("no directive {name} in\n{ptx}"))
            .trim()
    }

    fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
        ALL.iter().map(|kernel| (kernel.entry.to_str().unwrap(), kernel.ptx.to_str().unwrap()))
    }

    #[test]
    fn every_module_has_its_entry() {
        for (entry, ptx) in texts() {
            assert!(ptx.contains(&format!(".visible .entry {entry}(")), "{ptx}");
            assert!(directive(ptx, ".target").starts_with("sm_"), "{ptx}");
        }
    }

    /// The PTX of nvcc has the ISA version of that nvcc, so only the checked-in PTX is checked.
    #[test]
    #[cfg(not(compiled_kernels))]
    fn checked_in_ptx_loads_in_old_drivers() {
        for (entry, ptx) in texts() {
            let (major, minor) = directive(ptx, ".version").split_once('.').unwrap();
            let version: (u32, u32) = (major.parse().unwrap(), minor.parse().unwrap());
            assert!(version <= (7, 8), "{entry}: {version:?}");
            assert_eq!(directive(ptx, ".target"), "sm_70", "{entry}");
        }
    }

    #[test]
    fn pattern_wraps_and_mixes_the_seed() {
        assert_eq!(pattern(7, 0), 7);
        assert_eq!(pattern(0, 1), 0x9E37_79B9);
        assert_eq!(pattern(0, 2), 0x3C6E_F372);
        assert_eq!(pattern(0xFFFF_FFFF, 1), 0x61C8_8646);
        // Only the low 32 bits of the index matter.
        assert_eq!(pattern(7, (1 << 32) + 3), pattern(7, 3));
    }
}
