//! Each GPU of this process writes to the memory of the next with a kernel, and the next GPU verifies what arrived. An
//! edge of the ring without peer access is skipped with its reason.
//!
//! ```text
//! cargo run --release -p cuda-ipc --example p2p_ring          # 1, 16 and 256 MiB
//! cargo run --release -p cuda-ipc --example p2p_ring -- 4 64  # other sizes in MiB
//! ```
//!
//! The exit code is 0 if every edge that exists was verified, 1 after an error, and 2 if there is no edge. Without a GPU,
//! use the reference driver as `share_buffer` shows, with `REFERENCE_DRIVER_DEVICES=2`. The speed then means nothing.

mod device_code;

use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;

use cuda_ipc::peer::{PeerAccess, attribute, can_access};
use cuda_ipc::stream::scope;
use cuda_ipc::sys::CUdevice_P2PAttribute;
use cuda_ipc::{Context, Device, DeviceBuffer, Driver, Stream};
use device_code::{Change, SHAPE, Verify};

const MIB: usize = 1 << 20;
/// Each size is written so often that this many bytes cross each edge, or once.
const VOLUME: usize = 256 * MIB;

struct Gpu {
    context: Context,
    stream: Stream,
    fill: Change,
    verify: Verify,
    /// What the previous GPU writes.
    memory: DeviceBuffer,
    mismatches: DeviceBuffer,
}

/// A GPU that writes to the next, with the access that it needs for that.
struct Edge<'ring> {
    from: &'ring Gpu,
    to: &'ring Gpu,
    number: u32,
    _access: PeerAccess,
}

fn main() -> ExitCode {
    match ring() {
        Ok(0) => {
            println!("the ring has no edge, so nothing was written");
            ExitCode::from(2)
        }
        Ok(edges) => {
            println!("edges: {edges}, all arrived");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the number of edges that were written and verified.
fn ring() -> Result<usize, Box<dyn Error>> {
    let sizes = std::env::args().skip(1).map(|size| Ok(size.parse::<NonZeroUsize>()?.get()));
    let sizes = sizes.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let sizes = if sizes.is_empty() { vec![1, 16, 256] } else { sizes };
    let devices = Driver::get()?.devices()?;
    print_attributes(&devices)?;
    let largest = sizes.iter().max().map_or(0, |size| size * MIB);
    let gpus = devices.iter().map(|device| gpu(*device, largest)).collect::<Result<Vec<_>, _>>()?;
    let mut edges = Vec::new();
    for (number, from) in gpus.iter().enumerate() {
        let next = (number + 1) % gpus.len();
        let to = &gpus[next];
        if next == number {
            println!("edge {number} → {next} skipped: a device is not its own peer");
        } else if can_access(from.context.device(), to.context.device())? {
            let access = PeerAccess::enable(&from.context, &to.context)?;
            edges.push(Edge { from, to, number: number as u32, _access: access });
        } else {
            println!("edge {number} → {next} skipped: cuDeviceCanAccessPeer says that {number} cannot access {next}");
        }
    }
    if !edges.is_empty() {
        for size in sizes {
            write(&edges, size * MIB, 1)?; // The first launch also loads the kernel.
            let rounds = (VOLUME / (size * MIB)).max(1);
            let seconds = write(&edges, size * MIB, rounds)?;
            let speed = (rounds * size * MIB) as f64 / seconds / 1e9;
            verify(&edges, size * MIB)?;
            println!("{size} MiB, {rounds} times: {speed:.1} GB/s over each edge, all edges at once");
        }
    }
    Ok(edges.len())
}

fn print_attributes(devices: &[Device]) -> Result<(), Box<dyn Error>> {
    for (number, device) in devices.iter().enumerate() {
        println!("device {number}: {}", device.name()?);
        for (other, peer) in devices.iter().enumerate().filter(|(other, _)| *other != number) {
            let of = |asked| attribute(asked, *device, *peer);
            let access = of(CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)?;
            let atomics = of(CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)?;
            let rank = of(CUdevice_P2PAttribute::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK)?;
            println!("  → {other}: access {access}, native atomics {atomics}, performance rank {rank} (0 is best)");
        }
    }
    Ok(())
}

fn gpu(device: Device, size: usize) -> Result<Gpu, cuda_ipc::Error> {
    let context = Context::primary(device)?;
    let (stream, memory) = (Stream::non_blocking(&context)?, DeviceBuffer::new(&context, size)?);
    let (fill, verify) = (device_code::fill(&context)?, device_code::verify(&context)?);
    let mismatches = DeviceBuffer::new(&context, size_of::<u64>())?;
    Ok(Gpu { context, stream, fill, verify, memory, mismatches })
}

/// Writes over all edges at once, and returns the seconds until all of it is done. The pattern follows from the edge and
/// the size, so no earlier write can be taken for this one.
fn write(edges: &[Edge<'_>], size: usize, rounds: usize) -> Result<f64, cuda_ipc::Error> {
    let begin = Instant::now();
    scope(|scope| {
        for Edge { from, to, number, .. } in (0..rounds).flat_map(|_| edges) {
            let words = to.memory.slice(..size / size_of::<u32>())?;
            scope.on(&from.stream).launch(&from.fill, SHAPE, (words, number + size as u32))?;
        }
        Ok(())
    })?;
    Ok(begin.elapsed().as_secs_f64())
}

/// Lets the GPU that was written to compare every word. The writes are done, because their scope has ended.
fn verify(edges: &[Edge<'_>], size: usize) -> Result<(), Box<dyn Error>> {
    for Edge { to, number, .. } in edges {
        let mut mismatches = [0_u64];
        to.stream.scope(|stream| {
            let counter = to.mismatches.slice(..)?;
            stream.fill(to.mismatches.slice::<u32>(..)?, 0)?;
            let words = to.memory.slice(..size / size_of::<u32>())?;
            stream.launch(&to.verify, SHAPE, (words, number + size as u32, counter))?;
            stream.read(counter, &mut mismatches)
        })?;
        if mismatches != [0] {
            return Err(format!("edge {number}: {} words of {size} bytes are wrong", mismatches[0]).into());
        }
    }
    Ok(())
}
