//! A program contains one copy of this crate: Cargo refuses another version beside it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Only the manifest of the other version matters here, because Cargo refuses it before it compiles anything.
const OTHER_VERSION: &str = r#"
    [package]
    name = "cuda-ipc"
    version = "9999.0.0"
    links = "cuda-ipc"
"#;

#[test]
fn cargo_refuses_two_versions_in_one_program() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("other/Cargo.toml", OTHER_VERSION);
    write("other/build.rs", "fn main() {}");
    write("other/src/lib.rs", "");
    let this_version = env!("CARGO_MANIFEST_DIR");
    let program = format!(
        r#"
        [package]
        name = "program"

        [dependencies]
        this = {{ package = "cuda-ipc", path = "{this_version}" }}
        other = {{ package = "cuda-ipc", path = "../other" }}
        "#
    );
    write("program/Cargo.toml", &program);
    write("program/src/main.rs", "fn main() {}");
    // With the versions that the workspace uses, Cargo needs no network.
    let lock = Path::new(this_version).join("../Cargo.lock");
    fs::copy(lock, folder.path().join("program/Cargo.lock")).unwrap();

    let mut cargo = Command::new(env::var_os("CARGO").expect("Cargo runs the tests"));
    cargo.args(["update", "--workspace", "--offline"]).current_dir(folder.path().join("program"));
    let output = cargo.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "Cargo accepts two versions");
    assert!(said.contains("links to the native library `cuda-ipc`"), "{said}");
}
