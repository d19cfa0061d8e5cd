//! What an importer of one pointer reaches of the rest of its pool.

use conformance::{KIB, Outcome, Pointer, Role, check, observe, seed};
use rstest::rstest;

use crate::support::fixtures::{exporter, importer};
use crate::support::reach::Unshared;
use crate::support::shared_pool::share;

/// An imported pointer has the right contents. Whether a kernel of its importer can read and write another block of the
/// pool, which was not exported, is recorded. What it can do is a disclosure.
#[rstest]
#[conformance::test("POOL-PTR-022", needs(no_mps, pool_descriptors))]
fn the_reach_of_an_imported_pointer(exporter: Role, #[from(importer)] sacrifice: Role) -> Outcome {
    let (size, pattern) = (64 * KIB, seed());
    let pool = share(&exporter, &sacrifice)?;
    let one = exporter.mem_alloc_from_pool_async(size, pool.exported)?;
    let other = exporter.mem_alloc_from_pool_async(size, pool.exported)?;
    exporter.fill(one, size, pattern)?;
    let import = sacrifice.mem_pool_import_pointer(pool.imported, exporter.mem_pool_export_pointer(one)?)?;
    check!(sacrifice.mismatches(import, size, pattern)? == 0);
    let distance = other.0.wrapping_sub(one.0);
    observe("distance of the other block", distance.cast_signed());
    let here = Pointer(import.0.wrapping_add(distance));
    let (name, what) = ("the other block", "another block of the pool");
    Unshared { name, what, exporter: &exporter, there: other, here, size }.reach_by_kernel(&sacrifice)?;
    // A kernel that does not reach the other block damages its process.
    sacrifice.kill()
}
