//! Measures the cost of the table: a call through it, the same C function called directly, and the time to load.
//!
//! `cargo bench -p cuda-ipc-sys` measures the system's driver, or the library that `CUDA_IPC_DRIVER` names. If there is
//! no driver, it measures the reference driver, both loaded and linked. The last lines for each call give the ratio of
//! the table to the direct call, from alternating rounds.

use std::env;
use std::ffi::c_int;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr;
use std::time::{Duration, Instant};

use criterion::Criterion;
use cuda_ipc_sys::{CUcontext, CUipcMemHandle, CUresult, DRIVER_VARIABLE, Driver};
// Links the C functions below.
use reference_driver as _;

mod linked {
    use super::{CUcontext, CUipcMemHandle, CUresult, c_int};

    unsafe extern "C" {
        pub(crate) fn cuDriverGetVersion(version: *mut c_int) -> CUresult;
        pub(crate) fn cuInit(flags: u32) -> CUresult;
        pub(crate) fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: c_int) -> CUresult;
        pub(crate) fn cuCtxSetCurrent(context: CUcontext) -> CUresult;
        #[link_name = "cuMemAlloc_v2"]
        pub(crate) fn cuMemAlloc(pointer: *mut u64, size: usize) -> CUresult;
        pub(crate) fn cuIpcGetMemHandle(handle: *mut CUipcMemHandle, pointer: u64) -> CUresult;
    }
}

/// The variable that is set for processes that only load the driver and print how long that took.
const LOAD_ONLY: &str = "CUDA_IPC_BENCH_LOAD";
const SIZE: usize = 2 << 20;

fn main() -> ExitCode {
    if env::var_os(LOAD_ONLY).is_some() {
        let start = Instant::now();
        let driver = Driver::get();
        let elapsed = start.elapsed();
        println!("{}", elapsed.as_nanos());
        return if driver.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let reference = library_beside_this("libreference_driver.so");
    let driver = match Driver::get() {
        Ok(driver) => driver,
        Err(_) => {
            // SAFETY: the reference driver is a driver.
            let driver = unsafe { Driver::load_from(&reference) };
            &*Box::leak(Box::new(driver.expect("the reference driver is built")))
        }
    };
    let is_reference = driver.path().file_name() == reference.file_name();
    println!("Driver: {}, CUDA {}", driver.path().display(), driver.version());

    let mut criterion = Criterion::default().configure_from_args();
    versions(&mut criterion, driver, is_reference);
    handles(&mut criterion, driver, is_reference);
    loading(&mut criterion, driver);
    criterion.final_summary();
    ExitCode::SUCCESS
}

/// Finds a library in the folder of this executable or one above it, where Cargo puts the libraries of a build.
fn library_beside_this(name: &str) -> PathBuf {
    let executable = env::current_exe().expect("this executable has a path");
    let found = executable.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| PathBuf::from(name))
}

/// Measures the cheapest call, which shows best what the table adds.
fn versions(criterion: &mut Criterion, driver: &Driver, is_reference: bool) {
    let pointer = driver.functions().cuDriverGetVersion.expect("every driver has it");
    let mut version = 0;
    let output = &raw mut version;
    // SAFETY: the output is valid for writing.
    let table = || unsafe { driver.cuDriverGetVersion(output) }.expect("every driver has it");
    // SAFETY: as above.
    let pointer = || unsafe { pointer(output) };
    // SAFETY: as above.
    let linked = || unsafe { linked::cuDriverGetVersion(output) };
    compare(criterion, "cuDriverGetVersion", table, pointer, is_reference.then_some(linked));
}

/// Measures the cheapest call for inter-process memory.
fn handles(criterion: &mut Criterion, driver: &Driver, is_reference: bool) {
    let done = |code: CUresult| code.result().expect("the driver works");
    let call = |answer: Result<CUresult, _>| done(answer.expect("every driver has it"));
    let pointer = driver.functions().cuIpcGetMemHandle.expect("every driver has it");
    let (mut context, mut memory, mut handle) = (ptr::null_mut(), 0, CUipcMemHandle::default());
    // SAFETY: the outputs are valid for writing, and the context and memory live until the process ends.
    unsafe {
        call(driver.cuInit(0));
        call(driver.cuDevicePrimaryCtxRetain(&mut context, 0));
        call(driver.cuCtxSetCurrent(context));
        call(driver.cuMemAlloc(&mut memory, SIZE));
    }
    let mut linked_memory = 0;
    if is_reference {
        // SAFETY: as above; the linked driver is a second one with its own memory.
        unsafe {
            done(linked::cuInit(0));
            done(linked::cuDevicePrimaryCtxRetain(&mut context, 0));
            done(linked::cuCtxSetCurrent(context));
            done(linked::cuMemAlloc(&mut linked_memory, SIZE));
        }
    }
    let output = &raw mut handle;
    // SAFETY: the output is valid for writing, and the memory is allocated.
    let table = || unsafe { driver.cuIpcGetMemHandle(output, memory) }.expect("every driver has it");
    // SAFETY: as above.
    let pointer = || unsafe { pointer(output, memory) };
    // SAFETY: as above.
    let linked = || unsafe { linked::cuIpcGetMemHandle(output, linked_memory) };
    compare(criterion, "cuIpcGetMemHandle", table, pointer, is_reference.then_some(linked));
}

/// Measures one function through the table and directly, and prints the ratios.
fn compare(
    criterion: &mut Criterion,
    name: &str,
    table: impl Fn() -> CUresult,
    pointer: impl Fn() -> CUresult,
    linked: Option<impl Fn() -> CUresult>,
) {
    let mut group = criterion.benchmark_group(name);
    group.bench_function("table", |bench| bench.iter(&table));
    group.bench_function("pointer", |bench| bench.iter(&pointer));
    if let Some(linked) = &linked {
        group.bench_function("linked", |bench| bench.iter(linked));
    }
    group.finish();
    turns(name, &table, "pointer", &pointer);
    if let Some(linked) = &linked {
        turns(name, &table, "linked", linked);
    }
}

/// Prints the medians of two ways of calling. Their rounds alternate, so that other load on the machine affects both.
fn turns(name: &str, table: &impl Fn() -> CUresult, other_name: &str, other: &impl Fn() -> CUresult) {
    const ROUNDS: usize = 400;
    let (mut of_table, mut of_other) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_table.push(round(table));
        of_other.push(round(other));
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    let (table, other) = (median(of_table), median(of_other));
    let (more, ratio) = (table - other, table / other);
    println!("{name}: table {table:.2} ns, {other_name} {other:.2} ns: difference {more:+.2} ns, ratio {ratio:.3}\n");
}

/// Returns the nanoseconds per call.
fn round(call: &impl Fn() -> CUresult) -> f64 {
    const CALLS: u32 = 20_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        let _ = black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

/// Measures the first load in a process, and resolving the table of a library that is already loaded.
fn loading(criterion: &mut Criterion, driver: &Driver) {
    let mut group = criterion.benchmark_group("load");
    // SAFETY: the library is a driver.
    group.bench_function("resolve", |bench| bench.iter(|| unsafe { Driver::load_from(driver.path()) }));
    group.sample_size(10).bench_function("first in a process", |bench| {
        bench.iter_custom(|times| (0..times).map(|_| first_load(driver.path())).sum());
    });
    group.finish();
}

fn first_load(library: &Path) -> Duration {
    let executable = env::current_exe().expect("this executable has a path");
    let output = Command::new(executable).env(LOAD_ONLY, "").env(DRIVER_VARIABLE, library).output();
    let output = output.expect("this executable can be run again");
    assert!(output.status.success(), "{} could not be loaded again in a new process", library.display());
    let nanoseconds = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of nanoseconds");
    Duration::from_nanos(nanoseconds)
}
