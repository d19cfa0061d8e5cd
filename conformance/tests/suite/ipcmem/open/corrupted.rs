//! Handles whose bytes do not come from an export of memory.

use std::collections::BTreeSet;

use conformance::{Expect as _, MemHandle, Outcome, Role, Stop, check, observe, random};
use cuda_ipc_sys::CUevent_flags;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer, start};
use crate::support::legacy::filled;

/// The driver refuses a memory handle whose bytes are all 0x00 or all 0xff.
#[rstest]
#[case::zeroed(0)]
#[case::ones(0xff)]
#[conformance::test("IPCMEM-OPEN-013")]
fn uniform_bytes_do_not_open(importer: Role, #[case] byte: u8) -> Outcome {
    importer.ipc_open_mem_handle(MemHandle::from_bytes([byte; 64])).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}

/// Opening a handle with one flipped bit leaves the exporter unaffected. The kinds of results are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-014")]
fn flipped_bits_leave_the_exporter_unharmed(exporter: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    let flipped = (0..512).map(|bit| handle.with_bit_flipped(bit));
    open_each(flipped)?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// Opening handles of random bytes leaves the exporter unaffected. The kinds of results are recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-014")]
fn random_bytes_leave_the_exporter_unharmed(exporter: Role) -> Outcome {
    let (buffer, pattern) = filled(&exporter, SIZE)?;
    let mut random = random();
    let blobs = (0..200).map(|_| MemHandle::from_bytes(std::array::from_fn(|_| random.u8(..))));
    open_each(blobs)?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// Opens and closes each handle in a process that may crash, and records the kinds of results. Reads no memory, because
/// a handle that opens may name any memory.
fn open_each(handles: impl Iterator<Item = MemHandle>) -> Outcome {
    let mut ends = BTreeSet::new();
    let mut sacrifice = start("sacrifice", Default::default());
    for handle in handles {
        let end = match sacrifice.ipc_open_mem_handle(handle) {
            Ok(import) => {
                // A refused close does not matter, because the case is about the exporter.
                let _ = sacrifice.ipc_close_mem_handle(import);
                "opened".to_owned()
            }
            // The code is not recorded, because it depends on the process id and the address in the handle.
            Err(Stop::Refused(_)) => "refused".to_owned(),
            Err(Stop::Crashed { end, .. }) => {
                sacrifice = start("sacrifice", Default::default());
                end
            }
            Err(other) => return Err(other),
        };
        ends.insert(end);
    }
    // The opened memory may have damaged its context, so no other case may use this process.
    sacrifice.kill()?;
    observe("results", Vec::from_iter(ends));
    Ok(())
}

/// The driver refuses to open the bytes of an event handle as memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-015")]
fn an_event_handle_does_not_open_as_memory(exporter: Role, importer: Role) -> Outcome {
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
    let event = exporter.ipc_get_event_handle(exporter.event_create(flags.0)?)?;
    importer.ipc_open_mem_handle(MemHandle::from_bytes(event.to_bytes())).refused_and_recorded(&[])?;
    importer.ctx_synchronize()
}
