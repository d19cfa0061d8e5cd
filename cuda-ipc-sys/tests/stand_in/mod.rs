//! Builds shared libraries from C source, which stand in for drivers.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A library in a folder of its own.
pub(crate) struct StandIn {
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

/// Builds a library from C source.
#[allow(dead_code, reason = "not every test uses it")]
pub(crate) fn library(source: &str) -> StandIn {
    StandIn::compiled("libdriver.so", source, [] as [&str; 0])
}

impl StandIn {
    /// Builds a library that depends on another one.
    #[allow(dead_code, reason = "not every test uses it")]
    pub(crate) fn linked_with(source: &str, other: &Path) -> Self {
        Self::compiled("libdriver.so", source, [other])
    }

    /// Builds a library that the loader knows by this name.
    #[allow(dead_code, reason = "not every test uses it")]
    pub(crate) fn named(name: &str, source: &str) -> Self {
        Self::compiled(name, source, [format!("-Wl,-soname,{name}")])
    }

    fn compiled(name: &str, source: &str, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (input, path) = (folder.path().join("driver.c"), folder.path().join(name));
        fs::write(&input, source).expect("the folder can be written");
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let compiler = cc::Build::new().cargo_metadata(false).opt_level(0).target(&target).host(&target).get_compiler();
        let mut command = Command::new(compiler.path());
        command.args(["-shared", "-fPIC", "-o"]).arg(&path).arg(&input).args(arguments);
        assert!(command.status().expect("the C compiler runs").success());
        Self { path, _folder: folder }
    }
}
