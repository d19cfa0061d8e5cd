//! `cuMemCreate`, `cuMemGetAllocationGranularity`, `cuMemGetAllocationPropertiesFromHandle`.

use conformance::Placement;
use conformance::machine::Fabric;
use conformance::{Expect as _, KIB, MemProperties, Outcome, Role, check, observe};
use cuda_ipc_sys::{CUdevice_attribute, CUmemAllocationHandleType, CUmemLocationType, CUpointer_attribute};
use rstest::rstest;

use super::{
    DESCRIPTOR, FABRIC, INVALID_DEVICE, INVALID_VALUE, NOT_INITIALIZED, SIZE, create, import, map_readable_and_writable,
};
use crate::support::fixtures::{exporter, importer, start, uninitialised};

const DEVICE: MemProperties = MemProperties::device(0);
const HOST: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST.0;
const HOST_NUMA: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA.0;
const HOST_NUMA_CURRENT: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT.0;

/// Physical memory comes in multiples of the granularity.
#[rstest]
#[conformance::test("VMM-CREATE-001", needs(virtual_memory))]
fn multiples_of_the_granularity_are_created(importer: Role, #[values(1, 3, 16)] granules: u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(DEVICE, 0)?;
    let physical = importer.mem_create(granules * granularity, DEVICE, 0)?;
    importer.mem_release(physical)
}

/// A size that is no multiple of the granularity is refused.
#[rstest]
#[case::less(-1)]
#[case::more(4096)]
#[conformance::test("VMM-CREATE-002", needs(virtual_memory))]
fn other_sizes_are_refused(importer: Role, #[case] beside: i64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(DEVICE, 0)?;
    importer.mem_create(granularity.saturating_add_signed(beside), DEVICE, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// No bytes are no memory.
#[rstest]
#[conformance::test("VMM-CREATE-003", needs(virtual_memory))]
fn no_bytes_are_refused(importer: Role) -> Outcome {
    importer.mem_create(0, DEVICE, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// What a type of allocation or of place gives that there is none of is recorded.
#[rstest]
#[case::no_allocation(MemProperties { allocation_type: 0, ..DEVICE })]
#[case::unknown_allocation(MemProperties { allocation_type: 0xff, ..DEVICE })]
#[case::no_place(DEVICE.at(0, 0))]
#[case::unknown_place(DEVICE.at(0xff, 0))]
#[conformance::test("VMM-CREATE-005", needs(virtual_memory))]
fn unknown_types_are_recorded(importer: Role, #[case] properties: MemProperties) -> Outcome {
    importer.mem_create(SIZE, properties, 0).recorded("create")?;
    importer.ctx_synchronize()
}

/// A device that is not there is refused.
#[rstest]
#[case::negative(-1)]
#[case::beyond(1000)]
#[conformance::test("VMM-CREATE-006", needs(virtual_memory))]
fn a_device_that_is_not_there_is_refused(importer: Role, #[case] device: i32) -> Outcome {
    importer.mem_create(SIZE, MemProperties::device(device), 0).refused_and_recorded(INVALID_DEVICE)?;
    Ok(())
}

/// Flags are refused.
#[rstest]
#[conformance::test("VMM-CREATE-007", needs(virtual_memory))]
fn flags_are_refused(importer: Role) -> Outcome {
    importer.mem_create(SIZE, DEVICE, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// Memory for descriptors is created where the attribute says that there are some.
#[rstest]
#[conformance::test("VMM-CREATE-008", needs(memory_descriptors))]
fn memory_for_descriptors_is_created(importer: Role) -> Outcome {
    let physical = importer.mem_create(SIZE, DEVICE.exportable(DESCRIPTOR), 0)?;
    importer.mem_release(physical)
}

/// Handle types are bits: what was created for two is exported as both.
#[rstest]
#[case::as_it_is(None)]
#[case::with_a_channel(Some(Fabric::Channel))]
#[conformance::test("VMM-CREATE-010", needs(memory_descriptors, cuda = 12_030))]
fn two_handle_types_are_recorded(#[case] fabric: Option<Fabric>) -> Outcome {
    let exporter = start("exporter", Placement { fabric, ..Placement::device(0) });
    let created = exporter.mem_create(SIZE, DEVICE.exportable(DESCRIPTOR | FABRIC), 0).recorded("create")?;
    let Some(physical) = created else { return Ok(()) };
    exporter.mem_export_to_descriptor(physical).recorded("descriptor")?;
    exporter.mem_export_to_fabric(physical).recorded("fabric")?;
    Ok(())
}

/// Where there is no fabric, memory for it may be created, and is not exported.
#[rstest]
#[conformance::test("VMM-CREATE-012", needs(virtual_memory, fabric = Fabric::Absent))]
fn without_a_fabric_nothing_is_exported() -> Outcome {
    let exporter = start("exporter", Placement::device(0).fabric(Fabric::Absent));
    if let Some(physical) = exporter.mem_create(SIZE, DEVICE.exportable(FABRIC), 0).recorded("create")? {
        let code = exporter.mem_export_to_fabric(physical).refused(&[])?;
        observe("export", code.to_string());
    }
    Ok(())
}

/// The handles of Windows are not made where the attribute says that there are none.
#[rstest]
#[case::win32(
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32,
    CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED
)]
#[case::win32_kmt(
    CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT,
    CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED
)]
#[conformance::test("VMM-CREATE-009", needs(virtual_memory))]
fn handles_of_windows_are_refused(
    importer: Role,
    #[case] handle_type: CUmemAllocationHandleType,
    #[case] attribute: CUdevice_attribute,
) -> Outcome {
    check!(importer.device_get_attribute(attribute.0, 0)? == 0);
    importer.mem_create(SIZE, DEVICE.exportable(handle_type.0), 0).refused_and_recorded(&[])?;
    Ok(())
}

/// Memory of the host that no NUMA node is named for has no handles.
#[rstest]
#[case::descriptor(DESCRIPTOR)]
#[case::fabric(FABRIC)]
#[conformance::test("VMM-CREATE-013", needs(virtual_memory))]
fn memory_of_the_host_has_no_handles(importer: Role, #[case] handle_types: u32) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST, 0).exportable(handle_types), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Before CUDA 13 the host was no place for physical memory, unless a NUMA node was named.
#[rstest]
#[conformance::test("VMM-CREATE-014", needs(virtual_memory, cuda = 12_060, cuda_before = 13_000))]
fn the_host_was_refused_before_cuda_13(importer: Role) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST, 0), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The NUMA node of the calling thread is no place for physical memory.
#[rstest]
#[conformance::test("VMM-CREATE-015", needs(virtual_memory))]
fn the_current_numa_node_is_refused(importer: Role) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST_NUMA_CURRENT, 0), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Memory of a NUMA node is shared over a descriptor.
#[rstest]
#[conformance::test("VMM-CREATE-016", needs(memory_descriptors, cuda = 12_020))]
fn memory_of_a_numa_node_is_shared(exporter: Role, importer: Role) -> Outcome {
    let node = exporter.device_get_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID.0, 0)?;
    let properties = DEVICE.at(HOST_NUMA, node.max(0)).exportable(DESCRIPTOR);
    // Containers may block the system calls that bind memory to a node.
    let Some(physical) = exporter.mem_create(SIZE, properties, 0).recorded("create")? else { return Ok(()) };
    let there = map_readable_and_writable(&exporter, physical)?;
    let here = map_readable_and_writable(&importer, import(&exporter, physical, &importer)?)?;
    exporter.fill(there, SIZE, 7)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// What is asked for with an address for Windows is recorded.
#[rstest]
#[conformance::test("VMM-CREATE-017", needs(virtual_memory))]
fn an_address_for_windows_is_recorded(importer: Role) -> Outcome {
    importer.mem_create_with_windows_data(SIZE, DEVICE).recorded("create")?;
    Ok(())
}

/// Memory for GPUDirect RDMA is created exactly where the attribute says so, and its pointers say so too.
#[rstest]
#[conformance::test("VMM-CREATE-018", "DEVATTR-005", needs(virtual_memory))]
fn memory_for_rdma_agrees_with_the_attribute(importer: Role) -> Outcome {
    const ATTRIBUTE: CUdevice_attribute =
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED;
    let created = importer.mem_create_for_rdma(SIZE, DEVICE);
    if importer.device_get_attribute(ATTRIBUTE.0, 0)? == 0 {
        created.refused_and_recorded(&[])?;
        return Ok(());
    }
    let address = map_readable_and_writable(&importer, created?)?;
    let capable = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
    check!(importer.pointer_get_attribute(capable.0, address)? == 1);
    Ok(())
}

/// No context need be current.
#[rstest]
#[conformance::test("VMM-CREATE-019", needs(virtual_memory))]
fn no_context_is_needed(importer: Role) -> Outcome {
    importer.ctx_set_current(None)?;
    let physical = create(&importer)?;
    importer.mem_release(physical)
}

/// Before `cuInit` nothing is created.
#[rstest]
#[conformance::test("VMM-CREATE-019", needs(virtual_memory))]
fn initialisation_is_needed(uninitialised: Role) -> Outcome {
    create(&uninitialised).refused(NOT_INITIALIZED)?;
    Ok(())
}

/// The granularities are powers of two, and what is recommended is no less than what is needed.
#[rstest]
#[conformance::test("VMM-CREATE-020", needs(virtual_memory))]
fn granularities_are_powers_of_two(importer: Role, #[values(0, DESCRIPTOR)] handle_types: u32) -> Outcome {
    const MINIMUM: u32 = 0;
    const RECOMMENDED: u32 = 1;
    let properties = DEVICE.exportable(handle_types);
    let needed = importer.mem_get_allocation_granularity(properties, MINIMUM)?;
    let recommended = importer.mem_get_allocation_granularity(properties, RECOMMENDED)?;
    check!(needed.is_power_of_two() && needed >= 4 * KIB, "{needed}");
    check!(recommended.is_power_of_two() && recommended >= needed, "{recommended} and {needed}");
    Ok(())
}

/// What is answered for an option, a type or a device that there is none of is recorded.
#[rstest]
#[case::option(DEVICE, 0xff)]
#[case::allocation(MemProperties { allocation_type: 0xff, ..DEVICE }, 0)]
#[case::place(DEVICE.at(0xff, 0), 0)]
#[case::device(MemProperties::device(1000), 0)]
#[conformance::test("VMM-CREATE-021", "VMM-CREATE-022", needs(virtual_memory))]
fn the_granularity_of_nothing_is_recorded(
    importer: Role,
    #[case] properties: MemProperties,
    #[case] option: u32,
) -> Outcome {
    importer.mem_get_allocation_granularity(properties, option).recorded("granularity")?;
    importer.ctx_synchronize()
}

/// Whether fresh memory shows what a process wrote that is gone is recorded.
#[rstest]
#[case::exit(false)]
#[case::kill(true)]
#[conformance::test("VMM-CREATE-023", needs(virtual_memory))]
fn what_fresh_memory_shows_is_recorded(
    #[from(exporter)] writer: Role,
    #[from(importer)] reader: Role,
    #[case] kill: bool,
) -> Outcome {
    const BYTE: u8 = 0x5a;
    let written = map_readable_and_writable(&writer, create(&writer)?)?;
    writer.memset_d8(written, BYTE, SIZE)?;
    check!(writer.other_bytes(written, SIZE, BYTE)? == 0);
    if kill {
        writer.kill()?
    } else {
        writer.exit()?
    }
    let fresh = map_readable_and_writable(&reader, create(&reader)?)?;
    let shown = SIZE - reader.other_bytes(fresh, SIZE, BYTE)?;
    // Single bytes may be equal by chance.
    observe("another process's bytes show", shown >= SIZE / 8);
    Ok(())
}

/// A handle says what it was created with.
#[rstest]
#[case::plain(0)]
#[case::exportable(DESCRIPTOR)]
#[conformance::test("VMM-CREATE-024", needs(memory_descriptors))]
fn a_handle_says_what_it_was_created_with(importer: Role, #[case] handle_types: u32) -> Outcome {
    let asked_for = DEVICE.exportable(handle_types);
    let physical = importer.mem_create(SIZE, asked_for, 0)?;
    check!(importer.mem_get_allocation_properties(physical)? == asked_for);
    Ok(())
}
