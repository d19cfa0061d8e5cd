//! Fetches header sets from the toolkit's wheels, by version and hash, so that no toolkit needs to be installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

#[derive(Deserialize)]
struct Sets {
    set: Vec<HeaderSet>,
}

/// The headers of one CUDA release, and its libcudart.
#[derive(Clone, Debug, Deserialize)]
pub struct HeaderSet {
    /// The release, such as `12.4.127`.
    pub version: String,
    pub(crate) runtime: Wheel,
    pub(crate) crt: Wheel,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Wheel {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) sha256: String,
}

/// Returns the sets of headers.toml, oldest first.
///
/// # Errors
/// If headers.toml is invalid.
pub fn sets() -> Result<Vec<HeaderSet>> {
    let sets: Sets = toml::from_str(include_str!("../headers.toml")).context("cannot parse headers.toml")?;
    Ok(sets.set)
}

/// Returns the set that the bindings are generated from.
///
/// # Errors
/// If headers.toml is invalid or lists no set.
pub fn newest() -> Result<HeaderSet> {
    sets()?.pop().context("headers.toml lists no set")
}

impl HeaderSet {
    /// Returns the CUDA version as the driver encodes it: 12040 for 12.4.127.
    ///
    /// # Errors
    /// If the version does not begin with two numbers.
    pub fn cuda_version(&self) -> Result<u32> {
        let mut numbers = self.version.split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(major * 1000 + minor * 10),
            _ => bail!("{} is not a CUDA version such as 12.4.127", self.version),
        }
    }

    /// Returns the path of the headers in a folder that [`HeaderSet::fetch`] filled.
    #[must_use]
    pub fn include(&self, folder: &Path) -> PathBuf {
        folder.join(&self.version).join("include")
    }

    /// Returns the path of libcudart in a folder that [`HeaderSet::fetch`] filled.
    #[must_use]
    pub fn lib(&self, folder: &Path) -> PathBuf {
        folder.join(&self.version).join("lib")
    }

    /// Puts the set into `folder/VERSION/{include,lib}`, unless it is already there.
    ///
    /// # Errors
    /// If pip cannot download a wheel, or a wheel has an unexpected hash or content.
    pub fn fetch(&self, folder: &Path) -> Result<()> {
        let into = folder.join(&self.version);
        if into.join("include/crt/host_defines.h").is_file() {
            return Ok(());
        }
        // crt is unpacked last, because its header marks the set as complete.
        self.runtime.unpack(&into)?;
        self.crt.unpack(&into)?;
        for file in ["include/cuda.h", "include/cudaTypedefs.h", "include/crt/host_defines.h"] {
            if !into.join(file).is_file() {
                bail!("the wheels of CUDA {} do not contain {file}", self.version);
            }
        }
        Ok(())
    }
}

impl Wheel {
    /// Finds the newest wheel whose version matches, such as `13.5.*`.
    pub(crate) fn find(package: &str, version: &str) -> Result<Self> {
        let (name, archive) = pip(package, version)?;
        let version = name.split('-').nth(1).with_context(|| format!("{name} is not the name of a wheel"))?;
        Ok(Self { package: package.to_owned(), version: version.to_owned(), sha256: sha256(&archive) })
    }

    fn download(&self) -> Result<Vec<u8>> {
        let (_, archive) = pip(&self.package, &self.version)?;
        let found = sha256(&archive);
        if found != self.sha256 {
            bail!("{} {} has SHA-256 {found}, but headers.toml expects {}", self.package, self.version, self.sha256);
        }
        Ok(archive)
    }

    /// Unpacks the folders include and lib, whatever the wheel calls the folders above them.
    fn unpack(&self, into: &Path) -> Result<()> {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(self.download()?))?;
        for index in 0..archive.len() {
            let mut file = archive.by_index(index)?;
            let Some(name) = file.enclosed_name() else {
                bail!("{} {} contains a file with an unsafe name: {}", self.package, self.version, file.name())
            };
            let below = |folder: &str| {
                let (_, below) = name.to_str()?.split_once(&format!("/{folder}/"))?;
                Some(Path::new(folder).join(below))
            };
            let Some(path) = below("include").or_else(|| below("lib")) else { continue };
            if !file.is_dir() {
                let path = into.join(path);
                fs::create_dir_all(path.parent().context("a file of the wheel has no parent folder")?)?;
                std::io::copy(&mut file, &mut fs::File::create(&path)?)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }
}

/// Downloads a wheel, and returns its file name and its content.
fn pip(package: &str, version: &str) -> Result<(String, Vec<u8>)> {
    let download = tempfile::tempdir()?;
    let status = Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"])
        // The headers are the same on every platform; a fixed platform makes the hash the same everywhere.
        .args(["--platform", "manylinux_2_17_x86_64", "--platform", "manylinux2014_x86_64"])
        .args(["--platform", "manylinux1_x86_64", "--dest"])
        .arg(download.path())
        .arg(format!("{package}=={version}"))
        .status()
        .context("cannot run python3 -m pip")?;
    if !status.success() {
        bail!("pip could not download {package} {version}");
    }
    let file = fs::read_dir(download.path())?.next().context("pip downloaded no file")??;
    Ok((file.file_name().to_string_lossy().into_owned(), fs::read(file.path())?))
}

fn sha256(archive: &[u8]) -> String {
    Sha256::digest(archive).iter().map(|byte| format!("{byte:02x}")).collect()
}
