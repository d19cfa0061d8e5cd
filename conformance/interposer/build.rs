//! Writes one line for each function to export: its place in the table of `cuda-ipc-sys`, and its exported name.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use cuda_ipc_sys::SYMBOLS;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut text = String::from("exports! {\n");
    // `src/proc_address.rs` has the signatures of cuGetProcAddress.
    let others = SYMBOLS.iter().enumerate().filter(|(_, symbol)| symbol.name != c"cuGetProcAddress");
    for (place, symbol) in others {
        let _ = writeln!(text, "    {place} {}", symbol.exported.to_string_lossy());
    }
    text += "}\n";
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("exports.rs"), text)
}
