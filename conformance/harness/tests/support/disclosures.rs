//! Cases that disclose memory.

use conformance::{Expect as _, MIB, Outcome, PidNamespace, Placement, Role, Stop, check};
use rstest::rstest;

use crate::sample::{exporter, importer};

/// What the planted cases disclose.
pub(crate) const DISCLOSURE: &str = "a planted process reads memory of its neighbour";

/// A case that discloses, twice in the same words, and passes or fails as its parameter says.
#[rstest]
#[case::passes(true)]
#[case::fails(false)]
#[conformance::test()]
fn discloses(#[case] passes: bool) -> Outcome {
    conformance::disclose(DISCLOSURE);
    conformance::disclose(DISCLOSURE);
    check!(passes, "it fails");
    Ok(())
}

/// What the planted cases with a stale handle disclose.
pub(crate) const STALE: &str = "a stale handle shows newer memory";

/// Discloses what a stale handle shows, if the driver opens it, without a check that fails.
fn open_stale(exporter: &Role, importer: &Role) -> Outcome {
    const SECRET: u32 = 7;
    let older = exporter.mem_alloc(MIB)?;
    let stale = exporter.ipc_get_mem_handle(older)?;
    exporter.mem_free(older)?;
    exporter.fill(exporter.mem_alloc(MIB)?, MIB, SECRET)?;
    if let Some(import) = importer.ipc_open_mem_handle(stale).recorded("open")?
        && importer.mismatches_by_copy(import, MIB, SECRET).recorded("read")? == Some(0)
    {
        return Err(Stop::disclosed(STALE));
    }
    Ok(())
}

/// A case that discloses without a check that fails.
#[rstest]
#[conformance::test()]
fn discloses_without_a_check(exporter: Role, importer: Role) -> Outcome {
    open_stale(&exporter, &importer)
}

/// The same while the importer is process 1 of a PID namespace, in which the exporter lives too.
#[rstest]
#[conformance::test(needs(root))]
fn discloses_in_a_pid_namespace() -> Outcome {
    let namespace = PidNamespace::new()?;
    let role = |name| Role::new(name, Placement::device(0).in_pid_namespace(&namespace));
    let (importer, exporter) = (role("importer")?, role("exporter")?);
    open_stale(&exporter, &importer)
}
