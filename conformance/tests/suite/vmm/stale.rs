//! Invalid allocation handles: zero, garbage and released ones.

use conformance::Placement;
use conformance::{Expect as _, Outcome, Physical, Pointer, Role, Stop, check};
use rstest::rstest;

use crate::support::fixtures::{importer, start};
use crate::support::virtual_memory::{SIZE, create_exportable, map_readable_and_writable, reserve};

/// Why a handle is invalid.
#[derive(Clone, Copy, Debug)]
enum Stale {
    Zero,
    Garbage,
    Released,
}

impl Stale {
    fn make(self, role: &Role) -> Result<Physical, Stop> {
        match self {
            Self::Zero => Ok(Physical(0)),
            Self::Garbage => Ok(Physical(0xdead)),
            Self::Released => {
                let physical = create_exportable(role)?;
                role.mem_release(physical)?;
                Ok(physical)
            }
        }
    }
}

/// A call that takes a handle. The pointer is a reserved range, for calls that need one.
type Use = fn(&Role, Physical, Pointer) -> Outcome;

const USES: [(&str, Use); 4] = [
    ("properties", |role, handle, _| role.mem_get_allocation_properties(handle).map(drop)),
    ("export", |role, handle, _| role.mem_export_to_descriptor(handle).map(drop)),
    ("map", |role, handle, address| role.mem_map(address, SIZE, 0, handle, 0)),
    ("release", |role, handle, _| role.mem_release(handle)),
];

/// The result of each use of an invalid handle is recorded; the memory of other processes does not change.
#[rstest]
#[case::zero(Stale::Zero)]
#[case::garbage(Stale::Garbage)]
#[case::released(Stale::Released)]
#[conformance::test("VMM-CREATE-025", "VMM-EXP-006", "VMM-MAP-011", "VMM-MAP-018", needs(memory_descriptors))]
fn invalid_handles(importer: Role, #[case] stale: Stale) -> Outcome {
    let kept = map_readable_and_writable(&importer, create_exportable(&importer)?)?;
    importer.fill(kept, SIZE, 7)?;
    let mut sacrifice = start("sacrifice", Placement::device(0));
    for (name, use_it) in USES {
        if sacrifice.is_gone() {
            sacrifice = start("sacrifice", Placement::device(0));
        }
        let (handle, address) = (stale.make(&sacrifice)?, reserve(&sacrifice, SIZE)?);
        use_it(&sacrifice, handle, address).survived_or_not(name)?;
    }
    sacrifice.kill()?;
    check!(importer.mismatches(kept, SIZE, 7)? == 0);
    Ok(())
}
