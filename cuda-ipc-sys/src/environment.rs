//! The environment variables that name a library.
//!
//! Loading a library runs its code. So the variable counts only if whoever started the process set it, and only if that
//! user may choose the code that runs: the same rules by which the loader reads `LD_LIBRARY_PATH`.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Returns the library that a variable names, or `None` if the variable is unset, empty, or not to be trusted because
/// the program runs with more rights than the user who started it.
///
/// # Errors
/// The library, if the process was not started with this value. Programs of edition 2021 change the environment without
/// `unsafe`, and what they name must not be loaded without it.
pub(crate) fn library(variable: &str) -> Result<Option<PathBuf>, PathBuf> {
    match env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(_) if runs_with_more_rights() => Ok(None),
        Some(value) if !was_set_at_start(variable, &value) => Err(value.into()),
        value => Ok(value.map(PathBuf::from)),
    }
}

/// `AT_SECURE`: returns whether the program is set-user-ID or set-group-ID, or got capabilities from its file.
#[cfg(target_os = "linux")]
fn runs_with_more_rights() -> bool {
    use std::ffi::c_ulong;

    // Every C library for Linux has it. One function is no reason to depend on the crate `libc`.
    unsafe extern "C" {
        safe fn getauxval(kind: c_ulong) -> c_ulong;
    }
    const AT_SECURE: c_ulong = 23;
    getauxval(AT_SECURE) != 0
}

/// Returns whether the process was started with a variable of this value. The kernel shows the strings of `execve`,
/// which stay as they were: a later change of the environment stores its text elsewhere.
#[cfg(target_os = "linux")]
fn was_set_at_start(variable: &str, value: &OsStr) -> bool {
    use std::os::unix::ffi::OsStrExt as _;

    let entry = [variable.as_bytes(), b"=", value.as_bytes()].concat();
    let environment = std::fs::read("/proc/self/environ").unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|start| start == entry)
}

#[cfg(not(target_os = "linux"))]
const fn runs_with_more_rights() -> bool {
    false
}

/// Other systems do not show the environment that a process was started with.
#[cfg(not(target_os = "linux"))]
const fn was_set_at_start(_: &str, _: &OsStr) -> bool {
    true
}
