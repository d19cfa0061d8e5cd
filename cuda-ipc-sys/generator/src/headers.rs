//! Header sets from the toolkit's wheels, by version and hash, so that no toolkit needs to be installed.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

#[derive(Deserialize)]
struct Wheels {
    wheel: Vec<Wheel>,
}

#[derive(Deserialize)]
struct Wheel {
    package: String,
    version: String,
    sha256: String,
}

fn wheels() -> Result<Vec<Wheel>> {
    let wheels: Wheels = toml::from_str(include_str!("../headers.toml"))?;
    Ok(wheels.wheel)
}

/// Fetch the given versions (all, where none is named) into `folder/version/include`.
pub(crate) fn fetch(folder: &Path, versions: &[String]) -> Result<()> {
    let known = wheels()?;
    for version in versions {
        if !known.iter().any(|wheel| &wheel.version == version) {
            let names: Vec<_> = known.iter().map(|wheel| wheel.version.as_str()).collect();
            bail!("no headers of CUDA {version}: headers.toml has {}", names.join(", "));
        }
    }
    for wheel in known {
        if versions.is_empty() || versions.contains(&wheel.version) {
            let include = wheel.fetch(folder)?;
            println!("{}", include.display());
        }
    }
    Ok(())
}

/// Fetch the version that the bindings are generated from.
pub(crate) fn fetch_newest(folder: &Path) -> Result<PathBuf> {
    let newest = wheels()?.pop().context("headers.toml lists no wheel")?;
    newest.fetch(folder)
}

impl Wheel {
    fn fetch(&self, folder: &Path) -> Result<PathBuf> {
        let include = folder.join(&self.version).join("include");
        if include.join("cuda.h").is_file() {
            return Ok(include);
        }
        let archive = self.download()?;
        self.unpack(&archive, &include)?;
        Ok(include)
    }

    fn download(&self) -> Result<Vec<u8>> {
        let download = tempfile::tempdir()?;
        let status = Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"])
            // The headers of every platform are the same; naming one makes the hash the same everywhere.
            .args(["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64"])
            .args(["--platform", "manylinux1_x86_64", "--dest"])
            .arg(download.path())
            .arg(format!("{}=={}", self.package, self.version))
            .status()
            .context("cannot run python3 -m pip")?;
        if !status.success() {
            bail!("pip could not download {} {}", self.package, self.version);
        }
        let file = fs::read_dir(download.path())?.next().context("pip downloaded nothing")??.path();
        let archive = fs::read(&file)?;
        let digest = Sha256::digest(&archive);
        let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if found != self.sha256 {
            bail!("{} {} has SHA-256 {found}, headers.toml says {}", self.package, self.version, self.sha256);
        }
        Ok(archive)
    }

    /// Only the include folder, whatever the wheel calls the folders above it.
    fn unpack(&self, archive: &[u8], include: &Path) -> Result<()> {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive))?;
        for index in 0..archive.len() {
            let mut file = archive.by_index(index)?;
            let Some(name) = file.enclosed_name() else {
                bail!("{} {} holds a file with an unsafe name: {}", self.package, self.version, file.name())
            };
            let Some(below) = name.to_str().and_then(|name| name.split_once("/include/")).map(|(_, below)| below)
            else {
                continue;
            };
            if file.is_dir() {
                continue;
            }
            let path = include.join(below);
            fs::create_dir_all(path.parent().context("a header without a folder")?)?;
            let mut contents = Vec::new();
            file.read_to_end(&mut contents)?;
            fs::write(&path, contents)?;
        }
        if !include.join("cuda.h").is_file() {
            bail!("{} {} holds no cuda.h", self.package, self.version);
        }
        Ok(())
    }
}
