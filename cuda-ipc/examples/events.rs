//! An event of one process orders the reads of another: the importer waits until the exporter's kernels are done. With
//! `--racy`, the importer waits before the event is recorded. Such a wait returns at once, and the data is old.
//!
//! ```text
//! cargo run -p cuda-ipc --example events
//! cargo run -p cuda-ipc --example events -- --racy
//! ```
//!
//! The exit code is 0 if the importer read what the kernel wrote, and 1 if not: with `--racy`, always. Without a GPU,
//! use the reference driver as `share_buffer` shows.

mod device_code;
mod two_processes;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::liveness::ProcessWatch;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::stream::{WaitValue, scope_watching};
use cuda_ipc::transport::Connection;
use cuda_ipc::{Parcel, SharedBuffer, Stream};
use device_code::SHAPE;
use two_processes::{Outcome, first_device, run_with_option};

/// The words that the kernel writes. The word after them holds the kernels back until it is 1.
const WORDS: usize = 1 << 20;
const GATE: usize = WORDS;
const SEED: u32 = 7;
/// How long the kernels before the record take, in nanoseconds.
const WORK: u64 = 20_000_000;

fn main() -> ExitCode {
    run_with_option("--racy", export, import)
}

fn export(importer: &Connection, racy: bool) -> Outcome {
    let context = first_device()?;
    let stream = Stream::non_blocking(&context)?;
    let (spin, fill) = (device_code::spin(&context)?, device_code::fill(&context)?);
    let buffer = SharedBuffer::new(&context, (WORDS + 1) * size_of::<u32>())?;
    buffer.fill(0)?;
    let words = buffer.slice::<u32>(..)?;
    let event = InterprocessEvent::new(&context)?;
    let send = || event.share()?.send(importer).and_then(|()| buffer.share()?.send(importer));
    if racy {
        // The importer has everything, and nothing has been recorded yet. It goes first, so that the race always ends
        // in the same way.
        send()?;
        importer.receive()?;
    }
    scope_watching(&ProcessWatch::by_hang_up(importer)?, |scope| {
        let stream = scope.on(&stream);
        let enqueue = || {
            stream.wait_value(words.value(GATE)?, WaitValue::Equal, 1)?;
            stream.launch(&spin, LaunchShape::linear(1, 1), (WORK,))?;
            stream.launch(&fill, SHAPE, (words.part(..WORDS)?, SEED))?;
            stream.record(&event)?;
            if racy { Ok(()) } else { send() }
        };
        // After an error, the importer lives and never opens the gate. The scope would wait for it for ever.
        enqueue().or_else(|error| words.value(GATE)?.write(&[1]).and(Err(error)))
    })?;
    // The importer has closed the event when it says so, and only then may it be destroyed.
    let said = importer.receive()?.bytes;
    println!("{}", String::from_utf8_lossy(&said));
    Ok(())
}

fn import(exporter: &Connection, racy: bool) -> Outcome {
    let (event, buffer) = (Parcel::receive(exporter)?, Parcel::receive(exporter)?);
    let context = buffer.context()?;
    let memory = buffer.map(&context)?;
    let words = memory.slice::<u32>(..)?;
    // SAFETY: the exporter keeps the event until this process says that it has closed it.
    let event = unsafe { event.open_event(&context)? };
    let before = event.query()?;
    if !racy {
        // The kernels begin only now, so the event was pending when it was queried.
        words.value(GATE)?.write(&[1])?;
    }
    let begin = Instant::now();
    event.synchronize_within(Duration::MAX, &ProcessWatch::by_hang_up(exporter)?)?;
    let waited = begin.elapsed();
    let after = event.query()?;
    let found = words.part(..WORDS)?.snapshot()?;
    let old = found.iter().zip(0..).filter(|(found, place)| **found != kernels::pattern(SEED, *place)).count();
    if racy {
        words.value(GATE)?.write(&[1])?;
        exporter.send(b"waited", &[])?;
    }
    event.close()?;
    let waited =
        format!("complete before the wait: {before}, after: {after}; waited {:.1} ms", waited.as_secs_f64() * 1e3);
    if old > 0 {
        exporter.send(waited.as_bytes(), &[])?;
        return Err(
            format!("{old} of {WORDS} words are old: the wait was for an event that was not recorded yet").into()
        );
    }
    Ok(exporter.send(format!("{waited}; {WORDS} words of the kernel: all arrived").as_bytes(), &[])?)
}
