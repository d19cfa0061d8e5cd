//! Two processes share a buffer, and an event that orders their work.
//!
//! ```text
//! cargo run -p cuda-ipc --example share_buffer
//! ```
//!
//! The program starts itself again as the importer. It needs a GPU; or, without one, a driver in software:
//!
//! ```text
//! cargo build -p reference-driver
//! CUDA_IPC_DRIVER=target/debug/libreference_driver.so cargo run -p cuda-ipc --example share_buffer
//! ```

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ipc::{EventHandle, ImportedBuffer, ImportedEvent, MemHandle};
use cuda_ipc::{Context, Device, DeviceBuffer, Driver, Stream};

const SIZE: usize = 1 << 20;

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        None => export(),
        Some("import") => import(),
        Some(other) => Err(format!("no such role: {other}").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn export() -> Result<(), Box<dyn Error>> {
    let driver = Driver::get()?;
    let device = driver.device(0)?;
    println!("{} with CUDA {} of {}", device.name()?, driver.version(), driver.path().display());
    let context = Context::primary(device)?;
    let buffer = DeviceBuffer::new(&context, SIZE)?;
    let event = InterprocessEvent::new(&context)?;
    let stream = Stream::non_blocking(&context)?;
    let (memory_handle, event_handle) = (buffer.ipc_handle()?.to_bytes(), event.ipc_handle()?.to_bytes());
    let message = [&device.uuid()?[..], &memory_handle, &event_handle].concat();

    // SAFETY: the buffer stays until the stream is done, below.
    unsafe { buffer.fill_async(1, &stream)? };
    // The device may be at it for long after this: the event stands for its end.
    let shared = event.record(&stream).map_err(Into::into).and_then(|()| run_importer(&message));
    stream.synchronize()?;
    if !shared?.success() {
        return Err("the importer failed".into());
    }
    let mut bytes = vec![0_u8; SIZE];
    buffer.read(0, &mut bytes)?;
    if bytes.iter().any(|byte| *byte != 2) {
        return Err("the importer's bytes did not arrive".into());
    }
    println!("the importer's bytes arrived");
    event.destroy()?;
    buffer.free()?;
    Ok(context.release()?)
}

/// Run the importer to its end: until then buffer and event stay, which is what it relies on.
fn run_importer(message: &[u8]) -> Result<ExitStatus, Box<dyn Error>> {
    let mut importer = Command::new(std::env::current_exe()?).arg("import").stdin(Stdio::piped()).spawn()?;
    if let Some(mut pipe) = importer.stdin.take() {
        // An importer that ended early says so by its status.
        let _ = pipe.write_all(message);
    }
    Ok(importer.wait()?)
}

fn import() -> Result<(), Box<dyn Error>> {
    let (mut uuid, mut memory, mut event) = ([0; 16], [0; 64], [0; 64]);
    let mut pipe = std::io::stdin();
    pipe.read_exact(&mut uuid)?;
    pipe.read_exact(&mut memory)?;
    pipe.read_exact(&mut event)?;

    let context = Context::primary(device_of(uuid)?)?;
    // SAFETY: the bytes came unaltered from the process that started this one. It frees the buffer and destroys the
    // event only after this process has ended.
    let (buffer, event) = unsafe {
        (
            ImportedBuffer::open(&context, &MemHandle::from_bytes(memory))?,
            ImportedEvent::open(&context, &EventHandle::from_bytes(event))?,
        )
    };
    // What runs in the default stream from here on, `read` too, comes after what the exporter recorded.
    Stream::default_of(&context).wait(&event)?;
    let mut bytes = vec![0_u8; buffer.size()];
    buffer.read(0, &mut bytes)?;
    bytes.iter_mut().for_each(|byte| *byte += 1);
    buffer.write(0, &bytes)?;
    event.close()?;
    buffer.close()?;
    Ok(context.release()?)
}

/// The device of that name. Ordinals differ where the processes see different devices.
fn device_of(uuid: [u8; 16]) -> Result<Device, Box<dyn Error>> {
    let driver = Driver::get()?;
    for ordinal in 0..driver.device_count()? {
        let device = driver.device(ordinal)?;
        if device.uuid()? == uuid {
            return Ok(device);
        }
    }
    Err("the exporter's device is not visible here".into())
}
