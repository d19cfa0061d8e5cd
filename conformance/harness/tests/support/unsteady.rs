//! Cases whose runs differ.

use std::sync::atomic::{AtomicU32, Ordering};

use conformance::{Outcome, Pointer, Role, check};
use rstest::rstest;
use rustix::process::Signal;

use super::disclosures::DISCLOSURE;
use super::unsupported;
use crate::sample::exporter;
use crate::suite::harness;

/// A case that passes in its first four runs, fails in the fifth, and passes again.
#[rstest]
#[conformance::test()]
fn fails_in_run_5() -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    check!(run != 5, "run {run} is wrong");
    Ok(())
}

/// A case that fails only in its first run.
#[rstest]
#[conformance::test()]
fn fails_in_run_1() -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    check!(RUNS.fetch_add(1, Ordering::Relaxed) > 0, "the first run is wrong");
    Ok(())
}

/// Cases that fail with one reason, each only in its first run.
#[rstest]
#[conformance::test()]
fn wavers(#[values(0, 1, 2, 3)] number: usize) -> Outcome {
    static RUNS: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];
    check!(RUNS[number].fetch_add(1, Ordering::Relaxed) > 0, "the first run is wrong");
    Ok(())
}

/// A case that fails in one run, and crashes in each run after it.
#[rstest]
#[case::from_run_1(1)]
#[case::from_run_2(2)]
#[conformance::test()]
fn gets_worse(exporter: Role, #[case] failing: u32) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    check!(run != failing, "run {run} is wrong");
    if run > failing { exporter.die_of(Signal::SEGV.as_raw()) } else { Ok(()) }
}

/// A case that fails in its first run, and says nothing about the driver in later ones.
#[rstest]
#[case::errors(true)]
#[case::unsupported(false)]
#[conformance::test()]
fn ends_otherwise_after_a_failure(#[case] is_error: bool) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    check!(RUNS.fetch_add(1, Ordering::Relaxed) > 0, "the first run is wrong");
    if is_error { Err(harness("no process can be started")) } else { unsupported() }
}

/// A case that differs only in its first run.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn differs_in_run_1(exporter: Role) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    if RUNS.fetch_add(1, Ordering::Relaxed) > 0 {
        return Ok(());
    }
    exporter.ipc_get_mem_handle(Pointer::NULL).map(drop)
}

/// A case that fails only in a process that did not serve it before. Its process stays clean.
#[rstest]
#[conformance::test()]
fn fails_in_a_new_process(exporter: Role) -> Outcome {
    static LAST: AtomicU32 = AtomicU32::new(0);
    check!(LAST.swap(exporter.id(), Ordering::Relaxed) == exporter.id(), "the process is new");
    Ok(())
}

/// A case that is unsupported in its second run.
#[rstest]
#[conformance::test()]
fn is_unsupported_in_run_2() -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    if RUNS.fetch_add(1, Ordering::Relaxed) == 1 { unsupported() } else { Ok(()) }
}

/// A case that observes another list in its third run, and passes or fails as its parameter says.
#[rstest]
#[case::passes(true)]
#[case::fails(false)]
#[conformance::test()]
fn observes_otherwise_in_run_3(#[case] passes: bool) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let codes = if RUNS.fetch_add(1, Ordering::Relaxed) == 2 { [0, 2] } else { [0, 1] };
    conformance::observe("codes", codes.to_vec());
    check!(passes, "it fails");
    Ok(())
}

/// A case that observes another address in each run, and a random number, which is the same in each.
#[rstest]
#[conformance::test()]
fn observes_an_address() -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    conformance::observe("address", format!("{:#x}", RUNS.fetch_add(1, Ordering::Relaxed)));
    conformance::observe("random", conformance::seed());
    Ok(())
}

/// A case that discloses only in its first run, or only in later runs.
#[rstest]
#[case::the_first(true)]
#[case::later(false)]
#[conformance::test()]
fn discloses_in_some_runs(#[case] first: bool) -> Outcome {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    if (RUNS.fetch_add(1, Ordering::Relaxed) == 0) == first {
        conformance::disclose(DISCLOSURE);
    }
    Ok(())
}
