//! Code that the examples share: it starts the program again as a second process, with a connection between the two.
#![allow(dead_code, reason = "each example needs some of it")]

use std::env;
use std::error::Error;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitCode};

use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Driver};

pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Runs the exporter in this process and the importer in another. If one fails, the other sees the connection close.
pub(crate) fn run(export: fn(&Connection) -> Outcome, import: fn(&Connection) -> Outcome) -> ExitCode {
    end_with(start(&env::args().skip(1).collect::<Vec<_>>(), &[], export, import))
}

/// Does the same for a program with one option, and tells both sides whether it was given.
pub(crate) fn run_with_option(
    option: &str,
    export: fn(&Connection, bool) -> Outcome,
    import: fn(&Connection, bool) -> Outcome,
) -> ExitCode {
    let (options, roles): (Vec<_>, Vec<_>) = env::args().skip(1).partition(|argument| argument == option);
    let given = !options.is_empty();
    end_with(start(&roles, &options, |importer| export(importer, given), |exporter| import(exporter, given)))
}

fn start(
    roles: &[String],
    options: &[String],
    export: impl Fn(&Connection) -> Outcome,
    import: impl Fn(&Connection) -> Outcome,
) -> Outcome {
    match roles.first().map(String::as_str) {
        None => export_to_child(options, export),
        Some("import") => with_parent(import),
        // Other programs can start either side.
        Some("export") => with_parent(export),
        Some(other) => Err(format!("unknown argument: {other}").into()),
    }
}

/// Prints the error, if there is one, and returns the exit code: 0 or 1.
pub(crate) fn end_with(done: Outcome) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn export_to_child(options: &[String], export: impl Fn(&Connection) -> Outcome) -> Outcome {
    let (mut importer, ours) = importer(options)?;
    let exported = export(&ours);
    drop(ours);
    let status = importer.wait()?;
    exported?;
    if status.success() { Ok(()) } else { Err(format!("the importer failed: {status}").into()) }
}

/// Starts this program again as the importer, and returns the connection to it.
pub(crate) fn importer(options: &[String]) -> Result<(Child, Connection), Box<dyn Error>> {
    let (ours, theirs) = Connection::pair()?;
    let mut importer = Command::new(env::current_exe()?);
    Ok((importer.arg("import").args(options).stdin(OwnedFd::from(theirs)).spawn()?, ours))
}

/// Runs one side with the connection that the process which started this one gave it as standard input.
pub(crate) fn with_parent(side: impl Fn(&Connection) -> Outcome) -> Outcome {
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
