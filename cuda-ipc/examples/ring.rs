//! A ring of slots between two processes. Their streams order the work by counters that they write and wait for. The
//! hosts only check whether the work is done and whether the other process is alive.
//!
//! ```text
//! cargo run -p cuda-ipc --example ring
//! ```
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod two_processes;

use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::liveness::{LivenessError, ProcessWatch};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, DeviceMemory, Error, Parcel, Stream};
use two_processes::{Outcome, device_of, first_device, run};

// Offsets of the counters of messages put into the ring and taken out of it. Each counter has its own cache line.
const FILLED: usize = 0;
const FREED: usize = 128;
const SLOTS: u32 = 4;
const SLOT_SIZE: usize = 64 << 10;
const MESSAGES: u32 = 100;

fn main() -> ExitCode {
    run(consume, produce)
}

/// Returns the offset of a message's slot. The slots come after the counters.
fn slot(message: u32) -> usize {
    SLOT_SIZE + (message % SLOTS) as usize * SLOT_SIZE
}

/// Returns the words of all messages.
fn words() -> Vec<u32> {
    let words = MESSAGES * SLOT_SIZE as u32 / 4;
    (0..words).map(|place| place.wrapping_mul(0x9e37_79b9)).collect()
}

/// Waits until the stream has done everything. If the other process ends, it no longer writes the counter that the
/// stream waits for, so this function does.
fn finish(stream: &Stream, ring: &DeviceMemory, awaited: usize, other: &ProcessWatch) -> Result<(), Error> {
    while !stream.query()? {
        if !matches!(other.wait(Duration::from_millis(1)), Err(LivenessError::StillAlive { .. })) {
            ring.write(awaited, &[MESSAGES])?;
        }
    }
    Ok(())
}

/// The ring is the consumer's memory, so the producer pushes its messages.
fn consume(producer: &Connection) -> Outcome {
    let context = first_device()?;
    let stream = Stream::non_blocking(&context)?;
    let watch = ProcessWatch::by_hang_up(producer)?;
    // A multiple of 2 MiB, so the memory shares its block with no other allocation.
    let ring = DeviceBuffer::new(&context, 2 << 20)?;
    ring.fill(0)?;
    let mut parcel = ring.share(..)?;
    let lease = parcel.lease()?;
    parcel.send(producer)?;
    drop(parcel);
    let received = DeviceBuffer::new(&context, MESSAGES as usize * SLOT_SIZE)?;
    // SAFETY: both memories live until the stream is done, even after an error.
    let enqueued = (0..MESSAGES).try_for_each(|message| unsafe {
        stream.wait_value32(&ring, FILLED, WaitValue::GreaterOrEqual, message + 1)?;
        received.copy_from_async(message as usize * SLOT_SIZE, &ring, slot(message), SLOT_SIZE, &stream)?;
        stream.write_value32(&ring, FREED, message + 1)
    });
    finish(&stream, &ring, FILLED, &watch)?;
    enqueued?;
    if *received.mirror::<u32>(0..received.size())? != *words() {
        return Err("the received words are not the words that were sent".into());
    }
    println!("{MESSAGES} messages of {SLOT_SIZE} bytes through {SLOTS} slots: all arrived");
    // Waits until the producer has closed the ring or has died.
    lease.wait(Duration::MAX)?;
    Ok(ring.free()?)
}

fn produce(consumer: &Connection) -> Outcome {
    let parcel = Parcel::receive(consumer)?;
    let context = device_of(&parcel)?;
    let stream = Stream::non_blocking(&context)?;
    let watch = ProcessWatch::by_hang_up(consumer)?;
    // SAFETY: the parcel came straight from the process that shares the ring, and frees it when the lease is over.
    let ring = unsafe { parcel.open(&context)? };
    drop(parcel);
    // The messages are on the device, because a copy from or to host memory would make the host wait for the ring.
    let messages = DeviceBuffer::new(&context, MESSAGES as usize * SLOT_SIZE)?;
    messages.write(0, &words())?;
    // SAFETY: both memories live until the stream is done, even after an error.
    let enqueued = (0..MESSAGES).try_for_each(|message| unsafe {
        // A slot is free when its previous message was taken out. At first, all slots are free.
        let freed = (message + 1).saturating_sub(SLOTS);
        stream.wait_value32(&ring, FREED, WaitValue::GreaterOrEqual, freed)?;
        ring.copy_from_async(slot(message), &messages, message as usize * SLOT_SIZE, SLOT_SIZE, &stream)?;
        stream.write_value32(&ring, FILLED, message + 1)
    });
    finish(&stream, &ring, FREED, &watch)?;
    enqueued?;
    Ok(ring.close()?)
}
