//! Opens memory whose ticket `producer.rs` has written to a file, and verifies every number. It waits for the file, so
//! the two start in any order.
//!
//! ```text
//! cargo run -p cuda-ipc --example consumer -- /run/user/1000/ticket --wait 10 --pattern fibonacci
//! ```
//!
//! | exit code | meaning |
//! |---|---|
//! | 0 | every number is right |
//! | 1 | another error, such as a wrong argument |
//! | 2 | no file came in time |
//! | 3 | the file is stale: its producer has ended, now or while the numbers were read |
//! | 4 | a living producer owns the file, but its bytes are not a ticket of this version |
//! | 5 | a number is wrong |
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod by_file;

use std::error::Error;
use std::process::ExitCode;

use by_file::{Arguments, NUMBERS};
use cuda_ipc::liveness::{FileTenancy, LivenessError};
use cuda_ipc::{Parcel, Ticket};

/// An exit code, and what to say about it.
type Failure = (u8, Box<dyn Error>);

fn main() -> ExitCode {
    match run() {
        Ok(()) => {
            println!("{NUMBERS} numbers: all arrived");
            ExitCode::SUCCESS
        }
        Err((code, error)) => {
            eprintln!("{error}");
            ExitCode::from(code)
        }
    }
}

fn run() -> Result<(), Failure> {
    let Arguments { path, wait, pattern } = Arguments::get().map_err(|error| (1, error))?;
    let (tenancy, bytes) = FileTenancy::open(path, wait).map_err(|error| (code_of(&error), error.into()))?;
    let read = Ticket::from_bytes(&bytes).map_err(|error| (4, error.into())).and_then(|ticket| {
        // SAFETY: `read` asks for the promises, and this function keeps them: only this user can write to the file,
        // whose owner lived after this process had its lock. That owner does not free the memory while the lock is
        // held.
        unsafe { read(ticket) }.map_err(|error| (1, error))
    });
    // If the producer died meanwhile, this is the reason for an error, and what was read proves nothing.
    if !tenancy.owner_is_alive().map_err(|error| (1, error.into()))? {
        return Err((3, "the producer has ended while its numbers were read".into()));
    }
    let found = read?;
    match found.iter().zip(&pattern).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(place) => {
            let message = format!("number {place} is {}, expected {}", found[place], pattern[place]);
            Err((5, message.into()))
        }
    }
}

const fn code_of(error: &LivenessError) -> u8 {
    match error {
        LivenessError::NoFile { .. } => 2,
        LivenessError::Abandoned { .. } => 3,
        _ => 1,
    }
}

/// Opens the memory of a ticket, and returns its numbers.
///
/// # Safety
/// As [`Parcel::open`]: the ticket comes unaltered from its exporter, which keeps the memory until this returns.
unsafe fn read(ticket: Ticket) -> Result<Vec<u64>, Box<dyn Error>> {
    let parcel = Parcel::of(ticket);
    // SAFETY: the caller makes the same promise.
    let memory = unsafe { parcel.open(&parcel.context()?)? };
    let mut numbers = vec![0; NUMBERS];
    memory.read(0, &mut numbers)?;
    memory.close()?;
    Ok(numbers)
}
