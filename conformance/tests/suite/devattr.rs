//! Device attributes, and whether the driver behaves as they say.

use conformance::{Expect as _, MemProperties, Outcome, Role, check, observe};
use cuda_ipc_sys::{CUdevice_attribute as Attribute, CUmemAllocationHandleType, CUmemLocationType, CUresult};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::observer;

const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;

/// The driver exports legacy memory handles if and only if the attribute `IPC_EVENT_SUPPORTED` is 1.
#[rstest]
#[conformance::test("DEVATTR-001", needs(cuda = 12_000))]
fn legacy_export_agrees_with_the_attribute(observer: Role) -> Outcome {
    let supported = observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED.0, 0)?;
    let exported = observer.ipc_get_mem_handle(observer.mem_alloc(SIZE)?);
    if supported == 0 { exported.refused(&[]).map(drop) } else { exported.map(drop) }
}

/// The driver creates and maps virtual memory if and only if the attribute `VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED` is 1.
#[rstest]
#[conformance::test("DEVATTR-002")]
fn virtual_memory_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    let mapped = observer.mem_create_and_map(SIZE, 0);
    if supported == 0 { mapped.refused(&[]).map(drop) } else { mapped.map(drop) }
}

/// The driver exports memory as a file descriptor if and only if the attribute
/// `HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED` is 1.
#[rstest]
#[conformance::test("DEVATTR-003")]
fn descriptor_export_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    let created = observer.mem_create(SIZE, MemProperties::device(0).exportable(DESCRIPTOR), 0);
    let exported = created.and_then(|physical| observer.mem_export_to_descriptor(physical));
    if supported == 0 { exported.refused(&[]).map(drop) } else { exported.map(drop) }
}

/// The driver creates a pool for file descriptors if and only if the mask `MEMPOOL_SUPPORTED_HANDLE_TYPES` has their
/// bit. The mask and the attribute for fabric handles are recorded.
#[rstest]
#[conformance::test("DEVATTR-004", needs(memory_pools))]
fn descriptor_pools_agree_with_the_mask(observer: Role) -> Outcome {
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

/// The attribute `UNIFIED_ADDRESSING`, which IPC requires, is 1.
#[rstest]
#[conformance::test("DEVATTR-006")]
fn addresses_are_unified(observer: Role) -> Outcome {
    check!(observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING.0, 0)? == 1);
    Ok(())
}

/// The driver refuses to create host memory if the attribute for its location is 0. If the attribute is 1, the result
/// is recorded.
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
fn unsupported_host_memory_is_refused(
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
    // The result is only recorded, because a container may block the system calls that bind memory to a NUMA node.
    created.recorded("create")?;
    Ok(())
}

/// The driver refuses to create a pool of host memory if the attribute for its location is 0. If the attribute is 1,
/// the result is recorded.
#[rstest]
#[case::numa_node(
    Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
    CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST_NUMA
)]
#[case::host(Attribute::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED, CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST)]
#[conformance::test("DEVATTR-007", needs(memory_pools, cuda = 13_000))]
fn unsupported_host_pools_are_refused(
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
    // The result is only recorded, because a container may block the system calls that bind memory to a NUMA node.
    created.recorded("create")?;
    Ok(())
}

/// The attribute `HOST_NUMA_MULTINODE_IPC_SUPPORTED` is recorded.
#[rstest]
#[conformance::test("DEVATTR-007", needs(cuda = 13_000))]
fn the_attribute_for_host_memory_between_nodes(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED;
    observe("attribute", observer.device_get_attribute(attribute.0, 0)?.to_string());
    Ok(())
}

/// The driver refuses an unknown device attribute.
#[rstest]
#[conformance::test("DEVATTR-008")]
fn unknown_attributes_are_refused(observer: Role) -> Outcome {
    observer.device_get_attribute(100_000, 0).refused(&[CUresult::CUDA_ERROR_INVALID_VALUE])?;
    Ok(())
}
