//! Compiles and runs the C programs of bug reports.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use conformance::{Stop, check};

use crate::suite::{harness, without_settings};

/// Compiles a program as the page says.
pub(crate) fn compiled(source: &Path) -> Result<PathBuf, Stop> {
    compiled_with(source, &[])
}

/// Compiles a C program with more arguments.
pub(crate) fn compiled_with(source: &Path, more: &[&str]) -> Result<PathBuf, Stop> {
    let program = source.with_extension("");
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = cc::Build::new();
    let compiler = build.cargo_metadata(false).opt_level(0).target(&target).host(&target).try_get_compiler();
    let Ok(compiler) = compiler else { return Err(Stop::Unsupported("this machine has no C compiler".to_owned())) };
    let mut command = Command::new(compiler.path());
    command.args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source).arg("-ldl").args(more);
    let output = command.output().map_err(harness)?;
    check!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(program)
}

/// Runs a program on a driver with two GPUs, with a fault or without one. Returns its exit code and its output.
pub(crate) fn executed(program: &Path, driver: &Path, fault: Option<&str>) -> Result<(Option<i32>, String), Stop> {
    let mut command = without_settings(program);
    // A simulated machine of its own: the end of another process there, without the fault, would give back what a killed
    // one of this program had.
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let machine = format!("program-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    command
        .env("CUDA_IPC_DRIVER", driver)
        .env("REFERENCE_DRIVER_DEVICES", "2")
        .env("REFERENCE_DRIVER_MACHINE", machine);
    command.envs(fault.map(|fault| ("REFERENCE_DRIVER_FAULT", fault)));
    let output = command.stdin(Stdio::null()).output().map_err(harness)?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Returns the reference driver.
pub(crate) fn reference() -> Result<PathBuf, Stop> {
    Ok(std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so"))
}
