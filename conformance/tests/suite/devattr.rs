//! What devices say of themselves, and whether it is so.

use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUmemAllocationHandleType, CUmemLocationType, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::observer;

const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;

/// The attribute for legacy handles says whether they are to be had.
#[rstest]
#[conformance::test("DEVATTR-001", needs(cuda = 12_000))]
fn legacy_handles_are_as_the_attribute_says(observer: Role) -> Outcome {
    let supported = observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED.0, 0)?;
    let exported = observer.ipc_get_mem_handle(observer.mem_alloc(SIZE)?);
    if supported == 0 { exported.refused(&[]).map(drop) } else { exported.map(drop) }
}

/// The attribute for virtual memory says whether it is to be had.
#[rstest]
#[conformance::test("DEVATTR-002")]
fn virtual_memory_is_as_the_attribute_says(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    let mapped = observer.mem_create_and_map(SIZE, 0);
    if supported == 0 { mapped.refused(&[]).map(drop) } else { mapped.map(drop) }
}

/// The attribute for descriptors says whether memory exports as one.
#[rstest]
#[conformance::test("DEVATTR-003")]
fn descriptors_are_as_the_attribute_says(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    let created = observer.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0);
    let exported = created.and_then(|physical| observer.mem_export_to_descriptor(physical));
    if supported == 0 { exported.refused(&[]).map(drop) } else { exported.map(drop) }
}

/// The attribute for pools is a mask of handle types; how fabric handles stand in it is recorded.
#[rstest]
#[conformance::test("DEVATTR-004", needs(memory_pools))]
fn handle_types_of_pools_are_a_mask(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
    let mask = observer.device_get_attribute(attribute.0, 0)?.cast_unsigned();
    let created = observer.mem_pool_create(DESCRIPTOR);
    if mask & DESCRIPTOR == 0 {
        created.refused(&[])?;
    } else {
        created?;
    }
    observe("mask", mask.to_string());
    let fabric = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED;
    if let Some(fabric) = observer.device_get_attribute(fabric.0, 0).recorded("fabric")? {
        observe("fabric attribute", fabric.to_string());
    }
    Ok(())
}

/// Where legacy handles are to be had, addresses are unified.
#[rstest]
#[conformance::test("DEVATTR-006")]
fn addresses_are_unified(observer: Role) -> Outcome {
    check!(observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING.0, 0)? == 1);
    Ok(())
}

/// The attributes for memory of the host say whether it is created.
#[rstest]
#[case::numa_node(
    Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA
)]
#[case::host(
    Attribute::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
)]
#[conformance::test("DEVATTR-007", needs(virtual_memory, cuda = 13_000))]
fn memory_of_the_host_is_as_the_attribute_says(
    observer: Role,
    #[case] attribute: Attribute,
    #[case] location: CUmemLocationType,
) -> Outcome {
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    observe("attribute", supported.to_string());
    let created = observer.mem_create(SIZE, MemProperties::device(0).at(location.0, 0), 0);
    if supported == 0 {
        created.refused_and_recorded(&[])?;
        return Ok(());
    }
    // A container may block the system calls that bind memory to a node.
    created.recorded("create")?;
    Ok(())
}

/// The attributes for pools of the host say whether they are created.
#[rstest]
#[case::numa_node(
    Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
    CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA
)]
#[case::host(Attribute::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED, CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST)]
#[conformance::test("DEVATTR-007", needs(memory_pools, cuda = 13_000))]
fn pools_of_the_host_are_as_the_attribute_says(
    observer: Role,
    #[case] attribute: Attribute,
    #[case] location: CUmemLocationType,
) -> Outcome {
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    observe("attribute", supported.to_string());
    let created = observer.mem_pool_create_with(MemProperties::device(0).at(location.0, 0), 0, 0);
    if supported == 0 {
        created.refused_and_recorded(&[])?;
        return Ok(());
    }
    // A container may block the system calls that bind memory to a node.
    created.recorded("create")?;
    Ok(())
}

/// Whether memory of the host is shared between nodes of a system is recorded.
#[rstest]
#[conformance::test("DEVATTR-007", needs(cuda = 13_000))]
fn memory_of_the_host_between_nodes_is_recorded(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED;
    observe("attribute", observer.device_get_attribute(attribute.0, 0)?.to_string());
    Ok(())
}

/// An attribute that there is not is refused.
#[rstest]
#[conformance::test("DEVATTR-008")]
fn unknown_attributes_are_refused(observer: Role) -> Outcome {
    observer.device_get_attribute(100_000, 0).refused(&[CUresult::CUDA_ERROR_INVALID_VALUE])?;
    Ok(())
}
