//! Code that the examples share: it starts the program again as a second process, with a connection between the two.

use std::env;
use std::error::Error;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};

use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Driver};

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Runs the exporter in this process and the importer in another. If one fails, the other sees the connection close.
pub(crate) fn run(export: fn(&Connection) -> Outcome, import: fn(&Connection) -> Outcome) -> ExitCode {
    let done = match env::args().nth(1).as_deref() {
        None => export_to_child(export),
        Some("import") => with_parent(import),
        // Other programs can start either side.
        Some("export") => with_parent(export),
        Some(other) => Err(format!("unknown role: {other}").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn export_to_child(export: fn(&Connection) -> Outcome) -> Outcome {
    let (ours, theirs) = Connection::pair()?;
    let mut importer = Command::new(env::current_exe()?).arg("import").stdin(OwnedFd::from(theirs)).spawn()?;
    let exported = export(&ours);
    drop(ours);
    let status = importer.wait()?;
    exported?;
    if status.success() { Ok(()) } else { Err(format!("the importer failed: {status}").into()) }
}

fn with_parent(side: fn(&Connection) -> Outcome) -> Outcome {
    let socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    side(&Connection::from(socket))
}

/// Returns the primary context of the first device, and prints which device that is.
pub(crate) fn first_device() -> Result<Context, Box<dyn Error>> {
    let driver = Driver::get()?;
    let device = driver.device(0)?;
    println!("{} with CUDA {} of {}", device.name()?, driver.version(), driver.path().display());
    Ok(Context::primary(device)?)
}
