//! Importers that cannot see or open the exporter's GPU.

use conformance::Placement;
use conformance::{Expect as _, Outcome, Role, Stop, check, observe};
use rstest::rstest;

use crate::support::fixtures::{exporter, start, uninitialised};
use crate::support::virtual_memory::{SIZE, create_exportable, import, map_readable_and_writable};

/// A process may import memory of a GPU that it cannot see; the code is recorded, because drivers before CUDA 12 may
/// refuse the import.
#[rstest]
#[conformance::test("VMM-IMP-017", needs(gpus = 2, memory_descriptors, peer_access))]
fn importing_memory_of_a_hidden_gpu(exporter: Role) -> Outcome {
    let importer = start("importer", Placement::device(0).visible_devices("1"));
    let physical = create_exportable(&exporter)?;
    exporter.fill(map_readable_and_writable(&exporter, physical)?, SIZE, 7)?;
    let Some(imported) = import(&exporter, physical, &importer).recorded("import")? else { return Ok(()) };
    let here = map_readable_and_writable(&importer, imported)?;
    check!(importer.mismatches(here, SIZE, 7)? == 0);
    Ok(())
}

/// Returns the path of a GPU's device node, if the kernel module reports it.
fn device_node(uuid: [u8; 16]) -> Option<String> {
    let uuid: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::read_dir("/proc/driver/nvidia/gpus").ok()?.flatten().find_map(|gpu| {
        let text = std::fs::read_to_string(gpu.path().join("information")).ok()?;
        let field = |name| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let is_same = field("GPU UUID:")?.trim_start_matches("GPU-").replace('-', "") == uuid;
        field("Device Minor:").filter(|_| is_same).map(|minor| format!("/dev/nvidia{minor}"))
    })
}

/// A process that may not open the device node of the exporter's GPU, as in a cgroup, imports the memory. The result is
/// recorded, and the contents of the memory do not change.
#[rstest]
#[conformance::test("VMM-IMP-018", needs(gpus = 2, memory_descriptors))]
fn importing_without_the_device_node(exporter: Role, uninitialised: Role) -> Outcome {
    let physical = create_exportable(&exporter)?;
    let there = map_readable_and_writable(&exporter, physical)?;
    exporter.fill(there, SIZE, 7)?;
    let Some(node) = device_node(exporter.device_get_uuid(0)?) else {
        return Err(Stop::Unsupported("needs a kernel module that reports the device nodes of GPUs".to_owned()));
    };
    if !uninitialised.close_device_node(node)? {
        return Err(Stop::Unsupported("needs permission to mount".to_owned()));
    }
    let sent = exporter.send_descriptor(exporter.mem_export_to_descriptor(physical)?)?;
    let descriptor = uninitialised.receive_descriptor(&sent)?;
    observe("import", uninitialised.fork_and_import(descriptor, SIZE, 7)?.to_string());
    check!(exporter.mismatches(there, SIZE, 7)? == 0);
    Ok(())
}
