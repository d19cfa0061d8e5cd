//! Host memory that devices access: pinned memory of one process, and pages that processes share.
//!
//! | | [`PinnedBuffer`] | [`SharedPages`] |
//! |---|---|---|
//! | C call | `cuMemHostAlloc` | `cuMemHostRegister` of a memfd |
//! | reached by | one process | every process that has the descriptor |
//! | on the host | a slice of values | atomic numbers, because other processes write at any time |
//! | on a device | the host's side of copies | memory for numbers that streams write and wait for, copies and kernels |
//!
//! A [`PinnedBuffer`] cannot be shared. Shared pages hold `u32` or `u64`: store an `f32` as its bits
//! ([`f32::to_bits`]). A device may view the same memory as other values, for example
//! `pages.memory().slice::<f32>(..)`. The receiver must know how many numbers there are.
//!
//! Both stay in RAM as long as they exist, so the machine has less memory for everything else. Drivers or containers
//! can limit how much memory a process locks (`RLIMIT_MEMLOCK`).

mod error;
mod file;
mod number;
mod pages;
mod pinned;

pub use error::PagesError;
pub use number::Number;
pub use pages::SharedPages;
pub use pinned::PinnedBuffer;
