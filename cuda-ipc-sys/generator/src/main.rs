//! Writes `cuda-ipc-sys/src/bindings.rs` and `functions.rs` from CUDA's headers, and checks that they are what the
//! headers say.

mod bindings;
mod functions;
mod headers;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use similar::TextDiff;

/// Generates the bindings of cuda-ipc-sys.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fetch the header sets of headers.toml with pip, checked by hash, into FOLDER/VERSION/include
    Headers {
        /// Where to put them
        folder: PathBuf,
        /// Only these versions; all without
        versions: Vec<String>,
    },
    /// Write the bindings
    Generate {
        /// The folder that holds cuda.h; the newest set of headers.toml is fetched where it is not given
        #[arg(long)]
        headers: Option<PathBuf>,
        /// Where to write bindings.rs and functions.rs
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../src"))]
        output: PathBuf,
    },
    /// Generate into memory and fail on any difference from the checked-in files
    Check {
        /// The folder that holds cuda.h; the newest set of headers.toml is fetched where it is not given
        #[arg(long)]
        headers: Option<PathBuf>,
        /// Where bindings.rs and functions.rs are
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../src"))]
        output: PathBuf,
    },
}

fn main() -> Result<()> {
    match Options::parse().command {
        Command::Headers { folder, versions } => headers::fetch(&folder, &versions),
        Command::Generate { headers, output } => {
            for (name, text) in generate(headers)? {
                let path = output.join(name);
                fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
            Ok(())
        }
        Command::Check { headers, output } => check(headers, &output),
    }
}

/// Both files, by name.
fn generate(headers: Option<PathBuf>) -> Result<[(&'static str, String); 2]> {
    let fetched = tempfile::tempdir()?;
    let include = match headers {
        Some(folder) => folder,
        None => headers::fetch_newest(fetched.path())?,
    };
    if !include.join("cuda.h").is_file() {
        bail!(
            "{} holds no cuda.h: give the include folder of a toolkit, or one that `headers` made",
            include.display()
        );
    }
    let functions = functions::read()?;
    let bindings = bindings::generate(&include, &functions)?;
    Ok([("bindings.rs", bindings.types), ("functions.rs", functions::generate(&functions, &bindings.signatures)?)])
}

fn check(headers: Option<PathBuf>, output: &Path) -> Result<()> {
    let mut differing = Vec::new();
    for (name, expected) in generate(headers)? {
        let path = output.join(name);
        let found = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if found != expected {
            let diff = TextDiff::from_lines(&found, &expected);
            eprintln!("{}", diff.unified_diff().header(&path.display().to_string(), "generated"));
            differing.push(name);
        }
    }
    if !differing.is_empty() {
        bail!("{} differ from what the headers give: run `generate`", differing.join(" and "));
    }
    Ok(())
}
