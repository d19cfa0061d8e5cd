//! Says in which of four states the NVLink fabric is for each device: not supported, supported without an IMEX channel,
//! failing, or working. It works if another process imports the memory and finds the right words in it.
//!
//! ```text
//! cargo run -p cuda-ipc --example fabric
//! ```
//!
//! The exit code is 0 in each state that it can tell. Without a GPU, use the reference driver, which can be in each
//! state:
//!
//! ```text
//! cargo build -p reference-driver
//! export CUDA_IPC_DRIVER=target/debug/libreference_driver.so
//! REFERENCE_DRIVER_FABRIC=channel cargo run -p cuda-ipc --example fabric
//! ```

mod two_processes;

use std::process::ExitCode;

use cuda_ipc::fabric::{FabricSupport, probe};
use cuda_ipc::transport::Connection;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, Device, Driver, Error, Parcel};
use two_processes::{Outcome, run};

const WORD: u32 = 0x0fab_71c5;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let driver = Driver::get()?;
    for (number, device) in driver.devices()?.into_iter().enumerate() {
        println!("device {number}, {}: {}", device.name()?, state(device, importer)?);
    }
    Ok(())
}

/// Returns the state in words. A probe knows the first two and some failures. The rest needs another process.
fn state(device: Device, importer: &Connection) -> Result<String, Box<dyn std::error::Error>> {
    Ok(match probe(device)? {
        FabricSupport::Absent => "1. no support: the device is not in a fabric".into(),
        FabricSupport::NoChannel(error) => format!("2. support, and no IMEX channel for this process ({error})"),
        FabricSupport::Works => match share(device, importer)? {
            answer if answer.is_empty() => "4. another process imported the memory and found its words".into(),
            error => format!("3. a channel and an export, but another process cannot import it ({error})"),
        },
        other => format!("3. support, but no memory can be exported ({other})"),
    })
}

/// Sends memory over the fabric, and returns the importer's error, which is empty if there is none.
fn share(device: Device, importer: &Connection) -> Result<String, Box<dyn std::error::Error>> {
    let context = Context::primary(device)?;
    let allocation = Allocation::new(device, granularity(device, HandleTypes::FABRIC)?, HandleTypes::FABRIC)?;
    let mapping = Mapping::new(&context, &[&allocation], Access::ReadWrite)?;
    mapping.slice(..)?.write(&vec![WORD; mapping.size() / size_of::<u32>()])?;
    mapping.share_over_fabric(.., Access::Read)?.send(importer)?;
    // Once the importer has answered, it has closed the memory.
    Ok(String::from_utf8_lossy(&importer.receive()?.bytes).into_owned())
}

fn import(exporter: &Connection) -> Outcome {
    loop {
        match exporter.receive() {
            Ok(message) => {
                let answer = check(&Parcel::try_from(message)?).map_or_else(|error| error.to_string(), str::to_owned);
                exporter.send(answer.as_bytes(), &[])?;
            }
            // The exporter has no more memory to send.
            Err(error) if error.is_disconnected() => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Imports memory and compares its words.
fn check(parcel: &Parcel) -> Result<&'static str, Error> {
    // SAFETY: the exporter keeps the memory until this process has answered, and the handle came straight from it.
    let memory = unsafe { parcel.open(&parcel.context()?)? };
    let is_right = memory.snapshot::<u32>(..)?.iter().all(|word| *word == WORD);
    memory.close()?;
    Ok(if is_right { "" } else { "its words are wrong" })
}
