//! Lists the versions of each driver function in cudaTypedefs.h, for the tests of cuda-ipc-sys.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cuda_ipc_sys_generator::{Declarations, Interface};

const HEADER: &str = "\
# The versions of each function in cudaTypedefs.h.
# Written by `cargo run -p cuda-ipc-sys-abi-check -- --write`.
";

/// The text of the list.
pub(crate) struct Typedefs(String);

pub(crate) fn read(newest: &Declarations) -> Result<Typedefs> {
    let mut list = HEADER.to_owned();
    let [driver, _] = Interface::all()?;
    let names: BTreeSet<_> = driver.functions().map(|function| function.base()).collect();
    for name in names {
        let versions = newest.typedefs_of_functions().get(name);
        let versions = versions.with_context(|| format!("cudaTypedefs.h has no {name}"))?;
        let versions = versions.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        writeln!(list, "{name} {versions}")?;
    }
    Ok(Typedefs(list))
}

impl Typedefs {
    fn path() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/typedefs.txt")
    }

    pub(crate) fn write(&self) -> Result<()> {
        std::fs::write(Self::path(), &self.0).context("cannot write tests/typedefs.txt")
    }

    pub(crate) fn compare(&self) -> Result<Option<String>> {
        let known = std::fs::read_to_string(Self::path()).context("cannot read tests/typedefs.txt")?;
        Ok((known != self.0).then(|| "tests/typedefs.txt differs from cudaTypedefs.h: run with --write".to_owned()))
    }
}
