//! Calls from a program or a thread that is ending.

mod common;
#[path = "common/program.rs"]
mod program;

use std::process::Command;

use common::library;
use program::compiled;

/// A thread keeps its current context to the very end, and every call works.
#[test]
fn late_calls_find_the_current_context() {
    let mut command = Command::new(compiled("late"));
    let output = command.arg(library()).env("REFERENCE_DRIVER_DEVICES", "2").output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let calls = "get 0 same push 0 pop 0 get 0 same allocate 0 set 0 free 0 synchronize 0 allocate_async 0 free_async 0 \
                 synchronize_stream 0\n";
    let moments = ["thread", "thread", "thread", "atexit", "destructor"];
    let expected: String = moments.map(|when| format!("{when}: {calls}")).concat();
    assert_eq!((&*said, output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (&*expected, Some(0), ""));
}
