//! Finds out from a file's first bytes why the loader cannot use it as a library.

use std::env::consts::ARCH;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::Cause;

/// A file format for libraries.
struct Format {
    /// Returns the number of the processor that a library is for, or `None` if the file has another format.
    machine: fn(&[u8]) -> Option<u16>,
    /// The numbers of the specification, with the names of [`ARCH`].
    names: &'static [(u16, &'static str)],
}

/// The format of this system.
const FORMAT: Format = if cfg!(windows) { PE } else { ELF };

const ELF: Format = Format {
    machine: |file| {
        const BIG_ENDIAN: u8 = 2;
        let machine = [*file.get(18)?, *file.get(19)?];
        file.starts_with(b"\x7fELF").then_some(if file[5] == BIG_ENDIAN {
            u16::from_be_bytes(machine)
        } else {
            u16::from_le_bytes(machine)
        })
    },
    names: &[(3, "x86"), (21, "powerpc64"), (40, "arm"), (62, "x86_64"), (183, "aarch64"), (243, "riscv64")],
};

const PE: Format = Format {
    machine: |file| {
        // A program for DOS comes first. Its header gives the offset of the PE header.
        let header = u32::from_le_bytes(*file.get(0x3c..)?.first_chunk()?);
        let header = file.get(usize::try_from(header).ok()?..)?;
        let machine = header.strip_prefix(b"PE\0\0")?.first_chunk()?;
        file.starts_with(b"MZ").then_some(u16::from_le_bytes(*machine))
    },
    names: &[(0x14c, "x86"), (0x1c4, "arm"), (0x8664, "x86_64"), (0xaa64, "aarch64")],
};

/// Returns the cause if the first bytes of a file show it.
pub(crate) fn defect(path: &Path) -> Option<Cause> {
    let mut start = [0; 4096];
    let length = File::open(path).ok()?.read(&mut start).ok()?;
    FORMAT.defect(&start[..length])
}

impl Format {
    fn defect(&self, file: &[u8]) -> Option<Cause> {
        let Some(machine) = (self.machine)(file) else { return Some(Cause::NotALibrary) };
        let name = self.names.iter().find(|(number, _)| *number == machine).map(|(_, name)| *name);
        let knows_this_processor = self.names.iter().any(|(_, name)| *name == ARCH);
        (knows_this_processor && name != Some(ARCH)).then(|| Cause::OtherArchitecture {
            machine: name.map_or_else(|| format!("machine {machine}"), ToOwned::to_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library of each format, for each number: ELF, and PE behind a program for DOS of 128 bytes.
    fn library(format: &Format, machine: u16) -> Vec<u8> {
        let mut file = vec![0; 256];
        let (magic, place): (&[u8], _) = if format.names == ELF.names {
            (b"\x7fELF", 18)
        } else {
            file[0x3c] = 128;
            file[128..132].copy_from_slice(b"PE\0\0");
            (b"MZ", 132)
        };
        file[..magic.len()].copy_from_slice(magic);
        file[place..place + 2].copy_from_slice(&machine.to_le_bytes());
        file
    }

    #[test]
    fn the_processor_of_a_library_is_read() {
        for format in [ELF, PE] {
            for (number, name) in format.names {
                let other = Cause::OtherArchitecture { machine: (*name).to_owned() };
                assert_eq!(format.defect(&library(&format, *number)), (*name != ARCH).then_some(other));
            }
            let unknown = Cause::OtherArchitecture { machine: "machine 12345".to_owned() };
            assert_eq!(format.defect(&library(&format, 12345)), Some(unknown));
        }
    }

    #[test]
    fn big_endian_numbers_are_read() {
        let mut file = library(&ELF, 21_u16.swap_bytes());
        file[5] = 2;
        assert_eq!(ELF.defect(&file), Some(Cause::OtherArchitecture { machine: "powerpc64".to_owned() }));
    }

    /// Each beginning of a library, and a header that is said to lie outside the file.
    #[test]
    fn other_files_are_no_libraries() {
        for (format, length) in [(ELF, 20), (PE, 134)] {
            let file = library(&format, format.names[0].0);
            for end in 0..length {
                assert_eq!(format.defect(&file[..end]), Some(Cause::NotALibrary), "{end} bytes");
            }
            assert_ne!(format.defect(&file[..length]), Some(Cause::NotALibrary));
        }
        let mut far = library(&PE, 0x8664);
        far[0x3c..0x40].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(PE.defect(&far), Some(Cause::NotALibrary));
    }
}
