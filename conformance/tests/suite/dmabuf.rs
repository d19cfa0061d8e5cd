//! `cuMemGetHandleForAddressRange`: dma-bufs of device memory.

use conformance::{Expect as _, KIB, MIB, MemProperties, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUmemAllocationType, CUmemRangeFlags};
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, READ_WRITE};
use crate::support::dma_buf::{is_supported, needs_dma_bufs};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::ImportKind;
use crate::support::pointer_kind::PointerKind;

const SIZE: u64 = 4 * MIB;

/// Reserves a range for three chunks and maps them. The second and the third have the given properties, or stay holes.
fn chunks(role: &Role, second: Option<MemProperties>, third: Option<MemProperties>) -> Result<Pointer, Stop> {
    let address = role.mem_address_reserve(3 * SIZE, 0, Pointer::NULL, 0)?;
    for (chunk, properties) in [Some(MemProperties::device(0)), second, third].into_iter().enumerate() {
        let Some(properties) = properties else { continue };
        let at = address.offset(chunk as u64 * SIZE);
        role.mem_map(at, SIZE, 0, role.mem_create(SIZE, properties, 0)?, 0)?;
        role.mem_set_access(at, SIZE, 0, READ_WRITE)?;
    }
    Ok(address)
}

/// The driver exports device memory as a dma-buf if and only if the device attribute says so.
#[rstest]
#[conformance::test("DMABUF-001")]
fn device_memory_gives_a_descriptor(
    exporter: Role,
    #[values(PointerKind::Linear, PointerKind::VirtualMemory)] kind: PointerKind,
) -> Outcome {
    let pointer = kind.make(&exporter)?;
    let supported = exporter.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED.0, 0)?;
    if let Some(descriptor) = exporter.mem_get_dma_buf(pointer, 2 * MIB, 0).agrees_with(supported)? {
        check!(descriptor.0 >= 0, "{descriptor:?}");
        observe("target", exporter.descriptor_target(descriptor)?);
    }
    Ok(())
}

/// The driver exports memory of GPU 1 as a dma-buf if and only if the attribute of GPU 1 says so.
#[rstest]
#[conformance::test("DMABUF-001", needs(gpus = 2))]
fn memory_of_the_second_gpu_gives_a_descriptor(#[with(1)] exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let supported = exporter.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED.0, 1)?;
    if let Some(descriptor) = exporter.mem_get_dma_buf(buffer, SIZE, 0).agrees_with(supported)? {
        check!(descriptor.0 >= 0, "{descriptor:?}");
        exporter.descriptor_target(descriptor)?;
    }
    Ok(())
}

/// The driver exports memory of a created context as a dma-buf if and only if the device attribute says so.
#[rstest]
#[conformance::test("DMABUF-001")]
fn memory_of_a_created_context_gives_a_descriptor(exporter: Role) -> Outcome {
    let first = exporter.ctx_get_current()?;
    exporter.ctx_create(0)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let supported = exporter.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED.0, 0)?;
    if let Some(descriptor) = exporter.mem_get_dma_buf(buffer, SIZE, 0).agrees_with(supported)? {
        check!(descriptor.0 >= 0, "{descriptor:?}");
        exporter.descriptor_target(descriptor)?;
    }
    exporter.ctx_set_current(Some(first))
}

/// The driver refuses an address or a size that is not a multiple of the page size.
#[rstest]
#[case::address(1, 4 * KIB)]
#[case::address_between_pages(512, 4 * KIB)]
#[case::size(0, 4 * KIB - 1)]
#[case::size_between_pages(0, 4 * KIB + 512)]
#[conformance::test("DMABUF-002")]
fn unaligned_ranges_are_refused(exporter: Role, #[case] offset: u64, #[case] size: u64) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.mem_get_dma_buf(buffer.offset(offset), size, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The code for a dma-buf of a part of an allocation is recorded.
#[rstest]
#[conformance::test("DMABUF-003")]
fn the_code_for_a_part(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.mem_get_dma_buf(buffer.offset(64 * KIB), 64 * KIB, 0).recorded("code")?;
    Ok(())
}

/// The driver exports a VMM range only if all of it is mapped, with the same properties.
#[rstest]
#[case::whole(Some(MemProperties::device(0)), true)]
#[case::hole(None, false)]
#[case::other_properties(
    Some(MemProperties::device(0).exportable(
        DESCRIPTOR
    )),
    false
)]
#[conformance::test("DMABUF-004", needs(memory_descriptors))]
fn a_vmm_range_needs_uniform_properties(
    exporter: Role,
    #[case] second: Option<MemProperties>,
    #[case] is_of_one_kind: bool,
) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let given = exporter.mem_get_dma_buf(chunks(&exporter, second, None)?, 2 * SIZE, 0);
    if is_of_one_kind { given.map(drop) } else { given.refused(&[]).map(drop) }
}

/// The driver exports no VMM range that lies on two devices.
#[rstest]
#[conformance::test("DMABUF-004", needs(gpus = 2, memory_descriptors, peer_access))]
fn a_range_on_two_devices_is_refused(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let range = chunks(&exporter, Some(MemProperties::device(1)), None)?;
    exporter.mem_get_dma_buf(range, 2 * SIZE, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver exports no VMM range with a hole between its ends.
#[rstest]
#[conformance::test("DMABUF-004", needs(virtual_memory))]
fn a_range_with_a_hole_in_the_middle_is_refused(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let range = chunks(&exporter, None, Some(MemProperties::device(0)))?;
    exporter.mem_get_dma_buf(range, 3 * SIZE, 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The code for memory of a managed pool is recorded; the call must not crash, as one driver is reported to do.
#[rstest]
#[conformance::test("DMABUF-005", needs(memory_pools, managed_memory, cuda = 13_000))]
fn the_code_for_a_managed_pool(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let managed = CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_MANAGED.0;
    let properties = MemProperties { allocation_type: managed, ..MemProperties::device(0) };
    let pool = exporter.mem_pool_create_with(properties, 0, 0)?;
    let buffer = exporter.mem_alloc_from_pool_async(SIZE, pool)?;
    exporter.mem_get_dma_buf(buffer, SIZE, 0).recorded("code")?;
    exporter.ctx_synchronize()
}

/// The code for a dma-buf of imported memory is recorded; the contents of the memory do not change.
#[rstest]
#[conformance::test("DMABUF-008", needs(memory_descriptors, pool_descriptors))]
fn the_code_for_imported_memory(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    needs_dma_bufs(&importer)?;
    let memory = kind.make(&exporter, &importer, 0)?;
    exporter.fill(memory.there, SIZE, 7)?;
    importer.mem_get_dma_buf(memory.here, SIZE, 0).recorded("code")?;
    check!(importer.mismatches(memory.here, SIZE, 7)? == 0);
    Ok(())
}

/// The driver exports page-locked host memory if and only if the attribute for host memory says so.
#[rstest]
#[conformance::test("DMABUF-006", needs(cuda = 13_000))]
fn host_memory_agrees_with_the_attribute(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let host = PointerKind::Pinned.make(&exporter)?;
    let supported = exporter.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED.0, 0)?;
    let given = exporter.mem_get_dma_buf(host, 2 * MIB, 0);
    given.agrees_with(supported)?;
    Ok(())
}

/// The code for a dma-buf with the flag for a mapping over PCIe is recorded; a driver that accepts the flag returns a
/// descriptor.
#[rstest]
#[conformance::test("DMABUF-007")]
fn the_code_for_the_pcie_flag(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let flags = CUmemRangeFlags::CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE.0.into();
    if let Some(descriptor) = exporter.mem_get_dma_buf(buffer, SIZE, flags).recorded("code")? {
        check!(descriptor.0 >= 0, "{descriptor:?}");
    }
    exporter.ctx_synchronize()
}

/// Memory may be freed while its descriptor is open, and the driver stays usable.
#[rstest]
#[conformance::test("DMABUF-009")]
fn memory_may_be_freed_while_its_descriptor_is_open(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let descriptor = exporter.mem_get_dma_buf(buffer, SIZE, 0)?;
    exporter.mem_free(buffer)?;
    exporter.descriptor_target(descriptor)?;
    exporter.close_descriptor(descriptor)?;
    exporter.ctx_synchronize()
}

/// After other memory was mapped at its addresses, a range gives another descriptor; the old one stays open.
#[rstest]
#[conformance::test("DMABUF-009", needs(virtual_memory))]
fn remapped_addresses_give_another_descriptor(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let address = exporter.mem_create_and_map(SIZE, 0)?;
    let old = exporter.mem_get_dma_buf(address, SIZE, 0)?;
    exporter.mem_unmap(address, SIZE)?;
    exporter.mem_get_dma_buf(address, SIZE, 0).refused_and_recorded(&[])?;
    exporter.mem_map(address, SIZE, 0, exporter.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
    exporter.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    let new = exporter.mem_get_dma_buf(address, SIZE, 0)?;
    check!(new != old);
    exporter.close_descriptor(old)?;
    exporter.ctx_synchronize()
}

/// A process can `mmap` the descriptor if and only if the attribute for `mmap` says so.
#[rstest]
#[conformance::test("DMABUF-010", needs(cuda = 13_030))]
fn mmap_agrees_with_the_attribute(exporter: Role) -> Outcome {
    needs_dma_bufs(&exporter)?;
    let descriptor = exporter.mem_get_dma_buf(exporter.mem_alloc(SIZE)?, SIZE, 0)?;
    let is_mapped = exporter.maps_descriptor(descriptor, SIZE)?;
    check!(is_mapped == is_supported(&exporter, Attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED)?);
    Ok(())
}
