//! Checkpoints of processes that share memory.

use std::time::Duration;

use conformance::calls::checkpoint::CheckpointStep as Step;
use conformance::{Expect as _, Outcome, Role};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::legacy::share;

/// The case records the result of each step of an exporter's checkpoint, and later reads by exporter and importer.
#[rstest]
#[conformance::test("PROC-010", needs(real, legacy_memory, cuda = 12_080))]
fn the_results_of_a_checkpoint_of_an_exporter(exporter: Role, importer: Role, observer: Role) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(10);
    let (buffer, import, pattern) = share(&exporter, &importer, SIZE)?;
    [&exporter, &importer, &observer].iter().for_each(|role| role.set_deadline(PATIENCE));
    if observer.checkpoint_process(Step::Lock, exporter.id()).survived_or_not("lock")?.is_some() {
        if observer.checkpoint_process(Step::Checkpoint, exporter.id()).survived_or_not("checkpoint")?.is_some() {
            observer.checkpoint_process(Step::Restore, exporter.id()).survived_or_not("restore")?;
        }
        if !observer.is_gone() {
            observer.checkpoint_process(Step::Unlock, exporter.id()).survived_or_not("unlock")?;
        }
    }
    exporter.mismatches_by_copy(buffer, SIZE, pattern).survived_or_not("exporter")?;
    importer.mismatches_by_copy(import, SIZE, pattern).survived_or_not("importer")?;
    // Their state is unknown, so no other case may use them.
    [&exporter, &importer, &observer].iter().try_for_each(|role| role.kill())
}
