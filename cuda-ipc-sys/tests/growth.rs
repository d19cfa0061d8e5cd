//! A release that adds a function does not break programs that were written before.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// A program that uses everything in these bindings that depends on the number of functions.
const CLIENT: &str = r#"
use cuda_ipc_sys::{CUresult, Driver, Error, Functions, SYMBOLS, Symbol};

pub fn first_missing(driver: &Driver) -> Option<&'static Symbol> {
    let addresses: &[*const core::ffi::c_void] = driver.addresses();
    let _: &'static [Symbol] = SYMBOLS;
    SYMBOLS.iter().zip(addresses).find(|(_, address)| address.is_null()).map(|(symbol, _)| symbol)
}

pub fn initialise(driver: &Driver) -> Result<CUresult, Error> {
    let Functions { cuInit: Some(init), .. } = driver.functions() else { return Ok(CUresult::CUDA_ERROR_NOT_FOUND) };
    // SAFETY: any argument is valid.
    Ok(unsafe { init(0) })
}

pub unsafe fn table(addresses: &[*const core::ffi::c_void]) -> Option<&Functions> {
    // SAFETY: as the caller promises.
    unsafe { Functions::from_addresses(addresses) }
}
"#;

/// Copies the files of a folder and of the folders in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the folder is there") {
        let from = entry.expect("an entry").path();
        let to = to.join(from.file_name().expect("a name"));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).expect("the file can be copied");
        }
    }
}

#[test]
fn a_program_compiles_with_a_function_more() {
    let (folder, own) = (tempfile::tempdir().expect("a temporary folder"), Path::new(env!("CARGO_MANIFEST_DIR")));
    let sys = folder.path().join("sys");
    copy(&own.join("src"), &sys.join("src"));
    fs::copy(own.join("README.md"), sys.join("README.md")).expect("the file can be copied");
    let package = |name: &str, dependency: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [features]\nbindgen = []\n\n[dependencies]\n{dependency}\n"
        )
    };
    fs::write(sys.join("Cargo.toml"), package("cuda-ipc-sys", "libloading = \"0.9\"")).expect("the manifest");

    let table = sys.join("src/driver/functions/mod.rs");
    let text = fs::read_to_string(&table).expect("the table is there");
    let count = cuda_ipc_sys::SYMBOLS.len();
    let mut grown = text.clone();
    for (old, new) in [
        (format!("COUNT: usize = {count}usize"), format!("COUNT: usize = {}usize", count + 1)),
        ("SYMBOLS: &[Symbol] = &[".into(), "SYMBOLS: &[Symbol] = &[Symbol::new(c\"cuNew\", 14000),".into()),
        ("pub struct Functions {".into(), "pub struct Functions { pub cuNew: Option<unsafe extern \"C\" fn()>,".into()),
    ] {
        assert!(grown.contains(&old), "the table has no {old}");
        grown = grown.replacen(&old, &new, 1);
    }
    fs::write(table, grown).expect("the table can be written");

    let client = folder.path().join("client");
    fs::create_dir_all(client.join("src")).expect("a folder");
    fs::write(client.join("src/lib.rs"), CLIENT).expect("the program");
    fs::write(client.join("Cargo.toml"), package("client", "cuda-ipc-sys = { path = \"../sys\" }"))
        .expect("a manifest");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--offline"]).current_dir(&client).env("CARGO_TARGET_DIR", client.join("target"));
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
