//! Shares memory by a file: writes the memory's ticket to a path, where `consumer.rs` finds it. The two have nothing
//! else in common, and start in any order.
//!
//! ```text
//! cargo run -p cuda-ipc --example producer -- /run/user/1000/ticket
//! cargo run -p cuda-ipc --example consumer -- /run/user/1000/ticket --wait 10 --pattern fibonacci
//! ```
//!
//! The file appears whole or not at all, and says through its lease whether this process lives. Whoever opens the
//! memory holds the lease too, so this process does not free memory that is in use. It ends when its standard input
//! ends (Ctrl-D). With `--pattern powers` the memory has other numbers than the consumer expects.
//!
//! The exit code is 0 if the memory was freed, and 1 after an error, for example if another producer owns the path.
//! Without a GPU, use the reference driver as `share_buffer` shows.
//!
//! A file carries bytes and no descriptors. So the memory has a legacy handle, which is 64 bytes, and the consumer
//! makes a promise when it opens it. Memory that is safe to open needs a socket: see `exporter.rs`.

mod by_file;

use std::io::Read as _;
use std::process::ExitCode;
use std::time::Duration;

use by_file::{Arguments, NUMBERS};
use cuda_ipc::liveness::FileLease;
use cuda_ipc::{Context, DeviceBuffer, Driver};

/// How long this process waits at its end for the consumers.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let Arguments { path, pattern, .. } = Arguments::get()?;
    let context = Context::primary(Driver::get()?.device(0)?)?;
    let buffer = DeviceBuffer::new(&context, NUMBERS * size_of::<u64>())?;
    buffer.write(0, &pattern)?;
    let lease = FileLease::publish(&path, &buffer.share(..)?.ticket.to_bytes())?;
    println!("{NUMBERS} numbers, with their ticket in {}", path.display());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    match lease.withdraw(PATIENCE) {
        Ok(()) => buffer.free()?,
        Err(error) => {
            // Better to leak the memory than to free it while a consumer has it open.
            std::mem::forget(buffer);
            return Err(error.into());
        }
    }
    println!("freed");
    Ok(())
}
