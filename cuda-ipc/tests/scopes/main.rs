//! Scopes: safe code orders work of streams, and cannot leave before it is done.
//!
//! The tests run one at a time. While work of a context waits, a driver may block a call that frees memory in that
//! context, and with it every other call.
//!
//! On a GPU, run them with `-- --skip reset`: NVIDIA's driver dereferences handles of a destroyed context. With one GPU,
//! also skip `two_devices`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/kernels.rs"]
mod kernel;
#[path = "../common/peer.rs"]
mod peer;

mod end;
mod host;
mod kernels_run;
mod lost;
mod operations;
mod order;
mod two_devices;
mod watch;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_ipc::{Context, DeviceBuffer, DeviceSlice, Error, Stream};

use common::context;

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number that streams wait for until it is opened.
struct Gate {
    memory: DeviceBuffer,
    opening: Stream,
}

impl Gate {
    fn closed(context: &Context) -> Self {
        let memory = DeviceBuffer::new(context, 64).unwrap();
        memory.fill(0).unwrap();
        Self { memory, opening: Stream::non_blocking(context).unwrap() }
    }

    fn number(&self) -> DeviceSlice<'_, u32> {
        self.memory.slice(..1).unwrap()
    }

    fn open(&self) {
        self.try_open().unwrap();
    }

    fn try_open(&self) -> Result<(), Error> {
        self.opening.scope(|stream| stream.write_value(self.number(), 1))
    }

    fn is_open(&self) -> bool {
        self.memory.snapshot::<u32>(..1).unwrap()[0] == 1
    }

    /// Opens the gate if a test fails while streams wait for it, because the test would hang.
    fn opens_on_failure(&self) -> impl Drop {
        struct Opens<'gate>(&'gate Gate);

        impl Drop for Opens<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    self.0.open();
                }
            }
        }
        Opens(self)
    }
}

fn buffer<const N: usize>(values: [u32; N]) -> DeviceBuffer {
    let buffer = DeviceBuffer::new(&context(), size_of_val(&values)).unwrap();
    buffer.write(0, &values).unwrap();
    buffer
}

fn words(buffer: &DeviceBuffer) -> Vec<u32> {
    buffer.snapshot(..).unwrap().into_values()
}
