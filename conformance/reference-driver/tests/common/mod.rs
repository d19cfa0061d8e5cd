//! What the tests share.

use std::path::PathBuf;

/// The library under test, which Cargo builds beside the test executable.
pub(crate) fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a test executable has a path");
    program.with_file_name("libreference_driver.so")
}
