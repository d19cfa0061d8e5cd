//! File descriptors that do not come from a driver.

use std::fs::File;

use conformance::{Descriptor, MIB, Role, Stop, random};

/// A kind of descriptor that a driver does not make.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Foreign {
    Negative,
    Closed,
    DevNull,
    File,
    Pipe,
    Socket,
    SharedMemory,
    EventCounter,
}

impl Foreign {
    pub(crate) fn make(self, role: &Role) -> Result<Descriptor, Stop> {
        let stop = |error: std::io::Error| Stop::Harness(error.to_string());
        let errno = |error: rustix::io::Errno| Stop::Harness(error.to_string());
        match self {
            Self::Negative => Ok(Descriptor(-1)),
            Self::Closed => {
                let descriptor = role.receive_descriptor(&File::open("/dev/null").map_err(stop)?)?;
                role.close_descriptor(descriptor)?;
                Ok(descriptor)
            }
            Self::DevNull => role.receive_descriptor(&File::open("/dev/null").map_err(stop)?),
            Self::File => role.receive_descriptor(&unnamed_file().map_err(stop)?),
            Self::Pipe => role.receive_descriptor(&std::io::pipe().map_err(stop)?.0),
            Self::Socket => role.receive_descriptor(&std::os::unix::net::UnixStream::pair().map_err(stop)?.0),
            Self::SharedMemory => {
                let memory = rustix::fs::memfd_create("conformance", rustix::fs::MemfdFlags::CLOEXEC).map_err(errno)?;
                rustix::fs::ftruncate(&memory, 2 * MIB).map_err(errno)?;
                role.receive_descriptor(&memory)
            }
            Self::EventCounter => {
                let counter = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC).map_err(errno)?;
                role.receive_descriptor(&counter)
            }
        }
    }
}

/// Creates an empty file on disk, which disappears with its last descriptor.
pub(crate) fn unnamed_file() -> std::io::Result<File> {
    let path = std::env::temp_dir().join(format!("conformance-{:x}", random().u64(..)));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}
