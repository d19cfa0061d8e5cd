//! Memory of `cuMemAlloc`, and its sharing by handle.

use conformance::{Pointer, Role, Stop, seed};

/// Allocates memory and fills it with a random pattern. Returns both.
pub(crate) fn filled(role: &Role, size: u64) -> Result<(Pointer, u32), Stop> {
    let (buffer, pattern) = (role.mem_alloc(size)?, seed());
    role.fill(buffer, size, pattern)?;
    Ok((buffer, pattern))
}

/// Opens memory of one process in another.
pub(crate) fn open(exporter: &Role, buffer: Pointer, importer: &Role) -> Result<Pointer, Stop> {
    importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)
}

/// Shares filled memory. Returns its address in the exporter, its address in the importer, and the pattern.
pub(crate) fn share(exporter: &Role, importer: &Role, size: u64) -> Result<(Pointer, Pointer, u32), Stop> {
    let (buffer, pattern) = filled(exporter, size)?;
    Ok((buffer, open(exporter, buffer, importer)?, pattern))
}
