//! Many processes at once.

use conformance::{KIB, Outcome, check, seed};
use rstest::rstest;

use crate::support::fixtures::start;

/// Eight processes each open the memory of every other one, and see what it holds.
#[rstest]
#[conformance::test("PROC-007")]
fn everyone_opens_everyones_memory() -> Outcome {
    const PROCESSES: usize = 8;
    const SIZE: u64 = 64 * KIB;
    let mut processes = Vec::new();
    for number in 0..PROCESSES {
        let role = start(&format!("process {number}"), Default::default());
        let (buffer, pattern) = (role.mem_alloc(SIZE)?, seed());
        role.fill(buffer, SIZE, pattern)?;
        let handle = role.ipc_get_mem_handle(buffer)?;
        processes.push((role, handle, pattern));
    }
    for (reader, own, _) in &processes {
        for (owner, handle, pattern) in processes.iter().filter(|(_, handle, _)| handle != own) {
            let import = reader.ipc_open_mem_handle(*handle)?;
            let foreign = reader.mismatches(import, SIZE, *pattern)?;
            check!(
                foreign == 0,
                "{} finds {foreign} words of another in the memory of {}",
                reader.name(),
                owner.name()
            );
        }
    }
    Ok(())
}
