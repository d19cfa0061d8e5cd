//! Lists the versions of each driver function in cudaTypedefs.h, for the tests of cuda-ipc-sys.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cuda_ipc_sys_generator::Interface;

const HEADER: &str = "\
# The versions of each function in cudaTypedefs.h.
# Written by `cargo run -p cuda-ipc-sys-abi-check -- --write`.
";

/// The text of the list.
pub(crate) struct Typedefs(String);

pub(crate) fn read(include: &Path) -> Result<Typedefs> {
    let path = include.join("cudaTypedefs.h");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut versions = BTreeMap::<&str, Vec<u32>>::new();
    for typedef in text.split("(CUDAAPI *PFN_").skip(1) {
        let name = typedef.split(')').next().unwrap_or_default();
        // This skips names in _ptds and _ptsz, which are for the per-thread default stream: a flag selects that.
        if let Some((name, version)) = name.rsplit_once("_v")
            && let Ok(version) = version.parse()
        {
            versions.entry(name).or_default().push(version);
        }
    }
    let mut list = HEADER.to_owned();
    let [driver, _] = Interface::all()?;
    for function in driver.functions {
        let versions = versions.get_mut(&*function.name);
        let versions = versions.with_context(|| format!("cudaTypedefs.h has no {}", function.name))?;
        versions.sort_unstable();
        versions.dedup();
        let versions = versions.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        writeln!(list, "{} {versions}", function.name)?;
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
