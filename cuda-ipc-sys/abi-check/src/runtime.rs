//! Compares the bindings with the real libcudart of each set, which loads without a GPU and without a driver.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::path::Path;

use anyhow::{Context, Result, bail};
use cuda_ipc_sys::runtime::{Runtime, SYMBOLS, cudaError};
use cuda_ipc_sys_generator::Interface;
use cuda_ipc_sys_generator::headers::HeaderSet;

/// What a runtime shows.
pub(crate) struct Compared {
    /// The functions that it has with another signature, each with the CUDA version that gave it the bound one.
    pub(crate) changed: BTreeMap<String, u32>,
    pub(crate) disagreements: Vec<String>,
}

pub(crate) fn compare(set: &HeaderSet, lib: &Path) -> Result<Compared> {
    let version = set.cuda_version()?;
    let path = std::fs::read_dir(lib)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcudart.so")))
        .with_context(|| format!("{} has no libcudart.so", lib.display()))?;
    // SAFETY: the library comes from NVIDIA's package.
    let runtime = unsafe { Runtime::load_from(&path)? };
    let mut disagreements = Vec::new();
    let mut answered: c_int = 0;
    // SAFETY: the output is valid for writing.
    let code = unsafe { runtime.cudaRuntimeGetVersion(&mut answered)? };
    let expected = match code {
        cudaError::cudaSuccess => version,
        // The runtime of CUDA 11 asks the driver, and this machine may have none.
        cudaError::cudaErrorInsufficientDriver if version < 12_000 => 11_000,
        code => bail!("cudaRuntimeGetVersion of CUDA {} returned {code}", set.version),
    };
    if runtime.version().0 != expected {
        disagreements.push(format!("{} reports the unexpected version CUDA {}", path.display(), runtime.version()));
    }
    for code in (0..1000).map(cudaError) {
        disagreements.extend(compare_name(&runtime, code, set)?);
    }
    let newer: Vec<_> = SYMBOLS.iter().filter(|symbol| symbol.first().0 > version).map(|symbol| symbol.name).collect();
    for (table, stream) in [(&runtime, "one default stream"), (&runtime.per_thread(), "a default stream per thread")] {
        let missing: Vec<_> = table.missing_symbols().map(|missing| missing.name).collect();
        if newer != missing {
            let text = format!("libcudart of CUDA {} lacks {missing:?} with {stream}, expected {newer:?}", set.version);
            disagreements.push(text);
        }
    }
    let changed: BTreeMap<_, _> = SYMBOLS
        .iter()
        .filter(|symbol| symbol.first().0 > version && runtime.exported(symbol.name).is_some())
        .map(|symbol| (symbol.name.to_string_lossy().into_owned(), symbol.first().0))
        .collect();
    println!("CUDA {}: libcudart has {} of {} functions", set.version, SYMBOLS.len() - newer.len(), SYMBOLS.len());
    Ok(Compared { changed, disagreements })
}

/// Returns what unbound.toml says wrongly about the functions that the runtimes of the sets have with another signature.
pub(crate) fn compare_changed(interface: &Interface, changed: &BTreeMap<String, u32>) -> Vec<String> {
    let listed: BTreeMap<_, _> =
        interface.unbound.iter().filter_map(|unbound| Some((unbound.name.clone(), unbound.before?))).collect();
    let missing = changed.iter().filter(|(name, before)| listed.get(*name) != Some(before)).map(|(name, before)| {
        format!("unbound.toml does not say why {name} is not bound with the signature that it had before {before}")
    });
    let wrong = listed.iter().filter(|(name, before)| changed.get(*name) != Some(before)).map(|(name, before)| {
        format!("unbound.toml lists {name} before {before}, but no runtime has it with another signature")
    });
    missing.chain(wrong).collect()
}

/// Compares the library's name for a code with that of the bindings.
fn compare_name(runtime: &Runtime, code: cudaError, set: &HeaderSet) -> Result<Option<String>> {
    // SAFETY: any code is allowed, and the library returns a string that it keeps.
    let theirs = unsafe { CStr::from_ptr(runtime.cudaGetErrorName(code)?) }.to_str()?;
    let is_unknown = theirs == "unrecognized error code";
    let is_agreed = code.name() == Some(theirs) || is_unknown;
    Ok((!is_agreed)
        .then(|| format!("code {} is {theirs} in libcudart of CUDA {}, but {code} here", code.0, set.version)))
}
