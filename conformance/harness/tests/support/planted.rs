//! Cases that go wrong on purpose. They are listed only where CONFORMANCE_PLANTED is set, which is how the checks of
//! verdicts run them.

use conformance::{KIB, MIB, Outcome, Pointer, Role, Stop, check};
use rstest::rstest;

use crate::sample::exporter;

/// A check that does not hold.
#[rstest]
#[conformance::test()]
fn fail(exporter: Role) -> Outcome {
    check!(exporter.read(exporter.mem_alloc(4 * KIB)?, 4)? == [1; 4]);
    Ok(())
}

/// A refusal that nobody expected.
#[rstest]
#[conformance::test()]
fn refused(exporter: Role) -> Outcome {
    exporter.ipc_get_mem_handle(Pointer::NULL)?;
    Ok(())
}

/// A call that ends its process.
#[rstest]
#[conformance::test()]
fn crash(exporter: Role) -> Outcome {
    exporter.die_of(rustix::process::Signal::SEGV.as_raw())
}

/// A call that does not return.
#[rstest]
#[conformance::test()]
fn timeout(exporter: Role) -> Outcome {
    exporter.hang()
}

/// Memory that does not come back.
#[rstest]
#[conformance::test()]
fn leaked_memory(exporter: Role) -> Outcome {
    exporter.leak_device_memory(4 * MIB)
}

/// A descriptor that stays open.
#[rstest]
#[conformance::test()]
fn leaked_descriptor(exporter: Role) -> Outcome {
    exporter.leak_descriptor()
}

/// A case that is itself wrong.
#[rstest]
#[conformance::test()]
fn error() -> Outcome {
    panic!("this case is wrong")
}

/// A case that finds out late that it cannot run.
#[rstest]
#[conformance::test()]
fn unsupported() -> Outcome {
    Err(Stop::Unsupported("this machine has no such thing".to_owned()))
}

/// A case that finds out late that the machine is not what it showed.
#[rstest]
#[conformance::test()]
fn missing() -> Outcome {
    Err(Stop::Missing("there is no such function".to_owned()))
}
