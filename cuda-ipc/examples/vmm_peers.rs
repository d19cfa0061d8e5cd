//! Memory of the first GPU, mapped for each GPU with read-write, read or no access, and tried by kernels. Each trial has
//! a process of its own, because a forbidden access costs the process its device. The memory and the owner are unharmed.
//!
//! ```text
//! cargo run -p cuda-ipc --example vmm_peers
//! ```
//!
//! The exit code is 0 if each GPU could do exactly what its access permits, and 1 otherwise. Without a GPU, use the
//! reference driver as `share_buffer` shows. Do not run this beside others' work under MPS, where clients share an error.

mod device_code;
mod two_processes;

use std::ffi::c_void;
use std::os::fd::AsFd as _;
use std::process::ExitCode;

use cuda_ipc::peer::can_access;
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, ImportedAllocation, Mapping};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Driver, Error, Parcel, SharedBuffer, Stream};
use device_code::SHAPE;
use two_processes::{Outcome, end_with, importer, with_parent};

const OWNERS: u32 = 1;
const TRIALS: u32 = 2;

/// Each access, what a trial with it says first, and whose pattern the memory has afterwards.
const ACCESSES: [(Access, &str, u32); 3] = [
    (Access::ReadWrite, "reads, writes", TRIALS),
    (Access::Read, "reads, write refused by this crate, and by the device: CUDA_ERROR_ILLEGAL_ADDRESS (700)", OWNERS),
    (Access::None, "read refused by this crate, and by the device: CUDA_ERROR_ILLEGAL_ADDRESS (700)", OWNERS),
];

fn main() -> ExitCode {
    end_with(if std::env::args().nth(1).is_none() { own() } else { with_parent(attempt) })
}

/// Owns the memory, and starts the trials.
fn own() -> Outcome {
    let driver = Driver::get()?;
    let devices = driver.devices()?;
    let owner = Context::primary(driver.device(0)?)?;
    println!("the memory is on device 0, {}", owner.device().name()?);
    let memory = SharedBuffer::new(&owner, 2 << 20)?;
    for (number, device) in devices.into_iter().enumerate() {
        if number > 0 && !can_access(device, owner.device())? {
            println!("device {number} skipped: cuDeviceCanAccessPeer says that it cannot access device 0");
            continue;
        }
        for (place, (access, expected, writer)) in ACCESSES.into_iter().enumerate() {
            fill(&owner, &memory, OWNERS)?;
            let (mut trial, connection) = importer(&[])?;
            memory.share()?.send_with(&connection, &[u8::try_from(number)?, place as u8])?;
            let said = String::from_utf8(connection.receive()?.bytes)?;
            trial.wait()?;
            println!("device {number}, {access:?}: {said}");
            let wrong = mismatches(&owner, &memory, writer)?;
            if said != expected || wrong > 0 {
                return Err(format!("expected: {expected}; then {wrong} words were wrong").into());
            }
        }
    }
    println!("each kernel could do what its device's access permits; what was allowed arrived");
    Ok(memory.free()?)
}

/// Maps the memory for one device with one access, tries a read and a write, and says what happened.
fn attempt(owner: &Connection) -> Outcome {
    let (parcel, asked) = Parcel::receive_with(owner)?;
    let &[number, place] = asked.as_slice() else { return Err("the owner names a device and an access".into()) };
    let (access, ..) = ACCESSES[usize::from(place)];
    let context = Context::primary(Driver::get()?.device(usize::from(number))?)?;
    let descriptor = parcel.descriptors.first().ok_or("the parcel has no descriptor")?;
    // `Parcel::map` would map it with the access that the owner asks for. Whoever has a descriptor chooses for itself.
    let allocation = ImportedAllocation::import(context.driver(), descriptor.as_fd(), parcel.ticket.size as usize)?;
    let memory = Mapping::new(&context, &[&allocation], access)?;
    let said = match mismatches(&context, &memory, OWNERS) {
        Ok(0) => match fill(&context, &memory, TRIALS) {
            Ok(()) => "reads, writes".into(),
            Err(Error::NoAccess { .. }) => {
                format!("reads, write refused by this crate, and by the device: {}", force(&context, &memory, false)?)
            }
            Err(error) => return Err(error.into()),
        },
        Err(Error::NoAccess { .. }) => {
            format!("read refused by this crate, and by the device: {}", force(&context, &memory, true)?)
        }
        other => return Err(format!("the read gave {other:?}").into()),
    };
    Ok(owner.send(said.as_bytes(), &[])?)
}

fn fill(context: &Context, memory: &DeviceMemory, seed: u32) -> Result<(), Error> {
    let (stream, fill) = (Stream::non_blocking(context)?, device_code::fill(context)?);
    stream.scope(|stream| stream.launch(&fill, SHAPE, (memory.slice(..)?, seed)))
}

/// Returns how many words are not those of a pattern, counted by the device.
fn mismatches(context: &Context, memory: &DeviceMemory, seed: u32) -> Result<u64, Error> {
    let (stream, verify) = (Stream::non_blocking(context)?, device_code::verify(context)?);
    let counter = DeviceBuffer::new(context, size_of::<u64>())?;
    counter.write(0, &[0_u64])?;
    stream.scope(|stream| stream.launch(&verify, SHAPE, (memory.slice(..)?, seed, counter.slice(..)?)))?;
    let mut found = [0];
    counter.read(0, &mut found)?;
    Ok(found[0])
}

/// Launches the kernel that the safe call refused, and returns the device's error.
fn force(context: &Context, memory: &DeviceMemory, reads: bool) -> Result<String, Box<dyn std::error::Error>> {
    let (stream, counter) = (Stream::non_blocking(context)?, DeviceBuffer::new(context, size_of::<u64>())?);
    let (fill, verify) = (device_code::fill(context)?, device_code::verify(context)?);
    let kernel = if reads { verify.function() } else { fill.function() };
    let (mut words, mut count) = (memory.pointer(), (memory.size() / size_of::<u32>()) as u64);
    let (mut seed, mut counter) = (TRIALS, counter.pointer());
    let mut parameters: [*mut c_void; 4] =
        [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut seed).cast(), (&raw mut counter).cast()];
    // SAFETY: these are the parameters of both kernels, of which `fill` takes three. The memory is mapped, so the worst
    // that happens is what this shows: the device refuses, and this process has no more use for it.
    let launched = unsafe { kernel.launch(SHAPE, &stream, &mut parameters) };
    let lost = launched.and_then(|()| stream.synchronize()).err().ok_or("the device permitted it")?;
    if Context::memory_info(context).is_ok() && stream.synchronize().is_ok() {
        return Err("the device still works".into());
    }
    Ok(lost.code().ok_or(lost)?.to_string())
}
