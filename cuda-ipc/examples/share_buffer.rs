//! Two processes share a buffer: the importer changes it in place.
//!
//! ```text
//! cargo run -p cuda-ipc --example share_buffer
//! ```
//!
//! The program starts itself again as the importer. It needs a GPU. Without one, use the reference driver:
//!
//! ```text
//! cargo build -p reference-driver
//! CUDA_IPC_DRIVER=target/debug/libreference_driver.so cargo run -p cuda-ipc --example share_buffer
//! ```

mod two_processes;

use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::transport::Connection;
use cuda_ipc::{DeviceBuffer, Parcel};
use two_processes::{Outcome, first_device, run};

/// A multiple of 2 MiB, so the memory shares its block with no other allocation.
const SIZE: usize = 4 << 20;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let buffer = DeviceBuffer::new(&first_device()?, SIZE)?;
    buffer.fill(1)?;
    let mut parcel = buffer.share(..)?;
    let lease = parcel.lease()?;
    parcel.send(importer)?;
    // The parcel holds a tenancy, which would keep the lease from ending.
    drop(parcel);
    // Waits until the importer has closed the memory or has died.
    lease.wait(Duration::MAX)?;
    let mut bytes = vec![0_u8; SIZE];
    buffer.read(0, &mut bytes)?;
    if bytes.iter().any(|byte| *byte != 2) {
        return Err("the importer's bytes did not arrive".into());
    }
    println!("the importer's bytes arrived");
    Ok(buffer.free()?)
}

fn import(exporter: &Connection) -> Outcome {
    let parcel = Parcel::receive(exporter)?;
    // SAFETY: the parcel came straight from the process that shares the memory, and frees it when the lease is over.
    let memory = unsafe { parcel.open(&parcel.context()?)? };
    drop(parcel);
    let mut bytes = vec![0_u8; memory.size()];
    memory.read(0, &mut bytes)?;
    bytes.iter_mut().for_each(|byte| *byte += 1);
    memory.write(0, &bytes)?;
    Ok(memory.close()?)
}
