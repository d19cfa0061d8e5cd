//! Device attributes, and whether the driver behaves as they say.

use std::ops::Range;

use conformance::trace::computed;
use conformance::{Expect as _, MemProperties, Outcome, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::CUdevice_attribute as Attribute;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::{DESCRIPTOR, FABRIC, HOST, HOST_NUMA, INVALID_VALUE, READ_WRITE};
use crate::support::fixtures::observer;

const POOL_MASK: u32 = Attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES.0;

/// The ordinals of all devices.
fn devices(observer: &Role) -> Result<Range<i32>, Stop> {
    Ok(0..observer.device_get_count()?)
}

/// Since CUDA 12.0, every device has the attribute `IPC_EVENT_SUPPORTED`, which is 0 or 1.
#[rstest]
#[conformance::test("DEVATTR-001", needs(cuda = 12_000))]
fn every_device_says_whether_it_supports_ipc(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
    for device in devices(&observer)? {
        let value = observer.device_get_attribute(attribute.0, device)?;
        check!([0, 1].contains(&value), "device {device}: {value}");
    }
    Ok(())
}

/// A driver older than CUDA 12.0 does not know the attribute `IPC_EVENT_SUPPORTED`.
#[rstest]
#[conformance::test("DEVATTR-001", needs(cuda_before = 12_000))]
fn an_older_driver_does_not_know_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED;
    observer.device_get_attribute(attribute.0, 0).refused(INVALID_VALUE)?;
    Ok(())
}

/// Maps new memory of a device.
fn map_on(observer: &Role, device: i32) -> Outcome {
    let physical = observer.mem_create(SIZE, MemProperties::device(device), 0)?;
    let address = observer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    observer.mem_map(address, SIZE, 0, physical, 0)?;
    observer.mem_set_access(address, SIZE, device, READ_WRITE)
}

/// The driver creates and maps virtual memory of a device if and only if its attribute
/// `VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED` is 1.
#[rstest]
#[conformance::test("DEVATTR-002")]
fn virtual_memory_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    for device in devices(&observer)? {
        let supported = observer.device_get_attribute(attribute.0, device)?;
        map_on(&observer, device).agrees_with(supported)?;
    }
    Ok(())
}

/// The driver exports memory of a device as a file descriptor if and only if its attribute
/// `HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED` is 1.
#[rstest]
#[conformance::test("DEVATTR-003")]
fn descriptor_export_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
    for device in devices(&observer)? {
        let supported = observer.device_get_attribute(attribute.0, device)?;
        let created = observer.mem_create(SIZE, MemProperties::device(device).exportable(DESCRIPTOR), 0);
        created.followed_by(|physical| observer.mem_export_to_descriptor(physical)).agrees_with(supported)?;
    }
    Ok(())
}

/// The driver creates a pool for a handle type if and only if the mask `MEMPOOL_SUPPORTED_HANDLE_TYPES` has its bit.
/// Fabric handles are left out, because their pools need a channel.
#[rstest]
#[conformance::test("DEVATTR-004", needs(memory_pools))]
fn pools_agree_with_the_mask(observer: Role) -> Outcome {
    for device in devices(&observer)? {
        let mut accepted = 0_u64;
        for handle_type in (0..u32::BITS).map(|bit| 1 << bit).filter(|handle_type| *handle_type != FABRIC) {
            let properties = MemProperties::device(device).exportable(handle_type);
            if observer.mem_pool_create_with(properties, 0, 0).if_accepted()?.is_some() {
                accepted |= u64::from(handle_type);
            }
        }
        let mask = observer.device_get_attribute(POOL_MASK, device)?.cast_unsigned();
        // Arithmetic, because a program of `conformance report` knows no other operators.
        let without_fabric = format!("{{0}} - {{0}} / {FABRIC} % 2 * {FABRIC}");
        let others = computed(u64::from(mask & !FABRIC), &without_fabric, &[u64::from(mask)]);
        check!(others == accepted);
    }
    Ok(())
}

/// The mask `MEMPOOL_SUPPORTED_HANDLE_TYPES` and the attribute for fabric handles are recorded.
#[rstest]
#[conformance::test("DEVATTR-004", needs(memory_pools))]
fn the_mask_of_pool_handle_types(observer: Role) -> Outcome {
    observe("mask", observer.device_get_attribute(POOL_MASK, 0)?.to_string());
    let fabric = Attribute::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED;
    if let Some(fabric) = observer.device_get_attribute(fabric.0, 0).recorded("fabric")? {
        observe("fabric attribute", fabric.to_string());
    }
    Ok(())
}

/// The attribute `UNIFIED_ADDRESSING`, which IPC requires, is 1 on every device.
#[rstest]
#[conformance::test("DEVATTR-006")]
fn addresses_are_unified(observer: Role) -> Outcome {
    for device in devices(&observer)? {
        check!(observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING.0, device)? == 1);
    }
    Ok(())
}

/// Checks that the driver provides host memory if and only if the attribute for its location is 1. Where a container
/// blocks the system calls that bind memory to a NUMA node, a refusal is only recorded.
fn host_memory_agrees<T>(observer: &Role, attribute: Attribute, created: Result<T, Stop>) -> Outcome {
    let supported = observer.device_get_attribute(attribute.0, 0)?;
    observe("attribute", supported.to_string());
    if supported == 0 {
        return created.recorded_and_agrees_with("code", supported).map(drop);
    }
    if matches!(created, Err(Stop::Refused(_))) && !observer.can_bind_memory()? {
        return created.recorded("create").map(drop);
    }
    created.recorded_and_agrees_with("create", supported).map(drop)
}

/// Properties of memory on the NUMA node nearest to GPU 0.
fn numa_node(observer: &Role) -> Result<MemProperties, Stop> {
    let node = observer.device_get_attribute(Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID.0, 0)?;
    Ok(MemProperties::device(0).at(HOST_NUMA, node.max(0)))
}

/// Properties of host memory.
const fn host() -> MemProperties {
    MemProperties::device(0).at(HOST, 0)
}

/// The driver creates memory of a NUMA node if and only if the attribute for it is 1.
#[rstest]
#[conformance::test("DEVATTR-007", needs(virtual_memory, cuda = 12_090))]
fn memory_of_a_numa_node_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    host_memory_agrees(&observer, attribute, observer.mem_create(SIZE, numa_node(&observer)?, 0))
}

/// The driver creates memory of the host if and only if the attribute for it is 1.
#[rstest]
#[conformance::test("DEVATTR-007", needs(virtual_memory, cuda = 13_000))]
fn memory_of_the_host_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    host_memory_agrees(&observer, attribute, observer.mem_create(SIZE, host(), 0))
}

/// The driver creates a pool of a NUMA node if and only if the attribute for it is 1.
#[rstest]
#[conformance::test("DEVATTR-007", needs(memory_pools, cuda = 12_090))]
fn a_pool_of_a_numa_node_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED;
    host_memory_agrees(&observer, attribute, observer.mem_pool_create_with(numa_node(&observer)?, 0, 0))
}

/// The driver creates a pool of the host if and only if the attribute for it is 1.
#[rstest]
#[conformance::test("DEVATTR-007", needs(memory_pools, cuda = 13_000))]
fn a_pool_of_the_host_agrees_with_the_attribute(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED;
    host_memory_agrees(&observer, attribute, observer.mem_pool_create_with(host(), 0, 0))
}

/// The attribute `HOST_NUMA_MULTINODE_IPC_SUPPORTED` is recorded.
#[rstest]
#[conformance::test("DEVATTR-007", needs(cuda = 12_090))]
fn the_attribute_for_host_memory_between_nodes(observer: Role) -> Outcome {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED;
    observe("attribute", observer.device_get_attribute(attribute.0, 0)?.to_string());
    Ok(())
}

/// The driver refuses an unknown device attribute.
#[rstest]
#[conformance::test("DEVATTR-008")]
fn unknown_attributes_are_refused(observer: Role, #[values(0, 100_000, u32::MAX)] attribute: u32) -> Outcome {
    observer.device_get_attribute(attribute, 0).refused(INVALID_VALUE)?;
    Ok(())
}
