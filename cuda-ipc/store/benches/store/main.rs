//! What it costs to get an object, found again or not, and to create one, beside the raw calls of the driver.
//!
//! `cargo bench -p cuda-ipc-store --bench store` uses the driver that `CUDA_IPC_DRIVER` names, or else the reference
//! driver, whose times mean nothing. After `--`:
//!
//! | option | default | what it sets |
//! |---|---|---|
//! | `--devices A-B` | `0-0` | the devices of the store and of the reader |
//! | `--sizes LIST` | `2M,64M,1G` | the sizes of the objects |
//! | `--rounds N` | 101 | the rounds, of which the median counts |
//! | `--json FILE` | | writes the figures to a file too |
//!
//! The daemon is a process of its own. What is compared takes turns in each round, so that other load on the machine
//! affects both. Only the opening is measured: between two turns, everything is closed again.
//!
//! - *raw import*: the driver's calls that import and map a descriptor that this process has.
//! - *raw, asked*: the same with a descriptor that another process sends when it is asked for it. A process that has not
//!   opened a buffer yet needs this too.
//! - *get, cold*: this process has not opened the object. *get, cached*: it has.
//! - *raw create*: the driver's calls that create, export and map memory. *create*: the store does it, and this process
//!   maps the memory.

#[path = "../../../benches/common/arguments.rs"]
mod arguments;
#[path = "../../../benches/common/driver.rs"]
mod driver;
mod options;
mod raw;

use std::env;
use std::io::{BufRead as _, BufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Address, Connection};
use cuda_ipc::{Context, sys};
use cuda_ipc_store::{Client, ObjectId, VERSION};

use driver::driver;
use options::Options;
use raw::Raw;

const PATIENCE: Duration = Duration::from_secs(60);
/// How many calls one turn of a cached get has.
const CALLS: u32 = 1000;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == raw::OWNER) {
        raw::own();
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let (driver, (owner, reader)) = (driver(), options.devices);
    let device = driver.device(reader).expect("the second device of --devices");
    let context = Context::primary(device).expect("a primary context");
    let name = device.name().expect("a name");
    println!("Driver: {}, CUDA {}, {name}", driver.path().display(), driver.version());
    println!("Buffers on device {owner}, mapped for device {reader}");
    println!("{:>12}  {:12} {:>10} {:>10} {:>10}", "bytes", "microseconds", "median", "10%", "90%");
    let store = Store::start(driver.path(), owner);
    let mut report = Vec::new();
    for &size in &options.sizes {
        report.extend(context.within(|| measure(&store, &context, size, options.rounds)).expect("a current context"));
    }
    if let Some(file) = &options.json {
        let report = serde_json::json!({
            "driver": driver.path(), "version": driver.version().to_string(), "gpu": name,
            "devices": [owner, reader], "rounds": options.rounds, "figures": report,
        });
        std::fs::write(file, format!("{report:#}\n")).expect("the file can be written");
    }
    ExitCode::SUCCESS
}

/// Measures everything for one size.
fn measure(store: &Store, context: &Context, size: usize, rounds: usize) -> Vec<serde_json::Value> {
    let client = &store.client;
    let raw = Raw::new(context, size);
    let id = client.create(context, size).and_then(cuda_ipc_store::Draft::seal).expect("memory for an object");
    let descriptor = store.descriptor(id);
    let owner = raw::Owner::start(&descriptor);
    let mut times = [const { Vec::new() }; 6];
    for round in 0..rounds {
        // They take turns in going first.
        for turn in 0..3 {
            match (turn + round) % 3 {
                0 => {
                    let begin = Instant::now();
                    let mapped = raw.import(&descriptor);
                    times[0].push(begin.elapsed());
                    raw.close(mapped);
                }
                1 => {
                    let begin = Instant::now();
                    let mapped = raw.import(&owner.ask());
                    times[1].push(begin.elapsed());
                    raw.close(mapped);
                }
                _ => {
                    let begin = Instant::now();
                    let object = client.get(context, id).expect("the object");
                    times[2].push(begin.elapsed());
                    drop(object);
                    client.release(id);
                }
            }
        }
        let object = client.get(context, id).expect("the object");
        let begin = Instant::now();
        for _ in 0..CALLS {
            drop(client.get(context, id).expect("the object"));
        }
        times[3].push(begin.elapsed() / CALLS);
        drop(object);
        client.release(id);
        for turn in 0..2 {
            if (turn + round) % 2 == 0 {
                let begin = Instant::now();
                let (mapped, exported) = raw.create();
                times[4].push(begin.elapsed());
                raw.close(mapped);
                drop(exported);
            } else {
                let begin = Instant::now();
                let draft = client.create(context, size).expect("memory for an object");
                times[5].push(begin.elapsed());
                drop(draft);
                // The daemon has freed the memory before it replies to this.
                client.status().expect("the store replies");
            }
        }
    }
    drop(descriptor);
    client.delete(id).expect("the object");
    let names = ["raw import", "raw, asked", "get, cold", "get, cached", "raw create", "create"];
    let mut all: Vec<_> = names.iter().zip(&times).map(|(name, times)| figures(name, size, times.clone())).collect();
    all.push(compare("get, cold", "raw import", size, &times[0], &times[2]));
    all.push(compare("get, cold", "raw import of a descriptor that is asked for", size, &times[1], &times[2]));
    all.push(compare("create", "raw create", size, &times[4], &times[5]));
    all
}

/// Prints and returns the median of what a call takes longer than its raw counterpart of the same round.
fn compare(name: &str, beside: &str, size: usize, raw: &[Duration], ours: &[Duration]) -> serde_json::Value {
    let mut added: Vec<f64> =
        raw.iter().zip(ours).map(|(raw, ours)| (ours.as_secs_f64() - raw.as_secs_f64()) * 1e6).collect();
    let mut raw: Vec<f64> = raw.iter().map(|raw| raw.as_secs_f64() * 1e6).collect();
    added.sort_by(f64::total_cmp);
    raw.sort_by(f64::total_cmp);
    let (added, raw) = (added[added.len() / 2], raw[raw.len() / 2]);
    let percent = 100.0 * added / raw;
    println!("{size:>12}  {name} takes {added:+.1} microseconds, or {percent:+.1}%, beside {beside}");
    let name = format!("{name}, added to {beside}");
    serde_json::json!({ "name": name, "bytes": size, "median_us": added, "percent": percent })
}

/// Prints and returns the median and the spread of one measurement, in microseconds.
fn figures(name: &str, size: usize, mut times: Vec<Duration>) -> serde_json::Value {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
    let (low, median, high) = (at(10), at(50), at(90));
    println!("{size:>12}  {name:12} {median:>10.3} {low:>10.3} {high:>10.3}");
    serde_json::json!({ "name": name, "bytes": size, "median_us": median, "p10_us": low, "p90_us": high })
}

/// A daemon, and a client of it.
struct Store {
    daemon: Child,
    address: Address,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Store {
    fn start(library: &Path, device: usize) -> Self {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-store-bench").tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let mut command = Command::new(env!("CARGO_BIN_EXE_buffer-store"));
        command.arg("serve").arg(&path).arg("--device").arg(device.to_string());
        command.env(sys::DRIVER_VARIABLE, library).stdout(Stdio::piped());
        let mut daemon = command.spawn().expect("Cargo builds the program");
        let mut line = String::new();
        BufReader::new(daemon.stdout.take().expect("a pipe")).read_line(&mut line).expect("text");
        let address = Address::Path(path);
        let client = Client::connect(&address, PATIENCE).expect("the daemon listens");
        Self { daemon, address, client, _folder: folder }
    }

    /// Gets the descriptor of an object without the client.
    fn descriptor(&self, id: ObjectId) -> OwnedFd {
        let connection = Connection::connect(&self.address, Some(PATIENCE)).expect("the daemon listens");
        let hello = [&1_u16.to_le_bytes()[..], b"BUFSTORE", &VERSION.to_le_bytes()].concat();
        for request in [hello, [&4_u16.to_le_bytes()[..], &id.to_bytes()].concat()] {
            connection.send(&request, &[]).expect("the daemon receives");
        }
        connection.receive().expect("the welcome");
        connection.receive().expect("the object").descriptors.remove(0)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.daemon),
            rustix::process::Signal::TERM,
        );
        let _ = self.daemon.wait();
    }
}
