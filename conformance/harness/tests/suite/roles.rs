//! Roles that die, hang or are killed.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use conformance::{
    Beginning, ChildEnd, Descriptor, Expect as _, MIB, MemProperties, Outcome, Placement, Pointer, Role, Stop, check,
};
use cuda_ipc_sys::CUresult;
use rstest::rstest;
use rustix::process::Signal;

use crate::sample::{exporter, importer};
use crate::suite::{UnknownDriver, harness, run, suite};

fn is_gone(id: u32) -> bool {
    !Path::new(&format!("/proc/{id}")).exists()
}

/// A role that was told to stop has stopped, each time.
#[rstest]
#[conformance::test()]
fn a_stopped_role_has_stopped(exporter: Role) -> Outcome {
    for round in 0..50 {
        exporter.stop()?;
        let status = std::fs::read_to_string(format!("/proc/{}/stat", exporter.id())).map_err(harness)?;
        let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').next());
        check!(state == Some("T"), "round {round}: {status}");
        exporter.resume()?;
    }
    Ok(())
}

/// A role that does not stop before the deadline is an error, and is not waited for any longer.
#[rstest]
#[conformance::test()]
fn a_role_that_does_not_stop_is_an_error(exporter: Role, importer: Role) -> Outcome {
    exporter.let_itself_be_traced()?;
    // A process does not stop until its tracer lets the signal through.
    importer.hold_the_death_of(exporter.id())?;
    exporter.set_deadline(Duration::from_millis(200));
    let stopped = exporter.stop();
    // Its end frees the exporter.
    importer.kill()?;
    check!(matches!(&stopped, Err(Stop::Harness(why)) if why.contains("it does not stop")), "{stopped:?}");
    exporter.kill()
}

/// A stop does not hide that the role has died: the next step reports the crash.
#[rstest]
#[conformance::test()]
fn a_stop_does_not_hide_a_crash(exporter: Role) -> Outcome {
    const PATIENCE: Duration = Duration::from_secs(10);
    exporter.set_deadline(PATIENCE);
    let call = conformance::calls::planted::Call::die_of { signal: Signal::KILL.as_raw() };
    let dying = exporter.begin::<()>(call)?;
    let still_lives = dying.still_waits_after(PATIENCE)?;
    check!(!still_lives, "the role lives on");
    exporter.stop()?;
    match dying.finish() {
        Err(Stop::Crashed { end, .. }) => {
            check!(end.contains("signal 9"), "the end is {end:?}");
            Ok(())
        }
        other => Err(harness(format!("a dead role returned {other:?}"))),
    }
}

/// A role that dies is reported as a crash with its signal and its step, and its process is reaped.
#[rstest]
#[case::segv(Signal::SEGV)]
#[case::abort(Signal::ABORT)]
#[case::kill(Signal::KILL)]
#[conformance::test()]
fn a_role_that_dies_is_a_crash(exporter: Role, #[case] signal: Signal) -> Outcome {
    let id = exporter.id();
    match exporter.die_of(signal.as_raw()) {
        Err(Stop::Crashed { role, end, step }) => {
            check!(role == "exporter");
            check!(end.contains(&format!("signal {}", signal.as_raw())), "the end is {end:?}");
            check!(step.contains("die_of"), "the step is {step:?}");
            check!(is_gone(id));
            Ok(())
        }
        other => Err(harness(format!("a dead role returned {other:?}"))),
    }
}

/// A role that replaces its program keeps its process id and serves again, without the memory that it held.
#[rstest]
#[conformance::test()]
fn a_role_starts_again_in_its_process(exporter: Role) -> Outcome {
    let id = exporter.process_id()?;
    let held = exporter.mem_alloc(MIB)?;
    let handle = exporter.ipc_get_mem_handle(held)?;
    exporter.exec()?;
    check!(exporter.process_id()? == id);
    check!(exporter.mem_get_address_range(held).is_err());
    let buffer = exporter.mem_alloc(MIB)?;
    check!(exporter.ipc_get_mem_handle(buffer)? != handle);
    exporter.mem_free(buffer)
}

/// A role that does not answer is reported as a timeout with its step, and is killed.
#[rstest]
#[conformance::test()]
fn a_role_that_does_not_answer_is_a_timeout(exporter: Role) -> Outcome {
    let id = exporter.id();
    exporter.set_deadline(Duration::from_millis(200));
    match exporter.hang() {
        Err(Stop::TimedOut { step, deadline, .. }) => {
            check!(step.contains("hang"), "the step is {step:?}");
            check!(deadline == Duration::from_millis(200), "the deadline is {deadline:?}");
            check!(is_gone(id));
            Ok(())
        }
        other => Err(harness(format!("a hanging role returned {other:?}"))),
    }
}

/// A role that has sent more than its socket holds exits in order.
#[rstest]
#[conformance::test()]
fn a_role_with_unread_messages_exits_in_order(exporter: Role) -> Outcome {
    exporter.answer_again(50_000)?;
    exporter.exit()
}

/// A role that keeps sending while it should exit is a timeout, and is killed.
#[rstest]
#[conformance::test()]
fn a_role_that_sends_for_ever_is_a_timeout(exporter: Role) -> Outcome {
    let id = exporter.id();
    exporter.set_deadline(Duration::from_secs(1));
    exporter.flood()?;
    match exporter.exit() {
        Err(Stop::TimedOut { step, .. }) => {
            check!(step == "exit", "the step is {step:?}");
            check!(is_gone(id));
            Ok(())
        }
        other => Err(harness(format!("a role that keeps sending returned {other:?}"))),
    }
}

/// A role that SIGKILL does not end is given up. The timeout names its process.
#[rstest]
#[conformance::test()]
fn a_role_that_does_not_die_is_given_up(exporter: Role, importer: Role) -> Outcome {
    let id = exporter.id();
    exporter.let_itself_be_traced()?;
    importer.hold_the_death_of(id)?;
    match exporter.kill() {
        Err(Stop::TimedOut { role, step, .. }) => {
            check!(role == format!("exporter (process {id})") && step == "kill(SIGKILL)", "{role}: {step}");
            check!(exporter.is_gone(), "the role would get further calls");
        }
        other => return Err(harness(format!("a role that does not die returned {other:?}"))),
    }
    // Its end lets the exporter end too.
    importer.kill()
}

/// A role that has ended, but that a debugger keeps, is given up. The error names its process.
#[rstest]
#[conformance::test()]
fn a_role_that_a_debugger_keeps_is_given_up(exporter: Role, importer: Role) -> Outcome {
    let id = exporter.id();
    exporter.let_itself_be_traced()?;
    importer.keep_the_status_of(id)?;
    match exporter.kill() {
        Err(Stop::Harness(why)) => {
            check!(
                why == format!("exporter: process {id} has ended, but a process that traces it does not let it go"),
                "{why}"
            );
            check!(exporter.is_gone(), "the role would get further calls");
        }
        other => return Err(harness(format!("a role that a debugger keeps returned {other:?}"))),
    }
    // Its end lets the exporter go.
    importer.kill()
}

/// A truncated answer is reported as a crash with the number of bytes received.
#[rstest]
#[conformance::test()]
fn a_truncated_answer_is_a_crash(exporter: Role) -> Outcome {
    match exporter.die_in_the_middle_of_an_answer() {
        Err(Stop::Crashed { end, .. }) => {
            check!(end.contains("4 of 100 bytes"), "the end is {end:?}");
            Ok(())
        }
        other => Err(harness(format!("a truncated answer returned {other:?}"))),
    }
}

/// A role that the case itself ends is not a crash, and performs no further calls.
#[rstest]
#[conformance::test()]
fn a_role_that_the_case_ends_is_not_a_crash(exporter: Role, importer: Role) -> Outcome {
    let (one, other) = (exporter.id(), importer.id());
    check!(one != other);
    exporter.kill()?;
    importer.exit()?;
    check!(is_gone(one) && is_gone(other));
    check!(matches!(exporter.ctx_synchronize(), Err(Stop::Harness(_))), "a role answered after its end");
    Ok(())
}

/// A role counts the words that are not as they were written, with a kernel as with a copy.
#[rstest]
#[conformance::test()]
fn a_role_counts_wrong_words(exporter: Role) -> Outcome {
    const SEED: u32 = 7;
    let buffer = exporter.mem_alloc(MIB)?;
    exporter.fill(buffer, MIB, SEED)?;
    check!(exporter.mismatches(buffer, MIB, SEED)? == 0);
    check!(exporter.mismatches_by_copy(buffer, MIB, SEED)? == 0);
    let three = exporter.read(buffer.offset(8), 12)?;
    exporter.write(buffer.offset(8), three.iter().map(|byte| !byte).collect())?;
    let wrong = [exporter.mismatches(buffer, MIB, SEED)?, exporter.mismatches_by_copy(buffer, MIB, SEED)?];
    check!(wrong == [3, 3], "a kernel and a copy find {wrong:?} wrong words of 3");
    Ok(())
}

/// A role sees how many descriptors another process has open, and how much memory it may access.
#[rstest]
#[conformance::test()]
fn a_role_sees_what_another_uses(exporter: Role, importer: Role) -> Outcome {
    let open = std::fs::read_dir(format!("/proc/{}/fd", exporter.id())).map_err(harness)?.count();
    let usage = importer.usage_of(exporter.id())?;
    check!(usage.descriptors == open, "{open} descriptors are open: {usage:?}");
    check!(usage.mapped >= usage.resident, "{usage:?}");
    Ok(())
}

/// A role in a PID namespace finds the processes of the namespace in /proc, and no others, as in a container.
#[rstest]
#[conformance::test(needs(root))]
fn a_role_in_a_pid_namespace_has_its_own_proc() -> Outcome {
    let namespace = conformance::PidNamespace::new()?;
    let role = Role::new("inner", Placement::device(0).in_pid_namespace(&namespace))?;
    let entries = std::fs::read_dir(format!("/proc/{}/root/proc", role.id())).map_err(harness)?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let processes: Vec<_> = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).collect();
    check!(processes == ["1"], "{processes:?}");
    Ok(())
}

/// A role of another user has the ids of this user, and is in no other group.
#[rstest]
#[conformance::test(needs(root))]
fn a_role_of_another_user_is_that_user() -> Outcome {
    const NOBODY: u32 = 65_534;
    if let Err(error) = Command::new("true").uid(NOBODY).gid(NOBODY).status() {
        return Err(Stop::Unsupported(format!("root cannot become another user here: {error}")));
    }
    let role = Role::new("other", Placement::device(0).as_user(NOBODY));
    // A role that cannot start would make the case unsupported, and another process just became this user.
    let role = role.map_err(|stop| Stop::failed(stop.to_string()))?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", role.id())).map_err(harness)?;
    let ids = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("?");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let nobody = [NOBODY; 4].map(|id| id.to_string()).join(" ");
    check!(ids("Uid:") == nobody && ids("Gid:") == nobody && ids("Groups:").is_empty(), "{status}");
    Ok(())
}

/// What a process uses includes the processes that it started.
#[rstest]
#[conformance::test()]
fn a_role_counts_the_children_of_another(exporter: Role, importer: Role) -> Outcome {
    if let Err(error) = std::fs::read("/proc/thread-self/children") {
        return Err(Stop::Unsupported(format!("the system lists no children of a process: {error}")));
    }
    let before = importer.usage_of(exporter.id())?.children;
    exporter.exec_and_hold(Descriptor(0))?;
    let during = importer.usage_of(exporter.id())?.children;
    exporter.end_holder()?;
    let after = importer.usage_of(exporter.id())?.children;
    let counts = [before, during, after];
    check!(counts == [0, 1, 0], "{counts:?} children");
    Ok(())
}

/// A role performs further calls after the driver refused some.
#[rstest]
#[conformance::test()]
fn a_role_survives_refused_calls(exporter: Role) -> Outcome {
    check!(exporter.mem_alloc(u64::MAX).is_err());
    check!(exporter.mem_free(conformance::Pointer(0x1234)).is_err());
    exporter.mem_alloc(MIB)?;
    exporter.ctx_synchronize()
}

/// A role without initialisation has not called `cuInit`, and nobody expects a context of it when the case ends.
#[rstest]
#[conformance::test()]
fn a_role_can_be_uninitialised() -> Outcome {
    let role = Role::new("early", Placement::device(0).uninitialised())?;
    role.device_get_count().refused(&[CUresult::CUDA_ERROR_NOT_INITIALIZED])
}

/// A role says how a child ended that used the driver. A program that it starts works, and a child of an initialised
/// process does not.
#[rstest]
#[conformance::test()]
fn a_role_says_how_its_child_ended(exporter: Role) -> Outcome {
    let program = exporter.exec_and_use_the_driver()?;
    check!(program == ChildEnd::Worked, "{program}");
    let child = exporter.fork_and_use_the_driver(Beginning::Init)?;
    check!(matches!(child, ChildEnd::Refused { .. }), "{child}");
    Ok(())
}

/// What a role unmaps is not unmapped again when the case ends: the address may be another's by then.
#[rstest]
#[conformance::test(needs(virtual_memory))]
fn a_mapping_is_released_once(exporter: Role) -> Outcome {
    const SIZE: u64 = 2 * MIB;
    let physical = exporter.mem_create(SIZE, MemProperties::device(0), 0)?;
    let address = exporter.mem_address_reserve(2 * SIZE, 0, Pointer::NULL, 0)?;
    exporter.mem_map(address, SIZE, 0, physical, 0)?;
    exporter.mem_map(address.offset(SIZE), SIZE, 0, physical, 0)?;
    exporter.mem_unmap(address, 2 * SIZE)?;
    // A role that unmaps it again fails.
    exporter.mem_address_free(address, 2 * SIZE)
}

/// A role has two hardware queues for each context, unless the user chose another number.
#[rstest]
#[conformance::test()]
fn a_role_has_two_queues(exporter: Role) -> Outcome {
    const VARIABLE: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
    let chosen = std::env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    let expected = format!("{VARIABLE}={}", chosen.as_deref().unwrap_or("2"));
    let variables = std::fs::read(format!("/proc/{}/environ", exporter.id())).map_err(harness)?;
    let found: Vec<_> = variables.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    check!(found.iter().any(|variable| *variable == expected), "{found:?} lacks {expected}");
    Ok(())
}

/// With a driver that takes long to start, roles start while a case runs, but not while a case reads the free memory.
#[rstest]
#[case::after_a_case_that_kills("planted::processes::spare", 2)]
#[case::not_beside_a_reader_of_free_memory("planted::processes::no_spare", 1)]
#[case::again_after_a_reader_of_free_memory("planted::processes::*spare", 3)]
#[conformance::test()]
fn spare_roles_start_while_a_case_runs(#[case] planted: &str, #[case] cases: u64) -> Outcome {
    let driver = UnknownDriver::new()?;
    let mut command = suite(&driver.path())?;
    command.env("CONFORMANCE_PLANTED", "1").arg(planted);
    let run = run(command)?;
    check!(run.report()?.summary()["pass"] as u64 == cases, "{}", run.text());
    Ok(())
}
