//! An importer keeps its imports in a cache. The exporter asks it to forget the memory before freeing it.
//!
//! ```text
//! cargo run -p cuda-ipc --example cache
//! ```
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod two_processes;

use std::process::ExitCode;
use std::time::Instant;

use cuda_ipc::cache::Cache;
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Parcel, Ticket};
use two_processes::{Outcome, first_device, run};

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
        // Each round shares another part of the same allocation.
        buffer.share(0..SIZE - round as usize)?.send(importer)?;
        importer.receive()?;
    }
    // Any ticket of the allocation identifies it.
    importer.send(&buffer.share(..)?.ticket.to_bytes(), &[])?;
    println!("{}", String::from_utf8_lossy(&importer.receive()?.bytes));
    // The importer no longer has it open.
    buffer.free()?;
    println!("the importer's answer arrived");
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
            None => context.insert(parcel.context()?),
        };
        let begin = Instant::now();
        // SAFETY: the parcel came straight from the process that shares the memory, and asks us to forget it before it
        // frees it.
        let memory = unsafe { cache.open(context, &parcel)? };
        opening.push(begin.elapsed());
        let mut number = [0_u32];
        memory.read(0, &mut number)?;
        if number != [round] || memory.size() != SIZE - round as usize {
            return Err(format!("round {round}: opened {} bytes, read number {number:?}", memory.size()).into());
        }
        exporter.send(b"read", &[])?;
    }
    let ticket = Ticket::from_bytes(&exporter.receive()?.bytes)?;
    if !cache.forget(&ticket) || cache.bytes() != 0 {
        return Err("the cache did not hold exactly the memory of the ticket".into());
    }
    let (first, rest) = opening.split_first().ok_or("there were no rounds")?;
    let best = rest.iter().min().ok_or("there was only one round")?;
    let message = format!("opened in {first:?}, found again in {best:?} at best, and forgotten");
    Ok(exporter.send(message.as_bytes(), &[])?)
}
