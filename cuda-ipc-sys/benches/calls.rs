//! What the table costs: a call through it against the same C function called directly, and the time to load.
//!
//! `cargo bench -p cuda-ipc-sys` measures the system's driver (or what `CUDA_IPC_DRIVER` names), and where there is none
//! the reference driver, which is then linked as well as loaded. The last lines give each call as a ratio to the direct
//! one of the same run.

use std::env;
use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr;
use std::time::{Duration, Instant};

use criterion::Criterion;
use cuda_ipc_sys::{CUipcMemHandle, CUresult, DRIVER_VARIABLE, Driver};
// Links the C functions below.
use reference_driver as _;

mod linked {
    use super::{CUipcMemHandle, CUresult, c_int, c_void};

    unsafe extern "C" {
        pub(crate) fn cuDriverGetVersion(version: *mut c_int) -> CUresult;
        pub(crate) fn cuInit(flags: u32) -> CUresult;
        pub(crate) fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> CUresult;
        pub(crate) fn cuCtxSetCurrent(context: *mut c_void) -> CUresult;
        #[link_name = "cuMemAlloc_v2"]
        pub(crate) fn cuMemAlloc(pointer: *mut u64, size: usize) -> CUresult;
        pub(crate) fn cuIpcGetMemHandle(handle: *mut CUipcMemHandle, pointer: u64) -> CUresult;
    }
}

/// Set for the processes that only load the driver and say how long that took.
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
        Err(_) => &*Box::leak(Box::new(Driver::load_from(&reference).expect("the reference driver is built"))),
    };
    let is_reference = driver.path().file_name() == reference.file_name();
    let output = env::var_os("CRITERION_HOME").map_or_else(|| reference.with_file_name("criterion"), PathBuf::from);
    let mut criterion = Criterion::default().configure_from_args().output_directory(&output);

    versions(&mut criterion, driver, is_reference);
    handles(&mut criterion, driver, is_reference);
    loading(&mut criterion, driver);
    criterion.final_summary();

    println!("\nDriver: {}, CUDA {}", driver.path().display(), driver.version());
    for group in ["cuDriverGetVersion", "cuIpcGetMemHandle"] {
        summary(&output, group, if is_reference { &["pointer", "linked"] } else { &["pointer"] });
    }
    ExitCode::SUCCESS
}

/// In the folder of this executable or one above it, where Cargo puts the libraries of a build.
fn library_beside_this(name: &str) -> PathBuf {
    let executable = env::current_exe().expect("this executable has a path");
    let found = executable.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| PathBuf::from(name))
}

/// The cheapest call of all: what the table adds is all there is to see.
fn versions(criterion: &mut Criterion, driver: &Driver, is_reference: bool) {
    let pointer = driver.functions().cuDriverGetVersion.expect("every driver has it");
    let mut version = 0;
    let mut group = criterion.benchmark_group("cuDriverGetVersion");
    // SAFETY: the output is valid for writing.
    group.bench_function("table", |bench| bench.iter(|| unsafe { driver.cuDriverGetVersion(&mut version) }));
    // SAFETY: as above.
    group.bench_function("pointer", |bench| bench.iter(|| unsafe { pointer(&mut version) }));
    if is_reference {
        // SAFETY: as above.
        group.bench_function("linked", |bench| bench.iter(|| unsafe { linked::cuDriverGetVersion(&mut version) }));
    }
    group.finish();
}

/// The cheapest call of inter-process memory.
fn handles(criterion: &mut Criterion, driver: &Driver, is_reference: bool) {
    let done = |code: CUresult| code.result().expect("the driver works");
    let call = |answer: Result<CUresult, _>| done(answer.expect("every driver has it"));
    let pointer = driver.functions().cuIpcGetMemHandle.expect("every driver has it");
    let (mut context, mut memory, mut handle) = (ptr::null_mut(), 0, CUipcMemHandle::default());
    // SAFETY: the outputs are valid for writing, and the process ends with what is made here.
    unsafe {
        call(driver.cuInit(0));
        call(driver.cuDevicePrimaryCtxRetain(&mut context, 0));
        call(driver.cuCtxSetCurrent(context));
        call(driver.cuMemAlloc(&mut memory, SIZE));
    }
    let mut group = criterion.benchmark_group("cuIpcGetMemHandle");
    // SAFETY: the output is valid for writing, and the memory is allocated.
    group.bench_function("table", |bench| bench.iter(|| unsafe { driver.cuIpcGetMemHandle(&mut handle, memory) }));
    // SAFETY: as above.
    group.bench_function("pointer", |bench| bench.iter(|| unsafe { pointer(&mut handle, memory) }));
    if is_reference {
        let (mut context, mut memory) = (ptr::null_mut(), 0);
        // SAFETY: as above; the linked driver is another one, with memory of its own.
        unsafe {
            done(linked::cuInit(0));
            done(linked::cuDevicePrimaryCtxRetain(&mut context, 0));
            done(linked::cuCtxSetCurrent(context));
            done(linked::cuMemAlloc(&mut memory, SIZE));
        }
        // SAFETY: as above.
        group
            .bench_function("linked", |bench| bench.iter(|| unsafe { linked::cuIpcGetMemHandle(&mut handle, memory) }));
    }
    group.finish();
}

/// The first use in a process, and a table for a library that is loaded already.
fn loading(criterion: &mut Criterion, driver: &Driver) {
    let mut group = criterion.benchmark_group("load");
    group.bench_function("resolve", |bench| bench.iter(|| Driver::load_from(driver.path())));
    group.sample_size(10).bench_function("first in a process", |bench| {
        bench.iter_custom(|times| (0..times).map(|_| first_load(driver.path())).sum());
    });
    group.finish();
}

fn first_load(library: &Path) -> Duration {
    let executable = env::current_exe().expect("this executable has a path");
    let output = Command::new(executable).env(LOAD_ONLY, "").env(DRIVER_VARIABLE, library).output();
    let output = output.expect("this executable runs again");
    assert!(output.status.success(), "{} does not load twice", library.display());
    let nanoseconds = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of nanoseconds");
    Duration::from_nanos(nanoseconds)
}

/// The table's time beside the direct call's, from what this run has measured.
fn summary(output: &Path, group: &str, direct: &[&str]) {
    let measured = |function: &str| {
        let path = output.join(group).join(function).join("new/estimates.json");
        let text = std::fs::read_to_string(path).ok()?;
        let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
        estimates["median"]["point_estimate"].as_f64()
    };
    for other in direct {
        if let (Some(table), Some(direct)) = (measured("table"), measured(other)) {
            let (more, ratio) = (table - direct, table / direct);
            println!("{group}: table {table:.2} ns, {other} {direct:.2} ns: {more:+.2} ns, {ratio:.3} times");
        }
    }
}
