//! Processes that PID namespaces or users separate.

use conformance::{Outcome, PidNamespace, Placement, Role, Stop, check};

use super::fixtures::start;

/// The id of the user `nobody`.
const NOBODY: u32 = 65_534;

/// What separates an exporter and an importer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolated {
    /// Both have a PID namespace of their own, in which they are process 1.
    Both,
    /// Only the exporter has one.
    Exporter,
    /// Only the importer has one.
    Importer,
    /// The importer is another user.
    User,
}

impl Isolated {
    /// Starts the two processes on GPU 0, and runs a case with them.
    pub(crate) fn run(self, case: impl FnOnce(&Role, &Role) -> Outcome) -> Outcome {
        let placement = Placement::device(0);
        if self == Self::User {
            return case(&start("exporter", placement.clone()), &start("importer", placement.as_user(NOBODY)));
        }
        let alone = || Ok::<_, Stop>(Placement::device(0).in_pid_namespace(&PidNamespace::new()?));
        let role = |name, shared| Ok::<_, Stop>(start(name, if self == shared { placement.clone() } else { alone()? }));
        let (exporter, importer) = (role("exporter", Self::Importer)?, role("importer", Self::Exporter)?);
        let is_same_number = exporter.process_id()? == importer.process_id()?;
        check!(is_same_number == (self == Self::Both));
        case(&exporter, &importer)?;
        // The driver names a file in /dev/shm after the process id. Processes with the same id share it, so neither is
        // clean after the other has ended.
        exporter.kill()?;
        importer.kill()
    }
}
