//! Memory that one process imports from another, through each API.

use conformance::{MIB, MemProperties, Needs, Outcome, Pointer, Role, Stop, need};

use super::constants::{DESCRIPTOR, READ_WRITE};

/// The size of the shared memory, in bytes.
pub(crate) const SIZE: u64 = 4 * MIB;

/// The API that shares the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ImportKind {
    Legacy,
    Pool,
    VirtualMemory,
}

/// The addresses of shared memory: in the exporter (`there`) and in the importer (`here`).
pub(crate) struct Imported {
    pub(crate) there: Pointer,
    pub(crate) here: Pointer,
}

impl ImportKind {
    /// What the kind needs of a machine.
    fn needs(self) -> Needs {
        match self {
            Self::Legacy => Needs::none().legacy_memory(),
            Self::Pool => Needs::none().pool_descriptors(),
            Self::VirtualMemory => Needs::none().memory_descriptors(),
        }
    }

    /// Exports memory of GPU 0 and imports it in a process on `device`.
    pub(crate) fn make(self, exporter: &Role, importer: &Role, device: i32) -> Result<Imported, Stop> {
        self.make_of(exporter, importer, device, SIZE)
    }

    /// Does so with memory of the given size, a multiple of every granularity.
    pub(crate) fn make_of(self, exporter: &Role, importer: &Role, device: i32, size: u64) -> Result<Imported, Stop> {
        need(&self.needs())?;
        match self {
            Self::Legacy => {
                let there = exporter.mem_alloc(size)?;
                Ok(Imported { there, here: importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(there)?)? })
            }
            Self::Pool => {
                let pool = super::shared_pool::share(exporter, importer)?;
                let there = exporter.mem_alloc_from_pool_async(size, pool.exported)?;
                let data = exporter.mem_pool_export_pointer(there)?;
                Ok(Imported { there, here: importer.mem_pool_import_pointer(pool.imported, data)? })
            }
            Self::VirtualMemory => {
                let physical = exporter.mem_create(size, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
                let imported = super::virtual_memory::import(exporter, physical, importer)?;
                let map = |role: &Role, physical, device| {
                    let address = role.mem_address_reserve(size, 0, Pointer::NULL, 0)?;
                    role.mem_map(address, size, 0, physical, 0)?;
                    role.mem_set_access(address, size, device, READ_WRITE)?;
                    Ok(address)
                };
                Ok(Imported { there: map(exporter, physical, 0)?, here: map(importer, imported, device)? })
            }
        }
    }

    /// Ends an import of [`SIZE`] bytes.
    pub(crate) fn close(self, importer: &Role, import: &Imported) -> Outcome {
        match self {
            Self::Legacy => importer.ipc_close_mem_handle(import.here),
            Self::Pool => importer.mem_free_async_and_wait(import.here),
            Self::VirtualMemory => importer.mem_unmap(import.here, SIZE),
        }
    }
}
