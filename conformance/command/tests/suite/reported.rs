//! Cases for the programs of failed runs. They pass, and each finds a fault of the reference driver.

use std::time::Duration;

use conformance::calls::error::FailingCall;
use conformance::calls::stream::Call as StreamCall;
use conformance::machine::Fabric;
use conformance::trace::{computed, condition};
use conformance::{
    Expect as _, KIB, MIB, MemProperties, Outcome, PidNamespace, Placement, Pointer, Role, Stop, Stream, check,
    disclose,
};
use cuda_ipc_sys::{
    CUdevice_attribute, CUevent_flags, CUmemAccess_flags, CUmemAllocationHandleType, CUmemPool_attribute, CUresult,
};
use rstest::rstest;

use crate::sample::{exporter, importer};

const READ_WRITE: u32 = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE.0;
const POOL_MASK: u32 = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES.0;
const DESCRIPTOR: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const USED: u32 = CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT.0;
const FABRIC: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0;

/// The driver returns the name of a code in full.
#[rstest]
#[conformance::test()]
fn a_code_has_its_name(exporter: Role) -> Outcome {
    let name = exporter.get_error_name(1)?;
    check!(name == "CUDA_ERROR_INVALID_VALUE");
    Ok(())
}

/// The driver returns no name for a number that is no code.
#[rstest]
#[conformance::test()]
fn an_unknown_number_is_refused(exporter: Role) -> Outcome {
    exporter.get_error_name(1000).refused(&[CUresult::CUDA_ERROR_INVALID_VALUE])?;
    Ok(())
}

/// The driver writes a null pointer for a number that is no code.
#[rstest]
#[conformance::test()]
fn an_unknown_number_has_no_name(exporter: Role) -> Outcome {
    let answer = exporter.get_error_name_or_not(1000)?;
    let name = answer.output.iter().take(size_of::<usize>()).rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    check!(name == 0, "cuGetErrorName wrote {name:#x}, expected a null pointer");
    Ok(())
}

/// The streams of a case in which the exporter waits for work of the importer, and the flag that lets this work end.
struct Pending {
    waiting: Stream,
    flag: Pointer,
}

/// Makes a stream of the exporter wait for an event that the importer has recorded behind pending work.
fn wait_for_the_importer(exporter: &Role, importer: &Role) -> Result<Pending, Stop> {
    let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING.0 | CUevent_flags::CU_EVENT_INTERPROCESS.0;
    let event = exporter.event_create(flags)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    let (produce, waiting) = (importer.stream_create()?, exporter.stream_create()?);
    let flag = importer.mem_host_alloc(4096, 0)?;
    importer.set_host_flag(flag, 0)?;
    let word = importer.mem_host_get_device_pointer(flag)?;
    let latch = |value: u32| importer.launch("latch".into(), vec![word.into(), value.into()], produce);
    latch(0)?;
    importer.stream_synchronize(produce)?;
    latch(1)?;
    importer.event_record(imported, produce)?;
    exporter.stream_wait_event(waiting, event)?;
    Ok(Pending { waiting, flag })
}

/// A host wait for pending work does not end. If it does, the work goes on only afterwards.
#[rstest]
#[conformance::test()]
fn a_host_waits(exporter: Role, importer: Role) -> Outcome {
    let Pending { waiting, flag } = wait_for_the_importer(&exporter, &importer)?;
    let wait = exporter.begin(StreamCall::stream_synchronize { stream: waiting })?;
    let still_waits = wait.still_waits_after(Duration::from_millis(50))?;
    if !condition("the wait has not ended", still_waits) {
        wait.finish()?;
        importer.set_host_flag(flag, 1)?;
        return Err(Stop::failed("the wait ended while the work was pending"));
    }
    importer.set_host_flag(flag, 1)?;
    wait.finish()
}

/// A stream with pending work is not ready.
#[rstest]
#[conformance::test()]
fn a_stream_is_not_ready(exporter: Role, importer: Role) -> Outcome {
    let Pending { waiting, flag } = wait_for_the_importer(&exporter, &importer)?;
    // A faulty driver can need a moment to end the work. A sound one sends no signal to wait for.
    std::thread::sleep(Duration::from_millis(50));
    let query = exporter.stream_query(waiting).refused(&[CUresult::CUDA_ERROR_NOT_READY]);
    importer.set_host_flag(flag, 1)?;
    query
}

/// A log callback receives a line with letters about a failing call.
#[rstest]
#[conformance::test(needs(cuda = 12_090))]
fn a_callback_hears_of_a_failing_call(exporter: Role) -> Outcome {
    let heard = exporter.fail_and_listen(FailingCall::CloseMemHandleOfHeap)?;
    let texts = heard.registered.iter().filter(|line| line.contains(char::is_alphabetic)).count();
    check!(texts > 0, "the callback received {:?}", heard.registered);
    Ok(())
}

/// Without a channel, the driver creates no memory for fabric handles, or does not export it.
#[rstest]
#[conformance::test(needs(virtual_memory, fabric = Fabric::NoChannel))]
fn memory_for_the_fabric_is_refused() -> Outcome {
    let exporter = Role::new("exporter", Placement::device(0).fabric(Fabric::NoChannel))?;
    let of_both = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_FABRIC.0
        | CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
    let created = exporter.mem_create(8 * MIB, MemProperties::device(0).exportable(of_both), 0);
    created.followed_by(|memory| exporter.mem_export_to_fabric(memory)).refused(&[CUresult::CUDA_ERROR_NOT_PERMITTED])
}

/// The process survives the creation of memory with metadata for Windows, whatever the driver returns.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn metadata_for_windows_ends_no_process(importer: Role) -> Outcome {
    importer.mem_create_with_windows_data(8 * MIB, MemProperties::device(0)).recorded("create")?;
    Ok(())
}

/// A mapping with an offset begins there, if the driver accepts the offset.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn a_mapping_begins_at_its_offset(importer: Role) -> Outcome {
    const SIZE: u64 = 8 * MIB;
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let [whole, part] = [(), ()].map(|()| importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0));
    let (whole, part) = (whole?, part?);
    importer.mem_map(whole, SIZE, 0, physical, 0)?;
    importer.mem_set_access(whole, SIZE, 0, READ_WRITE)?;
    importer.fill(whole, SIZE, 7)?;
    if importer.mem_map(part, 2 * MIB, 2 * MIB, physical, 0).recorded("map")?.is_some() {
        importer.mem_set_access(part, 2 * MIB, 0, READ_WRITE)?;
        check!(importer.read(part, KIB)? == importer.read(whole.offset(2 * MIB), KIB)?);
    }
    Ok(())
}

/// Thousands of mappings of one allocation take less than a second. With the fault, no call hangs, but each takes longer
/// than the one before it.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn memory_is_mapped_often(importer: Role) -> Outcome {
    const SIZE: u64 = 2 * MIB;
    const COUNT: u64 = 4096;
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let address = importer.mem_address_reserve(COUNT * SIZE, 0, Pointer::NULL, 0)?;
    importer.set_deadline(Duration::from_secs(1));
    importer.mem_map_in_a_row(address, SIZE, physical, COUNT)?;
    importer.mem_unmap(address, COUNT * SIZE)
}

/// The access to a mapping reads as it was set.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn access_reads_as_it_was_set(importer: Role) -> Outcome {
    const SIZE: u64 = 2 * MIB;
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, physical, 0)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    check!(importer.mem_get_access(address, 0)? == READ_WRITE);
    importer.mem_unmap(address, SIZE)?;
    // Afterwards, the role must not release the mapping once more.
    importer.mem_address_free(address, SIZE)
}

/// If a kernel uses memory that is unmapped, the driver waits for the kernel, or the kernel fails with ILLEGAL_ADDRESS.
#[rstest]
#[conformance::test(needs(no_mps, virtual_memory))]
fn unmapping_waits_or_the_kernel_fails(importer: Role) -> Outcome {
    const SIZE: u64 = 8 * MIB;
    const NANOSECONDS: u64 = 50_000_000;
    importer.may_be_lost();
    let physical = importer.mem_create(SIZE, MemProperties::device(0), 0)?;
    let address = importer.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    importer.mem_map(address, SIZE, 0, physical, 0)?;
    importer.mem_set_access(address, SIZE, 0, READ_WRITE)?;
    let stream = importer.stream_create()?;
    importer.launch("spin".into(), vec![NANOSECONDS.into()], stream)?;
    importer.launch("fill".into(), vec![address.into(), (SIZE / 4).into(), 7_u32.into()], stream)?;
    importer.mem_unmap(address, SIZE)?;
    importer.stream_synchronize(stream).accepted_or(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS])?;
    Ok(())
}

/// Each of two imports is released.
#[rstest]
#[conformance::test(needs(memory_descriptors))]
fn each_import_is_released(exporter: Role, importer: Role) -> Outcome {
    let physical = exporter.mem_create(8 * MIB, MemProperties::device(0).exportable(DESCRIPTOR), 0)?;
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = importer.receive_descriptor(&sent)?;
    let one = importer.mem_import_from_descriptor(descriptor)?;
    let other = importer.mem_import_from_descriptor(descriptor)?;
    importer.mem_release(one)?;
    importer.mem_release(other)
}

/// Discloses, and then ends a process that has an import.
#[rstest]
#[conformance::test()]
fn a_killed_importer_disclosed(exporter: Role, importer: Role) -> Outcome {
    let memory = exporter.mem_alloc(MIB)?;
    exporter.fill(memory, MIB, 7)?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(memory)?)?;
    if importer.mismatches(import, MIB, 7)? == 0 {
        disclose("a kernel of the importer reads memory");
    }
    importer.kill()
}

/// Apart from fabric handles, pools can be shared by descriptors only. The case says how it computes that.
#[rstest]
#[conformance::test(needs(memory_pools))]
fn a_mask_has_descriptors(exporter: Role) -> Outcome {
    let mask = exporter.device_get_attribute(POOL_MASK, 0)?.cast_unsigned();
    let without_fabric = format!("{{0}} - {{0}} / {FABRIC} % 2 * {FABRIC}");
    let others = computed(u64::from(mask & !FABRIC), &without_fabric, &[u64::from(mask)]);
    let expected = u64::from(DESCRIPTOR);
    check!(others == expected);
    Ok(())
}

/// Threads are refused what the first one is.
#[rstest]
#[conformance::test()]
fn other_threads_see_pending_work(exporter: Role, importer: Role) -> Outcome {
    let event =
        exporter.event_create(CUevent_flags::CU_EVENT_DISABLE_TIMING.0 | CUevent_flags::CU_EVENT_INTERPROCESS.0)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    let stream = exporter.stream_create()?;
    exporter.launch("spin".into(), vec![1_000_000_000_u64.into()], stream)?;
    exporter.event_record(event, stream)?;
    importer.event_query(imported).refused(&[CUresult::CUDA_ERROR_NOT_READY])?;
    importer.event_query_from_threads(imported, 2).refused(&[CUresult::CUDA_ERROR_NOT_READY])?;
    importer.event_synchronize(imported)?;
    importer.event_query_from_threads(imported, 2)
}

/// The same for a case that does not say it.
#[rstest]
#[conformance::test(needs(memory_pools))]
fn a_mask_has_descriptors_too(exporter: Role) -> Outcome {
    let mask = exporter.device_get_attribute(POOL_MASK, 0)?.cast_unsigned();
    check!(mask == DESCRIPTOR | mask & FABRIC);
    Ok(())
}

/// Threads open one handle at the same time.
#[rstest]
#[conformance::test()]
fn threads_open(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(MIB)?)?;
    let pointers = importer.ipc_open_mem_handle_from_threads(handle, 8)?;
    importer.ipc_close_mem_handle_from_threads(pointers)
}

/// Another thread than that of the open closes an import.
#[rstest]
#[conformance::test()]
fn a_thread_closes(exporter: Role, importer: Role) -> Outcome {
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(exporter.mem_alloc(MIB)?)?)?;
    importer.ipc_close_mem_handle_from_threads(vec![import])
}

/// The importer sees the work before one of two events, and none before the other.
#[rstest]
#[conformance::test()]
fn one_of_two_events_is_pending(exporter: Role, importer: Role) -> Outcome {
    let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING.0 | CUevent_flags::CU_EVENT_INTERPROCESS.0;
    let share = || {
        let event = exporter.event_create(flags)?;
        Ok::<_, Stop>((event, importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?))
    };
    let ((event, pending), (_, other)) = (share()?, share()?);
    let stream = exporter.stream_create()?;
    exporter.launch("spin".into(), vec![1_000_000_000_u64.into()], stream)?;
    exporter.event_record(event, stream)?;
    importer.event_query(pending).refused(&[CUresult::CUDA_ERROR_NOT_READY])?;
    importer.event_query(other)
}

/// A hint inside a reservation is not given again.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn a_hint_inside_a_reservation_is_not_given(importer: Role) -> Outcome {
    let hint = importer.mem_address_reserve(4 * MIB, 0, Pointer::NULL, 0)?.offset(2 * MIB);
    let address = importer.mem_address_reserve(2 * MIB, 0, hint, 0)?;
    check!(address != hint);
    Ok(())
}

/// Each of many opens of an event sees the work before its record.
#[rstest]
#[conformance::test()]
fn each_open_sees_the_record(exporter: Role, importer: Role) -> Outcome {
    let event =
        exporter.event_create(CUevent_flags::CU_EVENT_DISABLE_TIMING.0 | CUevent_flags::CU_EVENT_INTERPROCESS.0)?;
    let handle = exporter.ipc_get_event_handle(event)?;
    let stream = exporter.stream_create()?;
    exporter.launch("spin".into(), vec![1_000_000_000_u64.into()], stream)?;
    exporter.event_record(event, stream)?;
    match importer.ipc_open_and_destroy_event_repeatedly(handle, 10)? {
        None => Ok(()),
        Some(round) => Err(Stop::failed(format!("round {round} opened something else"))),
    }
}

/// A process that opens memory and reads it many times uses no more of the system afterwards. It asks for the buffer ids of
/// many allocations.
#[rstest]
#[conformance::test()]
fn opening_many_times_keeps_nothing(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(MIB)?;
    exporter.fill(buffer, MIB, 7)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    check!(importer.ipc_open_and_close_repeatedly(handle, 7, 100)? == None);
    let before = importer.usage()?.resident;
    check!(importer.ipc_open_and_close_repeatedly(handle, 7, 3000)? == None);
    let after = importer.usage()?.resident;
    check!(after <= before + 4 * MIB);
    let ids = importer.buffer_ids_of_new_memory(MIB, 200)?;
    check!(ids.len() == 200);
    Ok(())
}

/// Memory of one of two imported pools is imported. The other pool has none.
#[rstest]
#[conformance::test(needs(pool_descriptors))]
fn an_imported_pool_counts_its_own_memory(exporter: Role, importer: Role) -> Outcome {
    let share = || {
        let exported = exporter.mem_pool_create(DESCRIPTOR)?;
        let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(exported)?)?;
        let imported = importer.mem_pool_import_from_descriptor(importer.receive_descriptor(&sent)?)?;
        Ok::<_, Stop>((exported, imported))
    };
    let ((exported, imported), (_, other)) = (share()?, share()?);
    let pointer = exporter.mem_alloc_from_pool_async(4 * MIB, exported)?;
    importer.mem_pool_import_pointer(imported, exporter.mem_pool_export_pointer(pointer)?)?;
    check!(importer.mem_pool_get_attribute(other, USED)? == 0);
    Ok(())
}

/// Each of two processes is process 1 of a PID namespace of its own.
#[rstest]
#[conformance::test(needs(root))]
fn each_process_has_a_pid_namespace() -> Outcome {
    let role = |name: &str| -> Result<Role, Stop> {
        Role::new(name, Placement::device(0).in_pid_namespace(&PidNamespace::new()?))
    };
    let (exporter, importer) = (role("exporter")?, role("importer")?);
    exporter.ctx_synchronize()?;
    importer.ctx_synchronize()
}

/// A case for machines with two GPUs, whose only role is on the first.
#[rstest]
#[conformance::test(needs(gpus = 2))]
fn needs_two_gpus(exporter: Role) -> Outcome {
    exporter.ctx_synchronize()
}

/// A case for drivers of one version only.
#[rstest]
#[conformance::test(needs(cuda = 13_000, cuda_before = 13_010))]
fn is_for_one_version(exporter: Role) -> Outcome {
    exporter.ctx_synchronize()
}
