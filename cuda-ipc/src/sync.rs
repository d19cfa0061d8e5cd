//! What the files with locks use of the standard library. The models in `tests/models` compile these files with a module
//! of this name that has shuttle's in its place.

pub(crate) use std::sync::atomic::{AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
pub(crate) use std::thread_local;
