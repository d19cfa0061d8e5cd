//! `cuEventCreate` with interprocess flags.

use conformance::{Expect as _, Outcome, Role, check};
use cuda_ipc_sys::{CUdevice_attribute, CUlaunchAttributeID};
use rstest::rstest;

use super::{DISABLE_TIMING, INTERPROCESS, INTERPROCESS_BLOCKING, share};
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::{exporter, importer};
use conformance::calls::ipc::UNWRITTEN;
use conformance::{MIB, Stream};

/// An interprocess event without timing can be created, exported and recorded, with and without blocking waits.
#[rstest]
#[case::spinning(INTERPROCESS)]
#[case::blocking(INTERPROCESS_BLOCKING)]
#[conformance::test("IPCEVT-001", "IPCEVT-003")]
fn an_event_without_timing_is_exported(exporter: Role, importer: Role, #[case] flags: u32) -> Outcome {
    let event = exporter.event_create(flags)?;
    let handle = exporter.ipc_get_event_handle(event)?;
    check!(handle.to_bytes() != UNWRITTEN, "the driver did not write the handle");
    importer.ipc_open_event_handle(handle)?;
    exporter.event_record(event, Stream::DEFAULT)?;
    exporter.event_synchronize(event)
}

/// The driver refuses to create an interprocess event with timing, with and without blocking waits.
#[rstest]
#[conformance::test("IPCEVT-002")]
fn an_event_with_timing_is_refused(exporter: Role) -> Outcome {
    for flags in [INTERPROCESS & !DISABLE_TIMING, INTERPROCESS_BLOCKING & !DISABLE_TIMING] {
        exporter.event_create(flags).refused(INVALID_VALUE)?;
    }
    exporter.ctx_synchronize()
}

/// The driver refuses a launch with an interprocess event in its attributes.
#[rstest]
#[case::programmatic(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)]
#[case::launch_completion(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)]
#[conformance::test("IPCEVT-035")]
fn launch_attributes_refuse_an_interprocess_event(exporter: Role, #[case] attribute: CUlaunchAttributeID) -> Outcome {
    let stream = exporter.stream_create()?;
    let event = exporter.event_create(INTERPROCESS)?;
    exporter.launch_with_event_attribute(attribute.0, event, stream).refused_and_recorded(&[])?;
    // The refusal above means little if the driver refuses a local event too.
    let local = exporter.event_create(DISABLE_TIMING)?;
    exporter.launch_with_event_attribute(attribute.0, local, stream).recorded("local event")?;
    exporter.ctx_synchronize()
}

/// The driver refuses a launch with an imported event in its attributes.
#[rstest]
#[case::programmatic(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)]
#[case::launch_completion(CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)]
#[conformance::test("IPCEVT-035")]
fn launch_attributes_refuse_an_imported_event(
    exporter: Role,
    importer: Role,
    #[case] attribute: CUlaunchAttributeID,
) -> Outcome {
    let (_, imported) = share(&exporter, &importer)?;
    let stream = importer.stream_create()?;
    importer.launch_with_event_attribute(attribute.0, imported, stream).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Events can be exported if and only if the device attribute `IPC_EVENT_SUPPORTED` is 1. So can memory, except that an
/// integrated device may refuse it.
#[rstest]
#[conformance::test("IPCEVT-038", needs(any_device, cuda = 12_000))]
fn the_attribute_predicts_export(exporter: Role) -> Outcome {
    export_as_predicted(&exporter, 0)
}

/// Events and memory of a second GPU can be exported if and only if its attribute `IPC_EVENT_SUPPORTED` is 1.
#[rstest]
#[conformance::test("IPCEVT-038", needs(any_device, cuda = 12_000, gpus = 2))]
fn the_attribute_of_a_second_gpu_predicts_export(#[with(1)] exporter: Role) -> Outcome {
    export_as_predicted(&exporter, 1)
}

/// Exports an event and memory of a GPU, and compares the results with the attribute.
fn export_as_predicted(exporter: &Role, device: i32) -> Outcome {
    let attribute = |attribute: CUdevice_attribute| exporter.device_get_attribute(attribute.0, device);
    let is_integrated = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0;
    let supported = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED)?;
    let event = exporter.event_create(INTERPROCESS).followed_by(|event| exporter.ipc_get_event_handle(event));
    event.recorded_and_agrees_with("event", supported)?;
    let memory = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?);
    // A device that is integrated into a processor may support events and not memory.
    if is_integrated && supported == 1 {
        memory.recorded("memory")?;
    } else {
        memory.recorded_and_agrees_with("memory", supported)?;
    }
    Ok(())
}
