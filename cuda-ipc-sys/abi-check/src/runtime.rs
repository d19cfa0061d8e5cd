//! The real libcudart of each set. It loads without a GPU and without a driver, and has its functions by name.

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
        .with_context(|| format!("{} holds no libcudart.so", lib.display()))?;
    // SAFETY: the library is of NVIDIA's package.
    let runtime = unsafe { Runtime::load_from(&path)? };
    let mut disagreements = Vec::new();
    let mut answered: c_int = 0;
    // SAFETY: the output is valid for writing.
    let code = unsafe { runtime.cudaRuntimeGetVersion(&mut answered)? };
    let expected = match code {
        cudaError::cudaSuccess => version,
        // CUDA 11 asks the driver, and here may be none.
        cudaError::cudaErrorInsufficientDriver if version < 12_000 => 11_000,
        code => bail!("cudaRuntimeGetVersion of CUDA {} answers {code}", set.version),
    };
    if runtime.version().0 != expected {
        disagreements.push(format!("{} says that it is CUDA {}", path.display(), runtime.version()));
    }
    for code in (0..1000).map(cudaError) {
        disagreements.extend(compare_name(&runtime, code, set)?);
    }
    let newer = SYMBOLS.iter().filter(|symbol| symbol.since.0 > version).map(|symbol| symbol.name);
    let missing = runtime.missing_symbols().map(|missing| missing.name);
    let (newer, missing) = (newer.collect::<Vec<_>>(), missing.collect::<Vec<_>>());
    if newer != missing {
        disagreements.push(format!("libcudart of CUDA {} lacks {missing:?}, and newer are {newer:?}", set.version));
    }
    println!("CUDA {}: libcudart has {} of {} functions", set.version, SYMBOLS.len() - missing.len(), SYMBOLS.len());
    Ok(disagreements)
}

/// The name that the library has for a code, and ours.
fn compare_name(runtime: &Runtime, code: cudaError, set: &HeaderSet) -> Result<Option<String>> {
    // SAFETY: any code may be asked for, and the library answers with a text that it keeps.
    let theirs = unsafe { CStr::from_ptr(runtime.cudaGetErrorName(code)?) }.to_str()?;
    let is_unknown = theirs == "unrecognized error code";
    let is_agreed = code.name() == Some(theirs) || is_unknown;
    Ok((!is_agreed)
        .then(|| format!("code {} is {theirs} in libcudart of CUDA {}, and {code} here", code.0, set.version)))
}
