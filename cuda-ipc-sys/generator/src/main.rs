//! Writes the generated files of `cuda-ipc-sys/src` from CUDA's headers, and checks that they match the headers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use cuda_ipc_sys_generator::{Source, TARGETS, generate, headers};
use similar::TextDiff;

/// Generates the bindings of cuda-ipc-sys.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fetch the header sets of headers.toml with pip into FOLDER/VERSION/{include,lib}, and check their hashes
    Headers {
        /// The folder to put them into
        folder: PathBuf,
        /// Fetch only these versions; all versions if none is given
        versions: Vec<String>,
    },
    /// Write the bindings
    Generate(Paths),
    /// Generate into memory, and fail if the result differs from the checked-in files or between x86-64 and aarch64
    Check(Paths),
}

#[derive(clap::Args)]
struct Paths {
    /// The folder that contains cuda.h; without it, the newest set of headers.toml is fetched
    #[arg(long)]
    headers: Option<PathBuf>,
    /// The folder that contains driver/bindings.rs and the other generated files
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../src"))]
    output: PathBuf,
}

fn main() -> Result<()> {
    match Options::parse().command {
        Command::Headers { folder, versions } => fetch(&folder, &versions),
        Command::Generate(paths) => {
            for Source { path, text } in paths.with_headers(|include| generate(include, TARGETS[0]))? {
                let path = paths.output.join(path);
                fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
            Ok(())
        }
        Command::Check(paths) => {
            let [generated, other] =
                paths.with_headers(|include| Ok([generate(include, TARGETS[0])?, generate(include, TARGETS[1])?]))?;
            compare(TARGETS[0], &generated, TARGETS[1], &other)?;
            let mut checked_in = Vec::new();
            for Source { path, .. } in &generated {
                let file = paths.output.join(path);
                let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
                checked_in.push(Source { path, text });
            }
            compare("checked in", &checked_in, "generated", &generated).context("run `generate` to update the files")
        }
    }
}

impl Paths {
    fn with_headers<T>(&self, act: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        if let Some(include) = &self.headers {
            return act(include);
        }
        let (folder, newest) = (tempfile::tempdir()?, headers::newest()?);
        newest.fetch(folder.path())?;
        act(&newest.include(folder.path()))
    }
}

fn fetch(folder: &Path, versions: &[String]) -> Result<()> {
    let known = headers::sets()?;
    for version in versions {
        if !known.iter().any(|set| &set.version == version) {
            let names: Vec<_> = known.iter().map(|set| set.version.as_str()).collect();
            bail!("headers.toml does not list CUDA {version}; it lists {}", names.join(", "));
        }
    }
    for set in known {
        if versions.is_empty() || versions.contains(&set.version) {
            set.fetch(folder)?;
            println!("{}", set.include(folder).display());
        }
    }
    Ok(())
}

fn compare(old_name: &str, old: &[Source], new_name: &str, new: &[Source]) -> Result<()> {
    let mut differing = Vec::new();
    for (old, new) in old.iter().zip(new) {
        if old.text != new.text {
            let (from, to) = (format!("{} ({old_name})", old.path), format!("{} ({new_name})", new.path));
            eprintln!("{}", TextDiff::from_lines(&old.text, &new.text).unified_diff().header(&from, &to));
            differing.push(old.path);
        }
    }
    if !differing.is_empty() {
        bail!("{} differ between {old_name} and {new_name}", differing.join(", "));
    }
    Ok(())
}
