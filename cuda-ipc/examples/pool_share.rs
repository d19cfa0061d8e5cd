//! Two processes share buffers of a pool: the pool once, by descriptor, and each buffer as a pointer in a ticket.
//! Kernels of the importer verify every word and write others, on each GPU that reaches the pool. Kernels of the
//! exporter verify those.
//!
//! ```text
//! cargo run -p cuda-ipc --example pool_share
//! cargo run -p cuda-ipc --example pool_share -- --fail # the importer ends before its kernels
//! ```
//!
//! The memory goes in this order: the importer closes its buffers, and with the last one the pool. Then the exporter
//! frees each buffer in the order of its stream, behind the kernel that uses it. The pool is destroyed when the stream
//! is there.
//!
//! The exit code is 0 if every word arrived, and 1 otherwise. Without a GPU, use the reference driver as `share_buffer`
//! shows.

mod device_code;
mod two_processes;

use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::peer::can_access;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Context, Driver, Parcel, Stream};
use device_code::{SHAPE, mismatches};
use two_processes::{Outcome, first_device, run_with_option};

const WORDS: usize = 1 << 18;
const BUFFERS: u32 = 4;

fn main() -> ExitCode {
    run_with_option("--fail", export, import)
}

fn export(importer: &Connection, _: bool) -> Outcome {
    let context = first_device()?;
    let (stream, fill) = (Stream::non_blocking(&context)?, device_code::fill(&context)?);
    let pool = Pool::new(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None)?;
    let (mut buffers, mut leases) = (Vec::new(), Vec::new());
    for number in 0..BUFFERS {
        let buffer = PoolBuffer::new(&pool, WORDS * size_of::<u32>(), &stream)?;
        stream.scope(|stream| stream.launch(&fill, SHAPE, (buffer.slice(..)?, number)))?;
        // The first parcel carries the pool.
        let mut parcel = if number == 0 { buffer.share(..)? } else { buffer.share_without_pool(..)? };
        leases.push(parcel.lease()?);
        parcel.send(importer)?;
        buffers.push(buffer);
    }
    // No buffer may be freed while the importer has it open. A lease ends with the importer, however that ends.
    leases.iter().try_for_each(|lease| lease.wait(Duration::MAX))?;
    for (number, buffer) in (0..).zip(buffers) {
        let wrong = mismatches(&context, &buffer, number + BUFFERS)?;
        if wrong > 0 {
            return Err(format!("buffer {number}: {wrong} of {WORDS} words are not the importer's").into());
        }
        buffer.free()?;
    }
    pool.destroy()?;
    println!("{BUFFERS} buffers of one pool went there and back: all words arrived");
    Ok(())
}

fn import(exporter: &Connection, fails: bool) -> Outcome {
    let parcels = (0..BUFFERS).map(|_| Parcel::receive(exporter)).collect::<Result<Vec<_>, _>>()?;
    let home = parcels[0].context()?.device();
    let mut contexts = Vec::new();
    for (ordinal, device) in Driver::get()?.devices()?.into_iter().enumerate() {
        if device == home || can_access(device, home)? {
            contexts.push((ordinal, Context::primary(device)?));
        }
    }
    let mut buffers = Vec::new();
    for ((number, parcel), (ordinal, context)) in (0..).zip(&parcels).zip(contexts.iter().cycle()) {
        // SAFETY: the parcel comes straight from the exporter, which keeps the buffer until its lease ends. Nothing
        // else in this process opens it.
        let buffer = unsafe { parcel.open(context)? };
        let wrong = mismatches(context, &buffer, number)?;
        if wrong > 0 || fails {
            return Err(format!("buffer {number}: the importer ends, with {wrong} wrong words").into());
        }
        let (stream, fill) = (Stream::non_blocking(context)?, device_code::fill(context)?);
        stream.scope(|stream| stream.launch(&fill, SHAPE, (buffer.slice(..)?, number + BUFFERS)))?;
        println!("buffer {number}: read and written by device {ordinal}");
        buffers.push(buffer);
    }
    // The last one first: any order is right.
    Ok(buffers.into_iter().rev().try_for_each(|buffer| buffer.close())?)
}
