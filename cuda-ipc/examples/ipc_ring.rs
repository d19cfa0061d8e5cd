//! A ring of processes: each rank's kernel writes to the memory of the next rank, whose GPU verifies what arrived. A
//! rank is a process and not a GPU: ranks share the GPUs if there are fewer.
//!
//! ```text
//! cargo run -p cuda-ipc --example ipc_ring -- --ranks 4
//! cargo run -p cuda-ipc --example ipc_ring -- --ranks 2 --rank 0 /tmp/ring # one rank; start the other one too
//! ```
//!
//! The exit code is 0 if all words of all ranks arrived, and 1 otherwise. If a rank dies, all others say which one it
//! was, and end with 1. Without a GPU, use the reference driver as `share_buffer` shows.

mod device_code;

use std::error::Error;
use std::process::{Command, ExitCode};
use std::time::Duration;

use cuda_ipc::peer::can_access;
use cuda_ipc::transport::Group;
use cuda_ipc::{Context, Driver, SharedBuffer, Stream};
use device_code::{SHAPE, mismatches};

const WORDS: usize = 1 << 20;
/// How long a rank waits for the others at each step. If one of them dies, it does not wait that long.
const PATIENCE: Option<Duration> = Some(Duration::from_secs(30));

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let ended = match arguments[..] {
        ["--ranks", ranks] => launch(ranks),
        ["--ranks", ranks, "--rank", rank, path] => run(ranks, rank, path),
        _ => Err("expected --ranks N, or --ranks N --rank R PATH".into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts all ranks as processes, and waits for them.
fn launch(ranks: &str) -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("ipc_ring-{}", std::process::id()));
    let count: usize = ranks.parse()?;
    let start = |rank: usize| {
        let mut process = Command::new(std::env::current_exe()?);
        process.args(["--ranks", ranks, "--rank", &rank.to_string()]).arg(&path).spawn()
    };
    let processes = (0..count).map(start).collect::<Result<Vec<_>, _>>()?;
    let mut failed = Vec::new();
    for (rank, mut process) in processes.into_iter().enumerate() {
        if !process.wait()?.success() {
            failed.push(rank);
        }
    }
    if !failed.is_empty() {
        return Err(format!("ranks that failed: {failed:?}").into());
    }
    println!("ranks: {count}, all arrived");
    Ok(())
}

/// Runs one rank. Its errors begin with its number.
fn run(ranks: &str, rank: &str, path: &str) -> Result<(), Box<dyn Error>> {
    let (size, number) = (ranks.parse()?, rank.parse()?);
    let joined = || -> Result<(), Box<dyn Error>> {
        let mut group = Group::join(path, number, size, PATIENCE)?;
        ring(&mut group)?;
        Ok(group.finish(PATIENCE)?)
    };
    joined().map_err(|error| format!("rank {rank}: {error}").into())
}

fn ring(group: &mut Group) -> Result<(), Box<dyn Error>> {
    let (rank, size) = (group.rank(), group.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let devices = Driver::get()?.devices()?;
    let context = Context::primary(devices[rank % devices.len()])?;
    let memory = SharedBuffer::new(&context, WORDS * size_of::<u32>())?;
    let parcels = memory.share()?.all_gather(group, PATIENCE)?;
    // The place of this rank is empty, so a ring of one has no next memory to open.
    let parcel = parcels[next].as_ref().ok_or("a ring needs two ranks or more")?;
    // If this rank's GPU does not reach that memory, the kernel runs on the memory's own GPU.
    let theirs = parcel.context()?;
    let is_near = theirs.device() == context.device() || can_access(context.device(), theirs.device())?;
    let writer = if is_near { &context } else { &theirs };
    let import = parcel.map(writer)?;
    let (stream, fill) = (Stream::non_blocking(writer)?, device_code::fill(writer)?);
    // The scope ends when the kernel is done.
    stream.scope(|stream| stream.launch(&fill, SHAPE, (import.slice(..)?, rank as u32)))?;
    let ordinal = devices.iter().position(|device| *device == writer.device()).ok_or("the device has no number")?;
    println!("rank {rank}: a kernel on device {ordinal} has written to rank {next}");
    // Every rank has written. Without this barrier, a rank could verify memory that nobody has written to yet.
    group.barrier(PATIENCE)?;
    let wrong = mismatches(&context, &memory, previous as u32)?;
    if wrong > 0 {
        return Err(format!("{wrong} of {WORDS} words of rank {previous} are wrong").into());
    }
    import.close()?;
    println!("rank {rank}: {WORDS} words of rank {previous} have arrived");
    // No rank has the memory of another one open. Memory with a legacy handle could not be freed before.
    group.barrier(PATIENCE)?;
    Ok(memory.free()?)
}
