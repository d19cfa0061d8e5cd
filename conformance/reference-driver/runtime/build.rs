//! Writes the list of functions to export, each with its place, and gives the library its SONAME.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // The major version of CUDA in the SONAME: programs that link libcudart name one.
    const MAJOR: &str = "REFERENCE_RUNTIME_MAJOR";
    for file in ["build.rs", "names.txt"] {
        println!("cargo::rerun-if-changed={file}");
    }
    println!("cargo::rerun-if-env-changed={MAJOR}");
    println!("cargo::rustc-check-cfg=cfg(cuda12)");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        let major = env::var(MAJOR).unwrap_or_else(|_| "13".to_owned());
        if major == "12" {
            println!("cargo::rustc-cfg=cuda12");
        }
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcudart.so.{major}");
    }
    let mut text = String::from("exports! {\n");
    for (place, name) in fs::read_to_string("names.txt")?.lines().enumerate() {
        let _ = writeln!(text, "    {place} {name}");
    }
    text += "}\n";
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("exports.rs"), text)
}
