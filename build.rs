//! Chooses the PTX that the crate embeds: the checked-in files or, with the feature `nvcc` and if nvcc
//! is found, the PTX that nvcc compiles from the same sources.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const KERNELS: [&str; 6] = ["fill", "verify", "scale", "latch", "spin", "add"];

/// The lowest virtual architecture with `ld.acquire` and `red.relaxed`, which the sources use.
const LOWEST_ARCHITECTURE: u32 = 70;

fn main() {
    let sources = folder("CARGO_MANIFEST_DIR").join("kernels");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=kernels/device.cuh");
    for kernel in KERNELS {
        println!("cargo:rerun-if-changed=kernels/{kernel}.cu");
    }

    let compiled = env::var_os("CARGO_FEATURE_NVCC").and_then(|_| match find_nvcc() {
        Ok(nvcc) => Some(compile(&nvcc, &sources)),
        Err(reason) => {
            println!("cargo:warning={reason}; using the checked-in PTX instead");
            None
        }
    });
    println!("cargo:rustc-check-cfg=cfg(compiled_kernels)");
    // Otherwise the crate includes the checked-in files by relative path, so that a moved checkout still builds.
    if let Some(ptx) = compiled {
        println!("cargo:rustc-cfg=compiled_kernels");
        println!("cargo:rustc-env=KERNELS_PTX={}", ptx.display());
    }
}

/// Returns the folder in an environment variable that cargo sets for build scripts.
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set: run this through cargo")).into()
}

/// An nvcc that runs, and the list of architectures that it compiles for.
struct Nvcc {
    compiler: cc::Tool,
    architectures: String,
}

/// Finds nvcc through `cc`, which checks the variable NVCC and then PATH, and tells cargo which
/// variables to watch. `cc` may return a compiler that does not exist, so this function runs it.
fn find_nvcc() -> Result<Nvcc, String> {
    let compiler = cc::Build::new()
        .cuda(true)
        // The default flags are for host objects, and in a debug build they slow the device code down.
        .no_default_flags(true)
        // `main` warns about a missing nvcc; a second warning would repeat it.
        .cargo_warnings(false)
        .try_get_compiler()
        .map_err(|error| format!("cc found no nvcc: {error}"))?;

    let path = compiler.path().display();
    let answer = Command::new(compiler.path())
        .arg("--list-gpu-arch")
        .output()
        .map_err(|error| format!("cannot run {path}: {error}"))?;
    if !answer.status.success() {
        return Err(format!("{path} --list-gpu-arch failed: {}", answer.status));
    }
    let architectures = String::from_utf8_lossy(&answer.stdout).into_owned();
    Ok(Nvcc { compiler, architectures })
}

/// Compiles every kernel into the output folder and returns that folder.
fn compile(nvcc: &Nvcc, sources: &Path) -> PathBuf {
    // The lowest architecture, so that the PTX loads on as many devices as the compiler allows.
    let architecture = nvcc
        .architectures
        .lines()
        .filter_map(|line| line.trim().strip_prefix("compute_")?.parse::<u32>().ok())
        .filter(|&architecture| architecture >= LOWEST_ARCHITECTURE)
        .min()
        .unwrap_or_else(|| {
            panic!(
                "the kernels need compute_{LOWEST_ARCHITECTURE} or later, but nvcc supports only:\n{}",
                nvcc.architectures
            )
        });

    let output = folder("OUT_DIR");
    for kernel in KERNELS {
        let source = sources.join(kernel).with_extension("cu");
        // nvcc writes its errors to the standard error, which cargo shows if this panics.
        let status = nvcc
            .compiler
            .to_command()
            .args(["-ptx", "-std=c++14"])
            .arg(format!("-arch=compute_{architecture}"))
            .arg(&source)
            .arg("-o")
            .arg(output.join(kernel).with_extension("ptx"))
            .status()
            .unwrap_or_else(|error| panic!("cannot run nvcc: {error}"));
        assert!(status.success(), "nvcc failed to compile {}: {status}", source.display());
    }
    output
}
