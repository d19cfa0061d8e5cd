//! An importer that keeps what it opened in a cache, and an exporter that asks it to forget before it frees.
//!
//! ```text
//! cargo run -p cuda-ipc --example cache
//! ```
//!
//! Without a GPU, as `share_buffer` says.

mod two_processes;

use std::process::ExitCode;
use std::time::Instant;

use cuda_ipc::cache::Cache;
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Parcel, Ticket};
use two_processes::{Outcome, device_of, first_device, run};

const SIZE: usize = 2 << 20;
const BUDGET: usize = 1 << 30;
const ROUNDS: u32 = 100;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let buffer = DeviceBuffer::new(&first_device()?, SIZE)?;
    for round in 0..ROUNDS {
        buffer.write(0, &[round])?;
        // The same allocation each time, and another part of it.
        buffer.share(0..SIZE - round as usize)?.send(importer)?;
        importer.receive()?;
    }
    // Any of its tickets names the allocation.
    importer.send(&buffer.share(..)?.ticket.to_bytes(), &[])?;
    println!("{}", String::from_utf8_lossy(&importer.receive()?.bytes));
    // Nobody has it open any more.
    buffer.free()?;
    println!("the answer arrived");
    Ok(())
}

fn import(exporter: &Connection) -> Outcome {
    let cache = Cache::new(BUDGET);
    let mut context = None;
    let mut opening = Vec::new();
    for round in 0..ROUNDS {
        let parcel = Parcel::receive(exporter)?;
        let context = match &mut context {
            Some(context) => context,
            None => context.insert(device_of(&parcel)?),
        };
        let begin = Instant::now();
        // SAFETY: the parcel came straight from the process that shares the memory, and asks us to forget it before it
        // frees it.
        let memory = unsafe { cache.open(context, &parcel)? };
        opening.push(begin.elapsed());
        let mut number = [0_u32];
        memory.read(0, &mut number)?;
        if number != [round] || memory.size() != SIZE - round as usize {
            return Err(format!("round {round}: {} bytes, number {number:?}", memory.size()).into());
        }
        exporter.send(b"read", &[])?;
    }
    let ticket = Ticket::from_bytes(&exporter.receive()?.bytes)?;
    if !cache.forget(&ticket) || cache.bytes() != 0 {
        return Err("the cache did not have just this memory".into());
    }
    let (first, rest) = opening.split_first().ok_or("no rounds")?;
    let best = rest.iter().min().ok_or("one round")?;
    let message = format!("opened in {first:?}, found again in {best:?} at best, and forgotten");
    Ok(exporter.send(message.as_bytes(), &[])?)
}
