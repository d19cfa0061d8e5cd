//! Values are dropped while a panic unwinds, when a thread ends, and when the process ends.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Parcel, Stream};

use crate::common::device;
use crate::peer::{Peer, roles};
use crate::{Holdings, SIZE, alone, context, met};

/// One value of each kind. Fields are dropped in this order, so each value is dropped before those that depend on it.
#[allow(dead_code, reason = "held until it is dropped")]
struct Everything {
    context: Context,
    pool: Pool,
    stream: Stream,
    pooled: PoolBuffer,
    allocation: Allocation,
    mapping: Mapping,
    buffer: DeviceBuffer,
    event: InterprocessEvent,
    parcel: Parcel,
}

impl Everything {
    fn new(context: &Context) -> Self {
        let descriptors = HandleTypes::POSIX_FILE_DESCRIPTOR;
        let pool = Pool::new(device(), descriptors, None).unwrap();
        let stream = Stream::non_blocking(context).unwrap();
        let size = granularity(device(), descriptors).unwrap();
        let allocation = Allocation::new(device(), size, descriptors).unwrap();
        let mapping = Mapping::new(context, &[&allocation], Access::ReadWrite).unwrap();
        let buffer = DeviceBuffer::new(context, SIZE).unwrap();
        let event = InterprocessEvent::new(context).unwrap();
        event.record(&stream).unwrap();
        let parcel = mapping.share(.., Access::Read).unwrap();
        let pooled = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
        Self { context: context.clone(), pool, stream, pooled, allocation, mapping, buffer, event, parcel }
    }
}

/// Checks that a second run leaves nothing behind. The first may leave what the driver creates once and keeps.
fn leaves_nothing(run: impl Fn(&Context)) {
    let _alone = alone();
    let context = context();
    run(&context);
    let before = Holdings::now(&context);
    run(&context);
    let errors = met();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(Holdings::now(&context), before);
}

#[test]
fn values_are_dropped_by_a_panic() {
    leaves_nothing(|context| {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let everything = Everything::new(context);
            let mut mirror = everything.buffer.mirror::<u8>(0..16).unwrap();
            mirror[0] = 1;
            // The panic happens inside a call that has made the context current.
            everything.context.within(|| resume_unwind(Box::new("a panic"))).unwrap();
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"a panic"));
    });
}

#[test]
fn values_are_dropped_as_their_thread_ends() {
    thread_local! {
        static LAST: RefCell<Option<Everything>> = const { RefCell::new(None) };
    }
    leaves_nothing(|context| {
        let context = context.clone();
        std::thread::spawn(move || LAST.set(Some(Everything::new(&context)))).join().unwrap();
    });
}

#[test]
fn values_may_be_left_to_the_end_of_the_process() {
    let _alone = alone();
    let peer = Peer::start(module_path!(), "role_ends_with_values");
    peer.connection.receive().unwrap_err();
    peer.finish();
}

roles! {
    fn role_ends_with_values(connection) {
        thread_local! {
            static OF_THE_THREAD: RefCell<Option<Everything>> = const { RefCell::new(None) };
        }
        static OF_THE_PROCESS: OnceLock<Mutex<Everything>> = OnceLock::new();
        crate::start();
        // Drops may call the hook until the process ends, so its errors are checked at exit.
        extern "C" fn at_exit() {
            let errors = met();
            assert!(errors.is_empty(), "{errors:?}");
        }
        // SAFETY: the function runs once, and uses nothing that no longer exists by then.
        assert_eq!(unsafe { libc::atexit(at_exit) }, 0);
        OF_THE_PROCESS.get_or_init(|| Mutex::new(Everything::new(&context())));
        OF_THE_THREAD.set(Some(Everything::new(&context())));
        drop(connection);
        // Exits without returning to the test runner, so this thread's values are dropped as the process ends.
        std::process::exit(0);
    }
}
