//! Copies from and to mappings of imported memory, memsets of them, and kernels that use them.

use conformance::{Outcome, Role};
use rstest::rstest;

use crate::support::by_kernel;
use crate::support::capture;
use crate::support::copies::{self, Copy, Set};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::{ImportKind, SIZE};
use crate::support::value;

/// Every function that copies reads and writes imports: from an import, to an import, from one import to another, and
/// within an import.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
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
        Copy::Peer,
        Copy::Rows,
        Copy::RowsAsync,
        Copy::RowsUnaligned
    )]
    copy: Copy,
) -> Outcome {
    copy.reaches(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Copies between an import and page-locked memory of the host move every byte, in every kind of stream.
#[rstest]
#[case::allocated(false)]
#[case::registered(true)]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn every_copy_of_page_locked_memory_reaches_imports(
    exporter: Role,
    importer: Role,
    #[case] registered: bool,
) -> Outcome {
    copies::of_page_locked_memory(ImportKind::VirtualMemory, &exporter, &importer, registered)
}

/// Every function that copies moves more than 32 MiB from and to imports, up to the last byte.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
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
        Copy::Peer,
        Copy::Rows,
        Copy::RowsAsync,
        Copy::RowsUnaligned
    )]
    copy: Copy,
) -> Outcome {
    copy.reaches_far(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Every function that copies, and every memset, reaches an import to which an importer on a peer device has access.
#[rstest]
#[conformance::test("VMM-IMP-016", needs(gpus = 2, memory_descriptors, peer_access))]
fn copies_and_fills_reach_memory_of_a_peer(exporter: Role, #[with(1)] importer: Role) -> Outcome {
    copies::reach(&exporter, &importer, &ImportKind::VirtualMemory.make(&exporter, &importer, 1)?, SIZE)
}

/// Copies between an import and an import of another kind move every byte.
#[rstest]
#[case::legacy(ImportKind::Legacy)]
#[case::pool(ImportKind::Pool)]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn copies_reach_imports_of_another_kind(exporter: Role, importer: Role, #[case] other: ImportKind) -> Outcome {
    copies::reaches_across(&exporter, &importer, ImportKind::VirtualMemory, other)?;
    copies::reaches_across(&exporter, &importer, other, ImportKind::VirtualMemory)
}

/// Copies, memsets and kernels that were captured reach an import at each launch of their graph.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn captured_work_reaches_imports(exporter: Role, importer: Role) -> Outcome {
    capture::reaches_imports(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Copies of several threads of an importer at once read and write an import.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn copies_of_threads_reach_imports(exporter: Role, importer: Role) -> Outcome {
    copies::of_threads_reach(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Kernels that several threads of an importer launch at once write an import.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn kernels_of_threads_reach_imports(exporter: Role, importer: Role) -> Outcome {
    by_kernel::of_threads_reach(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Kernels of an importer read and write an import in every kind of stream.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn kernels_reach_imports_in_each_stream(exporter: Role, importer: Role) -> Outcome {
    by_kernel::reach_in_each_stream(ImportKind::VirtualMemory, &exporter, &importer)
}

/// Every memset of an importer sets the part of the import that it names, and nothing else.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors))]
fn every_memset_reaches_imports(
    exporter: Role,
    importer: Role,
    #[values(
        Set::Bytes,
        Set::BytesAsync,
        Set::Halves,
        Set::HalvesAsync,
        Set::Words,
        Set::WordsAsync,
        Set::Rows,
        Set::RowsAsync
    )]
    set: Set,
) -> Outcome {
    set.reaches(ImportKind::VirtualMemory, &exporter, &importer)
}

/// A stream of each process waits for a value that a stream of the other writes to an import, and sees the earlier work.
#[rstest]
#[conformance::test("VMM-IMP-001", needs(memory_descriptors, cuda = 12_000))]
fn stream_values_reach_imports(exporter: Role, importer: Role) -> Outcome {
    value::order_work(ImportKind::VirtualMemory, &exporter, &importer)
}
