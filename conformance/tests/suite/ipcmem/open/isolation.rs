//! Processes in other PID namespaces, of other users, and with the process id of an ended process.

use conformance::{Expect as _, Outcome, Role, Stop, check};
use conformance::{PidNamespace, Placement};
use rstest::rstest;

use crate::support::SIZE;
use crate::support::fixtures::start;
use crate::support::isolated::Isolated;
use crate::support::legacy::filled;

/// Records whether memory opens. Checks its contents if it does, and that the exporter's memory stays intact.
fn open_and_read(exporter: &Role, importer: &Role) -> Outcome {
    let (buffer, pattern) = filled(exporter, SIZE)?;
    let handle = exporter.ipc_get_mem_handle(buffer)?;
    if let Some(import) = importer.ipc_open_mem_handle(handle).recorded("open")? {
        check!(importer.mismatches(import, SIZE, pattern)? == 0);
    }
    importer.ctx_synchronize()?;
    check!(exporter.mismatches(buffer, SIZE, pattern)? == 0);
    Ok(())
}

/// Memory that opens across PID namespaces has the right contents, whether the process ids are equal or not. The code
/// is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-021", "IPCMEM-OPEN-022", needs(root))]
fn memory_opened_across_pid_namespaces_has_the_right_contents(
    #[values(Isolated::Both, Isolated::Exporter, Isolated::Importer)] isolated: Isolated,
) -> Outcome {
    isolated.run(open_and_read)
}

/// Ends the case as unsupported if the system gave the process another id.
fn has_process_id(role: &Role, number: i32) -> Outcome {
    if role.process_id()? == number {
        return Ok(());
    }
    Err(Stop::Unsupported(format!("the process id {number} was not reused")))
}

/// A handle of an ended process does not give the memory of a new process with the same id. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-019", needs(root))]
fn a_reused_process_id_does_not_expose_memory() -> Outcome {
    let namespace = PidNamespace::new()?;
    let role = |name| start(name, Placement::device(0).in_pid_namespace(&namespace));
    // The first process of the namespace keeps it alive.
    let (importer, exporter) = (role("importer"), role("exporter"));
    let number = exporter.process_id()?;
    let stale = exporter.ipc_get_mem_handle(exporter.mem_alloc(SIZE)?)?;
    exporter.exit()?;
    importer.set_last_process_id(number - 1)?;
    let impostor = role("impostor");
    has_process_id(&impostor, number)?;
    let (other, secret) = filled(&impostor, SIZE)?;
    impostor.ipc_get_mem_handle(other)?;
    if let Some(import) = importer.ipc_open_mem_handle(stale).recorded("open")? {
        let shown = importer.mismatches_by_copy(import, SIZE, secret).recorded("read")? == Some(0);
        if shown {
            return Err(Stop::disclosed("the handle of an ended process shows the memory of another process"));
        }
    }
    importer.ctx_synchronize()?;
    // Otherwise it would be killed with the namespace, and the resources that the driver keeps for it would remain.
    impostor.exit()
}

/// Memory that opens for another user has the right contents. The code is recorded.
#[rstest]
#[conformance::test("IPCMEM-OPEN-049", needs(root))]
fn memory_opened_by_another_user_has_the_right_contents() -> Outcome {
    Isolated::User.run(open_and_read)
}
