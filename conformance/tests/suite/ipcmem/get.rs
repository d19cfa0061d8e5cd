//! `cuIpcGetMemHandle`.

use std::io::{Seek as _, SeekFrom};
use std::os::fd::{AsFd as _, OwnedFd};

use conformance::calls::descriptor::Call as DescriptorCall;
use conformance::calls::ipc::UNWRITTEN;
use conformance::{Context, Expect as _, KIB, MIB, MemHandle, Outcome, Pointer, Role, Stop, check, observe, seed};
use cuda_ipc_sys::{CUpointer_attribute, CUresult};
use rstest::rstest;

use crate::support::constants::{INVALID_CONTEXT, INVALID_VALUE};
use crate::support::fixtures::{exporter, importer};
use crate::support::foreign::unnamed_file;
use crate::support::import_kind::ImportKind;
use crate::support::pointer_kind::PointerKind;
use crate::support::reuse::allocate_again_at;

const LEGACY_IPC_CAPABLE: u32 = CUpointer_attribute::CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE.0;
/// The documented codes of an export for a pointer that it does not accept.
const OF_AN_EXPORT: &[CUresult] =
    &[CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_INVALID_HANDLE, CUresult::CUDA_ERROR_MAP_FAILED];
/// The codes for memory that the documentation calls unsupported.
const UNSUPPORTED: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE, CUresult::CUDA_ERROR_NOT_SUPPORTED];

/// An allocation from `cuMemAlloc` can be exported, and its handle opens. The number of bytes that the export changes in
/// the handle is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-001")]
fn an_allocation_is_exported(exporter: Role, importer: Role) -> Outcome {
    let (size, pattern) = (4 * MIB, seed());
    let buffer = exporter.mem_alloc(size)?;
    exporter.fill(buffer, size, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let bytes = handle.to_bytes();
    check!(bytes != UNWRITTEN, "the driver did not write the handle");
    check!(importer.mismatches(importer.ipc_open_mem_handle(handle)?, size, pattern)? == 0);
    // A written byte may happen to equal the fill value. So the export runs over two fill values: only an unwritten
    // byte keeps both.
    let over = |byte| Ok::<_, Stop>(exporter.ipc_get_mem_handle_over(buffer, byte)?.to_bytes());
    let written = over(0)?.iter().zip(over(0xff)?).filter(|pair| *pair != (&0, 0xff)).count();
    observe("changed bytes", written);
    Ok(())
}

/// An export writes no byte before or after the handle.
#[rstest]
#[conformance::test("IPCMEM-GET-001")]
fn an_export_writes_only_the_handle(exporter: Role) -> Outcome {
    let around = exporter.ipc_get_mem_handle_between_others(exporter.mem_alloc(4 * MIB)?)?;
    check!(around == [UNWRITTEN, UNWRITTEN].concat(), "the driver wrote beside the handle");
    Ok(())
}

/// Every export of one allocation gives a handle of the same memory. Whether the handles are equal is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-002")]
fn repeated_exports_name_the_same_memory(exporter: Role, importer: Role) -> Outcome {
    let (size, pattern) = (4 * MIB, seed());
    let buffer = exporter.mem_alloc(size)?;
    exporter.fill(buffer, size, pattern)?;
    let first = exporter.ipc_get_mem_handle(buffer)?;
    let mut last = first;
    for _ in 0..100 {
        last = exporter.ipc_get_mem_handle(buffer)?;
    }
    observe("the bytes are equal", first == last);
    for handle in [first, last] {
        let import = importer.ipc_open_mem_handle(handle)?;
        check!(importer.mismatches(import, size, pattern)? == 0);
    }
    Ok(())
}

/// A new allocation at the address of freed ones has another handle than each of them.
#[rstest]
#[case::own_block(4 * MIB)]
#[case::shared_block(64 * KIB)]
#[conformance::test("IPCMEM-GET-003")]
fn a_reused_address_has_a_new_handle(exporter: Role, #[case] size: u64) -> Outcome {
    const ROUNDS: usize = 3;
    // A neighbour keeps a shared block alive.
    exporter.mem_alloc(size)?;
    let buffer = exporter.mem_alloc(size)?;
    let mut handles = vec![exporter.ipc_get_mem_handle(buffer)?];
    for _ in 0..ROUNDS {
        exporter.mem_free(buffer)?;
        match allocate_again_at(&exporter, buffer, size) {
            Err(Stop::Unsupported(_)) if handles.len() > 1 => break,
            allocated => allocated?,
        }
        let handle_after = exporter.ipc_get_mem_handle(buffer)?;
        for handle_before in &handles {
            check!(*handle_before != handle_after);
        }
        handles.push(handle_after);
    }
    Ok(())
}

/// Two small allocations have different handles, even if they share a block.
#[rstest]
#[conformance::test("IPCMEM-GET-004")]
fn small_neighbours_have_different_handles(exporter: Role) -> Outcome {
    let one = exporter.ipc_get_mem_handle(exporter.mem_alloc(KIB)?)?;
    let other = exporter.ipc_get_mem_handle(exporter.mem_alloc(KIB)?)?;
    check!(one != other);
    Ok(())
}

/// The case records the code of exporting an interior pointer, and whether the handle names the whole allocation.
#[rstest]
#[conformance::test("IPCMEM-GET-005")]
fn the_memory_that_an_interior_pointer_exports(
    exporter: Role,
    importer: Role,
    #[values(1, 4096, 2097152)] offset: u64,
) -> Outcome {
    let buffer = exporter.mem_alloc(8 * MIB)?;
    if let Some(handle) = exporter.ipc_get_mem_handle(buffer.offset(offset)).recorded("get")? {
        let import = importer.ipc_open_mem_handle(handle)?;
        let range = importer.mem_get_address_range(import)?;
        observe("open returns the base", range.base == import);
        observe("the whole allocation is mapped", range.size == 8 * MIB);
    }
    Ok(())
}

/// Checks that an export is refused, with one of these codes if any are given, and leaves the context usable.
fn refuses(exporter: &Role, kind: PointerKind, codes: &[CUresult]) -> Outcome {
    let pointer = kind.make(exporter)?;
    exporter.ipc_get_mem_handle(pointer).refused_and_recorded(codes)?;
    exporter.ctx_synchronize()
}

/// The driver refuses to export memory of the heap.
#[rstest]
#[conformance::test("IPCMEM-GET-010")]
fn the_heap_is_refused(exporter: Role) -> Outcome {
    refuses(&exporter, PointerKind::Heap, OF_AN_EXPORT)
}

/// The driver refuses to export the stack.
#[rstest]
#[conformance::test("IPCMEM-GET-011")]
fn the_stack_is_refused(exporter: Role) -> Outcome {
    refuses(&exporter, PointerKind::Stack, OF_AN_EXPORT)
}

/// The driver refuses to export page-locked host memory.
#[rstest]
#[case::pinned(PointerKind::Pinned)]
#[case::pinned_mapped(PointerKind::PinnedMapped)]
#[case::write_combined(PointerKind::WriteCombined)]
#[conformance::test("IPCMEM-GET-012")]
fn page_locked_memory_is_refused(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    refuses(&exporter, kind, &[])
}

/// The driver refuses to export registered host memory.
#[rstest]
#[conformance::test("IPCMEM-GET-013")]
fn registered_memory_is_refused(exporter: Role) -> Outcome {
    refuses(&exporter, PointerKind::Registered, &[])
}

/// The driver refuses to export managed memory, whether or not a GPU has touched it.
#[rstest]
#[case::untouched(PointerKind::Managed)]
#[case::touched(PointerKind::ManagedTouched)]
#[conformance::test("IPCMEM-GET-014", needs(managed_memory))]
fn managed_memory_is_refused(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    refuses(&exporter, kind, UNSUPPORTED)
}

/// The driver refuses to export stream-ordered memory, and its `IS_LEGACY_CUDA_IPC_CAPABLE` is 0.
#[rstest]
#[conformance::test("IPCMEM-GET-015", needs(memory_pools))]
fn stream_ordered_memory_is_refused(exporter: Role) -> Outcome {
    let pointer = PointerKind::DefaultPool.make(&exporter)?;
    exporter.ipc_get_mem_handle(pointer).refused(INVALID_VALUE)?;
    check!(exporter.pointer_get_attribute(LEGACY_IPC_CAPABLE, pointer)? == 0);
    Ok(())
}

/// The driver refuses to export memory of a shareable pool with a legacy handle, and its `IS_LEGACY_CUDA_IPC_CAPABLE`
/// is 0.
#[rstest]
#[conformance::test("IPCMEM-GET-016", needs(memory_pools, pool_descriptors))]
fn memory_of_a_shareable_pool_is_refused(exporter: Role) -> Outcome {
    let pointer = PointerKind::DescriptorPool.make(&exporter)?;
    exporter.ipc_get_mem_handle(pointer).refused_and_recorded(&[])?;
    check!(exporter.pointer_get_attribute(LEGACY_IPC_CAPABLE, pointer)? == 0);
    Ok(())
}

/// The driver refuses to export virtual memory with a legacy handle.
#[rstest]
#[conformance::test("IPCMEM-GET-017", needs(virtual_memory))]
fn virtual_memory_is_refused(exporter: Role) -> Outcome {
    refuses(&exporter, PointerKind::VirtualMemory, UNSUPPORTED)
}

/// The driver refuses to export virtual memory with a legacy handle, even if it was created for export.
#[rstest]
#[conformance::test("IPCMEM-GET-017", needs(virtual_memory, memory_descriptors))]
fn shareable_virtual_memory_is_refused(exporter: Role) -> Outcome {
    refuses(&exporter, PointerKind::ShareableVirtualMemory, UNSUPPORTED)
}

/// An import can be exported again if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-018")]
fn export_of_an_import_agrees_with_the_attribute(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
    let import = importer.ipc_open_mem_handle(handle)?;
    let capable = importer.pointer_get_attribute(LEGACY_IPC_CAPABLE, import)?;
    importer.ipc_get_mem_handle(import).recorded_and_agrees_with("export of the import", capable)?;
    Ok(())
}

/// The driver refuses to export an address without a live allocation.
#[rstest]
#[case::null(PointerKind::Null)]
#[case::one_past_the_end(PointerKind::OnePastTheEnd)]
#[case::freed(PointerKind::Freed)]
#[conformance::test("IPCMEM-GET-006", "IPCMEM-GET-007", "IPCMEM-GET-019")]
fn an_address_without_an_allocation_is_refused(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    exporter.ipc_get_mem_handle(kind.make(&exporter)?).refused(INVALID_VALUE)?;
    exporter.ctx_synchronize()
}

/// The result of an export with a null output, which may be a crash, is recorded.
#[rstest]
#[case::of_memory(PointerKind::Linear)]
#[case::of_null(PointerKind::Null)]
#[conformance::test("IPCMEM-GET-008", "IPCMEM-GET-009")]
fn the_result_for_a_null_output(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    let pointer = kind.make(&exporter)?;
    exporter.ipc_get_mem_handle_into_null(pointer).survived_or_not("get into null")?;
    Ok(())
}

/// Pitched memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-021")]
fn export_of_pitched_memory_agrees_with_the_attribute(exporter: Role) -> Outcome {
    let pointer = PointerKind::Pitched.make(&exporter)?;
    let capable = exporter.pointer_get_attribute(LEGACY_IPC_CAPABLE, pointer)?;
    exporter.ipc_get_mem_handle(pointer).recorded_and_agrees_with("get", capable)?;
    Ok(())
}

/// The driver refuses to export memory from an allocation node of a graph.
#[rstest]
#[conformance::test("IPCMEM-GET-022", needs(memory_pools))]
fn graph_owned_memory_is_refused(exporter: Role) -> Outcome {
    exporter.ipc_get_mem_handle(PointerKind::GraphOwned.make(&exporter)?).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// The driver refuses to export memory without a current context.
#[rstest]
#[conformance::test("IPCMEM-GET-023")]
fn a_current_context_is_needed(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(2 * MIB)?;
    let context = exporter.ctx_get_current()?;
    exporter.ctx_set_current(None)?;
    exporter.ipc_get_mem_handle(buffer).refused(INVALID_CONTEXT)?;
    exporter.ctx_set_current(Some(context))?;
    exporter.ipc_get_mem_handle(buffer)?;
    exporter.ctx_synchronize()
}

/// The code of an export in another context of the same device is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-024")]
fn the_code_in_another_context_of_the_device(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(2 * MIB)?;
    exporter.ctx_create(0)?;
    exporter.ipc_get_mem_handle(buffer).recorded("get in a second context")?;
    Ok(())
}

/// The code of an export in a context of another device is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-024", needs(gpus = 2))]
fn the_code_in_a_context_of_another_device(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(2 * MIB)?;
    exporter.ctx_create(1)?;
    exporter.ipc_get_mem_handle(buffer).recorded("get in a context of another device")?;
    Ok(())
}

/// The driver refuses to export memory of a destroyed context.
#[rstest]
#[conformance::test("IPCMEM-GET-025")]
fn memory_of_a_destroyed_context_is_refused(exporter: Role) -> Outcome {
    let primary = exporter.ctx_get_current()?;
    let created: Context = exporter.ctx_create(0)?;
    let buffer = exporter.mem_alloc(2 * MIB)?;
    exporter.ctx_set_current(Some(primary))?;
    exporter.ctx_destroy(created)?;
    exporter.ipc_get_mem_handle(buffer).refused_and_recorded(&[])?;
    exporter.ctx_synchronize()
}

/// Allocations of odd sizes are aligned, and every byte of them is shared.
#[rstest]
#[conformance::test("IPCMEM-GET-026")]
fn odd_sizes_are_exported(
    exporter: Role,
    importer: Role,
    #[values(1, 41, 4097, 2097151, 2097153, 6291459)] size: u64,
) -> Outcome {
    // The programming guide promises this for every address that an allocation returns.
    const ALIGNMENT: u64 = 256;
    let pattern = seed();
    let buffer = exporter.mem_alloc(size)?;
    check!(buffer.0.is_multiple_of(ALIGNMENT), "{buffer:?} is not aligned to {ALIGNMENT}");
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(buffer)?)?;
    exporter.fill(buffer, size, pattern)?;
    check!(importer.mismatches(import, size, pattern)? == 0);
    importer.memset_d8(import, 7, size)?;
    importer.ctx_synchronize()?;
    check!(exporter.other_bytes(buffer, size, 7)? == 0);
    check!(importer.other_bytes(import, size, 7)? == 0);
    Ok(())
}

/// Memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[case::linear(PointerKind::Linear)]
#[case::interior(PointerKind::Interior)]
#[case::pitched(PointerKind::Pitched)]
#[case::null(PointerKind::Null)]
#[case::one_past_the_end(PointerKind::OnePastTheEnd)]
#[case::freed(PointerKind::Freed)]
#[case::heap(PointerKind::Heap)]
#[case::stack(PointerKind::Stack)]
#[case::pinned(PointerKind::Pinned)]
#[case::pinned_mapped(PointerKind::PinnedMapped)]
#[case::write_combined(PointerKind::WriteCombined)]
#[case::registered(PointerKind::Registered)]
#[case::graph_owned(PointerKind::GraphOwned)]
#[conformance::test("IPCMEM-GET-027")]
fn export_agrees_with_the_attribute(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    agrees(&exporter, kind.make(&exporter)?)
}

/// Managed memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[case::untouched(PointerKind::Managed)]
#[case::touched(PointerKind::ManagedTouched)]
#[conformance::test("IPCMEM-GET-027", needs(managed_memory))]
fn export_of_managed_memory_agrees_with_the_attribute(exporter: Role, #[case] kind: PointerKind) -> Outcome {
    agrees(&exporter, kind.make(&exporter)?)
}

/// Pool memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-027", needs(memory_pools))]
fn export_of_pool_memory_agrees_with_the_attribute(exporter: Role) -> Outcome {
    agrees(&exporter, PointerKind::DefaultPool.make(&exporter)?)
}

/// Memory of a shareable pool can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-027", needs(memory_pools, pool_descriptors))]
fn export_of_memory_of_a_shareable_pool_agrees_with_the_attribute(exporter: Role) -> Outcome {
    agrees(&exporter, PointerKind::DescriptorPool.make(&exporter)?)
}

/// Imported memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-027", needs(pool_descriptors, memory_descriptors))]
fn export_of_imported_memory_agrees_with_the_attribute(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
) -> Outcome {
    agrees(&importer, kind.make(&exporter, &importer, 0)?.here)
}

/// Virtual memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-027", needs(virtual_memory))]
fn export_of_virtual_memory_agrees_with_the_attribute(exporter: Role) -> Outcome {
    agrees(&exporter, PointerKind::VirtualMemory.make(&exporter)?)
}

/// Shareable virtual memory can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-027", needs(virtual_memory, memory_descriptors))]
fn export_of_shareable_virtual_memory_agrees_with_the_attribute(exporter: Role) -> Outcome {
    agrees(&exporter, PointerKind::ShareableVirtualMemory.make(&exporter)?)
}

/// A variable of a module can be exported if and only if its `IS_LEGACY_CUDA_IPC_CAPABLE` is 1.
#[rstest]
#[conformance::test("IPCMEM-GET-020", "IPCMEM-GET-027")]
fn export_of_a_variable_agrees_with_the_attribute(exporter: Role) -> Outcome {
    agrees(&exporter, PointerKind::Global.make(&exporter)?)?;
    exporter.ctx_synchronize()
}

fn agrees(exporter: &Role, pointer: Pointer) -> Outcome {
    let attribute = exporter.pointer_get_attribute(LEGACY_IPC_CAPABLE, pointer).recorded("attribute")?;
    let exported = exporter.ipc_get_mem_handle(pointer);
    match attribute {
        Some(capable) => drop(exported.recorded_and_agrees_with("get", capable)?),
        // The driver refuses the query for an unknown pointer, which counts as not capable.
        None => observe("get", exported.refusal(&[])?.to_string()),
    }
    Ok(())
}

/// Threads can export at the same time, and each gets the handle of its own allocation. The number of distinct handles of
/// an allocation is recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-028")]
fn threads_export_at_the_same_time(exporter: Role, importer: Role) -> Outcome {
    const SIZE: u64 = 64 * KIB;
    let buffers = (0..16).map(|_| exporter.mem_alloc(SIZE)).collect::<Result<Vec<_>, _>>()?;
    let handles = exporter.ipc_get_mem_handle_from_threads(buffers.clone(), 1000)?;
    observe("distinct handles", handles.iter().map(Vec::len).max());
    for (buffer, handles) in buffers.into_iter().zip(handles) {
        let pattern = seed();
        exporter.fill(buffer, SIZE, pattern)?;
        for handle in handles {
            let import = importer.ipc_open_mem_handle(handle)?;
            check!(importer.mismatches(import, SIZE, pattern)? == 0);
        }
    }
    Ok(())
}

/// A channel that carries the bytes of a handle.
#[derive(Clone, Copy, Debug)]
enum Transport {
    Pipe,
    File,
    SharedMemory,
    Socket,
}

impl Transport {
    /// Opens the channel. Returns the end to which the exporter writes, then the end from which the importer reads.
    fn open(self) -> std::io::Result<(OwnedFd, OwnedFd)> {
        Ok(match self {
            Self::Pipe => {
                let (read, write) = rustix::pipe::pipe()?;
                (write, read)
            }
            Self::File => {
                let file = unnamed_file()?;
                (file.try_clone()?.into(), file.into())
            }
            Self::SharedMemory => {
                let memory = rustix::fs::memfd_create("handle", rustix::fs::MemfdFlags::CLOEXEC)?;
                (memory.try_clone()?, memory)
            }
            Self::Socket => {
                let (one, other) = std::os::unix::net::UnixStream::pair()?;
                (one.into(), other.into())
            }
        })
    }

    const fn has_a_position(self) -> bool {
        matches!(self, Self::File | Self::SharedMemory)
    }
}

/// A handle opens whichever channel carried its bytes.
#[rstest]
#[case::pipe(Transport::Pipe)]
#[case::file(Transport::File)]
#[case::shared_memory(Transport::SharedMemory)]
#[case::socket(Transport::Socket)]
#[conformance::test("IPCMEM-GET-029")]
fn any_transport_carries_a_handle(exporter: Role, importer: Role, #[case] transport: Transport) -> Outcome {
    let (size, pattern) = (2 * MIB, seed());
    let buffer = exporter.mem_alloc(size)?;
    exporter.fill(buffer, size, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let (write, read) = transport.open().map_err(|error| Stop::Harness(error.to_string()))?;
    exporter.perform_with::<()>(DescriptorCall::send_through_descriptor { handle }, &[write.as_fd()])?;
    if transport.has_a_position() {
        // Both ends share one file position, which the write has moved to the end.
        let mut file = std::fs::File::from(write);
        file.seek(SeekFrom::Start(0)).map_err(|error| Stop::Harness(error.to_string()))?;
    }
    let received: MemHandle = importer.perform_with(DescriptorCall::receive_through_descriptor {}, &[read.as_fd()])?;
    let import = importer.ipc_open_mem_handle(received)?;
    check!(importer.mismatches(import, size, pattern)? == 0);
    Ok(())
}

/// Handles of two processes differ. The words that are equal in the handles of one process, and differ between the
/// processes, are recorded.
#[rstest]
#[conformance::test("IPCMEM-GET-031")]
fn handles_of_two_processes_differ(exporter: Role, importer: Role) -> Outcome {
    const WORD: usize = 8;
    let handles = |role: &Role| -> Result<[[u8; 64]; 2], Stop> {
        let handle = |size| Ok::<_, Stop>(role.ipc_get_mem_handle(role.mem_alloc(size)?)?.to_bytes());
        Ok([handle(2 * MIB)?, handle(4 * MIB)?])
    };
    let [one, other] = [handles(&exporter)?, handles(&importer)?];
    check!(one[0] != other[0]);
    // Compare words, because single bytes of two numbers may be equal by chance. A word that differs between handles of
    // one process does not identify the process.
    let is_of_the_process = |place: &usize| {
        let word = |handle: &[u8; 64]| handle[*place..*place + WORD].to_vec();
        word(&one[0]) == word(&one[1]) && word(&other[0]) == word(&other[1]) && word(&one[0]) != word(&other[0])
    };
    let places: Vec<_> = (0..one[0].len()).step_by(WORD).filter(is_of_the_process).collect();
    observe("offsets of words that differ", places);
    Ok(())
}
