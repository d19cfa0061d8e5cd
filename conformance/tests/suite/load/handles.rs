//! Many processes that hold handles of each other.

use conformance::{KIB, MIB, Outcome, Pointer, Role, Stop, check, seed};
use rstest::rstest;

use super::watch::Watch;
use super::{sized, start_many};
use crate::support::fixtures::observer;

const SIZE: u64 = 4 * KIB;

/// The device memory that an allocation and its import take, at most: a page of a GPU.
const DEVICE_MEMORY_OF_A_HANDLE: u64 = 2 * MIB;

/// Many processes can hold handles of each other at once, 64 processes with 10,000 handles in the full load. Each handle
/// gives the memory that it names, and nothing is left of it afterwards.
#[rstest]
#[conformance::test("PROC-014", "PROC-013", needs(legacy_memory))]
fn processes_hold_handles_of_each_other(observer: Role) -> Outcome {
    let processes = start_many(&observer, sized(8, 64))?;
    let handles = sized(320, 10_000).div_ceil(processes.len());
    hold(&processes, handles, None)?;
    let watch = Watch::begin(&observer, &processes, handles)?;
    hold(&processes, handles, Some(&watch))?;
    watch.end()
}

/// Makes each process export so much memory, and the next one open all of it, read it and close it.
fn hold(processes: &[Role], handles: usize, watch: Option<&Watch<'_>>) -> Outcome {
    let mut shared = Vec::new();
    for owner in processes {
        let memory = owner.mem_alloc_many(SIZE, handles)?;
        check!(memory.given.len() == handles, "{}: {}", owner.name(), memory.limit());
        let exported = owner.ipc_get_mem_handle_many(memory.given.clone())?;
        check!(exported.given.len() == handles, "{}: {}", owner.name(), exported.limit());
        let first = seed();
        owner.fill_many(memory.given.clone(), SIZE, first)?;
        shared.push((memory.given, exported.given, first));
    }
    let mut opened: Vec<Vec<Pointer>> = Vec::new();
    for (number, (_, exported, first)) in shared.iter().enumerate() {
        let reader = next(processes, number);
        let imports = reader.ipc_open_mem_handle_many(exported.clone())?;
        check!(imports.given.len() == handles, "{}: {}", reader.name(), imports.limit());
        if let Some(wrong) = reader.first_mismatch_of_many(imports.given.clone(), SIZE, *first)? {
            let (reader, owner) = (reader.name(), processes[number].name());
            return Err(Stop::corrupted(format!("{reader} reads other memory in handle {wrong} of {owner}")));
        }
        opened.push(imports.given);
    }
    if let Some(watch) = watch {
        watch.during(2 * handles, DEVICE_MEMORY_OF_A_HANDLE * (handles * processes.len()) as u64)?;
    }
    for (number, imports) in opened.into_iter().enumerate() {
        next(processes, number).ipc_close_mem_handle_many(imports)?;
    }
    processes.iter().zip(shared).try_for_each(|(owner, (memory, ..))| owner.mem_free_many(memory))
}

fn next(processes: &[Role], number: usize) -> &Role {
    &processes[(number + 1) % processes.len()]
}
