//! Two processes and a ring: one GPU fills messages, the other receives them and compares every word.
//!
//! ```text
//! cargo run --release -p cuda-ipc --example stream
//! cargo run --release -p cuda-ipc --example stream -- --slot-size 16M --messages 2000 --placement producer \
//!     --producer-device 0 --consumer-device 1 --verify-every 16
//! ```
//!
//! `--help` lists the options. The exit code is 0 if all messages arrived, 1 if not, or if the other side ended, and 2 for
//! bad arguments. If one side is killed, the other ends at once and says who died. Without a GPU, use the reference driver
//! as `share_buffer` shows. The speed then means nothing.

#[path = "../device_code/mod.rs"]
mod device_code;
#[path = "../two_processes/mod.rs"]
mod two_processes;

mod consume;
mod options;
mod produce;
mod report;

use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cuda_ipc::{Context, DeviceBuffer, Driver, Stream};
use options::{Options, USAGE};
use two_processes::{Outcome, end_with, importer, with_parent};

/// A side that hears nothing from the other for so long gives up.
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let role = arguments.first().filter(|first| !first.starts_with('-')).cloned();
    if role.is_some() {
        arguments.remove(0);
    }
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}; --help lists the options");
            return ExitCode::from(2);
        }
    };
    end_with(match role.as_deref() {
        None => consume_from_child(&arguments, &options),
        Some("import") => with_parent(|consumer| produce::produce(consumer, &options)),
        // Other programs can start either side.
        Some("export") => with_parent(|producer| consume::consume(producer, &options)),
        Some(other) => Err(format!("unknown role: {other}").into()),
    })
}

/// This process is the consumer, and starts the producer.
fn consume_from_child(arguments: &[String], options: &Options) -> Outcome {
    let (mut child, producer) = importer(arguments)?;
    if !options.json {
        println!("consumer: process {}, producer: process {}", std::process::id(), child.id());
    }
    let consumed = consume::consume(&producer, options);
    drop(producer);
    let status = child.wait()?;
    consumed?;
    if status.success() { Ok(()) } else { Err(format!("the producer failed: {status}").into()) }
}

/// What each side has on its device.
struct Gpu {
    context: Context,
    streams: Vec<Stream>,
    /// A message for each stream.
    messages: Vec<DeviceBuffer>,
}

impl Gpu {
    fn new(device: usize, options: &Options) -> Result<Self, Box<dyn Error>> {
        let context = Context::primary(Driver::get()?.device(device)?)?;
        let streams = (0..options.streams).map(|_| Stream::non_blocking(&context)).collect::<Result<_, _>>()?;
        let size = options.slot_size;
        let messages = (0..options.streams).map(|_| DeviceBuffer::new(&context, size)).collect::<Result<_, _>>()?;
        Ok(Self { context, streams, messages })
    }

    /// Returns the number of the stream for a message.
    fn stream_of(&self, sequence: u64) -> usize {
        (sequence % self.streams.len() as u64) as usize
    }
}

/// The lower 32 bits of the time in nanoseconds. Both processes have one clock.
fn now() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u32
}
