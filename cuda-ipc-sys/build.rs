//! Refuses targets that CUDA does not support. With the feature `bindgen`, adds the items of the headers below CUDA_HOME
//! to the bindings.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A `compile_error!` in the library would stand among the errors of every layout assertion that fails.
    if std::env::var("CARGO_CFG_TARGET_POINTER_WIDTH").is_ok_and(|width| width != "64") {
        println!("cargo::error=CUDA's current releases are for 64-bit targets only, and so is cuda-ipc-sys");
    }
    #[cfg(feature = "bindgen")]
    if let Err(error) = from_headers::write() {
        println!("cargo::error=feature bindgen of cuda-ipc-sys: {error}");
    }
}

#[cfg(feature = "bindgen")]
mod from_headers {
    use std::env;
    use std::error::Error;
    use std::fs;
    use std::path::{Path, PathBuf};

    use cuda_ipc_sys_generator::{Interface, Source, TARGETS, merge};

    /// The symbolic link that the installer of each toolkit points at that toolkit.
    const USUAL_HOME: &str = "/usr/local/cuda";

    pub(crate) fn write() -> Result<(), Box<dyn Error>> {
        println!("cargo::rerun-if-env-changed=CUDA_HOME");
        let home = env::var_os("CUDA_HOME").map_or_else(|| PathBuf::from(USUAL_HOME), PathBuf::from);
        let include = home.join("include");
        if !include.join("cuda.h").is_file() {
            return Err(format!(
                "{} has no cuda.h. Set CUDA_HOME to a CUDA toolkit, or turn the feature off: without it, the crate needs \
                 no headers (--all-features turns it on)",
                include.display()
            )
            .into());
        }
        println!("cargo::rerun-if-changed={}", include.display());
        let mut checked_in = Vec::new();
        for interface in Interface::all()? {
            for path in interface.paths() {
                let file = Path::new("src").join(&path);
                println!("cargo::rerun-if-changed={}", file.display());
                checked_in.push(Source { path, text: fs::read_to_string(file)? });
            }
        }
        let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this through cargo")?);
        for Source { path, text } in merge(&include, TARGETS[0], &checked_in).map_err(|error| format!("{error:#}"))? {
            let path = output.join(path);
            fs::create_dir_all(path.parent().ok_or("a generated file has no parent folder")?)?;
            fs::write(path, text)?;
        }
        Ok(())
    }
}
