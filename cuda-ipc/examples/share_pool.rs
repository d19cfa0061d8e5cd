//! Two processes share buffers of a pool. The pool is sent once, and each buffer as a pointer of 64 bytes.
//!
//! ```text
//! cargo run -p cuda-ipc --example share_pool
//! ```
//!
//! Without a GPU, use the reference driver as `share_buffer` shows.

mod two_processes;

use std::process::ExitCode;

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Error, Parcel, Stream};
use two_processes::{Outcome, first_device, run};

const WORDS: usize = 1 << 18;
const BUFFERS: u32 = 4;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let context = first_device()?;
    let stream = Stream::new(&context)?;
    let pool = Pool::new(context.device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None)?;
    let (mut buffers, mut parcels) = (Vec::new(), Vec::new());
    for number in 0..BUFFERS {
        let buffer = PoolBuffer::new(&pool, WORDS * 4, &stream)?;
        buffer.write(0, &vec![number; WORDS])?;
        // The first parcel carries the pool.
        parcels.push(if number == 0 { buffer.share(..)? } else { buffer.share_without_pool(..)? });
        buffers.push(buffer);
    }
    parcels.iter().try_for_each(|parcel| parcel.send(importer))?;
    // The importer sends a message when it has closed the buffers.
    importer.receive()?;
    let mut words = vec![0; WORDS];
    for (number, buffer) in (0..).zip(buffers) {
        buffer.read(0, &mut words)?;
        if words.iter().any(|word| *word != number + BUFFERS) {
            return Err(format!("the importer's words in buffer {number} did not arrive").into());
        }
        buffer.free()?;
    }
    println!("{BUFFERS} buffers of one pool went there and back: all words arrived");
    Ok(pool.destroy()?)
}

fn import(exporter: &Connection) -> Outcome {
    let first = Parcel::receive(exporter)?;
    let context = first.context()?;
    // SAFETY: the parcels come straight from the process that shares the buffers and keeps them until it hears from us.
    let open = |parcel: &Parcel| unsafe { parcel.open(&context) };
    let mut buffers = vec![open(&first)?];
    for _ in 1..BUFFERS {
        buffers.push(open(&Parcel::receive(exporter)?)?);
    }
    for buffer in &buffers {
        let mut words = buffer.mirror::<u32>(..)?;
        words.iter_mut().for_each(|word| *word += BUFFERS);
        words.flush()?;
    }
    buffers.into_iter().try_for_each(|buffer| buffer.close())?;
    Ok(exporter.send(b"closed", &[]).map_err(Error::from)?)
}
