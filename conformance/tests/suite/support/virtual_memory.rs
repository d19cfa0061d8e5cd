//! Physical memory, addresses and mappings, in the sizes and with the flags that most cases use.

use conformance::{MIB, MemProperties, Physical, Pointer, Role, Stop};
use cuda_ipc_sys::{CUdevice_attribute, CUresult};

use super::constants::{DESCRIPTOR, READ_WRITE};
use super::device_memory::large;

/// Several times the granularity of every GPU tested so far.
pub(crate) const SIZE: u64 = 8 * MIB;

/// The documentation lists both codes, but not when each is returned.
pub(crate) const REFUSED: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_NOT_SUPPORTED];
/// The documentation lists both codes for a nonexistent device.
pub(crate) const NO_SUCH_DEVICE: &[CUresult] =
    &[CUresult::CUDA_ERROR_INVALID_DEVICE, CUresult::CUDA_ERROR_INVALID_VALUE];

/// Creates physical memory on GPU 0.
pub(crate) fn create(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0), 0)
}

/// Creates physical memory on GPU 0 that can be exported as a descriptor.
pub(crate) fn create_exportable(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0)
}

pub(crate) fn reserve(role: &Role, size: u64) -> Result<Pointer, Stop> {
    role.mem_address_reserve(size, 0, Pointer::NULL, 0)
}

/// Maps the whole allocation and grants no access.
pub(crate) fn map(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = reserve(role, SIZE)?;
    role.mem_map(address, SIZE, 0, physical, 0)?;
    Ok(address)
}

/// Maps all of the memory, and gives GPU 0 access.
pub(crate) fn map_readable_and_writable(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = map(role, physical)?;
    role.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    Ok(address)
}

/// The devices whose attribute is 1.
pub(crate) fn devices_with(role: &Role, attribute: CUdevice_attribute) -> Result<Vec<i32>, Stop> {
    let mut devices = Vec::new();
    for device in 0..role.device_get_count()? {
        if role.device_get_attribute(attribute.0, device)? == 1 {
            devices.push(device);
        }
    }
    Ok(devices)
}

/// Exports memory and imports it in the other process. No descriptor of the memory stays open.
pub(crate) fn import_without_descriptors(
    exporter: &Role,
    physical: Physical,
    importer: &Role,
) -> Result<Physical, Stop> {
    let descriptor = exporter.mem_export_to_descriptor(physical)?;
    let received = importer.receive_descriptor(&exporter.send_descriptor(descriptor)?)?;
    exporter.close_descriptor(descriptor)?;
    let imported = importer.mem_import_from_descriptor(received)?;
    importer.close_descriptor(received)?;
    Ok(imported)
}

/// Maps all of the large memory of [`create_large`], and gives GPU 0 access.
pub(crate) fn map_large(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let size = large(role)?;
    let address = reserve(role, size)?;
    role.mem_map(address, size, 0, physical, 0)?;
    role.mem_set_access(address, size, 0, READ_WRITE)?;
    Ok(address)
}

/// Creates memory that an [`Account`](super::device_memory::Account) notices, and that can be exported as a descriptor.
pub(crate) fn create_large(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(large(role)?, MemProperties::device(0).exportable(DESCRIPTOR), 0)
}

/// Exports memory and imports it in the other process. The descriptor is passed through `SCM_RIGHTS`.
pub(crate) fn import(exporter: &Role, physical: Physical, importer: &Role) -> Result<Physical, Stop> {
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)
}
