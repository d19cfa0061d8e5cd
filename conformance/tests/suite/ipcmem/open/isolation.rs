//! Processes of other PID namespaces, of other users, and with the number of another.

use conformance::{Expect as _, Outcome, Role, Stop, check, seed};
use conformance::{PidNamespace, Placement};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::{exporter, start};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

/// Who has a PID namespace of its own, in which it is process 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolated {
    Both,
    Exporter,
    Importer,
}

/// Whether memory opens, and what it then holds.
fn open_and_read(exporter: &Role, importer: &Role) -> Outcome {
    let (buffer, pattern) = (exporter.mem_alloc(SIZE)?, seed());
    exporter.fill(buffer, SIZE, pattern)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    if let Some(import) = importer.ipc_open_mem_handle(handle).recorded("open")? {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    importer.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// Whether memory opens across PID namespaces is recorded, where both processes have the same number and where they have
/// not.
#[rstest]
#[conformance::test("IPCMEM-OPEN-021", "IPCMEM-OPEN-022", needs(root))]
fn opening_across_pid_namespaces_is_recorded(
    #[values(Isolated::Both, Isolated::Exporter, Isolated::Importer)] isolated: Isolated,
) -> Outcome {
    let role = |name, shared| {
        let placement = Placement::device(0);
        let alone = || Ok::<_, Stop>(Placement::device(0).in_pid_namespace(&PidNamespace::new()?));
        Ok::<_, Stop>(start(name, if isolated == shared { placement } else { alone()? }))
    };
    let (exporter, importer) = (role("exporter", Isolated::Importer)?, role("importer", Isolated::Exporter)?);
    let is_same_number = exporter.process_id()? == importer.process_id()?;
    check!(is_same_number == (isolated == Isolated::Both));
    open_and_read(&exporter, &importer)?;
    // Of one number they share a file in /dev/shm, which the driver names by it: neither is clean once the other has gone.
    exporter.kill()?;
    importer.kill()
}

/// A handle does not open once another process has its exporter's number, nor does it show what that process holds.
#[rstest]
#[conformance::test("IPCMEM-OPEN-019", needs(root))]
fn memory_of_an_ended_process_does_not_open_by_its_number() -> Outcome {
    let namespace = PidNamespace::new()?;
    let role = |name| start(name, Placement::device(0).in_pid_namespace(&namespace));
    // The first process of the namespace keeps it.
    let (importer, exporter) = (role("importer"), role("exporter"));
    let number = exporter.process_id()?;
    let buffer = exporter.mem_alloc(SIZE)?;
    let stale = exporter.ipc_get_mem_handle(buffer)?;
    exporter.exit()?;
    importer.set_last_process_id(number - 1)?;
    let impostor = role("impostor");
    if impostor.process_id()? != number {
        return Err(Stop::Unsupported(format!("the number {number} did not come back")));
    }
    let (other, secret) = (impostor.mem_alloc(SIZE)?, seed());
    impostor.fill(other, SIZE, secret)?;
    impostor.ipc_get_mem_handle(other)?;
    if let Some(import) = importer.ipc_open_mem_handle(stale).recorded("open")? {
        let shown = importer.mismatches(import, SIZE, secret).recorded("read")? == Some(0);
        check!(!shown, "the handle of an ended process shows the memory of another");
    }
    importer.ctx_synchronize()?;
    // It would be killed with the namespace, and leave what the driver keeps of it.
    impostor.exit()
}

/// Whether memory opens for another user is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-049", needs(root))]
fn opening_as_another_user_is_recorded(exporter: Role) -> Outcome {
    open_and_read(&exporter, &start("importer", Placement::device(0).as_user(NOBODY)))
}
