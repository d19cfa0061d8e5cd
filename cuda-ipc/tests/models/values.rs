//! The pools of a process by their names, and the pairs of contexts with peer access: `src/known.rs`.

use crate::driver::{Driver, Handle};
use crate::known::Known;
use crate::sync::{Arc, Mutex};
use crate::thread::{spawn, yield_now};
use crate::{Error, check};

/// What holders share, such as a pair of contexts. It is enabled for the first holder and disabled after the last.
struct Shared {
    name: Handle,
    driver: Arc<Driver>,
    holders: Mutex<usize>,
}

/// One of the holders. Its drop is that of `PeerAccess`.
struct Holder(Arc<Shared>);

/// The shared values and their driver.
#[derive(Clone)]
struct Model {
    known: Arc<Known<Handle, Shared>>,
    driver: Arc<Driver>,
}

impl Model {
    fn hold(&self, name: Handle) -> Holder {
        let driver = Arc::clone(&self.driver);
        let make = || Ok::<_, Error>(Arc::new(Shared { name, driver, holders: Mutex::new(0) }));
        let shared = self.known.get_or_make(name, make).unwrap();
        let mut holders = shared.holders.lock().unwrap();
        if *holders == 0 {
            assert_eq!(self.driver.count(name), 0, "two values of one name");
            self.driver.open(name);
        }
        *holders += 1;
        drop(holders);
        Holder(shared)
    }

    /// Holds a value, which stays enabled meanwhile.
    fn work(&self, name: Handle) {
        let holder = self.hold(name);
        assert_eq!(self.driver.count(name), 1);
        yield_now();
        assert_eq!(self.driver.count(holder.0.name), 1, "another holder has disabled it");
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let mut holders = self.0.holders.lock().unwrap();
        *holders -= 1;
        if *holders == 0 {
            self.0.driver.close(self.0.name).unwrap();
        }
    }
}

/// Runs these functions in threads, and waits for them. Nothing is enabled then.
fn run<const N: usize>(threads: [fn(&Model); N]) {
    let model = Model { known: Arc::new(Known::new()), driver: Arc::default() };
    let threads = threads.map(|thread| {
        let model = model.clone();
        spawn(move || thread(&model))
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(model.driver.bytes(), 0);
}

#[test]
fn threads_hold_one_value() {
    check(|| {
        let twice = |model: &Model| [(); 2].iter().for_each(|()| model.work(1));
        run([twice, twice, |model| model.work(1)]);
    });
}

#[test]
fn a_value_that_cannot_be_made_is_left_to_others() {
    check(|| {
        let fails = |model: &Model| {
            let make = || {
                yield_now();
                Err(Error)
            };
            // Another thread may hold the value.
            drop(model.known.get_or_make(1, make));
        };
        run([fails, |model| model.work(1), fails]);
    });
}

/// The last use of a value can end in another thread just when this lock finds it, and what it drops may come back.
#[test]
fn what_a_value_drops_comes_back() {
    struct Value(Option<(Arc<Known<Handle, Value>>, Handle)>);

    impl Drop for Value {
        fn drop(&mut self) {
            if let Some((known, name)) = self.0.take() {
                drop(known.get_or_make(name, || Ok::<_, Error>(Arc::new(Value(None)))));
            }
        }
    }

    check(|| {
        let known = Arc::new(Known::new());
        let threads = [(1, 2), (2, 1), (3, 1)].map(|(name, other): (Handle, Handle)| {
            let known = Arc::clone(&known);
            spawn(move || {
                let value = || Ok::<_, Error>(Arc::new(Value(Some((Arc::clone(&known), other)))));
                drop(known.get_or_make(name, value));
                yield_now();
                drop(known.get_or_make(name, value));
            })
        });
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
