//! The numbers that shared pages hold.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::stream::StreamValue;

/// A number that shared pages hold, and that streams write and wait for: `u32` or `u64`.
///
/// Pages hold one type, because accesses of two sizes to the same memory would be a data race, even if they are atomic.
pub trait Number: StreamValue + Sealed {
    /// The number in memory that other processes and devices write.
    type Atomic: Send + Sync + 'static;
    /// The name of the type.
    const NAME: &'static str;
}

/// What shared pages do with numbers. Nothing outside this crate can name it, so there are no other numbers.
pub trait Sealed: Sized {
    fn load(from: &<Self as Number>::Atomic) -> Self
    where
        Self: Number;

    fn store(self, to: &<Self as Number>::Atomic)
    where
        Self: Number;
}

macro_rules! numbers {
    ($($number:ty: $atomic:ty;)*) => {$(
        impl Number for $number {
            type Atomic = $atomic;
            const NAME: &'static str = stringify!($number);
        }

        impl Sealed for $number {
            fn load(from: &$atomic) -> Self {
                from.load(Ordering::Relaxed)
            }

            fn store(self, to: &$atomic) {
                to.store(self, Ordering::Relaxed);
            }
        }

        // A mapping is interpreted as numbers of this type.
        const _: () = assert!(size_of::<$number>() == size_of::<$atomic>());
    )*};
}

numbers! {
    u32: AtomicU32;
    u64: AtomicU64;
}
