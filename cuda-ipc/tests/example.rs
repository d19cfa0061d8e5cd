//! The example runs.

mod common;

use std::process::Command;

#[test]
fn share_buffer() {
    let device = common::device();
    let test = std::env::current_exe().expect("a test executable has a path");
    let profile = test.parent().and_then(|folder| folder.parent()).expect("target/<profile>/deps");
    let mut example = Command::new(profile.join("examples/share_buffer"));
    let output = example.env("CUDA_IPC_DRIVER", device.driver().path()).output();
    let output = output.unwrap_or_else(|error| panic!("{error}: `cargo test -p cuda-ipc` builds {example:?}"));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&device.name().unwrap()) && text.ends_with("the importer's bytes arrived\n"), "{text}");
}
