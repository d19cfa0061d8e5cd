//! Corrupted export data for `cuMemPoolImportPointer`.

use std::collections::BTreeSet;
use std::time::Duration;

use conformance::{Expect as _, Outcome, Pool, PoolPointer, Role, Stop, check, observe};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer, start};
use crate::support::shared_pool::{SIZE, share, share_memory};

/// Importing uniform bytes as export data does not succeed, and does not affect other processes.
#[rstest]
#[case::zeroed(0)]
#[case::ones(0xff)]
#[conformance::test("POOL-PTR-007", needs(pool_descriptors))]
fn uniform_bytes_are_refused(exporter: Role, #[from(importer)] sacrifice: Role, #[case] byte: u8) -> Outcome {
    let imported = share(&exporter, &sacrifice)?.imported;
    let data = PoolPointer::from_bytes([byte; 64]);
    let answer = sacrifice.mem_pool_import_pointer(imported, data).survived_or_not("import")?;
    check!(answer.is_none(), "the call returned CUDA_SUCCESS");
    exporter.ctx_synchronize()
}

/// Importing export data with a flipped bit does not affect the exporter. The kinds of results are recorded.
#[rstest]
#[conformance::test("POOL-PTR-007", needs(pool_descriptors))]
fn flipped_bits_leave_the_exporter_unharmed(exporter: Role, importer: Role) -> Outcome {
    let both = share_memory(&exporter, &importer, 7)?;
    let data = exporter.mem_pool_export_pointer(both.there)?;
    import_each(&exporter, both.pool.exported, (0..64).map(|byte| data.with_bit_flipped(byte * 8 + byte % 8)))?;
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(both.there, SIZE, 7)? == 0);
    check!(importer.mismatches(both.here, SIZE, 7)? == 0);
    Ok(())
}

/// Imports each item in a process that may crash or hang, until too many of these processes are lost. It reads nothing from
/// the imported memory, because that may be any memory.
fn import_each(exporter: &Role, pool: Pool, data: impl Iterator<Item = PoolPointer>) -> Outcome {
    const MOST_LOST: usize = 4;
    const PATIENCE: Duration = Duration::from_secs(2);
    let sent = exporter.send_descriptor(exporter.mem_pool_export_to_descriptor(pool)?)?;
    let begin = || {
        let sacrifice = start("sacrifice", Default::default());
        sacrifice.set_deadline(PATIENCE);
        let imported = sacrifice.mem_pool_import_from_descriptor(sacrifice.receive_descriptor(&sent)?)?;
        Ok::<_, Stop>((sacrifice, imported))
    };
    // Not by byte: the result of some bytes depends on the process ids and addresses in the data.
    let mut results = BTreeSet::new();
    let mut lost = 0;
    let (mut sacrifice, mut imported) = begin()?;
    for data in data {
        let answer = match sacrifice.mem_pool_import_pointer(imported, data) {
            Ok(pointer) => {
                // The driver may refuse the free: the case is about the exporter.
                let _ = sacrifice.mem_free_async_and_wait(pointer);
                "CUDA_SUCCESS".to_owned()
            }
            Err(Stop::Refused(refusal)) => refusal.code.to_string(),
            // Which of the two happens is chance.
            Err(Stop::Crashed { .. } | Stop::TimedOut { .. }) => "the importer crashes or hangs".to_owned(),
            Err(other) => return Err(other),
        };
        results.insert(answer);
        if sacrifice.is_gone() {
            lost += 1;
            if lost == MOST_LOST {
                break;
            }
            (sacrifice, imported) = begin()?;
        }
    }
    sacrifice.kill()?;
    observe("results", Vec::from_iter(results));
    Ok(())
}
