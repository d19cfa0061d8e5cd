//! Measures every way to share, open and order, beside the same calls in C, in microseconds.
//!
//! `cargo bench -p cuda-ipc --bench paths` uses the driver that `CUDA_IPC_DRIVER` names, or else the reference driver,
//! whose times mean nothing. After `--`:
//!
//! | option | default | what it sets |
//! |---|---|---|
//! | `--devices LIST` | `0-0,0-1`, or `0-0` with one device | the devices of the exporter and of the importer |
//! | `--sizes LIST` | `2M,64M,1G`; `2M` on the reference driver | the sizes of the memory |
//! | `--counts LIST` | `1,10,100,1000`; `1,10` on the reference driver | how many handles are open at once |
//! | `--rounds N` | 101; 11 on the reference driver | the rounds, of which the median counts |
//! | `--json FILE` | | writes the figures to a file too |
//!
//! This process imports what another one exports, which is this executable, started again. In every round the raw calls
//! and this crate's take turns in going first, so that other load on the machine affects both. An open is measured
//! alone, and so is the close that follows. The context is current, so that the raw calls need nothing else.
//!
//! - *export*: the handle of an allocation that has not been exported before. This crate's also writes the ticket.
//! - *open*, *close*: memory that is not open, and an event. For memory of a pool, with and without its pool.
//! - *hop*: the time from one process to the other and on, in a chain of which only the end is waited for.
//!   - *event*: a stream waits for the event of the other process and records its own.
//!   - *event, host waits*: the host waits for the event, and then its stream records the next one.
//!   - *value*: a stream waits for a number in its own device's memory, and then writes one to the other's.
//!   - *value, host answers*: a stream writes a number to host memory, the other process's CPU stores the answer, and
//!     the stream waits for it.
//! - *N handles*: the time for each handle, if N are opened and then closed.
//! - *ticket*, *cached*: what has no counterpart in C.

#[path = "../common/arguments.rs"]
mod arguments;
#[path = "../common/driver.rs"]
mod driver;
mod export;
mod exporter;
mod hops;
mod import;
mod many;
mod options;
mod own;
mod raw;
mod report;

use std::env;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};

use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Driver};

use driver::driver;
use exporter::Exporter;
use options::Options;
use raw::Raw;
use report::Report;

const EXPORTER: &str = "--exporter";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let driver = driver();
    if arguments.iter().any(|argument| argument == EXPORTER) {
        let socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().expect("a descriptor"));
        exporter::serve(driver, &Connection::from(socket));
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(&arguments, driver) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let (ours, theirs) = Connection::pair().expect("a descriptor");
    let mut command = Command::new(env::current_exe().expect("this executable has a path"));
    let mut running = command.arg(EXPORTER).stdin(OwnedFd::from(theirs)).spawn().expect("this program starts again");
    // The command also holds the other end, which would hide that the exporter has ended.
    drop(command);
    let mut report = Report::new(driver, &options);
    for (from, to) in &options.devices {
        let context = context(driver, *to);
        report.begin((*from, *to));
        let exporter = Exporter::on(&ours, *from);
        let importer = Importer { raw: Raw::new(&context, from != to), context: &context, exporter };
        let measured = context.within(|| measure(&importer, &options, &mut report));
        measured.expect("the context can be made current");
    }
    drop(ours);
    assert!(running.wait().expect("our child").success(), "the exporter failed");
    report.write();
    ExitCode::SUCCESS
}

/// What imports the memory and the events of the exporter.
struct Importer<'a> {
    context: &'a Context,
    raw: Raw,
    exporter: Exporter<'a>,
}

fn measure(importer: &Importer<'_>, options: &Options, report: &mut Report) {
    if !importer.raw.is_remote {
        export::measure(importer, report);
    }
    for size in &options.sizes {
        import::memory(importer, *size, report);
    }
    import::event(importer, report);
    own::measure(importer, report);
    hops::measure(importer, report);
    for count in &options.counts {
        many::measure(importer, *count, report);
    }
}

fn context(driver: Driver, device: usize) -> Context {
    Context::primary(driver.device(device).expect("the device exists")).expect("a primary context")
}
