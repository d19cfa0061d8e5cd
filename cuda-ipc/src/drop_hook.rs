//! The hook for errors that `Drop` cannot return, and what else runs only while this crate holds no lock.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::{PoisonError, RwLock};

use crate::Error;
use crate::sync::thread_local;

/// An error that occurred when a value was dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DropError {
    /// The name of the dropped value's type, which is a type of this crate.
    pub resource: &'static str,
    /// The error that occurred.
    pub error: Error,
}

impl fmt::Display for DropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "dropping {} failed: {}", self.resource, self.error)
    }
}

impl std::error::Error for DropError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

static HOOK: RwLock<fn(DropError)> = RwLock::new(ignore);

fn ignore(_: DropError) {}

// Relies on: a hook of set_drop_hook that does not panic.
/// Sets the hook that receives the errors that occur while this process drops values, and returns the previous hook.
///
/// Until a hook is set, such errors are ignored, because a library has no output of its own. To get the error where it
/// occurs, call the method that releases the value (such as `free`, `close`, `destroy` or `release`) instead of
/// dropping the value.
///
/// The hook runs in the thread that drops the value, possibly while it unwinds, so it must not panic. It may call every
/// function of this crate: the crate holds no lock while the hook runs.
pub fn set_drop_hook(hook: fn(DropError)) -> fn(DropError) {
    let mut current = HOOK.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, hook)
}

thread_local! {
    /// How many [`Postponed`] this thread has.
    static POSTPONED: Cell<usize> = const { Cell::new(0) };
    /// What waits for the last of them. It needs no destructor, because values can still be dropped when the thread's
    /// destructors have run, and it is empty by then.
    static WAITING: RefCell<ManuallyDrop<Vec<Waiting>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Code of others, which may call this crate.
enum Waiting {
    /// An error for the hook.
    Error(DropError),
    /// A value that is to be dropped.
    Value(Box<dyn Any>),
}

/// While a thread has such a value, the errors of its drops wait, and so do the drops of [`Unlocked`] values. Their turn
/// comes when the last one is dropped.
pub(crate) struct Postponed {
    stays_here: PhantomData<*const ()>,
}

impl Postponed {
    pub(crate) fn new() -> Self {
        POSTPONED.with(|count| count.set(count.get() + 1));
        Self { stays_here: PhantomData }
    }
}

impl Drop for Postponed {
    fn drop(&mut self) {
        POSTPONED.with(|count| count.set(count.get() - 1));
        if POSTPONED.with(Cell::get) == 0 {
            let waiting = WAITING.with(|waiting| std::mem::take(&mut **waiting.borrow_mut()));
            for waiting in waiting {
                match waiting {
                    Waiting::Error(error) => call(error),
                    Waiting::Value(value) => drop(value),
                }
            }
        }
    }
}

pub(crate) fn report(resource: &'static str, error: Error) {
    let error = DropError { resource, error };
    if POSTPONED.with(Cell::get) == 0 {
        call(error);
    } else {
        wait(Waiting::Error(error));
    }
}

fn wait(for_its_turn: Waiting) {
    WAITING.with(|waiting| waiting.borrow_mut().push(for_its_turn));
}

/// A value whose drop is code of others. It is dropped while its thread has no [`Postponed`].
#[derive(Debug)]
pub(crate) struct Unlocked<T: 'static>(Option<T>);

impl<T> Unlocked<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T> Drop for Unlocked<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        if POSTPONED.with(Cell::get) == 0 {
            drop(value);
        } else {
            wait(Waiting::Value(Box::new(value)));
        }
    }
}

fn call(error: DropError) {
    // The lock is not held while the hook runs, because the hook may set another one.
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    hook(error);
}
