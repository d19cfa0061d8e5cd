//! Selects and probes the driver under test.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use cuda_ipc_sys::{CudaVersion, DRIVER_VARIABLE};
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use crate::Placement;
use crate::calls::AnyCall;
use crate::calls::device::Call;
use crate::identity::{Identity, Kind};
use crate::library::nvidia_release;
use crate::machine::Machine;
use crate::process::{Process, Settings, Start};

/// The value of `--driver`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The system's driver if it finds a device; the reference driver if the machine shows no sign of an NVIDIA GPU.
    Auto,
    /// The system's driver.
    System,
    /// The reference driver.
    Reference,
    /// The library at a path.
    Path(PathBuf),
}

impl std::str::FromStr for Choice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "system" => Self::System,
            "reference" => Self::Reference,
            path => Self::Path(path.into()),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::System => f.write_str("system"),
            Self::Reference => f.write_str("reference"),
            Self::Path(path) => path.display().fmt(f),
        }
    }
}

/// The selected driver and the result of its probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderTest {
    /// The driver.
    pub identity: Identity,
    /// The library that roles load; `None` leaves the search to the dynamic loader.
    pub library: Option<PathBuf>,
    /// The machine as the driver reports it.
    pub machine: Machine,
}

/// Selects the driver, starts a first role on it and probes the machine.
///
/// Also returns the role: while it lives, other roles start faster.
///
/// # Errors
/// A sentence that names the cause: the driver does not load, or the machine has an NVIDIA GPU but no working driver.
pub(crate) fn choose(choice: &Choice, settings: &Settings) -> Result<(UnderTest, Option<Process>), String> {
    // The loader's advice is to set this variable, so the suite follows it too.
    let named = std::env::var_os(DRIVER_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let (Choice::System | Choice::Auto, Some(path)) = (choice, named) {
        let named = |error| format!("{DRIVER_VARIABLE}={}: {error}", path.display());
        return try_driver(Kind::Path, Some(path.clone()), settings).map_err(named);
    }
    match choice {
        Choice::System => try_driver(Kind::System, None, settings),
        Choice::Path(path) => try_driver(Kind::Path, Some(path.clone()), settings)
            .map_err(|error| format!("--driver {}: {error}", path.display())),
        Choice::Reference => try_driver(Kind::Reference, Some(reference_library()?), settings),
        Choice::Auto => match (try_driver(Kind::System, None, settings), nvidia_hint(Path::new("/"))) {
            (Ok(found), _) if found.0.machine.problem.is_none() => Ok(found),
            (Ok((system, _)), Some(hint)) => Err(format!(
                "{hint}, but the system's driver reports no device: {}",
                system.machine.problem.unwrap_or_default()
            )),
            (Err(error), Some(hint)) => Err(format!("{hint}, but the system's driver does not work: {error}")),
            (_, None) => {
                // How a process ended with the system's driver says nothing about the one that the run now tests.
                drop(settings.bad_ends.take());
                try_driver(Kind::Reference, Some(reference_library()?), settings)
            }
        },
    }
}

fn try_driver(
    kind: Kind,
    library: Option<PathBuf>,
    settings: &Settings,
) -> Result<(UnderTest, Option<Process>), String> {
    let settings = Settings { driver: library.clone(), ..settings.clone() };
    let (machine, process) = match Process::start("keeper", Placement::device(0), &settings) {
        Ok(mut process) => {
            let machine: Machine = process
                .perform(&AnyCall::from(Call::probe_machine {}))
                .map_err(|stop| stop.to_string())?
                .map_err(|refused| format!("cannot probe the driver: {refused}"))?;
            (machine, Some(process))
        }
        Err(Start::NoDevice(message)) => (Machine { problem: Some(message), ..Machine::default() }, None),
        Err(Start::NoDriver(message)) => return Err(message),
        Err(Start::Failed(stop)) => return Err(stop.to_string()),
    };
    let identity = identity(kind, library.as_deref(), &machine);
    Ok((UnderTest { identity, library, machine }, process))
}

/// Returns a path that has the same meaning in every folder. A name without a folder is one that the loader looks for.
fn from_the_root(path: &Path) -> PathBuf {
    let is_looked_for = path.components().count() == 1;
    let whole = if is_looked_for { None } else { std::path::absolute(path).ok() };
    whole.unwrap_or_else(|| path.to_owned())
}

/// Names the driver. What counts is the driver that answers: if the library at a path is the reference driver or
/// NVIDIA's, or stands before one of them, the rules of that driver apply.
fn identity(kind: Kind, library: Option<&Path>, machine: &Machine) -> Identity {
    let given_path = library.filter(|_| kind == Kind::Path).map(|path| from_the_root(path).display().to_string());
    let kind = match kind {
        Kind::Path if machine.is_simulated() => Kind::Reference,
        Kind::Path if machine.nvidia_release.is_some() => Kind::System,
        kind => kind,
    };
    // Without a device, no role asks the driver for its version.
    let cuda = match machine.cuda_version {
        0 => "unknown".to_owned(),
        version => CudaVersion(version).to_string(),
    };
    let (name, version) = match kind {
        Kind::Reference => ("reference".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        Kind::System => ("NVIDIA".to_owned(), nvidia_release().unwrap_or_else(|| format!("unknown, CUDA {cuda}"))),
        Kind::Path => {
            let file = library.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
            (file, cuda.clone())
        }
    };
    let path = if machine.library.is_empty() {
        library.map_or_else(|| "libcuda.so.1".to_owned(), |path| path.display().to_string())
    } else {
        machine.library.clone()
    };
    let sha256 = sha256(Path::new(&path));
    Identity { kind, name, version, cuda, path, given_path, sha256 }
}

/// Hashes a file in pieces, so that a large library is not read into memory at once.
fn sha256(file: &Path) -> Option<String> {
    let (mut file, mut hash, mut piece) = (File::open(file).ok()?, Hash::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut piece).ok()? {
            0 => return Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            read => hash.update(&piece[..read]),
        }
    }
}

/// Returns the path of the reference driver, beside the suite executable: Cargo builds it there, and a bundle contains
/// it there.
fn reference_library() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find the path of this program: {error}"))?;
    let library = program.with_file_name("libreference_driver.so");
    if library.is_file() {
        Ok(library)
    } else {
        Err(format!("the reference driver does not exist at {}: build it together with the suite", library.display()))
    }
}

/// Returns evidence that the machine whose files are below `root` has an NVIDIA GPU.
fn nvidia_hint(root: &Path) -> Option<String> {
    const NVIDIA: &str = "0x10de";
    let node = |name: &str| root.join("dev").join(name).exists().then(|| format!("the device node /dev/{name} exists"));
    let pci = || {
        let devices = std::fs::read_dir(root.join("sys/bus/pci/devices")).ok()?;
        let is_nvidia = |entry: &std::fs::DirEntry| {
            std::fs::read_to_string(entry.path().join("vendor")).is_ok_and(|vendor| vendor.trim() == NVIDIA)
        };
        let device = devices.flatten().find(is_nvidia)?;
        Some(format!("PCI device {} is made by NVIDIA", device.file_name().to_string_lossy()))
    };
    node("nvidiactl").or_else(|| node("nvidia0")).or_else(|| node("dxg")).or_else(pci)
}
