//! Memory pools that two processes share.

use conformance::{Expect as _, MIB, MemProperties, Outcome, Pointer, Pool, PoolPointer, Role, Stop, check};
use cuda_ipc_sys::{CUdevice_attribute, CUmemPool_attribute as Attribute};

use super::constants::{DESCRIPTOR, DEVICE, HOST_NUMA};

pub(crate) const SIZE: u64 = 4 * MIB;

/// A usage statistic of a pool: its value now, and the highest one since it was reset.
#[derive(Clone, Copy)]
pub(crate) struct Statistic {
    pub(crate) current: Attribute,
    pub(crate) high: Attribute,
}

pub(crate) const RESERVED: Statistic = Statistic {
    current: Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    high: Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
};
pub(crate) const USED: Statistic =
    Statistic { current: Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT, high: Attribute::CU_MEMPOOL_ATTR_USED_MEM_HIGH };

/// A pool of one process that another process has imported.
#[derive(Clone, Copy)]
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

/// The properties of host memory on the NUMA node nearest to GPU 0, if the driver can create a private pool of it, and
/// that pool. Containers may block the system calls that bind memory to a node, so a refusal is only recorded.
fn private_pool_of_numa_node(role: &Role) -> Result<Option<(MemProperties, Pool)>, Stop> {
    let node = role.device_get_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID.0, 0)?;
    let properties = DEVICE.at(HOST_NUMA, node.max(0));
    Ok(role.mem_pool_create_with(properties, 0, 0).recorded("create")?.map(|pool| (properties, pool)))
}

/// Creates a private pool of host memory on the NUMA node nearest to GPU 0. Without one, the case is not supported.
pub(crate) fn pool_of_numa_node(role: &Role) -> Result<Pool, Stop> {
    let created = private_pool_of_numa_node(role)?;
    let missing = || Stop::Unsupported("the driver creates no pool of host memory on a NUMA node here".to_owned());
    created.map(|(_, pool)| pool).ok_or_else(missing)
}

/// Creates a pool of host memory on the NUMA node nearest to GPU 0, and shares it. Returns nothing if the driver cannot
/// create even a private pool there.
pub(crate) fn share_pool_of_numa_node(exporter: &Role, importer: &Role) -> Result<Option<Shared>, Stop> {
    let Some((properties, _)) = private_pool_of_numa_node(exporter)? else { return Ok(None) };
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
    let (there, data) = export_filled(exporter, pool.exported, pattern)?;
    Ok(Both { pool, there, here: importer.mem_pool_import_pointer(pool.imported, data)? })
}

/// Allocates memory from a pool, fills it with a pattern and exports its address.
pub(crate) fn export_filled(role: &Role, pool: Pool, pattern: u32) -> Result<(Pointer, PoolPointer), Stop> {
    let pointer = role.mem_alloc_from_pool_async(SIZE, pool)?;
    role.fill(pointer, SIZE, pattern)?;
    Ok((pointer, role.mem_pool_export_pointer(pointer)?))
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
