//! Fabric handles, with and without the IMEX channel that they need.

use conformance::Placement;
use conformance::calls::device::{UNWRITTEN_BYTE, UNWRITTEN_CLIQUE, UNWRITTEN_COUNT};
use conformance::machine::Fabric;
use conformance::{
    Expect as _, FabricHandle, KERNEL_PARAMETERS, MIB, MemProperties, Outcome, Physical, Pointer, Role, Stop, check,
    observe,
};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::by_kernel::both_see;
use crate::support::constants::{DESCRIPTOR, FABRIC, NOT_PERMITTED, NOT_SUPPORTED, READ_WRITE};
use crate::support::device_memory::Account;
use crate::support::fixtures::{exporter, observer, start};

const SIZE: u64 = 4 * MIB;
/// The directory of this machine's IMEX channel nodes.
const CHANNELS: &str = "/dev/nvidia-caps-imex-channels";

/// Starts a process for which the fabric is in the given state.
fn on(name: &str, state: Fabric) -> Role {
    start(name, Placement::device(0).fabric(state))
}

fn create(role: &Role) -> Result<Physical, Stop> {
    role.mem_create(SIZE, MemProperties::device(0).exportable(FABRIC), 0)
}

fn map(role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    map_for(0, role, physical)
}

/// Maps the memory, and gives one device access.
fn map_for(device: i32, role: &Role, physical: Physical) -> Result<Pointer, Stop> {
    let address = role.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
    role.mem_map(address, SIZE, 0, physical, 0)?;
    role.mem_set_access(address, SIZE, device, READ_WRITE)?;
    Ok(address)
}

/// The driver exports no fabric handle if the attribute for fabric handles is 0.
#[rstest]
#[conformance::test("FAB-001", needs(virtual_memory, fabric = Fabric::Absent))]
fn without_a_fabric_there_is_no_handle() -> Outcome {
    let exporter = on("exporter", Fabric::Absent);
    let exported = create(&exporter).followed_by(|physical| exporter.mem_export_to_fabric(physical));
    exported.refused_and_recorded(&[])?;
    Ok(())
}

/// Without a channel, the driver permits no memory with a fabric handle: it refuses to create it, or to export it.
#[rstest]
#[case::fabric(FABRIC)]
#[case::fabric_or_descriptor(FABRIC | DESCRIPTOR)]
#[conformance::test("FAB-002", "VMM-CREATE-011", needs(virtual_memory, fabric = Fabric::NoChannel))]
fn without_a_channel_fabric_memory_is_not_permitted(#[case] handle_types: u32) -> Outcome {
    let exporter = on("exporter", Fabric::NoChannel);
    let created = exporter.mem_create(SIZE, MemProperties::device(0).exportable(handle_types), 0);
    created.followed_by(|physical| exporter.mem_export_to_fabric(physical)).refused(NOT_PERMITTED)?;
    // Memory without handle types is still permitted.
    map(&exporter, exporter.mem_create(SIZE, MemProperties::device(0), 0)?)?;
    Ok(())
}

/// Without a channel, the driver refuses to import made-up bytes.
#[rstest]
#[conformance::test("FAB-002", needs(virtual_memory, fabric = Fabric::NoChannel))]
fn without_a_channel_imports_are_refused(#[values(0x00, 0x03, 0xff)] byte: u8) -> Outcome {
    let importer = on("importer", Fabric::NoChannel);
    importer.mem_import_from_fabric(FabricHandle::from_bytes([byte; 64])).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// With a channel, another process can import the memory from the 64 bytes of the handle alone.
#[rstest]
#[conformance::test("FAB-003", needs(virtual_memory, fabric = Fabric::Channel))]
fn another_process_imports_the_handle() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let physical = create(&exporter)?;
    let there = map(&exporter, physical)?;
    let here = map(&importer, importer.mem_import_from_fabric(exporter.mem_export_to_fabric(physical)?)?)?;
    both_see((&exporter, there), (&importer, here), SIZE)
}

/// With a channel, another process can import the memory of GPU 1.
#[rstest]
#[conformance::test("FAB-003", needs(gpus = 2, virtual_memory, fabric = Fabric::Channel))]
fn another_process_imports_memory_of_the_second_gpu() -> Outcome {
    let on = |name| start(name, Placement::device(1).fabric(Fabric::Channel));
    let (exporter, importer) = (on("exporter"), on("importer"));
    let physical = exporter.mem_create(SIZE, MemProperties::device(1).exportable(FABRIC), 0)?;
    let imported = importer.mem_import_from_fabric(exporter.mem_export_to_fabric(physical)?)?;
    both_see((&exporter, map_for(1, &exporter, physical)?), (&importer, map_for(1, &importer, imported)?), SIZE)
}

/// With a channel, the exporting process can import its own handle.
#[rstest]
#[conformance::test("FAB-003", needs(virtual_memory, fabric = Fabric::Channel))]
fn the_exporting_process_imports_its_handle() -> Outcome {
    let exporter = on("exporter", Fabric::Channel);
    let physical = create(&exporter)?;
    let one = map(&exporter, physical)?;
    let other = map(&exporter, exporter.mem_import_from_fabric(exporter.mem_export_to_fabric(physical)?)?)?;
    both_see((&exporter, one), (&exporter, other), SIZE)
}

/// A process without access to the exporter's channel cannot import the handle. Whether the exporter itself can is
/// recorded.
#[rstest]
#[conformance::test("FAB-004", "FAB-011", needs(virtual_memory, fabric = Fabric::Channel, simulated))]
fn an_importer_without_the_channel_is_refused(
    #[values(Fabric::NoChannel, Fabric::OtherChannel)] state: Fabric,
) -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", state));
    let handle = exporter.mem_export_to_fabric(create(&exporter)?)?;
    exporter.mem_import_from_fabric(handle).recorded("import by the exporter")?;
    importer.mem_import_from_fabric(handle).refused(NOT_PERMITTED)?;
    Ok(())
}

/// How many handles with a flipped bit the driver refuses is recorded; the unchanged handle opens afterwards.
#[rstest]
#[conformance::test("FAB-005", needs(virtual_memory, fabric = Fabric::Channel))]
fn whether_handles_with_a_flipped_bit_are_refused() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let handle = exporter.mem_export_to_fabric(create(&exporter)?)?;
    let mut refused = 0;
    for bit in 0..512 {
        match importer.mem_import_from_fabric(handle.with_bit_flipped(bit)) {
            Err(Stop::Refused(_)) => refused += 1,
            opened => importer.mem_release(opened?)?,
        }
    }
    observe("refused", refused.to_string());
    importer.mem_import_from_fabric(handle)?;
    Ok(())
}

/// The code for a handle whose memory was released, or whose exporter was killed, is recorded.
#[rstest]
#[case::released(false)]
#[case::killed(true)]
#[conformance::test("FAB-006", needs(virtual_memory, fabric = Fabric::Channel))]
fn the_code_for_a_handle_of_freed_memory(#[case] kill: bool) -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let physical = create(&exporter)?;
    let handle = exporter.mem_export_to_fabric(physical)?;
    if kill {
        exporter.kill()?
    } else {
        exporter.mem_release(physical)?
    }
    importer.mem_import_from_fabric(handle).recorded("import")?;
    importer.ctx_synchronize()
}

/// Whether an exported handle keeps released memory is recorded; the memory is freed when the exporter exits.
#[rstest]
#[conformance::test("FAB-007", needs(virtual_memory, fabric = Fabric::Channel))]
fn whether_a_handle_keeps_the_memory(observer: Role) -> Outcome {
    let exporter = on("exporter", Fabric::Channel);
    let account = Account::open(&observer)?;
    let physical = exporter.mem_create(account.large, MemProperties::device(0).exportable(FABRIC), 0)?;
    exporter.mem_export_to_fabric(physical)?;
    account.check_held()?;
    exporter.mem_release(physical)?;
    observe("memory held by the handle", account.is_held()?);
    exporter.exit()?;
    account.check_given_back()
}

/// The data that an importer reads after its exporter was killed is recorded; the importer does not hang.
#[rstest]
#[conformance::test("FAB-008", needs(virtual_memory, fabric = Fabric::Channel))]
fn an_import_after_the_exporters_death() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let physical = create(&exporter)?;
    exporter.fill(map(&exporter, physical)?, SIZE, 7)?;
    let here = map(&importer, importer.mem_import_from_fabric(exporter.mem_export_to_fabric(physical)?)?)?;
    exporter.kill()?;
    let mismatches = importer.mismatches_by_copy(here, SIZE, 7).recorded("read")?;
    observe("the bytes are the old ones", mismatches == Some(0));
    importer.ctx_synchronize()
}

/// Whether two exports of one allocation give equal handles is recorded; handles of two allocations differ.
#[rstest]
#[conformance::test("FAB-009", needs(virtual_memory, fabric = Fabric::Channel))]
fn whether_two_exports_are_equal() -> Outcome {
    let exporter = on("exporter", Fabric::Channel);
    let physical = create(&exporter)?;
    let (first, second) = (exporter.mem_export_to_fabric(physical)?, exporter.mem_export_to_fabric(physical)?);
    observe("the bytes are equal", first == second);
    let other = exporter.mem_export_to_fabric(create(&exporter)?)?;
    check!(first != other);
    Ok(())
}

/// If the importer loses sight of its channel, the outcomes of using its mapping and of the next import are recorded.
#[rstest]
#[conformance::test("FAB-013", needs(virtual_memory, fabric = Fabric::Channel, root, kernel_module))]
fn losing_the_channel_after_an_import() -> Outcome {
    let (exporter, importer) = (on("exporter", Fabric::Channel), on("importer", Fabric::Channel));
    let physical = create(&exporter)?;
    let there = map(&exporter, physical)?;
    let handle = exporter.mem_export_to_fabric(physical)?;
    let here = map(&importer, importer.mem_import_from_fabric(handle)?)?;
    // Other processes still see the node.
    importer.cover_directory(CHANNELS.to_owned())?;
    exporter.fill(there, SIZE, 7)?;
    let mismatches = importer.mismatches_by_copy(here, SIZE, 7).recorded("read")?;
    observe("the mapping still works", mismatches == Some(0));
    importer.mem_import_from_fabric(handle).recorded("next import")?;
    importer.ctx_synchronize()
}

/// The kernel module's parameter for channel 0, the presence of its node and the result of creating fabric memory are
/// recorded.
#[rstest]
#[conformance::test("FAB-015", needs(virtual_memory, cuda = 12_030, kernel_module))]
fn the_kernel_parameter_for_channel_0(exporter: Role) -> Outcome {
    let parameters = std::fs::read_to_string(KERNEL_PARAMETERS).map_err(|error| Stop::Harness(error.to_string()))?;
    let value = parameters.lines().find_map(|line| line.strip_prefix("CreateImexChannel0:"));
    observe("CreateImexChannel0", value.map_or("not listed", str::trim));
    observe("channel0", std::path::Path::new(CHANNELS).join("channel0").exists());
    create(&exporter).recorded("create")?;
    exporter.ctx_synchronize()
}

/// While the fabric is being set up, the driver refuses fabric memory but creates other memory.
#[rstest]
#[conformance::test("FAB-014", needs(virtual_memory, fabric = Fabric::NotReady))]
fn fabric_memory_is_refused_until_the_fabric_is_ready() -> Outcome {
    let exporter = on("exporter", Fabric::NotReady);
    create(&exporter).refused_and_recorded(&[])?;
    map(&exporter, exporter.mem_create(SIZE, MemProperties::device(0), 0)?)?;
    Ok(())
}

/// The driver knows the name of `CUDA_ERROR_FABRIC_NOT_READY`.
#[rstest]
#[conformance::test("FAB-010", needs(cuda = 13_040))]
fn the_not_ready_code_has_its_name() -> Outcome {
    let role = start("observer", Placement::device(0));
    let code = CUresult::CUDA_ERROR_FABRIC_NOT_READY;
    let name = role.get_error_name(code.0)?;
    check!(Some(name.as_str()) == code.name(), "{name}");
    Ok(())
}

/// A process can ask for the UUID of a device's cluster, unless the driver does not support that.
#[rstest]
#[conformance::test("FAB-012", needs(cuda = 13_040))]
fn the_cluster_of_a_device(observer: Role) -> Outcome {
    match observer.device_get_fabric_cluster_uuid(0) {
        Ok(uuid) => {
            check!(uuid != [UNWRITTEN_BYTE; 16], "the driver wrote no UUID");
            // The zero UUID means that there is no multi-node NVLink.
            observe("in a cluster", (uuid != [0; 16]).to_string());
        }
        refused => refused.refused_and_recorded(NOT_SUPPORTED)?,
    }
    Ok(())
}

/// The driver describes as many cliques of a device as it counts, and writes nothing after them.
#[rstest]
#[conformance::test("FAB-012", needs(cuda = 13_040))]
fn the_cliques_of_a_device(observer: Role) -> Outcome {
    let count = match observer.device_get_clique_count(0) {
        Ok(count) => count,
        refused => return refused.refused_and_recorded(NOT_SUPPORTED),
    };
    check!(count != UNWRITTEN_COUNT, "the driver wrote no count");
    let (given, cliques) = observer.device_get_clique_info(0, count + 1)?;
    check!(given == count);
    check!(cliques.last() == Some(&UNWRITTEN_CLIQUE));
    let unwritten = cliques.iter().filter(|clique| **clique == UNWRITTEN_CLIQUE).count();
    check!(unwritten == 1, "the driver described {} of {count} cliques", cliques.len() - unwritten);
    Ok(())
}
