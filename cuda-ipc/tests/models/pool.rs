//! The pointers of an imported pool: `src/pool/imports.rs`.

use crate::driver::{Driver, Handle, with_hook};
use crate::drop_hook::report;
use crate::imports::Imports;
use crate::sync::Arc;
use crate::thread::{spawn, yield_now};
use crate::{Error, check};

/// An imported pool and its driver.
#[derive(Clone)]
struct Pool {
    imports: Arc<Imports<Handle, Pointer>>,
    driver: Arc<Driver>,
}

/// A pointer that is open. Its drop is that of `ImportedPoolBuffer`.
struct Pointer {
    pool: Pool,
    handle: Handle,
}

impl Pool {
    fn new(driver: Driver) -> Self {
        Self { imports: Arc::new(Imports::new()), driver: Arc::new(driver) }
    }

    fn open(&self, handle: Handle) -> Result<Arc<Pointer>, Error> {
        self.imports.get_or_import(handle, || {
            assert_eq!(self.driver.count(handle), 0, "a pointer has two imports");
            self.driver.open(handle);
            Ok(Pointer { pool: self.clone(), handle })
        })
    }

    /// Opens a pointer, checks that it stays open as long as it is in use, and closes it.
    fn work(&self, handle: Handle) {
        let pointer = self.open(handle).unwrap();
        assert_eq!(self.driver.count(handle), 1);
        yield_now();
        assert_eq!(self.driver.count(pointer.handle), 1, "another import has unmapped this one");
    }
}

impl Drop for Pointer {
    fn drop(&mut self) {
        let freed = self.pool.imports.give_back(&self.handle, || {
            let freed = self.pool.driver.close(self.handle);
            // The context that was current before may not become current again.
            _ = freed.clone().inspect_err(|error| report("Context", error.clone()));
            freed
        });
        _ = freed.inspect_err(|error| report("Pointer", error.clone()));
    }
}

/// Runs these functions in threads, each with the pool, and waits for them. Nothing is open then.
fn run<const N: usize>(pool: &Pool, threads: [fn(&Pool); N]) {
    let threads = threads.map(|thread| {
        let pool = pool.clone();
        spawn(move || thread(&pool))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(pool.driver.bytes(), 0);
}

#[test]
fn threads_open_and_close_one_pointer() {
    check(|| {
        let twice = |pool: &Pool| [(); 2].iter().for_each(|()| pool.work(1));
        run(&Pool::new(Driver::default()), [twice, twice, |pool| pool.work(1)]);
    });
}

#[test]
fn threads_open_and_close_two_pointers() {
    check(|| {
        let both = |pool: &Pool| [1, 2].iter().for_each(|handle| pool.work(*handle));
        run(&Pool::new(Driver::default()), [both, |pool| [2, 1].iter().for_each(|handle| pool.work(*handle)), both]);
    });
}

#[test]
fn an_open_that_fails_leaves_the_pointer_to_others() {
    check(|| {
        let fails = |pool: &Pool| {
            let import = || {
                yield_now();
                Err(Error)
            };
            // Another thread may have opened the pointer.
            drop(pool.imports.get_or_import(1, import));
        };
        run(&Pool::new(Driver::default()), [fails, |pool| pool.work(1), fails]);
    });
}

#[test]
#[cfg_attr(miri, ignore = "the hook finds its model by the thread, and shuttle runs all threads in one")]
fn a_drop_hook_opens_the_pointer_that_was_closed() {
    check(|| {
        let pool = Pool::new(Driver::refusing());
        let called = pool.clone();
        let open_and_close = |pool: &Pool| drop(pool.open(1).unwrap());
        with_hook(move || open_and_close(&called), || run(&pool, [open_and_close, open_and_close]));
    });
}
