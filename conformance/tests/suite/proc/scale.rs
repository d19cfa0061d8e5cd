//! Many processes at once.

use conformance::{KIB, Outcome, check};
use rstest::rstest;

use crate::support::fixtures::start;
use crate::support::legacy::filled;

/// Each of eight processes opens the memory of every other process and reads the right contents.
#[rstest]
#[conformance::test("PROC-007", needs(legacy_memory))]
fn every_process_opens_the_memory_of_every_other() -> Outcome {
    const PROCESSES: usize = 8;
    const SIZE: u64 = 64 * KIB;
    let mut processes = Vec::new();
    for number in 0..PROCESSES {
        let role = start(&format!("process {number}"), Default::default());
        let (buffer, pattern) = filled(&role, SIZE)?;
        let handle = role.ipc_get_mem_handle(buffer)?;
        processes.push((role, handle, pattern));
    }
    for (reader, own, _) in &processes {
        for (owner, handle, pattern) in processes.iter().filter(|(_, handle, _)| handle != own) {
            let import = reader.ipc_open_mem_handle(*handle)?;
            let text = || format!("{} read wrong words in the memory of {}", reader.name(), owner.name());
            check!(reader.mismatches(import, SIZE, *pattern)? == 0, "{}", text());
        }
    }
    Ok(())
}
