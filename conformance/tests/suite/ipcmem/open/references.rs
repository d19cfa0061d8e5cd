//! Opening more than once.

use conformance::{Expect as _, MIB, Outcome, Role, check, seed};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer};

const SIZE: u64 = 4 * MIB;

/// Opening a handle twice in one context gives the same pointer, which stays mapped until the second close.
#[rstest]
#[conformance::test("IPCMEM-OPEN-002")]
fn opening_twice_counts_references(exporter: Role, importer: Role) -> Outcome {
    let pattern = seed();
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let first = importer.ipc_open_mem_handle(handle)?;
    let second = importer.ipc_open_mem_handle(handle)?;
    check!(first == second);
    importer.ipc_close_mem_handle(first)?;
    check!(importer.mismatches(second, SIZE, pattern)? == 0);
    check!(importer.ipc_open_mem_handle(handle)? == second);
    importer.ipc_close_mem_handle(second)?;
    check!(importer.mismatches(second, SIZE, pattern)? == 0);
    importer.ipc_close_mem_handle(second)?;
    importer.read(second, 4).refused(&[])?;
    Ok(())
}

/// Threads that share a context and open one handle get the same pointer, and each open adds a reference.
#[rstest]
#[conformance::test("IPCMEM-OPEN-037")]
fn threads_of_a_context_share_the_mapping(exporter: Role, importer: Role) -> Outcome {
    const THREADS: usize = 8;
    // The race needs two threads inside the first open, which rarely happens in one round.
    const ROUNDS: usize = 100;
    let pattern = seed();
    let buffer = exporter.mem_alloc(SIZE)?;
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    for _ in 0..ROUNDS {
        let imports = importer.ipc_open_mem_handle_from_threads(handle, THREADS)?;
        for import in &imports {
            check!(*import == imports[0], "threads got different pointers: {imports:?}");
        }
        for import in &imports[1..] {
            importer.ipc_close_mem_handle(*import)?;
        }
        check!(importer.mismatches(imports[0], 4096, pattern)? == 0);
        importer.ipc_close_mem_handle(imports[0])?;
        importer.read(imports[0], 4).refused(&[])?;
    }
    Ok(())
}
