//! Copies from and to imported memory of pools, and memsets of it.

use conformance::{Outcome, Role};
use rstest::rstest;

use crate::support::copies::{Copy, Set};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::ImportKind;

/// Every function that copies reads and writes imports: from an import, to an import, from one import to another, and
/// within an import.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn every_copy_reaches_imports(
    exporter: Role,
    importer: Role,
    #[values(
        Copy::Device,
        Copy::DeviceAsync,
        Copy::Unified,
        Copy::UnifiedAsync,
        Copy::Host,
        Copy::HostAsync,
        Copy::Peer
    )]
    copy: Copy,
) -> Outcome {
    copy.reaches(ImportKind::Pool, &exporter, &importer)
}

/// Every function that copies moves more than 32 MiB from and to imports, up to the last byte.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn every_large_copy_reaches_imports(
    exporter: Role,
    importer: Role,
    #[values(
        Copy::Device,
        Copy::DeviceAsync,
        Copy::Unified,
        Copy::UnifiedAsync,
        Copy::Host,
        Copy::HostAsync,
        Copy::Peer
    )]
    copy: Copy,
) -> Outcome {
    copy.reaches_far(ImportKind::Pool, &exporter, &importer)
}

/// Every memset of an importer sets the part of the import that it names, and nothing else.
#[rstest]
#[conformance::test("POOL-PTR-001", needs(pool_descriptors))]
fn every_memset_reaches_imports(
    exporter: Role,
    importer: Role,
    #[values(Set::Bytes, Set::BytesAsync, Set::Halves, Set::HalvesAsync, Set::Words, Set::WordsAsync)] set: Set,
) -> Outcome {
    set.reaches(ImportKind::Pool, &exporter, &importer)
}
