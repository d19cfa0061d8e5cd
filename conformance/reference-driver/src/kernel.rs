//! The kernels of the `kernels` package, executed on the CPU with the effect of their whole grid.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cuda_ipc_sys::CUresult;

use crate::answer::{Input, NOT_SUPPORTED, Result};
use crate::health::Health;
use crate::process::state;
use crate::range::{Access, By, Span};

/// A launch: the kernel and its arguments, as they were when it was enqueued.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    Fill { words: u64, count: u64, seed: u32 },
    Verify { words: u64, count: u64, seed: u32, mismatches: u64 },
    Scale { words: u64, count: u64, factor: u32 },
    Latch { flag: u64, value: u32 },
    Spin { nanoseconds: u64 },
    Add { counter: u64, value: u32, rounds: u64 },
}

impl Kernel {
    /// Reads the arguments of a kernel.
    pub(crate) fn read(kernel: &kernels::Kernel, arguments: Input<*const c_void>) -> Result<Self> {
        let long = |index| argument::<u64>(arguments, index);
        let short = |index| argument::<u32>(arguments, index);
        Ok(match kernel.entry.to_bytes() {
            b"fill" => Self::Fill { words: long(0)?, count: long(1)?, seed: short(2)? },
            b"verify" => Self::Verify { words: long(0)?, count: long(1)?, seed: short(2)?, mismatches: long(3)? },
            b"scale" => Self::Scale { words: long(0)?, count: long(1)?, factor: short(2)? },
            b"latch" => Self::Latch { flag: long(0)?, value: short(1)? },
            b"spin" => Self::Spin { nanoseconds: long(0)? },
            b"add" => Self::Add { counter: long(0)?, value: short(1)?, rounds: long(2)? },
            _ => return Err(NOT_SUPPORTED),
        })
    }

    /// Performs the work of all threads of the grid.
    pub(crate) fn run(self, context: u64, threads: u64, health: &Health) -> Result<()> {
        match self {
            Self::Fill { words, count, seed } => {
                if fault!(
                    "a-kernel-stores-before-it-fails",
                    ["VMM-MAP-021"],
                    "Its stores to read-only memory take effect."
                ) && let Ok(words) = Words::new(context, words, count, Access::Read)
                {
                    for (index, word) in (0..).zip(words.iter()) {
                        word.store(kernels::pattern(seed, index), Ordering::Relaxed);
                    }
                }
                let is_late = fault!(
                    "stores-over-a-link-are-late",
                    ["IPCEVT-039"],
                    "What a kernel writes to memory of a peer arrives only after the kernel has ended."
                ) && is_of_a_peer(context, words)?;
                let words = Words::new(context, words, count, Access::Write)?;
                let store = move || {
                    for (index, word) in (0..).zip(words.iter()) {
                        word.store(kernels::pattern(seed, index), Ordering::Relaxed);
                    }
                    words.broadcast();
                };
                if is_late {
                    std::thread::spawn(move || {
                        std::thread::sleep(Duration::from_millis(20));
                        store();
                    });
                } else {
                    store();
                }
            }
            Self::Verify { words, count, seed, mismatches } => {
                let words = Words::new(context, words, count, Access::Read)?;
                let differs =
                    |(index, word): &(u64, &AtomicU32)| word.load(Ordering::Relaxed) != kernels::pattern(seed, *index);
                let found = (0..).zip(words.iter()).filter(differs).count() as u64;
                // Without a mismatch, the kernel does not touch the counter, so an invalid counter address goes
                // unnoticed.
                if found != 0 {
                    let spans = reach::<u64>(context, mismatches, 1, Access::Write)?;
                    let counter = spans.first().ok_or(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)?;
                    // SAFETY: `reach` checked the address and its alignment, and the span keeps the memory mapped.
                    unsafe { AtomicU64::from_ptr(counter.address as *mut u64) }.fetch_add(found, Ordering::SeqCst);
                }
            }
            Self::Scale { words, count, factor } => {
                for word in Words::new(context, words, count, Access::Write)?.iter() {
                    word.store(word.load(Ordering::Relaxed).wrapping_mul(factor), Ordering::Relaxed);
                }
            }
            Self::Latch { flag, value } => {
                let reads_once = fault!(
                    "a-running-kernel-reads-an-import-once",
                    ["IPCMEM-OPEN-051"],
                    "A kernel that waits for a value in an import never sees a later one."
                ) && state()?.is_import(flag);
                let flag = Words::new(context, flag, 1, Access::Read)?;
                let flag = flag.iter().next().ok_or(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)?;
                let first = flag.load(Ordering::SeqCst);
                poll(health, || if reads_once { first == value } else { flag.load(Ordering::SeqCst) == value });
            }
            Self::Spin { nanoseconds } => spin(health, Duration::from_nanos(nanoseconds)),
            Self::Add { counter, value, rounds } => {
                let is_import = || Ok(state()?.is_import(counter));
                let loses_updates = fault!(
                    "atomics-on-an-import-are-not-atomic",
                    ["IPCMEM-OPEN-041"],
                    "An addition is a load and a store."
                ) && is_import()?
                    || fault!(
                        "atomics-over-a-link-are-not-atomic",
                        ["P2P-015"],
                        "An addition to memory of a peer is a load and a store."
                    ) && is_of_a_peer(context, counter)?;
                let caches = fault!(
                    "atomics-on-an-import-are-cached",
                    ["IPCMEM-OPEN-041"],
                    "Additions are written when the kernel ends."
                ) && is_import()?;
                let counter = Words::new(context, counter, 1, Access::Write)?;
                let counter = counter.iter().next().ok_or(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)?;
                // One addition stands for all threads of a round. The rounds stay separate, so that others' additions
                // can come between them.
                let value = value.wrapping_mul(threads as u32);
                let mut cached = counter.load(Ordering::SeqCst);
                for round in (0..rounds).take_while(|round| !round.is_multiple_of(1 << 16) || health.works()) {
                    let read = counter.load(Ordering::Relaxed);
                    // Another thread gets the time to add in between.
                    if (loses_updates || caches) && round.is_multiple_of(1 << 12) {
                        std::thread::yield_now();
                    }
                    if loses_updates {
                        counter.store(read.wrapping_add(value), Ordering::SeqCst);
                    } else if caches {
                        cached = std::hint::black_box(cached.wrapping_add(value));
                    } else {
                        counter.fetch_add(value, Ordering::SeqCst);
                    }
                }
                if caches {
                    counter.store(cached, Ordering::SeqCst);
                }
            }
        }
        // Once a kernel is done, its writes are visible to all threads and processes.
        std::sync::atomic::fence(Ordering::SeqCst);
        Ok(())
    }
}

fn argument<T: Copy>(arguments: Input<*const c_void>, index: usize) -> Result<T> {
    // SAFETY: the caller of a launch promises a pointer for every parameter of the kernel.
    let argument = unsafe { arguments.at(index) }?;
    // SAFETY: as above; the pointer leads to a value of the parameter's type.
    unsafe { Input::new(argument.cast::<T>()) }.value()
}

/// Waits for a condition on memory. Any process may write the memory and has no way to signal it, so this polls, as a
/// GPU does. The wait also ends when the context is destroyed or the process has an error.
pub(crate) fn poll(health: &Health, condition: impl Fn() -> bool) {
    let mut pause = Duration::from_micros(1);
    while !condition() && health.works() {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_micros(200));
    }
}

/// Keeps the simulated device busy for a time, which is this kernel's purpose.
fn spin(health: &Health, time: Duration) {
    let start = Instant::now();
    while let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
        if !health.works() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(10)));
    }
}

/// Whether the memory at an address is that of another device than the context's.
fn is_of_a_peer(context: u64, address: u64) -> Result<bool> {
    let state = state()?;
    let device = state.contexts.get(&context).map(|context| context.device_index);
    Ok(state.range(address).is_some_and(|range| Some(range.device) != device))
}

/// Returns the memory that a kernel accesses. If a part of it is not accessible, the code becomes the process's error.
fn reach<T>(context: u64, address: u64, count: u64, access: Access) -> Result<Vec<Span>> {
    if !address.is_multiple_of(align_of::<T>() as u64) {
        return Err(CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
    }
    let size = count.checked_mul(size_of::<T>() as u64).ok_or(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS)?;
    if size == 0 {
        return Ok(Vec::new());
    }
    let state = state()?;
    let spans = state.reach_device(context, address, size, By::Kernel, access);
    if spans.is_err()
        && access == Access::Write
        && let Some(import) = state.imports.pointers().next().filter(|_| {
            fault!(
                "importer-fault-hits-an-import",
                ["PROC-005"],
                "A kernel's store to an illegal address also changes imported memory.",
            )
        })
        && let Some(span) =
            state.reach_device(context, *import, 4, By::Kernel, access).ok().and_then(|mut spans| spans.pop())
    {
        // SAFETY: the span keeps the memory mapped, and the driver aligns it.
        unsafe { AtomicU32::from_ptr(span.address as *mut u32) }.fetch_add(1, Ordering::SeqCst);
    }
    spans.or_else(|_| {
        let is_reserved = state.reservation(address).is_some();
        if is_reserved
            && fault!("a-kernel-without-access-is-skipped", ["VMM-MAP-019"], "It does nothing, without an error.")
        {
            return Ok(Vec::new());
        }
        let has_other_code = is_reserved
            && fault!(
                "a-kernel-without-access-has-another-code",
                ["VMM-MAP-019", "VMM-MAP-021"],
                "It is LAUNCH_FAILED."
            );
        Err(if has_other_code { CUresult::CUDA_ERROR_LAUNCH_FAILED } else { CUresult::CUDA_ERROR_ILLEGAL_ADDRESS })
    })
}

/// Words that a kernel may access, kept mapped meanwhile.
struct Words(Vec<Span>);

impl Words {
    /// Copies what was written to all devices of a multicast object, if the memory belongs to one.
    fn broadcast(&self) {
        self.0.iter().for_each(Span::broadcast);
    }

    fn new(context: u64, address: u64, count: u64, access: Access) -> Result<Self> {
        reach::<u32>(context, address, count, access).map(Self)
    }

    /// The words, which other threads and processes may access at the same time.
    fn iter(&self) -> impl Iterator<Item = &AtomicU32> {
        self.0.iter().flat_map(|span| {
            // SAFETY: `reach` checked the range and its alignment, and any further span begins at a whole granule. The
            // memory is mapped as long as the span lives.
            unsafe { std::slice::from_raw_parts(span.address as *const AtomicU32, span.size as usize / 4) }
        })
    }
}
