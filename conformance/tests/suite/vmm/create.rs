//! `cuMemCreate`, `cuMemGetAllocationGranularity`, `cuMemGetAllocationPropertiesFromHandle`.

use conformance::Placement;
use conformance::machine::Fabric;
use conformance::trace::computed;
use conformance::{Expect as _, KIB, MemProperties, Outcome, Role, Stop, check, observe};
use cuda_ipc_sys::{CUdevice_attribute, CUmemAllocationHandleType, CUpointer_attribute};
use rstest::rstest;

use crate::support::constants::{
    DESCRIPTOR, DEVICE, FABRIC, HOST, HOST_NUMA, HOST_NUMA_CURRENT, INVALID_VALUE, NOT_INITIALIZED, READ_WRITE,
};
use crate::support::fixtures::{exporter, importer, start, uninitialised};
use crate::support::virtual_memory::{
    NO_SUCH_DEVICE, SIZE, create, devices_with, import, map, map_readable_and_writable, reserve,
};

const DESCRIPTORS_SUPPORTED: CUdevice_attribute =
    CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
const WIN32: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32;
const WIN32_KMT: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_WIN32_KMT;

/// The driver creates memory whose size is a multiple of the granularity, and all of it can be mapped and used.
#[rstest]
#[conformance::test("VMM-CREATE-001", needs(virtual_memory))]
fn multiples_of_the_granularity_are_created(importer: Role, #[values(1, 3, 16, 17)] granules: u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(DEVICE, 0)?;
    let size = computed(granules * granularity, &format!("{granules} * {{0}}"), &[granularity]);
    let physical = importer.mem_create(size, DEVICE, 0)?;
    let address = reserve(&importer, size)?;
    importer.mem_map(address, size, 0, physical, 0)?;
    importer.mem_set_access(address, size, 0, READ_WRITE)?;
    importer.memset_d8(address, 0x5a, size)?;
    check!(importer.other_bytes(address, size, 0x5a)? == 0);
    Ok(())
}

/// The driver refuses a size that is not a multiple of the granularity.
#[rstest]
#[case::a_byte_less(|granularity| granularity - 1)]
#[case::a_page_more(|granularity| granularity + 4 * KIB)]
#[case::half_a_granule_more(|granularity| granularity + granularity / 2)]
#[conformance::test("VMM-CREATE-002", needs(virtual_memory))]
fn other_sizes_are_refused(importer: Role, #[case] size: fn(u64) -> u64) -> Outcome {
    let granularity = importer.mem_get_allocation_granularity(DEVICE, 0)?;
    importer.mem_create(size(granularity), DEVICE, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses size 0.
#[rstest]
#[conformance::test("VMM-CREATE-003", needs(virtual_memory))]
fn size_0_is_refused(importer: Role) -> Outcome {
    importer.mem_create(0, DEVICE, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The result for an invalid allocation type or location type is recorded.
#[rstest]
#[case::no_allocation_type(MemProperties { allocation_type: 0, ..DEVICE })]
#[case::unknown_allocation_type(MemProperties { allocation_type: 0xff, ..DEVICE })]
#[case::no_location_type(DEVICE.at(0, 0))]
#[case::unknown_location_type(DEVICE.at(0xff, 0))]
#[conformance::test("VMM-CREATE-005", needs(virtual_memory))]
fn the_code_for_unknown_types(importer: Role, #[case] properties: MemProperties) -> Outcome {
    importer.mem_create(SIZE, properties, 0).recorded("create")?;
    importer.ctx_synchronize()
}

/// The driver refuses a nonexistent device.
#[rstest]
#[case::negative(|_| -1)]
#[case::beyond(|count| count)]
#[case::far_beyond(|count| count + 1000)]
#[conformance::test("VMM-CREATE-006", needs(virtual_memory))]
fn nonexistent_devices_are_refused(importer: Role, #[case] device: fn(i32) -> i32) -> Outcome {
    let device = device(importer.device_get_count()?);
    importer.mem_create(SIZE, MemProperties::device(device), 0).refused_and_recorded(NO_SUCH_DEVICE)?;
    Ok(())
}

/// The driver refuses flags other than 0.
#[rstest]
#[case::lowest(1)]
#[case::second(2)]
#[case::of_the_upper_half(1 << 32)]
#[conformance::test("VMM-CREATE-007", needs(virtual_memory))]
fn flags_are_refused(importer: Role, #[case] flags: u64) -> Outcome {
    importer.mem_create(SIZE, DEVICE, flags).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver creates memory for descriptors on every device whose attribute says that it supports them.
#[rstest]
#[conformance::test("VMM-CREATE-008", needs(memory_descriptors))]
fn memory_for_descriptors_is_created(importer: Role) -> Outcome {
    for device in devices_with(&importer, DESCRIPTORS_SUPPORTED)? {
        importer.mem_create(SIZE, MemProperties::device(device).exportable(DESCRIPTOR), 0)?;
    }
    Ok(())
}

/// The results of creating memory for two handle types at once, and of exporting it as each, are recorded.
#[rstest]
#[case::as_found(None)]
#[case::with_a_channel(Some(Fabric::Channel))]
#[conformance::test("VMM-CREATE-010", needs(memory_descriptors, cuda = 12_030))]
fn the_codes_for_two_handle_types(#[case] fabric: Option<Fabric>) -> Outcome {
    let exporter = start("exporter", Placement { fabric, ..Placement::device(0) });
    let created = exporter.mem_create(SIZE, DEVICE.exportable(DESCRIPTOR | FABRIC), 0).recorded("create")?;
    let Some(physical) = created else { return Ok(()) };
    exporter.mem_export_to_descriptor(physical).recorded("descriptor")?;
    exporter.mem_export_to_fabric(physical).recorded("fabric")?;
    Ok(())
}

/// Without a fabric, the driver may create memory with the fabric handle type, but refuses to export it.
#[rstest]
#[conformance::test("VMM-CREATE-012", needs(virtual_memory, fabric = Fabric::Absent))]
fn without_a_fabric_fabric_exports_are_refused() -> Outcome {
    let exporter = start("exporter", Placement::device(0).fabric(Fabric::Absent));
    if let Some(physical) = exporter.mem_create(SIZE, DEVICE.exportable(FABRIC), 0).recorded("create")? {
        let code = exporter.mem_export_to_fabric(physical).refusal(&[])?;
        observe("export", code.to_string());
    }
    Ok(())
}

/// The attributes for Windows handle types are 0, and the driver refuses memory with these types.
#[rstest]
#[case::win32(WIN32, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED)]
#[case::win32_kmt(WIN32_KMT, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED)]
#[conformance::test("VMM-CREATE-009", needs(virtual_memory))]
fn windows_handle_types_are_refused(
    importer: Role,
    #[case] handle_type: CUmemAllocationHandleType,
    #[case] attribute: CUdevice_attribute,
    #[values(0, DESCRIPTOR)] beside: u32,
) -> Outcome {
    check!(importer.device_get_attribute(attribute.0, 0)? == 0);
    importer.mem_create(SIZE, DEVICE.exportable(handle_type.0 | beside), 0).refused_and_recorded(&[])?;
    Ok(())
}

/// The driver refuses memory with location type `HOST` and a handle type.
#[rstest]
#[case::descriptor(DESCRIPTOR)]
#[case::fabric(FABRIC)]
#[conformance::test("VMM-CREATE-013", needs(virtual_memory))]
fn exportable_host_memory_is_refused(importer: Role, #[case] handle_types: u32) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST, 0).exportable(handle_types), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// From CUDA 12.6 until CUDA 13, the driver refuses memory with location type `HOST`.
#[rstest]
#[conformance::test("VMM-CREATE-014", needs(virtual_memory, cuda = 12_060, cuda_before = 13_000))]
fn host_memory_is_refused_before_cuda_13(importer: Role) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST, 0), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// The driver refuses memory with location type `HOST_NUMA_CURRENT`.
#[rstest]
#[conformance::test("VMM-CREATE-015", needs(virtual_memory))]
fn the_current_numa_node_is_refused(importer: Role) -> Outcome {
    importer.mem_create(SIZE, DEVICE.at(HOST_NUMA_CURRENT, 0), 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Two processes can share memory of a NUMA node through a descriptor: each sees what a kernel of the other stores.
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
    importer.fill(here, SIZE, 8)?;
    check!(exporter.mismatches(there, SIZE, 8)? == 0);
    Ok(())
}

/// The result of creating memory with a non-null `win32HandleMetaData` is recorded.
#[rstest]
#[conformance::test("VMM-CREATE-017", needs(virtual_memory))]
fn the_code_for_windows_metadata(importer: Role) -> Outcome {
    importer.mem_create_with_windows_data(SIZE, DEVICE).recorded("create")?;
    Ok(())
}

/// The driver creates memory for GPUDirect RDMA if and only if the device attribute says so; its pointers report it.
#[rstest]
#[conformance::test("VMM-CREATE-018", "DEVATTR-005", needs(virtual_memory))]
fn memory_for_rdma_agrees_with_the_attribute(importer: Role) -> Outcome {
    const ATTRIBUTE: CUdevice_attribute =
        CUdevice_attribute::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED;
    let supported = importer.device_get_attribute(ATTRIBUTE.0, 0)?;
    let created = importer.mem_create_for_rdma(SIZE, DEVICE);
    if let Err(Stop::Refused(refusal)) = &created {
        observe("code", refusal.code.to_string());
    }
    let Some(physical) = created.agrees_with(supported)? else { return Ok(()) };
    let address = map_readable_and_writable(&importer, physical)?;
    let capable = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
    check!(importer.pointer_get_attribute(capable.0, address)? == 1);
    Ok(())
}

/// The driver creates memory without a current context.
#[rstest]
#[conformance::test("VMM-CREATE-019", needs(virtual_memory))]
fn no_context_is_needed(importer: Role) -> Outcome {
    importer.ctx_set_current(None)?;
    let physical = create(&importer)?;
    importer.mem_release(physical)
}

/// The driver refuses to create memory before `cuInit`.
#[rstest]
#[conformance::test("VMM-CREATE-019", needs(virtual_memory))]
fn initialisation_is_needed(uninitialised: Role) -> Outcome {
    create(&uninitialised).refused(NOT_INITIALIZED)?;
    Ok(())
}

/// Checks that both granularities are powers of two on every device, and the recommended one at least the minimum.
fn check_granularities(role: &Role, handle_types: u32) -> Outcome {
    const MINIMUM: u32 = 0;
    const RECOMMENDED: u32 = 1;
    const SUPPORTED: CUdevice_attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    for device in devices_with(role, SUPPORTED)? {
        let properties = MemProperties::device(device).exportable(handle_types);
        let needed = role.mem_get_allocation_granularity(properties, MINIMUM)?;
        let recommended = role.mem_get_allocation_granularity(properties, RECOMMENDED)?;
        check!(needed.is_power_of_two() && needed >= 4 * KIB, "{needed}");
        check!(recommended.is_power_of_two() && recommended >= needed, "{recommended} and {needed}");
    }
    Ok(())
}

/// On every device, both granularities are powers of two, and the recommended one is at least the minimum.
#[rstest]
#[conformance::test("VMM-CREATE-020", needs(virtual_memory))]
fn granularities_are_powers_of_two(importer: Role, #[values(0, DESCRIPTOR)] handle_types: u32) -> Outcome {
    check_granularities(&importer, handle_types)
}

/// The granularities of memory for fabric handles are powers of two.
#[rstest]
#[conformance::test("VMM-CREATE-020", needs(virtual_memory, cuda = 12_030))]
fn granularities_of_fabric_memory_are_powers_of_two(importer: Role) -> Outcome {
    check_granularities(&importer, FABRIC)
}

/// The code for the granularity of an invalid option, type or device is recorded.
#[rstest]
#[case::option(DEVICE, 0xff)]
#[case::allocation_type(MemProperties { allocation_type: 0xff, ..DEVICE }, 0)]
#[case::location_type(DEVICE.at(0xff, 0), 0)]
#[case::device(MemProperties::device(1000), 0)]
#[conformance::test("VMM-CREATE-021", "VMM-CREATE-022", needs(virtual_memory))]
fn granularity_of_invalid_properties(
    importer: Role,
    #[case] properties: MemProperties,
    #[case] option: u32,
) -> Outcome {
    importer.mem_get_allocation_granularity(properties, option).recorded("granularity")?;
    importer.ctx_synchronize()
}

/// Whether fresh memory shows data that an ended process wrote is recorded.
#[rstest]
#[case::exit(false)]
#[case::kill(true)]
#[conformance::test("VMM-CREATE-023", needs(virtual_memory))]
fn whether_fresh_memory_shows_old_data(
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
    // Some bytes may match by chance.
    observe("old data is visible", shown >= SIZE / 8);
    Ok(())
}

/// On every device, the driver reports the properties with which an allocation was created. After its handle is released,
/// the driver reports the same for the handle that `cuMemRetainAllocationHandle` returns for a mapping.
#[rstest]
#[case::plain(0)]
#[case::exportable(DESCRIPTOR)]
#[conformance::test("VMM-CREATE-024", needs(memory_descriptors))]
fn a_handle_reports_its_properties(importer: Role, #[case] handle_types: u32) -> Outcome {
    for device in devices_with(&importer, DESCRIPTORS_SUPPORTED)? {
        let asked_for = MemProperties::device(device).exportable(handle_types);
        let physical = importer.mem_create(SIZE, asked_for, 0)?;
        check!(importer.mem_get_allocation_properties(physical)? == asked_for);
        let address = map(&importer, physical)?;
        importer.mem_release(physical)?;
        let retained = importer.mem_retain_allocation_handle(address)?;
        check!(importer.mem_get_allocation_properties(retained)? == asked_for);
    }
    Ok(())
}

/// Memory that was created without compression reports none. If it reports that it is capable of GPUDirect RDMA, so
/// does its pointer.
#[rstest]
#[conformance::test("VMM-CREATE-024", needs(virtual_memory))]
fn plain_memory_reports_no_compression(importer: Role) -> Outcome {
    let physical = create(&importer)?;
    let [compression, is_rdma_capable] = importer.mem_get_allocation_flags(physical)?;
    check!(compression == 0);
    if is_rdma_capable != 0 {
        let address = map_readable_and_writable(&importer, physical)?;
        let capable = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE;
        check!(importer.pointer_get_attribute(capable.0, address)? == 1);
    }
    Ok(())
}

/// Memory of a NUMA node reports the node that it was created on.
#[rstest]
#[conformance::test("VMM-CREATE-024", needs(virtual_memory, cuda = 12_020))]
fn memory_of_a_numa_node_reports_its_node(importer: Role) -> Outcome {
    let node = importer.device_get_attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID.0, 0)?;
    let asked_for = DEVICE.at(HOST_NUMA, node.max(0));
    // Containers may block the system calls that bind memory to a node.
    let Some(physical) = importer.mem_create(SIZE, asked_for, 0).recorded("create")? else { return Ok(()) };
    check!(importer.mem_get_allocation_properties(physical)? == asked_for);
    Ok(())
}
