//! Programs in C that the tests compile.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, process};

/// Compiles `tests/NAME.c`, and returns the path of the program.
#[allow(dead_code, reason = "some programs need a library")]
pub(crate) fn compiled(name: &str) -> PathBuf {
    compiled_with(name, &[])
}

/// Compiles `tests/NAME.c` and links it to libraries, given by their paths.
pub(crate) fn compiled_with(name: &str, libraries: &[&OsStr]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{name}.c"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, fresh) = (folder.join(name), folder.join(format!("{name}-{}", process::id())));
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let compiler = cc::Build::new().cargo_metadata(false).opt_level(1).target(&target).host(&target).get_compiler();
    let mut command = compiler.to_command();
    command
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror"])
        .arg(source)
        .arg("-o")
        .arg(&fresh)
        .args(libraries)
        .args(["-ldl", "-lpthread"]);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    // Another test process may compile or run the program now. Thanks to the rename it never sees a partial file.
    fs::rename(fresh, &program).expect("the folder can be written");
    program
}
