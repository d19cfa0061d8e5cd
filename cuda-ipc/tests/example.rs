//! The examples run.

mod common;

use std::process::Command;

use rstest::rstest;

#[rstest]
fn runs(#[values("cache", "event_loop", "share_buffer", "stream", "virtual_memory")] name: &str) {
    let device = common::device();
    let test = std::env::current_exe().expect("a test executable has a path");
    let profile = test.parent().and_then(|folder| folder.parent()).expect("the test is in target/<profile>/deps");
    let mut example = Command::new(profile.join("examples").join(name));
    let output = example.env("CUDA_IPC_DRIVER", device.driver().path()).output();
    let output =
        output.unwrap_or_else(|error| panic!("cannot start {example:?}: {error}; `cargo test -p cuda-ipc` builds it"));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(&device.name().unwrap()) && text.ends_with("arrived\n"), "{text}");
}
