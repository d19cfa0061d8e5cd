//! Copies from and to imports, memsets of imports, and kernels that use them.

use conformance::{Outcome, Role};
use rstest::rstest;

use crate::support::by_kernel;
use crate::support::capture;
use crate::support::copies::{self, Copy, Set};
use crate::support::fixtures::{exporter, importer};
use crate::support::import_kind::ImportKind;
use crate::support::value;

/// Every function that copies reads and writes imports: from an import, to an import, from one import to another, and
/// within an import.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
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
    copy.reaches(ImportKind::Legacy, &exporter, &importer)
}

/// Copies between an import and page-locked memory of the host move every byte, in every kind of stream.
#[rstest]
#[case::allocated(false)]
#[case::registered(true)]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn every_copy_of_page_locked_memory_reaches_imports(
    exporter: Role,
    importer: Role,
    #[case] registered: bool,
) -> Outcome {
    copies::of_page_locked_memory(ImportKind::Legacy, &exporter, &importer, registered)
}

/// Every function that copies moves more than 32 MiB from and to imports, up to the last byte.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
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
    copy.reaches_far(ImportKind::Legacy, &exporter, &importer)
}

/// A synchronous copy from or to an import comes after earlier work of the default stream, whichever API shares memory.
#[rstest]
#[conformance::test("IPCMEM-OPEN-052")]
fn synchronous_copies_follow_the_default_stream(
    exporter: Role,
    importer: Role,
    #[values(ImportKind::Legacy, ImportKind::Pool, ImportKind::VirtualMemory)] kind: ImportKind,
    #[values(Copy::Device, Copy::Unified, Copy::Host, Copy::Peer, Copy::Rows, Copy::RowsUnaligned)] copy: Copy,
) -> Outcome {
    copy.follows_a_kernel(kind, &exporter, &importer)
}

/// Copies, memsets and kernels that were captured reach an import at each launch of their graph.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn captured_work_reaches_imports(exporter: Role, importer: Role) -> Outcome {
    capture::reaches_imports(ImportKind::Legacy, &exporter, &importer)
}

/// Copies of several threads of an importer at once read and write an import.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn copies_of_threads_reach_imports(exporter: Role, importer: Role) -> Outcome {
    copies::of_threads_reach(ImportKind::Legacy, &exporter, &importer)
}

/// Kernels that several threads of an importer launch at once write an import.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn kernels_of_threads_reach_imports(exporter: Role, importer: Role) -> Outcome {
    by_kernel::of_threads_reach(ImportKind::Legacy, &exporter, &importer)
}

/// Kernels of an importer read and write an import in every kind of stream.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
fn kernels_reach_imports_in_each_stream(exporter: Role, importer: Role) -> Outcome {
    by_kernel::reach_in_each_stream(ImportKind::Legacy, &exporter, &importer)
}

/// Every memset of an importer sets the part of the import that it names, and nothing else.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046")]
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
    set.reaches(ImportKind::Legacy, &exporter, &importer)
}

/// A stream of each process waits for a value that a stream of the other writes to an import, and sees the earlier work.
#[rstest]
#[conformance::test("IPCMEM-OPEN-001", "IPCMEM-OPEN-046", needs(cuda = 12_000))]
fn stream_values_reach_imports(exporter: Role, importer: Role) -> Outcome {
    value::order_work(ImportKind::Legacy, &exporter, &importer)
}
