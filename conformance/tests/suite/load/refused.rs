//! Calls that the driver refuses, in large numbers.

use conformance::{EventHandle, Expect as _, MIB, Outcome, Pointer, Role, Stop};
use rstest::rstest;

use super::kind::Kind;
use super::sized;
use super::watch::Watch;
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::{exporter, importer, observer};
use crate::support::foreign::Foreign;

impl Kind {
    /// Returns the refused calls of one round: of memory, an open without an output and a close of nothing; of the others, an
    /// open of what they are not.
    fn calls<'role>(self, exporter: &Role, importer: &'role Role) -> Result<Box<dyn Fn() -> Outcome + 'role>, Stop> {
        Ok(match self {
            Self::Memory => {
                let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(2 * MIB)?)?;
                Box::new(move || {
                    importer.ipc_open_mem_handle_into_null(handle).refused(INVALID_VALUE)?;
                    importer.ipc_close_mem_handle(Pointer::NULL).refused(INVALID_VALUE)
                })
            }
            Self::Event => {
                Box::new(move || importer.ipc_open_event_handle(EventHandle::from_bytes([0xff; 64])).refused(&[]))
            }
            Self::Descriptor => {
                let foreign = Foreign::DevNull.make(importer)?;
                Box::new(move || importer.mem_import_from_descriptor(foreign).refused(&[]))
            }
            Self::Pool => {
                let foreign = Foreign::DevNull.make(importer)?;
                Box::new(move || importer.mem_pool_import_from_descriptor(foreign).refused(&[]))
            }
        })
    }
}

/// Calls that the driver refuses, 5000 in the full load, leave nothing in the process that makes them.
#[rstest]
#[conformance::test("PROC-013")]
fn refused_calls_leave_nothing(
    exporter: Role,
    importer: Role,
    observer: Role,
    #[values(Kind::Memory, Kind::Event, Kind::Descriptor, Kind::Pool)] kind: Kind,
) -> Outcome {
    const ROUNDS_BEFORE: usize = 10;
    kind.need()?;
    let call = kind.calls(&exporter, &importer)?;
    (0..ROUNDS_BEFORE).try_for_each(|_| call())?;
    let rounds = sized(300, 5000);
    let watch = Watch::begin(&observer, [&exporter, &importer], rounds)?;
    (0..rounds).try_for_each(|_| call())?;
    watch.end()
}
