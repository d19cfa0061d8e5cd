//! Chooses the PTX that the crate embeds: the checked-in files, or with the feature `nvcc`, where
//! that compiler is found, what it makes of the same sources.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const KERNELS: [&str; 6] = ["fill", "verify", "scale", "latch", "spin", "add"];

/// The sources need `ld.acquire` and `red.relaxed`, which came with this virtual architecture.
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
            println!("cargo:warning={reason}; the checked-in PTX serves instead");
            None
        }
    });
    println!("cargo:rustc-check-cfg=cfg(compiled_kernels)");
    // Without it the sources name the checked-in files themselves: a checkout that is moved stays right.
    if let Some(ptx) = compiled {
        println!("cargo:rustc-cfg=compiled_kernels");
        println!("cargo:rustc-env=KERNELS_PTX={}", ptx.display());
    }
}

/// A folder that cargo names to build scripts.
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).unwrap_or_else(|| panic!("cargo sets {variable} for build scripts")).into()
}

/// An nvcc that runs, and the architectures it compiles for.
struct Nvcc {
    compiler: cc::Tool,
    architectures: String,
}

/// Asks `cc`, which looks at the variable NVCC and then along PATH; it also tells cargo which
/// variables to watch. What it names need not exist, so the compiler has to answer.
fn find_nvcc() -> Result<Nvcc, String> {
    let compiler = cc::Build::new()
        .cuda(true)
        // They are for objects of the host, and in a debug build they slow the device code down.
        .no_default_flags(true)
        // A missing nvcc is told once, by the warning in `main`.
        .cargo_warnings(false)
        .try_get_compiler()
        .map_err(|error| format!("cc finds no nvcc: {error}"))?;

    let path = compiler.path().display();
    let answer = Command::new(compiler.path())
        .arg("--list-gpu-arch")
        .output()
        .map_err(|error| format!("{path} does not run: {error}"))?;
    if !answer.status.success() {
        return Err(format!("{path} does not list its architectures: {}", answer.status));
    }
    let architectures = String::from_utf8_lossy(&answer.stdout).into_owned();
    Ok(Nvcc { compiler, architectures })
}

/// Compiles every kernel into the output folder and returns that folder.
fn compile(nvcc: &Nvcc, sources: &Path) -> PathBuf {
    // The lowest one, so that the PTX loads on as many devices as the compiler allows.
    let architecture = nvcc
        .architectures
        .lines()
        .filter_map(|line| line.trim().strip_prefix("compute_")?.parse::<u32>().ok())
        .filter(|&architecture| architecture >= LOWEST_ARCHITECTURE)
        .min()
        .unwrap_or_else(|| {
            panic!("nvcc lists no architecture from compute_{LOWEST_ARCHITECTURE} on:\n{}", nvcc.architectures)
        });

    let output = folder("OUT_DIR");
    for kernel in KERNELS {
        let source = sources.join(kernel).with_extension("cu");
        // nvcc writes its message to the standard error, which cargo shows when this panics.
        let status = nvcc
            .compiler
            .to_command()
            .args(["-ptx", "-std=c++14"])
            .arg(format!("-arch=compute_{architecture}"))
            .arg(&source)
            .arg("-o")
            .arg(output.join(kernel).with_extension("ptx"))
            .status()
            .unwrap_or_else(|error| panic!("nvcc does not run: {error}"));
        assert!(status.success(), "nvcc does not compile {}: {status}", source.display());
    }
    output
}
