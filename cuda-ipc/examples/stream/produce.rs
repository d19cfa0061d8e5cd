//! The producer: a kernel fills each message with a pattern of its own.

use cuda_ipc::ring::{OpenOptions, Placement, Producer};
use cuda_ipc::stream::scope;
use cuda_ipc::transport::{Connection, TransportError};

use crate::device_code::{self, SHAPE};
use crate::options::Options;
use crate::two_processes::Outcome;
use crate::{Gpu, LIMIT, now};

pub(crate) fn produce(consumer: &Connection, options: &Options) -> Outcome {
    let gpu = Gpu::new(options.producer_device, options)?;
    let fill = device_code::fill(&gpu.context)?;
    // The consumer is this program, with the same options.
    let accepted = OpenOptions::new().most_bytes(options.slots.saturating_mul(options.slot_size));
    let ring = if options.by_events {
        // SAFETY: the consumer is this program, and ends after this process has closed its side. If it is killed, this
        // process only queries the events.
        unsafe { Producer::open_with_events(consumer, &gpu.context, accepted)? }
    } else {
        Producer::open_with(consumer, &gpu.context, accepted)?
    };
    // Across devices, a copy is faster than a kernel that writes to the other device.
    let pushes_copies = options.placement == Placement::Consumer && options.producer_device != options.consumer_device;
    scope(|scope| {
        let streams: Vec<_> = gpu.streams.iter().map(|stream| scope.on(stream)).collect();
        for sequence in 0..options.messages {
            let stream = gpu.stream_of(sequence);
            let slot = ring.reserve(LIMIT)?.in_stream(streams[stream]);
            let words = if pushes_copies { gpu.messages[stream].slice(..)? } else { slot.slice(..)? };
            slot.stream().launch(&fill, SHAPE, (words, sequence as u32))?;
            if pushes_copies {
                slot.stream().copy(slot.slice(..)?, words)?;
            }
            slot.commit(options.slot_size, now())?;
        }
        Ok(())
    })?;
    ring.close()?;
    match consumer.receive() {
        Err(TransportError::Finished { .. }) => Ok(()),
        Err(_) => Err("the consumer died before it had received everything".into()),
        Ok(_) => Err("the consumer sent an unexpected message".into()),
    }
}
