//! Writes the generated files of `cuda-ipc-sys/src` from CUDA's headers, and checks that they match the headers.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use cuda_ipc_sys_generator::{Interface, Source, TARGETS, generate, headers, update};
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
    /// Support a CUDA release: add its header set to headers.toml, write the bindings, and check them against every set
    Update {
        /// The release, such as 13.5.37, or 13.5 for its newest wheels
        version: String,
        /// The folder of the header sets, where pip puts missing ones; without it, a temporary folder
        #[arg(long)]
        headers: Option<PathBuf>,
    },
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
        Command::Generate(paths) => paths.with_headers(|include| write(include, &paths.output)),
        Command::Update { version, headers } => match headers {
            // cargo runs elsewhere.
            Some(folder) => support(&version, &std::path::absolute(folder)?),
            None => support(&version, tempfile::tempdir()?.path()),
        },
        Command::Check(paths) => {
            let [generated, other] =
                paths.with_headers(|include| Ok([generate(include, TARGETS[0])?, generate(include, TARGETS[1])?]))?;
            compare(TARGETS[0], &generated, TARGETS[1], &other)?;
            let mut checked_in = Vec::new();
            for Source { path, .. } in &generated {
                let file = paths.output.join(path);
                let text = fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}, which `generate` writes", file.display()))?;
                checked_in.push(Source { path: path.clone(), text });
            }
            if let Some(old) = not_generated(&generated, &paths.output)?.first() {
                bail!("{} is generated no longer: run `generate` to remove it", old.display());
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

fn write(include: &Path, output: &Path) -> Result<()> {
    let sources = generate(include, TARGETS[0])?;
    for Source { path, text } in &sources {
        let path = output.join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    for old in not_generated(&sources, output)? {
        fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(())
}

/// Returns the files in the folders of the functions that are not among the generated ones.
fn not_generated(sources: &[Source], output: &Path) -> Result<Vec<PathBuf>> {
    let generated: HashSet<_> = sources.iter().map(|source| output.join(&source.path)).collect();
    let mut others = Vec::new();
    for interface in Interface::all()? {
        for entry in fs::read_dir(output.join(interface.functions_folder))? {
            let file = entry?.path();
            if !generated.contains(&file) {
                others.push(file);
            }
        }
    }
    Ok(others)
}

/// Each step leaves its files. So the command can run again, once what it reports is corrected.
fn support(version: &str, folder: &Path) -> Result<()> {
    if !update::workspace().join("cuda-ipc-sys/src").is_dir() {
        bail!("`update` changes files of the project: run it with cargo in a checkout");
    }
    let set = update::find(version)?;
    let mut list = fs::read_to_string(update::LIST).context("cannot read headers.toml")?;
    if update::lists(&list, &set) {
        println!("CUDA {}: headers.toml lists it already", set.version);
    } else {
        list = update::insert(&list, &set)?;
        fs::write(update::LIST, &list).context("cannot write headers.toml")?;
        println!("CUDA {}: added to headers.toml", set.version);
    }
    set.fetch(folder)?;
    let mut written = Ok(());
    if update::is_last(&list, &set) {
        written = write(&set.include(folder), &update::workspace().join("cuda-ipc-sys/src"));
        match &written {
            Ok(()) => println!("CUDA {}: wrote the bindings", set.version),
            // The check below lists everything that the release changes, also if the bindings are the old ones.
            Err(error) => eprintln!("CUDA {}: the bindings are not written: {error:#}", set.version),
        }
    }
    // It is compiled again, because the sets of headers.toml are part of it.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut check = process::Command::new(cargo);
    check.args(["run", "--quiet", "-p", "cuda-ipc-sys-abi-check", "--", "--write", "--headers"]).arg(folder);
    let is_equal = check.current_dir(update::workspace()).status().context("cannot run cargo")?.success();
    if !is_equal || written.is_err() {
        bail!(
            "the bindings and the headers disagree, as listed above: bind each new function, or refuse it in \
             unbound.toml; correct the bindings, or add to exceptions.toml what one definition covers; then run `update \
             {version}` again"
        );
    }
    Ok(())
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
            differing.push(old.path.as_str());
        }
    }
    if !differing.is_empty() {
        bail!("{} differ between {old_name} and {new_name}", differing.join(", "));
    }
    Ok(())
}
