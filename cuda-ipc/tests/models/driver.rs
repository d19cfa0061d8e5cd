//! What stands in for the driver.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Mutex;

use crate::Error;
use crate::drop_hook::{DropError, report, set_drop_hook};
use crate::kept;
use crate::sync::Arc;
use crate::thread::yield_now;

/// The number of a handle, which is also the size of its memory.
pub(crate) type Handle = usize;

/// What is open, and how often. No thread waits for its lock, because the threads change only at other places.
#[derive(Default)]
pub(crate) struct Driver {
    open: Mutex<HashMap<Handle, usize>>,
    opening: Mutex<Option<Handle>>,
    /// Every close returns an error.
    refuses_to_close: bool,
}

/// A handle that is open.
pub(crate) struct Import {
    pub(crate) handle: Handle,
    driver: Arc<Driver>,
}

impl Driver {
    /// Creates a driver that returns an error from every close.
    pub(crate) fn refusing() -> Self {
        Self { refuses_to_close: true, ..Self::default() }
    }

    /// Opens a handle. Drivers may return an error if another thread opens one at the same time.
    pub(crate) fn open(&self, handle: Handle) {
        let before = self.opening.lock().unwrap().replace(handle);
        assert_eq!(before, None, "two threads open memory at the same time");
        yield_now();
        *self.open.lock().unwrap().entry(handle).or_default() += 1;
        *self.opening.lock().unwrap() = None;
        yield_now();
    }

    /// Opens a handle, which the drop of the import closes.
    pub(crate) fn import(self: &Arc<Self>, handle: Handle) -> Import {
        self.open(handle);
        Import { handle, driver: Arc::clone(self) }
    }

    pub(crate) fn close(&self, handle: Handle) -> Result<(), Error> {
        yield_now();
        let mut open = self.open.lock().unwrap();
        let count = open.get_mut(&handle).expect("what is closed is open");
        *count -= 1;
        if *count == 0 {
            open.remove(&handle);
        }
        drop(open);
        yield_now();
        if self.refuses_to_close { Err(Error) } else { Ok(()) }
    }

    /// Returns how often a handle is open.
    pub(crate) fn count(&self, handle: Handle) -> usize {
        self.open.lock().unwrap().get(&handle).copied().unwrap_or(0)
    }

    /// Returns how many bytes are open.
    pub(crate) fn bytes(&self) -> usize {
        self.open.lock().unwrap().iter().map(|(handle, count)| handle * count).sum()
    }
}

std::thread_local! {
    /// What the drop hook calls. All threads of a model run in one thread of the process, one model after the other.
    static ON_ERROR: RefCell<Option<Rc<dyn Fn()>>> = const { RefCell::new(None) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Runs a part of a model in which the drop hook calls a function, for the first two errors: what it opens can cause
/// another error.
pub(crate) fn with_hook(call: impl Fn() + 'static, run: impl FnOnce()) {
    fn hook(_: DropError) {
        CALLS.set(CALLS.get() + 1);
        if CALLS.get() <= 2
            && let Some(call) = ON_ERROR.with_borrow(Clone::clone)
        {
            call();
        }
    }
    set_drop_hook(hook);
    CALLS.set(0);
    ON_ERROR.set(Some(Rc::new(call)));
    run();
    assert!(CALLS.get() > 0, "the hook was called");
    ON_ERROR.set(None);
}

impl Drop for Import {
    fn drop(&mut self) {
        if let Err(error) = self.driver.close(self.handle) {
            report("Import", error);
        }
    }
}

impl kept::Import for Import {
    fn size(&self) -> usize {
        self.handle
    }
}
