//! Memory pools that two processes share.

use conformance::{Expect as _, MIB, MemProperties, Outcome, Pointer, Pool, Role, Stop, check};
use cuda_ipc_sys::{CUdevice_attribute, CUmemLocationType};

pub(crate) use super::constants::{DESCRIPTOR, FABRIC, ILLEGAL_ADDRESS, INVALID_VALUE, NONE, READ, READ_WRITE};

pub(crate) const SIZE: u64 = 4 * MIB;

/// A pool of one process that another process has imported.
pub(crate) struct Shared {
    pub(crate) exported: Pool,
    pub(crate) imported: Pool,
}

pub(crate) fn share(exporter: &Role, importer: &Role) -> Result<Shared, Stop> {
    share_pool(exporter.mem_pool_create(DESCRIPTOR)?, exporter, importer)
}

pub(crate) fn share_pool(exported: Pool, exporter: &Role, importer: &Role) -> Result<Shared, Stop> {
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
    let imported = importer.mem_pool_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
    Ok(Shared { exported, imported })
}

/// Creates a pool of host memory on the NUMA node nearest to GPU 0, and shares it. Returns nothing if the driver cannot
/// create even a private pool there, because containers may block the system calls that bind memory to a node.
pub(crate) fn share_pool_of_numa_node(exporter: &Role, importer: &Role) -> Result<Option<Shared>, Stop> {
    let node = exporter.device_get_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID.0, 0)?;
    let host = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA.0;
    let properties = MemProperties::device(0).at(host, node.max(0));
    if exporter.mem_pool_create_with(properties, 0, 0).recorded("create")?.is_none() {
        return Ok(None);
    }
    let exported = exporter.mem_pool_create_with(properties.exportable(DESCRIPTOR), 0, 0)?;
    share_pool(exported, exporter, importer).map(Some)
}

/// Memory of a shared pool. `there` is its address in the exporter, `here` in the importer.
pub(crate) struct Both {
    pub(crate) pool: Shared,
    pub(crate) there: Pointer,
    pub(crate) here: Pointer,
}

/// Shares a pool and memory of it, filled with a pattern.
pub(crate) fn share_memory(exporter: &Role, importer: &Role, pattern: u32) -> Result<Both, Stop> {
    memory_of(share(exporter, importer)?, exporter, importer, pattern)
}

pub(crate) fn memory_of(pool: Shared, exporter: &Role, importer: &Role, pattern: u32) -> Result<Both, Stop> {
    let there = exporter.mem_alloc_from_pool_async(SIZE, pool.exported)?;
    exporter.fill(there, SIZE, pattern)?;
    let here = importer.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(there)?)?;
    Ok(Both { pool, there, here })
}

/// Checks that each process reads what the other wrote to memory of a shared pool, with kernels and with copies.
pub(crate) fn both_see(pool: Shared, exporter: &Role, importer: &Role) -> Outcome {
    let both = memory_of(pool, exporter, importer, 7)?;
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    check!(importer.mismatches_by_copy(both.here, SIZE, 7)? == 0);
    importer.fill(both.here, SIZE, 8)?;
    check!(exporter.mismatches(both.there, SIZE, 8)? == 0);
    importer.fill_by_copy(both.here, SIZE, 9)?;
    check!(exporter.mismatches(both.there, SIZE, 9)? == 0);
    Ok(())
}
