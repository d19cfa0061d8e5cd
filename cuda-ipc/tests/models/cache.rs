//! The cache: `src/cache/kept.rs`.

use std::convert::Infallible;

use crate::check;
use crate::driver::{Driver, Handle, Import, with_hook};
use crate::kept::{InUse, Kept};
use crate::sync::Arc;
use crate::thread::{spawn, yield_now};

/// A cache and its driver.
#[derive(Clone)]
struct Cache {
    kept: Arc<Kept<Handle, Import>>,
    driver: Arc<Driver>,
}

impl Cache {
    fn new(budget: usize, driver: Driver) -> Self {
        Self { kept: Arc::new(Kept::new(budget)), driver: Arc::new(driver) }
    }

    fn open(&self, handle: Handle) -> InUse<Handle, Import> {
        self.kept.get_or_open(&handle, || Ok::<_, Infallible>(self.driver.import(handle))).unwrap()
    }

    /// Opens a handle that is not kept.
    fn open_once(&self, handle: Handle) -> InUse<Handle, Import> {
        self.kept.open_once(|| Ok::<_, Infallible>(self.driver.import(handle))).unwrap()
    }

    /// Opens a handle, checks that it stays open as long as it is in use, and ends the use.
    fn work(&self, handle: Handle) {
        let import = self.open(handle);
        assert_eq!((import.handle, self.driver.count(handle)), (handle, 1));
        yield_now();
        assert_eq!(self.driver.count(handle), 1, "an import that is in use was closed");
    }

    /// Checks what is true when no import is in use.
    fn is_idle_within(&self, budget: usize) {
        assert!(self.kept.bytes() <= budget, "{} bytes are kept, the budget is {budget}", self.kept.bytes());
        assert_eq!(self.driver.bytes(), self.kept.bytes());
    }
}

/// Runs these functions in threads, each with the cache, and waits for them.
fn run<const N: usize>(cache: &Cache, threads: [fn(&Cache); N]) {
    let threads = threads.map(|thread| {
        let cache = cache.clone();
        spawn(move || thread(&cache))
    });
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn one_handle_is_opened_once() {
    check(|| {
        let cache = Cache::new(usize::MAX, Driver::default());
        run(&cache, [|cache| cache.work(1), |cache| cache.work(1), |cache| cache.work(1)]);
        assert_eq!(cache.driver.count(1), 1);
        cache.is_idle_within(1);
    });
}

#[test]
fn the_budget_is_kept_after_the_last_use() {
    check(|| {
        let cache = Cache::new(1, Driver::default());
        let (two, three) = (cache.open(2), cache.open(3));
        let threads = [spawn(move || drop(two)), spawn(move || drop(three))];
        for thread in threads {
            thread.join().unwrap();
        }
        cache.is_idle_within(1);
    });
}

/// Here the sum of the sizes rises while the use ends.
#[test]
fn the_budget_is_kept_while_another_import_is_in_use() {
    check(|| {
        let cache = Cache::new(1, Driver::default());
        let one = cache.open(1);
        let ends = spawn(move || drop(one));
        let two = cache.open(2);
        ends.join().unwrap();
        assert_eq!(cache.kept.bytes(), 2);
        drop(two);
        cache.is_idle_within(1);
    });
}

#[test]
fn the_budget_is_kept_by_whoever_closes_imports() {
    check(|| {
        let cache = Cache::new(1, Driver::default());
        let in_use = cache.open(2);
        let ends = spawn(move || drop(in_use));
        run(&cache, [|cache| cache.kept.trim_to(3), |cache| _ = cache.kept.forget(|handle| *handle == 4)]);
        ends.join().unwrap();
        cache.is_idle_within(1);
    });
}

#[test]
fn the_budget_is_kept_if_an_open_fails() {
    check(|| {
        let cache = Cache::new(1, Driver::default());
        let in_use = cache.open(2);
        let ends = spawn(move || drop(in_use));
        let refused = || {
            yield_now();
            Err(())
        };
        assert!(cache.kept.get_or_open(&3, refused).is_err() && cache.kept.open_once(refused).is_err());
        ends.join().unwrap();
        cache.is_idle_within(1);
    });
}

#[test]
fn threads_use_more_than_the_budget() {
    check(|| {
        let cache = Cache::new(3, Driver::default());
        let alternate = |cache: &Cache| [1, 2, 3].iter().for_each(|handle| cache.work(*handle));
        run(&cache, [alternate, |cache| [3, 1].iter().for_each(|handle| cache.work(*handle)), |cache| cache.work(2)]);
        cache.is_idle_within(3);
    });
}

/// What is forgotten while it is in use is opened anew by the next thread, so it may be open twice.
#[test]
fn what_is_forgotten_stays_open_until_its_last_use_ends() {
    fn work(cache: &Cache) {
        let import = cache.open(1);
        yield_now();
        assert!(cache.driver.count(import.handle) > 0);
    }
    check(|| {
        let cache = Cache::new(usize::MAX, Driver::default());
        run(&cache, [work, work, |cache| _ = cache.kept.forget(|_| true)]);
        cache.kept.forget(|_| true);
        assert_eq!(cache.driver.bytes(), 0);
        cache.is_idle_within(0);
    });
}

#[test]
fn what_is_not_kept_is_opened_alone() {
    check(|| {
        let cache = Cache::new(1, Driver::default());
        let leased = |cache: &Cache| drop(cache.open_once(2));
        run(&cache, [leased, |cache| cache.work(1), leased]);
        cache.is_idle_within(1);
    });
}

#[test]
#[cfg_attr(miri, ignore = "the hook finds its model by the thread, and shuttle runs all threads in one")]
fn a_drop_hook_calls_the_cache() {
    check(|| {
        let cache = Cache::new(1, Driver::refusing());
        let called = cache.clone();
        let hook = move || {
            called.kept.trim_to(1);
            called.kept.forget(|handle| *handle == 7);
            drop(called.open(1));
        };
        let leased = |cache: &Cache| drop(cache.open_once(4));
        with_hook(hook, || run(&cache, [|cache| drop(cache.open(2)), |cache| drop(cache.open(3)), leased]));
        cache.is_idle_within(1);
    });
}
