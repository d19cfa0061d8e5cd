//! A ring of slots between two processes, without `unsafe`. Their streams order the work by counters that they write and
//! wait for. The hosts only wait for the end of the work, or of the other process: if one side dies, the other ends with
//! an error.
//!
//! ```text
//! cargo run -p cuda-ipc --example ring
//! ```
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod two_processes;

use std::process::ExitCode;

use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::stream::{WaitValue, scope_watching};
use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, DeviceMemory, DeviceSlice, Error, Parcel, SharedBuffer, Stream};
use two_processes::{Outcome, first_device, run};

// Indices of the two counters: messages put into the ring, and messages taken out of it. Each has its own cache line.
const FILLED: usize = 0;
const FREED: usize = 32;
const SLOTS: usize = 4;
/// The words in a slot, and in a message.
const SLOT: usize = 16 << 10;
const MESSAGES: usize = 100;

fn main() -> ExitCode {
    run(consume, produce)
}

/// The counters, and the slots after them.
struct Ring<'memory> {
    filled: DeviceSlice<'memory, u32>,
    freed: DeviceSlice<'memory, u32>,
    slots: DeviceSlice<'memory, u32>,
}

impl<'memory> Ring<'memory> {
    const SIZE: usize = (SLOTS + 1) * SLOT * size_of::<u32>();

    fn of(memory: &'memory DeviceMemory) -> Result<Self, Error> {
        let (counters, slots) = memory.slice(..)?.split_at(SLOT)?;
        Ok(Self { filled: counters.value(FILLED)?, freed: counters.value(FREED)?, slots })
    }

    fn slot(&self, message: usize) -> Result<DeviceSlice<'memory, u32>, Error> {
        part(self.slots, message % SLOTS)
    }
}

/// Returns the words of a slot or of a message.
fn part(words: DeviceSlice<'_, u32>, number: usize) -> Result<DeviceSlice<'_, u32>, Error> {
    words.part(number * SLOT..(number + 1) * SLOT)
}

/// Returns the words of all messages.
fn words() -> Vec<u32> {
    (0..(MESSAGES * SLOT) as u32).map(|place| place.wrapping_mul(0x9e37_79b9)).collect()
}

/// The ring is the consumer's memory, so the producer pushes its messages.
fn consume(producer: &Connection) -> Outcome {
    let context = first_device()?;
    let stream = Stream::non_blocking(&context)?;
    let memory = SharedBuffer::new(&context, Ring::SIZE)?;
    memory.fill(0)?;
    memory.share()?.send(producer)?;
    let (ring, received) = (Ring::of(&memory)?, DeviceBuffer::new(&context, MESSAGES * SLOT * size_of::<u32>())?);
    scope_watching(&ProcessWatch::by_hang_up(producer)?, |scope| {
        let stream = scope.on(&stream);
        for message in 0..MESSAGES {
            stream.wait_value(ring.filled, WaitValue::GreaterOrEqual, message as u32 + 1)?;
            stream.copy(part(received.slice(..)?, message)?, ring.slot(message)?)?;
            stream.write_value(ring.freed, message as u32 + 1)?;
        }
        Ok(())
    })?;
    if *received.snapshot::<u32>(..)? != *words() {
        return Err("the received words are not the words that were sent".into());
    }
    println!("{MESSAGES} messages of {SLOT} words through {SLOTS} slots: all arrived");
    Ok(())
}

fn produce(consumer: &Connection) -> Outcome {
    let parcel = Parcel::receive(consumer)?;
    let context = parcel.context()?;
    let stream = Stream::non_blocking(&context)?;
    let memory = parcel.map(&context)?;
    // The messages are on the device, because a copy of ordinary host memory would make the host wait for the ring.
    let messages = DeviceBuffer::new(&context, MESSAGES * SLOT * size_of::<u32>())?;
    messages.write(0, &words())?;
    let ring = Ring::of(&memory)?;
    scope_watching(&ProcessWatch::by_hang_up(consumer)?, |scope| {
        let stream = scope.on(&stream);
        for message in 0..MESSAGES {
            // A slot is free when its previous message was taken out. At first, all slots are free.
            let freed = (message + 1).saturating_sub(SLOTS);
            stream.wait_value(ring.freed, WaitValue::GreaterOrEqual, freed as u32)?;
            stream.copy(ring.slot(message)?, part(messages.slice(..)?, message)?)?;
            stream.write_value(ring.filled, message as u32 + 1)?;
        }
        Ok(())
    })?;
    Ok(())
}
