//! What it costs to get an object, found again or not, and to create one, beside the raw calls of the driver.
//!
//! ```text
//! cargo bench -p cuda-ipc-store --bench store -- [--device N] [--context-device N] [--sizes BYTES,...] [--rounds N] [--json FILE]
//! ```
//!
//! It uses the driver that `CUDA_IPC_DRIVER` names, or else the reference driver, whose times mean nothing. The daemon
//! is a process of its own, with its buffers on one device. This process maps them for a context of the same or another
//! device. What is compared takes turns in each round, so that other load on the machine affects both. Only the
//! opening is measured: between two turns, everything is closed again.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::ptr;
use std::time::{Duration, Instant};

use cuda_ipc::sys::{
    self, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemLocation, CUresult, MissingSymbol,
};
use cuda_ipc::transport::{Address, Connection};
use cuda_ipc::vmm::{HandleTypes, granularity};
use cuda_ipc::{Context, Driver};
use cuda_ipc_store::{Client, ObjectId, VERSION};

const PATIENCE: Duration = Duration::from_secs(60);
const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
/// How many calls one turn of a cached get has.
const CALLS: u32 = 1000;

fn main() {
    let options = Options::read();
    // SAFETY: this is the reference driver, or a library that the user names as a driver.
    let driver = unsafe { Driver::load_from(&options.driver) }.unwrap_or_else(|error| panic!("{error}"));
    let device = driver.device(options.context_device).expect("the device of --context-device");
    let context = Context::primary(device).expect("a primary context");
    let name = device.name().expect("a name");
    println!("Driver: {}, CUDA {}, {name}", driver.path().display(), driver.version());
    println!("Buffers on device {}, mapped for device {}", options.device, options.context_device);
    println!("{:>12}  {:12} {:>10} {:>10} {:>10}", "bytes", "microseconds", "median", "10%", "90%");
    let store = Store::start(&options);
    let mut report = Vec::new();
    for &size in &options.sizes {
        report.extend(context.within(|| measure(&store, &context, size, options.rounds)).expect("a current context"));
    }
    if let Some(file) = &options.json {
        let report = serde_json::json!({
            "driver": driver.path(), "version": driver.version().to_string(), "gpu": name,
            "device": options.device, "context_device": options.context_device, "rounds": options.rounds,
            "figures": report,
        });
        std::fs::write(file, format!("{report:#}\n")).expect("the file can be written");
    }
}

/// Measures everything for one size.
fn measure(store: &Store, context: &Context, size: usize, rounds: usize) -> Vec<serde_json::Value> {
    let client = &store.client;
    let raw = Raw::new(context, size);
    let id = client.create(context, size).and_then(cuda_ipc_store::Draft::seal).expect("memory for an object");
    let descriptor = store.descriptor(id);
    let mut times = [const { Vec::new() }; 5];
    for round in 0..rounds {
        // They take turns in going first.
        for turn in 0..2 {
            if (turn + round) % 2 == 0 {
                let begin = Instant::now();
                let mapped = raw.import(&descriptor);
                times[0].push(begin.elapsed());
                raw.close(mapped);
            } else {
                let begin = Instant::now();
                let object = client.get(context, id).expect("the object");
                times[1].push(begin.elapsed());
                drop(object);
                client.release(id);
            }
        }
        let object = client.get(context, id).expect("the object");
        let begin = Instant::now();
        for _ in 0..CALLS {
            drop(client.get(context, id).expect("the object"));
        }
        times[2].push(begin.elapsed() / CALLS);
        drop(object);
        client.release(id);
        for turn in 0..2 {
            if (turn + round) % 2 == 0 {
                let begin = Instant::now();
                let (mapped, exported) = raw.create();
                times[3].push(begin.elapsed());
                raw.close(mapped);
                drop(exported);
            } else {
                let begin = Instant::now();
                let draft = client.create(context, size).expect("memory for an object");
                times[4].push(begin.elapsed());
                drop(draft);
                // The daemon has freed the memory before it replies to this.
                client.status().expect("the store replies");
            }
        }
    }
    drop(descriptor);
    client.delete(id).expect("the object");
    let names = ["raw import", "get, cold", "get, cached", "raw create", "create"];
    let mut all: Vec<_> = names.iter().zip(&times).map(|(name, times)| figures(name, size, times.clone())).collect();
    all.push(compare("get, cold", size, &times[0], &times[1]));
    all.push(compare("create", size, &times[3], &times[4]));
    all
}

/// Prints and returns the median of what a call takes longer than its raw counterpart of the same round.
fn compare(name: &str, size: usize, raw: &[Duration], ours: &[Duration]) -> serde_json::Value {
    let mut added: Vec<f64> =
        raw.iter().zip(ours).map(|(raw, ours)| (ours.as_secs_f64() - raw.as_secs_f64()) * 1e6).collect();
    let mut raw: Vec<f64> = raw.iter().map(|raw| raw.as_secs_f64() * 1e6).collect();
    added.sort_by(f64::total_cmp);
    raw.sort_by(f64::total_cmp);
    let (added, raw) = (added[added.len() / 2], raw[raw.len() / 2]);
    let percent = 100.0 * added / raw;
    println!("{size:>12}  {name} takes {added:+.1} microseconds, or {percent:+.1}%, beside the raw calls");
    serde_json::json!({ "name": format!("{name}, added"), "bytes": size, "median_us": added, "percent": percent })
}

/// Prints and returns the median and the spread of one measurement, in microseconds.
fn figures(name: &str, size: usize, mut times: Vec<Duration>) -> serde_json::Value {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
    let (low, median, high) = (at(10), at(50), at(90));
    println!("{size:>12}  {name:12} {median:>10.3} {low:>10.3} {high:>10.3}");
    serde_json::json!({ "name": name, "bytes": size, "median_us": median, "p10_us": low, "p90_us": high })
}

/// The calls of a program in C.
struct Raw {
    driver: &'static sys::Driver,
    size: usize,
    access: CUmemAccessDesc,
    properties: CUmemAllocationProp,
}

/// A mapping: its address and the driver's handle of the memory.
type Mapped = (u64, u64);

fn ok(answer: Result<CUresult, MissingSymbol>) {
    answer.expect("the driver has the function").result().expect("the call succeeds");
}

impl Raw {
    fn new(context: &Context, size: usize) -> Self {
        let (device, driver) = (context.device(), context.driver().raw());
        let unit = granularity(device, HandleTypes::POSIX_FILE_DESCRIPTOR).expect("a granularity");
        let location = CUmemLocation::device(device.raw());
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let properties = CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: DESCRIPTOR,
            location,
            ..Default::default()
        };
        Self { driver, size: size.next_multiple_of(unit), access: CUmemAccessDesc { location, flags }, properties }
    }

    fn import(&self, descriptor: &OwnedFd) -> Mapped {
        let mut handle = 0;
        let os_handle = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: the output is a local, and the descriptor is open.
        ok(unsafe { self.driver.cuMemImportFromShareableHandle(&mut handle, os_handle, DESCRIPTOR) });
        self.map(handle)
    }

    /// Creates memory, exports it and maps it: what a store does without a second process.
    fn create(&self) -> (Mapped, OwnedFd) {
        let (mut handle, mut descriptor) = (0, -1);
        // SAFETY: outputs and properties are locals. The driver gives the descriptor to this call.
        let exported = unsafe {
            ok(self.driver.cuMemCreate(&mut handle, self.size, &self.properties, 0));
            ok(self.driver.cuMemExportToShareableHandle((&raw mut descriptor).cast(), handle, DESCRIPTOR, 0));
            std::os::fd::FromRawFd::from_raw_fd(descriptor)
        };
        (self.map(handle), exported)
    }

    fn map(&self, handle: u64) -> Mapped {
        let mut address = 0;
        // SAFETY: the output and the description are locals, and the memory has this size.
        unsafe {
            ok(self.driver.cuMemAddressReserve(&mut address, self.size, 0, 0, 0));
            ok(self.driver.cuMemMap(address, self.size, 0, handle, 0));
            ok(self.driver.cuMemSetAccess(address, self.size, &self.access, 1));
        }
        (address, handle)
    }

    fn close(&self, (address, handle): Mapped) {
        // SAFETY: nothing uses the memory.
        unsafe {
            ok(self.driver.cuMemUnmap(address, self.size));
            ok(self.driver.cuMemRelease(handle));
            ok(self.driver.cuMemAddressFree(address, self.size));
        }
    }
}

/// A daemon, and a client of it.
struct Store {
    daemon: Child,
    address: Address,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Store {
    fn start(options: &Options) -> Self {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-store-bench").tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let mut command = Command::new(env!("CARGO_BIN_EXE_buffer-store"));
        command.arg("serve").arg(&path).arg("--device").arg(options.device.to_string());
        command.env(sys::DRIVER_VARIABLE, &options.driver).stdout(Stdio::piped());
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

struct Options {
    driver: PathBuf,
    device: usize,
    context_device: usize,
    sizes: Vec<usize>,
    rounds: usize,
    json: Option<String>,
}

impl Options {
    fn read() -> Self {
        let driver = env::var_os(sys::DRIVER_VARIABLE).map_or_else(reference_driver, PathBuf::from);
        let (sizes, rounds) = (vec![2 << 20, 64 << 20, 1 << 30], 101);
        let mut options = Self { driver, device: 0, context_device: 0, sizes, rounds, json: None };
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
            let number = |text: String| text.parse::<usize>().unwrap_or_else(|error| panic!("{text}: {error}"));
            match argument.as_str() {
                "--device" => options.device = number(value()),
                "--context-device" => options.context_device = number(value()),
                "--sizes" => options.sizes = value().split(',').map(|size| number(size.to_owned())).collect(),
                "--rounds" => options.rounds = number(value()).max(1),
                "--json" => options.json = Some(value()),
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown argument {other}"),
            }
        }
        options
    }
}

/// Finds the reference driver in the folder of this executable or one above it, where Cargo puts a build's libraries.
fn reference_driver() -> PathBuf {
    let executable = env::current_exe().expect("this executable has a path");
    let found = executable.ancestors().map(|folder| folder.join("libreference_driver.so")).find(|path| path.is_file());
    found.expect("Cargo builds the reference driver next to this")
}
