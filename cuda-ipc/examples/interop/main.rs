//! The Rust side of an exchange of memory with Python packages. `with_python.py` starts it, and is the other side.
//!
//! ```text
//! interop export legacy   # or virtual, or pool; the standard input is a connection
//! interop import
//! ```
//!
//! The exporter's kernel writes the pattern of one seed, and the importer's kernel checks it and writes that of another,
//! which the exporter checks.

#[path = "../device_code/mod.rs"]
mod device_code;
#[path = "../two_processes/mod.rs"]
mod two_processes;

use std::env;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Driver, Parcel, SharedBuffer, Stream};
use device_code::SHAPE;
use two_processes::{Outcome, end_with};

const WORDS: usize = 1 << 20;
const SIZE: usize = WORDS * size_of::<u32>();
const EXPORTED: u32 = 0x0123_4567;
const IMPORTED: u32 = 0x89AB_CDEF;
const TIMEOUT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    end_with(match *arguments {
        ["export", kind] => export(kind),
        ["import"] => import(),
        _ => Err("usage: interop export legacy|virtual|pool, or interop import".into()),
    })
}

fn peer() -> Result<Connection, Box<dyn std::error::Error>> {
    let mut connection = Connection::from(UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?));
    connection.set_timeout(Some(TIMEOUT));
    Ok(connection)
}

fn export(kind: &str) -> Outcome {
    let context = Context::primary(Driver::get()?.device(0)?)?;
    match kind {
        "legacy" => {
            let buffer = DeviceBuffer::new(&context, SIZE)?;
            exchange(&buffer, buffer.share(..)?)
        }
        "virtual" => {
            let buffer = SharedBuffer::new(&context, SIZE)?;
            exchange(&buffer, buffer.share()?)
        }
        "pool" => {
            let pool = Pool::new(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None)?;
            let buffer = PoolBuffer::new(&pool, SIZE, &Stream::default_of(&context))?;
            exchange(&buffer, buffer.share(..)?)
        }
        other => Err(format!("unknown kind of memory: {other}").into()),
    }
}

/// Sends memory, and waits until the importer has closed it or has died.
fn exchange(memory: &DeviceMemory, mut parcel: Parcel) -> Outcome {
    fill(memory.context(), memory, EXPORTED)?;
    let lease = parcel.lease()?;
    parcel.send(&peer()?)?;
    drop(parcel);
    lease.wait(TIMEOUT)?;
    expect(memory.context(), memory, IMPORTED)
}

fn import() -> Outcome {
    let parcel = Parcel::receive(&peer()?)?;
    let context = parcel.context()?;
    // SAFETY: with_python.py keeps the memory until this process has ended, and nothing else here opens it.
    let memory = unsafe { parcel.open(&context)? };
    expect(&context, &memory, EXPORTED)?;
    fill(&context, &memory, IMPORTED)?;
    Ok(memory.close()?)
}

fn fill(context: &Context, memory: &DeviceMemory, seed: u32) -> Outcome {
    let (stream, fill) = (Stream::non_blocking(context)?, device_code::fill(context)?);
    Ok(stream.scope(|stream| stream.launch(&fill, SHAPE, (memory.slice(..)?, seed)))?)
}

fn expect(context: &Context, memory: &DeviceMemory, seed: u32) -> Outcome {
    let (stream, verify) = (Stream::non_blocking(context)?, device_code::verify(context)?);
    let counter = DeviceBuffer::new(context, size_of::<u64>())?;
    counter.write(0, &[0_u64])?;
    stream.scope(|stream| stream.launch(&verify, SHAPE, (memory.slice(..)?, seed, counter.slice(..)?)))?;
    match counter.snapshot::<u64>(..)?[0] {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of {WORDS} words are not those that the other process wrote").into()),
    }
}
