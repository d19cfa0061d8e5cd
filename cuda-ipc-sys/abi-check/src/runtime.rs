//! Compares the bindings with the real libcudart of each set, which loads without a GPU and without a driver.

use std::ffi::{CStr, c_int};
use std::path::Path;

use anyhow::{Context, Result, bail};
use cuda_ipc_sys::runtime::{Runtime, SYMBOLS, cudaError};
use cuda_ipc_sys_generator::headers::HeaderSet;

pub(crate) fn compare(set: &HeaderSet, lib: &Path) -> Result<Vec<String>> {
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
    let newer = SYMBOLS.iter().filter(|symbol| symbol.since.0 > version).map(|symbol| symbol.name);
    let missing = runtime.missing_symbols().map(|missing| missing.name);
    let (newer, missing) = (newer.collect::<Vec<_>>(), missing.collect::<Vec<_>>());
    if newer != missing {
        disagreements.push(format!("libcudart of CUDA {} lacks {missing:?}, expected {newer:?}", set.version));
    }
    println!("CUDA {}: libcudart has {} of {} functions", set.version, SYMBOLS.len() - missing.len(), SYMBOLS.len());
    Ok(disagreements)
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
