//! The environment variables that name a library.
//!
//! Loading a library runs its code. So the variable takes effect only if it was set when the process started, and only if
//! the program runs with no more rights than the user who started it. The loader has the second rule for
//! `LD_LIBRARY_PATH`.

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

/// Returns whether the process was started with a variable of this value. /proc/self/environ shows the memory
/// of the strings of `execve`. `setenv` stores its text elsewhere. A program that overwrites that memory, as setproctitle
/// does, hides its variables.
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
