//! Multicast objects that processes share. These cases run only on the reference driver.

use std::time::Duration;

use conformance::Placement;
use conformance::calls::{AnyCall, multicast, vmm};
use conformance::{Expect as _, MIB, MemProperties, Outcome, Physical, Pointer, Role, Stop, check, observe};
use cuda_ipc_sys::CUdevice_attribute;
use rstest::rstest;

use crate::support::constants::{DESCRIPTOR, INVALID_VALUE, NOT_SUPPORTED, READ_WRITE};
use crate::support::fixtures::{exporter, importer, start};

const SIZE: u64 = 4 * MIB;
/// How long a case watches a call that should block.
const PATIENCE: Duration = Duration::from_millis(100);

/// Creates memory of a device that can be shared with other processes.
fn create(role: &Role, device: i32) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(device).exportable(DESCRIPTOR), 0)
}

fn map(role: &Role, physical: Physical, device: i32) -> Result<Pointer, Stop> {
    let address = role.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    role.mem_map(address, SIZE, 0, physical, 0)?;
    role.mem_set_access(address, SIZE, device, READ_WRITE)?;
    Ok(address)
}

/// Creates an object for two devices and imports it into the other process. No device has been added to it yet.
fn share(exporter: &Role, importer: &Role) -> Result<[Physical; 2], Stop> {
    let object = exporter.multicast_create(2, SIZE, DESCRIPTOR)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(object)?)?;
    Ok([object, importer.mem_import_from_descriptor(importer.receive_descriptor(&sent)?)?])
}

/// The driver creates no multicast object on a device whose attribute says that it does not support multicast.
#[rstest]
#[conformance::test("MC-001", needs(cuda = 12_010, simulated))]
fn a_device_without_multicast_gives_no_object() -> Outcome {
    let role = start("exporter", Placement::device(0).without_multicast());
    let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED;
    check!(role.device_get_attribute(attribute.0, 0)? == 0);
    role.multicast_create(1, SIZE, 0).refused(NOT_SUPPORTED)?;
    Ok(())
}

/// A shareable multicast object accepts only shareable memory.
#[rstest]
#[conformance::test("MC-002", needs(gpus = 2, memory_descriptors, cuda = 12_010, multicast, simulated))]
fn a_shareable_object_refuses_private_memory(exporter: Role) -> Outcome {
    let object = exporter.multicast_create(1, SIZE, DESCRIPTOR)?;
    exporter.multicast_add_device(object, 0)?;
    let private = exporter.mem_create(SIZE, MemProperties::device(0), 0)?;
    exporter.multicast_bind_mem(object, 0, private, SIZE).refused_and_recorded(&[])?;
    exporter.multicast_bind_mem(object, 0, create(&exporter, 0)?, SIZE)
}

/// Two processes that share an object as a descriptor can both add their devices, and a write of either reaches both.
#[rstest]
#[conformance::test("MC-003", needs(gpus = 2, memory_descriptors, cuda = 12_010, multicast, simulated))]
fn two_processes_add_their_devices(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    let objects = share(&exporter, &importer)?;
    let team = [(&exporter, objects[0], 0), (&importer, objects[1], 1)];
    for (role, object, device) in team {
        role.multicast_add_device(object, device)?;
    }
    let mut own = Vec::new();
    for (role, object, device) in team {
        let memory = create(role, device)?;
        role.multicast_bind_mem(object, 0, memory, SIZE)?;
        own.push(map(role, memory, device)?);
    }
    for (pattern, (writer, object, device)) in (7..).zip(team) {
        writer.fill(map(writer, object, device)?, SIZE, pattern)?;
        check!(exporter.mismatches(own[0], SIZE, pattern)? == 0, "{}'s write did not reach GPU 0", writer.name());
        check!(importer.mismatches(own[1], SIZE, pattern)? == 0, "{}'s write did not reach GPU 1", writer.name());
    }
    Ok(())
}

/// Makes a call that blocks until all devices of the object have been added.
type Waiting = fn(&Role, Physical) -> Result<AnyCall, Stop>;

fn bind(role: &Role, object: Physical) -> Result<AnyCall, Stop> {
    let memory = create(role, 0)?;
    Ok(multicast::Call::multicast_bind_mem { object, offset: 0, memory, size: SIZE }.into())
}

fn map_object(role: &Role, object: Physical) -> Result<AnyCall, Stop> {
    let address = role.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    Ok(vmm::Call::mem_map { address, size: SIZE, offset: 0, physical: object, flags: 0 }.into())
}

/// Binding and mapping block until another process has added the last device.
#[rstest]
#[case::bind(bind)]
#[case::map(map_object)]
#[conformance::test("MC-004", needs(gpus = 2, memory_descriptors, cuda = 12_010, multicast, simulated))]
fn calls_wait_for_the_last_device(exporter: Role, #[with(1)] importer: Role, #[case] call: Waiting) -> Outcome {
    let objects = share(&exporter, &importer)?;
    exporter.multicast_add_device(objects[0], 0)?;
    let waiting = exporter.begin::<()>(call(&exporter, objects[0])?)?;
    let has_waited = u32::from(waiting.still_waits_after(PATIENCE)?);
    importer.multicast_add_device(objects[1], 1)?;
    waiting.finish()?;
    check!(has_waited == 1, "the call did not block until the other process added its device");
    Ok(())
}

/// The driver binds memory up to the end of an object, where writes then reach it, and refuses to bind it beyond.
#[rstest]
#[conformance::test("MC-005", needs(gpus = 2, memory_descriptors, cuda = 12_010, multicast, simulated))]
fn memory_is_bound_up_to_the_end(exporter: Role) -> Outcome {
    let object = exporter.multicast_create(2, 2 * SIZE, DESCRIPTOR)?;
    for device in [0, 1] {
        exporter.multicast_add_device(object, device)?;
    }
    let memory = create(&exporter, 1)?;
    for memory in [create(&exporter, 0)?, memory] {
        exporter.multicast_bind_mem(object, 2 * SIZE, memory, SIZE).refused(INVALID_VALUE)?;
        exporter.multicast_bind_mem(object, SIZE, memory, SIZE)?;
    }
    let address = exporter.mem_address_reserve(2 * SIZE, 0, Pointer::NULL, 0)?;
    exporter.mem_map(address, 2 * SIZE, 0, object, 0)?;
    exporter.mem_set_access(address, 2 * SIZE, 0, READ_WRITE)?;
    exporter.fill(address.offset(SIZE), SIZE, 7)?;
    check!(exporter.mismatches(map(&exporter, memory, 0)?, SIZE, 7)? == 0);
    Ok(())
}

/// Whether a call keeps waiting for a process that was killed before it added its device is recorded.
#[rstest]
#[case::bind(bind)]
#[case::map(map_object)]
#[conformance::test("MC-006", needs(gpus = 2, memory_descriptors, cuda = 12_010, multicast, simulated))]
fn whether_calls_wait_for_a_dead_participant(
    exporter: Role,
    #[with(1)] importer: Role,
    #[case] call: Waiting,
) -> Outcome {
    let objects = share(&exporter, &importer)?;
    exporter.multicast_add_device(objects[0], 0)?;
    let waiting = exporter.begin::<()>(call(&exporter, objects[0])?)?;
    importer.kill()?;
    let still_waits = waiting.still_waits_after(PATIENCE)?;
    observe("still waits", still_waits.to_string());
    if still_waits { exporter.kill() } else { waiting.finish().recorded("code").map(drop) }
}
