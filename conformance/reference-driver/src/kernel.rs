//! The kernels of the `kernels` package, performed on the CPU with the effect of their whole grid.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cuda_ipc_sys::CUresult;

use crate::answer::{INVALID_VALUE, NOT_SUPPORTED, Result, take};
use crate::block::Block;
use crate::memory::{Kind, Range};
use crate::process::{State, state};

/// A launch: the kernel and its arguments, as they were when it was enqueued.
pub(crate) enum Kernel {
    Fill { words: u64, count: u64, seed: u32 },
    Verify { words: u64, count: u64, seed: u32, mismatches: u64 },
    Scale { words: u64, count: u64, factor: u32 },
    Latch { flag: u64, value: u32 },
    Spin { time: Duration },
    Add { counter: u64, value: u32, rounds: u64, threads: u64 },
}

const ILLEGAL_ADDRESS: CUresult = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Kernel {
    /// Read the arguments. What another module calls its kernels is not known here.
    pub(crate) fn read(entry: &str, arguments: *mut *mut c_void, threads: u64) -> Result<Self> {
        let pointer = |index: usize| {
            if arguments.is_null() {
                return Err(INVALID_VALUE);
            }
            // SAFETY: the caller of the launch promises a pointer for every parameter of the kernel.
            take(unsafe { arguments.add(index) })
        };
        let long = |index| take(pointer(index)?.cast::<u64>());
        let short = |index| take(pointer(index)?.cast::<u32>());
        Ok(match entry {
            "fill" => Self::Fill { words: long(0)?, count: long(1)?, seed: short(2)? },
            "verify" => Self::Verify { words: long(0)?, count: long(1)?, seed: short(2)?, mismatches: long(3)? },
            "scale" => Self::Scale { words: long(0)?, count: long(1)?, factor: short(2)? },
            "latch" => Self::Latch { flag: long(0)?, value: short(1)? },
            "spin" => Self::Spin { time: Duration::from_nanos(long(0)?) },
            "add" => Self::Add { counter: long(0)?, value: short(1)?, rounds: long(2)?, threads },
            _ => return Err(NOT_SUPPORTED),
        })
    }

    pub(crate) fn run(self, context: u64) -> Result<()> {
        match self {
            Self::Fill { words, count, seed } => {
                let words = Words::new(context, words, count, Access::Write)?;
                (0..count).for_each(|index| words.at(index).store(kernels::pattern(seed, index), Ordering::Relaxed));
            }
            Self::Verify { words, count, seed, mismatches } => {
                let words = Words::new(context, words, count, Access::Read)?;
                let output = Words::new(context, mismatches, 2, Access::Write)?;
                let differs = |index: &u64| words.at(*index).load(Ordering::Relaxed) != kernels::pattern(seed, *index);
                output.long().fetch_add((0..count).filter(differs).count() as u64, Ordering::SeqCst);
            }
            Self::Scale { words, count, factor } => {
                let words = Words::new(context, words, count, Access::Write)?;
                for word in (0..count).map(|index| words.at(index)) {
                    word.store(word.load(Ordering::Relaxed).wrapping_mul(factor), Ordering::Relaxed);
                }
            }
            Self::Latch { flag, value } => {
                let flag = Words::new(context, flag, 1, Access::Read)?;
                // A GPU polls too: whoever writes the flag has no way to signal.
                let mut pause = Duration::from_micros(1);
                while flag.at(0).load(Ordering::SeqCst) != value {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_micros(200));
                }
            }
            Self::Spin { time } => {
                // The kernel's work is to take this long.
                let end = Instant::now() + time;
                while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
                    std::thread::sleep(left);
                }
            }
            Self::Add { counter, value, rounds, threads } => {
                let counter = Words::new(context, counter, 1, Access::Write)?;
                for _ in 0..rounds * threads {
                    counter.at(0).fetch_add(value, Ordering::SeqCst);
                }
            }
        }
        // What a kernel wrote is visible to everyone once it is done.
        std::sync::atomic::fence(Ordering::SeqCst);
        Ok(())
    }
}

/// Words that a kernel may touch, kept mapped while it does.
struct Words {
    address: u64,
    _memory: Option<Arc<Block>>,
}

impl Words {
    fn new(context: u64, address: u64, count: u64, access: Access) -> Result<Self> {
        let bytes = count.checked_mul(4).ok_or(ILLEGAL_ADDRESS)?;
        if !address.is_multiple_of(4) {
            return Err(CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
        }
        let state = state()?;
        let range = state.mapped(address, bytes).map_err(|_| ILLEGAL_ADDRESS)?;
        if !state.may_touch(context, range, access) {
            return Err(ILLEGAL_ADDRESS);
        }
        Ok(Self { address, _memory: range.memory() })
    }

    fn at(&self, index: u64) -> &AtomicU32 {
        // SAFETY: `new` checked the range and its alignment; other threads and processes may touch it too, hence
        // atomically.
        unsafe { AtomicU32::from_ptr((self.address + index * 4) as *mut u32) }
    }

    fn long(&self) -> &AtomicU64 {
        // SAFETY: as above, for two words; a counter is a `u64` of the caller, so it is aligned to 8.
        unsafe { AtomicU64::from_ptr(self.address as *mut u64) }
    }
}

impl State {
    /// Whether kernels of a context may touch a range.
    pub(crate) fn may_touch(&self, context: u64, range: &Range, access: Access) -> bool {
        let Some(toucher) = self.contexts.get(&context) else { return false };
        match &range.kind {
            Kind::PinnedHost | Kind::RegisteredHost | Kind::Managed => true,
            Kind::Linear { .. } | Kind::GraphOwned { .. } | Kind::StreamOrdered { .. } => {
                // P2P-007, P2P-012: a peer's memory only where access was enabled from here.
                toucher.device_index == range.device_index || toucher.peers.contains(&range.context)
            }
            Kind::Import { .. } => {
                self.contexts.get(&range.context).is_some_and(|opener| opener.device_index == toucher.device_index)
            }
            Kind::Mapped { access: granted, .. } => crate::vmm::allows(granted, toucher.device, access),
        }
    }
}
