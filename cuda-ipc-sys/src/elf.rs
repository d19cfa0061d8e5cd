//! Finds out why the loader did not open a library. The loader's message alone is misleading: for a library of another
//! processor, glibc reports that the file does not exist.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::Cause;

/// Returns the cause, from the file if the path leads to one and shows the cause, otherwise from the loader's message.
pub(crate) fn cause(path: &Path, message: &str) -> Cause {
    // The loader searches for a bare name in folders that only the loader knows.
    if path.components().count() > 1
        && let Some(cause) = in_file(path)
    {
        return cause;
    }
    match dependency(path, message) {
        Some(library) => Cause::MissingDependency { library },
        None if message.contains("No such file") => Cause::NotFound,
        None => Cause::Other,
    }
}

/// Returns the cause if the first bytes of the file show it.
fn in_file(path: &Path) -> Option<Cause> {
    const MAGIC: &[u8] = b"\x7fELF";
    const MACHINE: usize = 18;
    if !path.exists() {
        return Some(Cause::NotFound);
    }
    let mut header = [0; MACHINE + 2];
    let mut file = File::open(path).ok()?;
    match file.read_exact(&mut header) {
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => return None,
        Ok(()) if header.starts_with(MAGIC) => {}
        _ => return Some(Cause::NotALibrary),
    }
    let is_big_endian = header[5] == 2;
    let machine = [header[MACHINE], header[MACHINE + 1]];
    let machine = if is_big_endian { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    let is_ours = HOST == Some(machine) && is_big_endian == cfg!(target_endian = "big");
    (HOST.is_some() && !is_ours).then(|| Cause::OtherArchitecture { machine: name(machine) })
}

/// Returns the library that the message names, if it is not the one at `path`.
fn dependency(path: &Path, message: &str) -> Option<String> {
    // musl
    if message.contains("(needed by ") {
        let (_, rest) = message.split_once("shared library ")?;
        return Some(rest.split_once(':')?.0.to_owned());
    }
    // glibc
    let (subject, rest) = message.split_once(": ")?;
    (rest.starts_with("cannot open shared object file") && Path::new(subject) != path).then(|| subject.to_owned())
}

/// The machine numbers of the ELF specification, with the names that package managers use.
const MACHINES: &[(u16, &str)] =
    &[(3, "x86"), (21, "powerpc64"), (40, "arm"), (62, "x86_64"), (183, "aarch64"), (243, "riscv64")];

const HOST: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else {
    None
};

fn name(machine: u16) -> String {
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    known.map_or_else(|| format!("ELF machine {machine}"), |(_, name)| (*name).to_owned())
}
