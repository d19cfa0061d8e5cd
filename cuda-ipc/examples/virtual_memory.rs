//! A range of addresses grows chunk by chunk, in two processes. Each chunk is sent as a descriptor. No call here is
//! `unsafe`, and the importer keeps the memory after its owner has ended.
//!
//! ```text
//! cargo run -p cuda-ipc --example virtual_memory
//! ```
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod two_processes;

use std::os::fd::AsFd as _;
use std::process::ExitCode;

use cuda_ipc::Parcel;
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, ImportedAllocation, Mapping, Reservation, granularity};
use two_processes::{Outcome, first_device, run};

const CHUNKS: usize = 4;
const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let context = first_device()?;
    let size = granularity(context.device(), DESCRIPTORS)?;
    let range = Reservation::new(context.driver(), CHUNKS * size, 0)?;
    for chunk in 0..CHUNKS {
        let allocation = Allocation::new(context.device(), size, DESCRIPTORS)?;
        let mapping = Mapping::in_range(&context, &range, chunk * size, &[&allocation], Access::ReadWrite)?;
        mapping.fill(chunk as u8)?;
        mapping.share(.., Access::Read)?.send(importer)?;
        // The owner unmaps the chunk at once. The descriptor, and then the importer, keeps the memory alive.
        mapping.unmap()?;
    }
    let message = importer.receive()?;
    println!("{}", String::from_utf8_lossy(&message.bytes));
    Ok(range.free()?)
}

fn import(exporter: &Connection) -> Outcome {
    let mut parcel = Parcel::receive(exporter)?;
    let context = parcel.context()?;
    let size = usize::try_from(parcel.ticket.size)?;
    let range = Reservation::new(context.driver(), CHUNKS * size, 0)?;
    let mut mappings: Vec<Mapping> = Vec::new();
    loop {
        // `Parcel::map` would map each chunk in a range of its own.
        let descriptor = parcel.descriptors.first().ok_or("the parcel has no descriptor of its chunk")?;
        let chunk = ImportedAllocation::import(context.driver(), descriptor.as_fd(), size)?;
        let offset = mappings.len() * size;
        mappings.push(Mapping::in_range(&context, &range, offset, &[&chunk], Access::Read)?);
        if mappings.len() == CHUNKS {
            break;
        }
        parcel = Parcel::receive(exporter)?;
    }
    for (chunk, mapping) in mappings.iter().enumerate() {
        let mut bytes = vec![0_u8; size];
        mapping.read(0, &mut bytes)?;
        let is_next = mapping.pointer() == range.pointer() + (chunk * size) as u64;
        if !is_next || bytes.iter().any(|byte| usize::from(*byte) != chunk) {
            return Err(format!("chunk {chunk} has a wrong address or wrong bytes").into());
        }
    }
    let message = format!("{CHUNKS} chunks of {size} bytes, one after the other: all arrived");
    Ok(exporter.send(message.as_bytes(), &[])?)
}
