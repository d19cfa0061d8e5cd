//! The consumer: it receives each message, and a kernel compares its words.

use std::time::Instant;

use cuda_ipc::DeviceBuffer;
use cuda_ipc::ring::{self, Consumer, Placement};
use cuda_ipc::stream::scope;
use cuda_ipc::transport::Connection;

use crate::device_code::{self, SHAPE};
use crate::options::Options;
use crate::report::Report;
use crate::two_processes::Outcome;
use crate::{Gpu, LIMIT, now};

pub(crate) fn consume(producer: &Connection, options: &Options) -> Outcome {
    let gpu = Gpu::new(options.consumer_device, options)?;
    let verify = device_code::verify(&gpu.context)?;
    let mismatches = DeviceBuffer::new(&gpu.context, size_of::<u64>())?;
    mismatches.fill(0)?;
    let properties = ring::Options::new(options.slot_size).slots(options.slots).placement(options.placement);
    let ring = if options.by_events {
        // SAFETY: the producer is this program, and ends after this process has closed its side. If it is killed, this
        // process only queries the events.
        unsafe { Consumer::create_with_events(producer, &gpu.context, properties)? }
    } else {
        Consumer::create(producer, &gpu.context, properties)?
    };
    let mut report = Report::new(options, &gpu.context)?;
    scope(|scope| {
        let streams: Vec<_> = gpu.streams.iter().map(|stream| scope.on(stream)).collect();
        while let Some(message) = ring.next(LIMIT)? {
            let sequence = message.sequence();
            report.received(sequence, now().wrapping_sub(message.kind()), Instant::now());
            let is_verified = sequence % options.verify_every == 0;
            if options.placement == Placement::Consumer && !is_verified {
                message.release()?;
                continue;
            }
            let stream = gpu.stream_of(sequence);
            let message = message.in_stream(streams[stream]);
            let mut words = message.slice(..)?;
            if options.placement == Placement::Producer {
                let own = gpu.messages[stream].slice(..)?;
                streams[stream].copy(own, words)?;
                words = own;
            }
            if is_verified && options.placement == Placement::Consumer {
                streams[stream].launch(&verify, SHAPE, (words, sequence as u32, mismatches.slice(..)?))?;
            }
            message.release()?;
            if is_verified && options.placement == Placement::Producer {
                streams[stream].launch(&verify, SHAPE, (words, sequence as u32, mismatches.slice(..)?))?;
            }
        }
        Ok(())
    })?;
    let (received, end) = (ring.next_sequence(), Instant::now());
    ring.close();
    producer.finish()?;
    let mut wrong = [0_u64];
    mismatches.read(0, &mut wrong)?;
    if received != options.messages || wrong != [0] {
        return Err(
            format!("{received} of {} messages arrived, with {} wrong words", options.messages, wrong[0]).into()
        );
    }
    report.print(end);
    Ok(())
}
