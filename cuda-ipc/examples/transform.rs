//! A child's kernel changes the parent's memory in place, and the parent verifies every word. If the child fails or is
//! killed, the parent fails too: it never waits for a child that is gone.
//!
//! ```text
//! cargo run -p cuda-ipc --example transform
//! cargo run -p cuda-ipc --example transform -- --fail # the child ends before its kernel
//! ```
//!
//! The exit code is 0 if every word arrived, and 1 otherwise. Without a GPU, use the reference driver as `share_buffer`
//! shows.

mod device_code;
mod two_processes;

use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::transport::Connection;
use cuda_ipc::{Parcel, SharedBuffer, Stream};
use device_code::SHAPE;
use two_processes::{Outcome, first_device, run_with_option};

const WORDS: usize = 1 << 20;
const SEED: u32 = 100;
const FACTOR: u32 = 3;

fn main() -> ExitCode {
    run_with_option("--fail", export, import)
}

fn export(importer: &Connection, _: bool) -> Outcome {
    let context = first_device()?;
    let (stream, fill) = (Stream::non_blocking(&context)?, device_code::fill(&context)?);
    let buffer = SharedBuffer::new(&context, WORDS * size_of::<u32>())?;
    stream.scope(|stream| stream.launch(&fill, SHAPE, (buffer.slice(..)?, SEED)))?;
    let mut parcel = buffer.share()?;
    let lease = parcel.lease()?;
    parcel.send(importer)?;
    // The parcel holds a tenancy, which would keep the lease from ending.
    drop(parcel);
    // Waits until the child has closed the memory or has died. What the words are then shows which of the two it was.
    lease.wait(Duration::MAX)?;
    for (place, found) in buffer.snapshot::<u32>(..)?.iter().enumerate() {
        let expected = kernels::pattern(SEED, place as u64).wrapping_mul(FACTOR);
        if *found != expected {
            return Err(format!("word {place} is {found:#x}, expected {expected:#x}: no child changed it").into());
        }
    }
    println!("{WORDS} words, multiplied by {FACTOR} by the child's kernel: all arrived");
    Ok(buffer.free()?)
}

fn import(exporter: &Connection, fails: bool) -> Outcome {
    let parcel = Parcel::receive(exporter)?;
    let context = parcel.context()?;
    let memory = parcel.map(&context)?;
    // Like the parent's, it would keep the lease.
    drop(parcel);
    if fails {
        return Err("the child fails, as it was told".into());
    }
    let (stream, scale) = (Stream::non_blocking(&context)?, device_code::scale(&context)?);
    // The scope ends when the kernel is done.
    stream.scope(|stream| stream.launch(&scale, SHAPE, (memory.slice(..)?, FACTOR)))?;
    Ok(memory.close()?)
}
