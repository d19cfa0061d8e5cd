//! Cases that go wrong on purpose. They are listed only if CONFORMANCE_PLANTED is set, as the checks of verdicts do.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use conformance::calls::planted::BadExit;
use conformance::{
    Again, Descriptor, Expect as _, KIB, MIB, MemProperties, Note, Outcome, PidNamespace, Placement, Pointer, Role,
    Stop, Stream, all_memory_is_free, annotate, check, is_listed, models,
};
use cuda_ipc_sys::{CUmemAllocationHandleType, CUresult};
use rstest::rstest;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

pub(crate) mod disclosures;
mod processes;
mod unsteady;

use crate::sample::{exporter, importer};
use crate::suite::harness;

/// A check that does not hold.
#[rstest]
#[conformance::test()]
fn fail(exporter: Role) -> Outcome {
    check!(exporter.read(exporter.mem_alloc(4 * KIB)?, 4)? == [1; 4]);
    Ok(())
}

/// A check that does not hold while a role is in a call.
#[rstest]
#[conformance::test()]
fn stops_during_a_call(exporter: Role) -> Outcome {
    let _ends = exporter.begin::<Pointer>(conformance::calls::memory::Call::mem_alloc { size: 4 * KIB })?;
    Err(Stop::failed("the case knows better"))
}

/// Starts a kernel of a role that runs for `time`. Returns its stream.
fn spin(role: &Role, time: Duration) -> Result<Stream, Stop> {
    let stream = role.stream_create()?;
    let nanoseconds = u64::try_from(time.as_nanos()).map_err(harness)?;
    role.launch("spin".into(), vec![nanoseconds.into()], stream)?;
    Ok(stream)
}

/// A check that does not hold while a role is in a call that returns only after a while.
#[rstest]
#[conformance::test()]
fn stops_during_a_long_call(exporter: Role) -> Outcome {
    let stream = spin(&exporter, Duration::from_millis(100))?;
    let _ends = exporter.begin::<()>(conformance::calls::stream::Call::stream_synchronize { stream })?;
    Err(Stop::failed("the case knows better"))
}

/// A call that returns after two seconds.
#[rstest]
#[conformance::test()]
fn waits_for_a_kernel(exporter: Role) -> Outcome {
    exporter.stream_synchronize(spin(&exporter, Duration::from_secs(2))?)
}

/// A check that does not hold while a role is in a call that does not return.
#[rstest]
#[conformance::test()]
fn stops_during_a_hang(exporter: Role) -> Outcome {
    let _hangs = exporter.begin::<()>(conformance::calls::planted::Call::hang {})?;
    Err(Stop::failed("the case knows better"))
}

/// A check that does not hold while several roles are in calls that do not return.
#[rstest]
#[conformance::test()]
fn stops_during_hangs() -> Outcome {
    for name in ["one", "two", "three", "four"] {
        let _hangs = Role::new(name, Placement::device(0))?.begin::<()>(conformance::calls::planted::Call::hang {})?;
    }
    Err(Stop::failed("the case knows better"))
}

/// Roles that hang while they release their resources: each waits for a program that it started, which is stopped.
#[rstest]
#[conformance::test()]
fn hangs_while_it_releases() -> Outcome {
    for name in ["one", "two", "three", "four"] {
        let role = Role::new(name, Placement::device(0))?;
        role.exec_and_hold(Descriptor(0))?;
        let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", role.id())).map_err(harness)?;
        let program = children.trim().parse().ok().and_then(Pid::from_raw).ok_or_else(|| harness("no program"))?;
        kill_process(program, Signal::STOP).map_err(harness)?;
    }
    Ok(())
}

/// Roles that hang while they exit at the end of their case.
#[rstest]
#[conformance::test()]
fn hangs_at_its_end() -> Outcome {
    for name in ["one", "two", "three", "four"] {
        Role::new(name, Placement::device(0).fresh())?.exit_badly_later(BadExit::Hangs)?;
    }
    Ok(())
}

/// Roles that exit one after another at the end of their case, as a driver with one lock ends processes.
#[rstest]
#[conformance::test()]
fn takes_turns_at_its_end() -> Outcome {
    for name in ["one", "two", "three", "four", "five", "six"] {
        Role::new(name, Placement::device(0).fresh())?.exit_badly_later(BadExit::TakesTurns)?;
    }
    Ok(())
}

/// A model that breaks a row of an open question, unless `deviations.toml` lists the case `planted::fail` or one of
/// `planted::succeeds`.
#[rstest]
#[conformance::test()]
fn broken_row() -> Outcome {
    if is_listed("planted::fail") || is_listed("planted::succeeds") {
        return Ok(());
    }
    let text = "the script".to_owned();
    annotate(Note { text, again: Some(Again::Script(17)), row: Some("IPCMEM-OPEN-016") });
    Err(Stop::failed("the model knows better"))
}

/// A model that finds a script, and fails again only if it is asked for this script alone, as it is.
#[rstest]
#[conformance::test()]
fn finds_a_script() -> Outcome {
    let is_found = match models().script {
        Some(number) => number == 17 && models().soak.is_none() && models().no_shrink,
        None => !HAS_FOUND.swap(true, Ordering::Relaxed),
    };
    if !is_found {
        return Ok(());
    }
    annotate(Note { again: Some(Again::Script(17)), ..Note::default() });
    Err(Stop::failed("script 17 fails"))
}

static HAS_FOUND: AtomicBool = AtomicBool::new(false);

/// A model that needs several scripts, or a time, to find something. In a rerun it fails only if it is asked for just
/// these.
#[rstest]
#[case::scripts(Again::Scripts(17))]
#[case::soak(Again::Soak(Duration::from_secs(30)))]
#[conformance::test()]
fn finds_after_a_while(#[case] again: Again) -> Outcome {
    static HAS_RUN: AtomicBool = AtomicBool::new(false);
    let asked = (models().scripts, models().soak);
    let is_found = match again {
        _ if !HAS_RUN.swap(true, Ordering::Relaxed) => true,
        Again::Scripts(number) => asked == (Some(number), None),
        Again::Soak(time) => asked == (None, Some(time)),
        Again::Script(_) => false,
    };
    if !is_found {
        return Ok(());
    }
    annotate(Note { again: Some(again), ..Note::default() });
    Err(Stop::failed("a script fails"))
}

/// A case that sees whether the run asks for load of the full size.
#[rstest]
#[conformance::test()]
fn sees_the_load() -> Outcome {
    conformance::observe("is_full", conformance::full_load());
    Ok(())
}

/// Exported descriptors, which a process must be able to use in each of the ways in which cases use them.
#[rstest]
#[case::sent(Use::Sent)]
#[case::closed(Use::Closed)]
#[case::taken(Use::Taken)]
#[case::kept(Use::Kept)]
#[conformance::test(needs(memory_descriptors))]
fn uses_a_descriptor(exporter: Role, importer: Role, #[case] how: Use) -> Outcome {
    let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let memory = exporter.mem_create(2 * MIB, MemProperties::device(0).exportable(handle_type.0), 0)?;
    let descriptor = exporter.mem_export_to_descriptor(memory)?;
    match how {
        Use::Sent => drop(exporter.send_descriptor(descriptor)?),
        Use::Closed => exporter.close_descriptor(descriptor)?,
        Use::Taken => {
            exporter.allow_tracer(importer.id())?;
            importer.take_descriptor(exporter.id(), descriptor)?;
        }
        Use::Kept => {}
    }
    Ok(())
}

/// How a process uses a descriptor.
#[derive(Clone, Copy, Debug)]
enum Use {
    Sent,
    Closed,
    Taken,
    /// It is closed after the case.
    Kept,
}

/// A refusal after a call that fails without one.
#[rstest]
#[conformance::test()]
fn refused_after_a_failure(exporter: Role) -> Outcome {
    exporter.get_error_name_or_not(u32::MAX)?;
    exporter.ipc_close_mem_handle(Pointer::NULL)
}

/// Memory with another byte than was written to it.
#[rstest]
#[conformance::test()]
fn wrong_byte(exporter: Role) -> Outcome {
    let buffer = exporter.mem_alloc(MIB)?;
    exporter.write(buffer, vec![7, 7, 8, 7])?;
    check!(exporter.other_bytes(buffer, 4, 7)? == 0);
    Ok(())
}

/// An unexpected refusal.
#[rstest]
#[conformance::test()]
fn refused(exporter: Role) -> Outcome {
    exporter.ipc_get_mem_handle(Pointer::NULL)?;
    Ok(())
}

/// A call that ends its process.
#[rstest]
#[conformance::test()]
fn crash(exporter: Role) -> Outcome {
    exporter.die_of(Signal::SEGV.as_raw())
}

/// A role that exits as told, and does not end in order.
#[rstest]
#[case::aborts(BadExit::Aborts)]
#[case::fails(BadExit::Fails)]
#[case::hangs(BadExit::Hangs)]
#[conformance::test()]
fn bad_exit(exporter: Role, #[case] how: BadExit) -> Outcome {
    if how == BadExit::Hangs {
        exporter.set_deadline(Duration::from_secs(1));
    }
    exporter.exit_badly_later(how)?;
    exporter.exit()
}

/// A role that ends with its case, and not in order. A case may accept that, or kill the role before it exits.
#[rstest]
#[case::is_blamed(false, false)]
#[case::is_accepted(true, false)]
#[case::is_killed(false, true)]
#[conformance::test()]
fn bad_exit_with_the_case(#[case] is_accepted: bool, #[case] is_killed: bool) -> Outcome {
    let own = Role::new("own", Placement::device(0).fresh())?;
    own.exit_badly_later(BadExit::Aborts)?;
    if is_accepted {
        own.ctx_synchronize().survived_or_not("synchronize")?;
    }
    if is_killed { own.kill() } else { Ok(()) }
}

/// A role that ends with its case, and not in order, in a PID namespace. Only the kernel may kill it there.
#[rstest]
#[conformance::test(needs(root))]
fn bad_exit_in_a_pid_namespace() -> Outcome {
    let own = Role::new("own", Placement::device(0).in_pid_namespace(&PidNamespace::new()?))?;
    own.exit_badly_later(BadExit::Fails)
}

/// A role that serves other cases, and does not end in order when the run ends.
#[rstest]
#[conformance::test()]
fn bad_exit_with_the_run(exporter: Role) -> Outcome {
    exporter.exit_badly_later(BadExit::Aborts)
}

/// A role that a call may have broken, and a case after it, which gets another process.
#[rstest]
#[case::a_breaks(true)]
#[case::b_is_another(false)]
#[conformance::test()]
fn bad_exit_that_is_accepted(exporter: Role, #[case] breaks: bool) -> Outcome {
    static BROKEN: AtomicU32 = AtomicU32::new(0);
    if breaks {
        BROKEN.store(exporter.id(), Ordering::Relaxed);
        exporter.exit_badly_later(BadExit::Aborts)?;
        return exporter.ctx_synchronize().survived_or_not("synchronize").map(drop);
    }
    check!(exporter.id() != BROKEN.load(Ordering::Relaxed), "the process serves another case");
    Ok(())
}

/// A role that resets its primary context, and with it what it holds, and a case after it, which gets another process.
#[rstest]
#[case::a_resets(true)]
#[case::b_is_another(false)]
#[conformance::test()]
fn resets_its_context(exporter: Role, #[case] resets: bool) -> Outcome {
    static RESET: AtomicU32 = AtomicU32::new(0);
    if resets {
        RESET.store(exporter.id(), Ordering::Relaxed);
        exporter.mem_alloc(MIB)?;
        return exporter.device_primary_ctx_reset();
    }
    check!(exporter.id() != RESET.load(Ordering::Relaxed), "the process serves another case");
    Ok(())
}

/// A role that ends while it waits for the next case, and that case, which gets another process.
#[rstest]
#[case::a_serves(false)]
#[case::b_is_another(true)]
#[conformance::test()]
fn ends_between_cases(#[case] ends: bool) -> Outcome {
    static SERVED: AtomicU32 = AtomicU32::new(0);
    if !ends {
        SERVED.store(Role::new("exporter", Placement::device(0))?.id(), Ordering::Relaxed);
        return Ok(());
    }
    let served = SERVED.load(Ordering::Relaxed);
    let process = Pid::from_raw(served.cast_signed()).ok_or_else(|| harness("no process"))?;
    kill_process(process, Signal::KILL).map_err(harness)?;
    // The runner must still find how it ended.
    waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).map_err(harness)?;
    check!(Role::new("exporter", Placement::device(0))?.id() != served, "the process serves another case");
    Ok(())
}

/// A message of the kernel that a GPU failed. It comes into the log that the variable names.
#[rstest]
#[conformance::test()]
fn xid(_exporter: Role) -> Outcome {
    let log = std::env::var_os("CONFORMANCE_KERNEL_LOG").ok_or_else(|| harness("no log"))?;
    let mut log = std::fs::OpenOptions::new().append(true).open(log).map_err(harness)?;
    let lines = "6,1,2,-;something else\n4,2,3,-;NVRM: Xid (PCI:0000:18:00): 79, GPU has fallen off the bus.\n";
    std::io::Write::write_all(&mut log, lines.as_bytes()).map_err(harness)
}

/// Takes the report of the run away, and puts a folder in its place.
#[rstest]
#[conformance::test()]
fn spoils_the_report() -> Outcome {
    let report = std::env::var_os("PLANTED_REPORT").ok_or_else(|| harness("no report"))?;
    std::fs::remove_file(&report).and_then(|()| std::fs::create_dir(&report)).map_err(harness)
}

/// Waits until the file that PLANTED_GATE names, a pipe, has been opened and closed again.
#[rstest]
#[conformance::test()]
fn waits_at_a_gate() -> Outcome {
    let gate = std::env::var_os("PLANTED_GATE").ok_or_else(|| harness("no gate"))?;
    std::fs::read(gate).map(drop).map_err(harness)
}

/// Waits at the same gate while its role is stopped.
#[rstest]
#[conformance::test()]
fn stops_its_role(exporter: Role) -> Outcome {
    exporter.stop()?;
    waits_at_a_gate()
}

/// Waits at the same gate while its role is in a call that does not return.
#[rstest]
#[conformance::test()]
fn hangs_at_a_gate(exporter: Role) -> Outcome {
    let hanging = exporter.begin::<()>(conformance::calls::planted::Call::hang {})?;
    waits_at_a_gate()?;
    hanging.finish()
}

/// Closes an import, and then waits at the same gate.
#[rstest]
#[conformance::test()]
fn closes_before_a_gate(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(MIB)?)?;
    importer.ipc_close_mem_handle(importer.ipc_open_mem_handle(handle)?)?;
    waits_at_a_gate()
}

/// Observes so much that its line in the report takes a while to write.
#[rstest]
#[conformance::test()]
fn reports_much() -> Outcome {
    conformance::observe("much", "x".repeat(256 * MIB as usize));
    Ok(())
}

/// A call that does not return.
#[rstest]
#[conformance::test()]
fn timeout(exporter: Role) -> Outcome {
    exporter.hang()
}

/// A call that does not return, and then a step of another role.
#[rstest]
#[conformance::test()]
fn hangs_before_another_role(exporter: Role, importer: Role) -> Outcome {
    let hangs = exporter.hang();
    importer.mem_alloc(4 * KIB)?;
    hangs
}

/// A call on more threads than the system gives to the role.
#[rstest]
#[conformance::test()]
fn lacks_threads(exporter: Role) -> Outcome {
    exporter.lack_threads()?;
    exporter.use_events_from_threads(16, 1)
}

/// How a role breaks the protocol between it and the runner.
#[derive(Clone, Copy, Debug)]
enum Breach {
    AnswersTwice,
    FillsThePipe,
    SendsGarbage,
    AnswersWithGarbage,
    KeepsTheSocket,
    ReadsNothing,
    ExitsSilently,
}

/// A role that breaks the protocol, and a case after it, which passes.
#[rstest]
#[case::answers_twice(Breach::AnswersTwice)]
#[case::fills_the_pipe(Breach::FillsThePipe)]
#[case::sends_garbage(Breach::SendsGarbage)]
#[case::answers_with_garbage(Breach::AnswersWithGarbage)]
#[case::keeps_the_socket(Breach::KeepsTheSocket)]
#[case::reads_nothing(Breach::ReadsNothing)]
#[case::exits_silently(Breach::ExitsSilently)]
#[conformance::test()]
fn breach(exporter: Role, #[case] how: Breach, #[values("breaks", "then_passes")] part: &str) -> Outcome {
    let buffer = exporter.mem_alloc(MIB)?;
    if part == "breaks" {
        match how {
            Breach::AnswersTwice => exporter.answer_again(1)?,
            Breach::FillsThePipe => exporter.answer_again(1_000_000)?,
            // Neither an envelope nor an answer.
            Breach::SendsGarbage => exporter.send_garbage(vec![0xff; 1000])?,
            // It would be a refusal of an unknown kind.
            Breach::AnswersWithGarbage => exporter.answer_with_garbage(vec![1, 0xff])?,
            Breach::KeepsTheSocket => exporter.fork_and_keep_the_socket(Duration::from_secs(10))?,
            Breach::ReadsNothing => exporter.read_nothing()?,
            Breach::ExitsSilently => exporter.exit_without_handlers(0)?,
        }
    }
    // A message that does not fit the socket needs a reader.
    let size = if matches!(how, Breach::ReadsNothing) { MIB as usize } else { 4 };
    exporter.write(buffer, vec![7; size])?;
    check!(exporter.read(buffer, 4)? == [7; 4]);
    Ok(())
}

/// Breaks the context of a role: a kernel writes where no memory is.
fn break_the_context(role: &Role) -> Outcome {
    let nowhere = role.mem_address_reserve(4 * MIB, 0, Pointer::NULL, 0)?;
    role.launch("fill".into(), vec![nowhere.into(), 1_u64.into(), 7_u32.into()], Stream::DEFAULT)?;
    role.stream_synchronize(Stream::DEFAULT).refused(&[])
}

/// A context that a refused call breaks.
#[rstest]
#[conformance::test()]
fn broken_context(exporter: Role) -> Outcome {
    break_the_context(&exporter)
}

/// The same in a role that may lose its context.
#[rstest]
#[conformance::test()]
fn lost_context(exporter: Role) -> Outcome {
    exporter.may_be_lost();
    break_the_context(&exporter)
}

/// A context that the case resets.
#[rstest]
#[conformance::test()]
fn reset_context(exporter: Role) -> Outcome {
    exporter.device_primary_ctx_reset()
}

/// Memory that is not freed.
#[rstest]
#[conformance::test()]
fn leaked_memory(exporter: Role) -> Outcome {
    exporter.leak_device_memory(4 * MIB)
}

/// Looks for missing memory, as a model does after each script.
#[rstest]
#[case::after_a_leak(true)]
#[case::without_a_leak(false)]
#[conformance::test()]
fn looks_for_missing_memory(exporter: Role, #[case] leaks: bool) -> Outcome {
    if leaks {
        exporter.leak_device_memory(4 * MIB)?;
    } else {
        exporter.mem_free(exporter.mem_alloc(4 * MIB)?)?;
    }
    all_memory_is_free()
}

/// Reads the free memory before and after an allocation, which nobody else may change meanwhile.
#[rstest]
#[conformance::test()]
fn reads_memory(exporter: Role) -> Outcome {
    let before = exporter.mem_get_info()?.free;
    for _ in 0..20 {
        let buffer = exporter.mem_alloc(64 * MIB)?;
        let taken = before - exporter.mem_get_info()?.free;
        check!(taken == 64 * MIB, "an allocation of 64 MiB took {taken} bytes");
        exporter.mem_free(buffer)?;
    }
    Ok(())
}

/// Kills a process whose memory is freed only later, when the runner closes its own descriptor of the memory.
#[rstest]
#[case::soon(Duration::from_millis(300))]
#[case::too_late(Duration::from_secs(60))]
#[conformance::test()]
fn late_memory(exporter: Role, #[case] delay: Duration) -> Outcome {
    // More than a real driver may keep.
    const SIZE: u64 = 512 * MIB;
    let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let memory = exporter.mem_create(SIZE, MemProperties::device(0).exportable(handle_type.0), 0)?;
    let held = exporter.send_descriptor(exporter.mem_export_to_descriptor(memory)?)?;
    std::thread::spawn(move || {
        std::thread::sleep(delay);
        drop(held);
    });
    exporter.kill()
}

/// A descriptor that stays open.
#[rstest]
#[conformance::test()]
fn leaked_descriptor(exporter: Role) -> Outcome {
    exporter.leak_descriptor()
}

/// A case that panics.
#[rstest]
#[conformance::test()]
fn error() -> Outcome {
    panic!("this case is wrong")
}

/// A case that panics with the message that libtest-mimic has if the output cannot be written.
#[rstest]
#[conformance::test()]
fn unwraps_an_error() -> Outcome {
    std::fs::read("/nonexistent/file").unwrap();
    Ok(())
}

/// A case that detects during its run that the machine cannot run it.
#[rstest]
#[conformance::test()]
fn unsupported() -> Outcome {
    Err(Stop::Unsupported("this machine does not support the planted case".to_owned()))
}

/// A case that detects during its run that something is missing that the probe found.
#[rstest]
#[conformance::test()]
fn missing() -> Outcome {
    Err(Stop::Missing("the planted function does not exist".to_owned()))
}

/// A check of a row that only observation supports.
#[rstest]
#[conformance::test("IPCMEM-OPEN-016")]
fn differs(exporter: Role) -> Outcome {
    exporter.ipc_get_mem_handle(Pointer::NULL).map(drop)
}

/// A process that replaces its program, and closes an import afterwards.
#[rstest]
#[conformance::test()]
fn a_new_program_closes(exporter: Role, importer: Role) -> Outcome {
    let handle = exporter.ipc_get_mem_handle(exporter.mem_alloc(MIB)?)?;
    importer.exec()?;
    importer.ipc_close_mem_handle(importer.ipc_open_mem_handle(handle)?)
}

/// Expects that CUDA refuses a use of memory, and it succeeds.
#[rstest]
#[case::kernel_reads(|role: &Role, memory: Pointer| role.mismatches(memory, 4096, 7).refused(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS]))]
#[case::kernel_writes(|role: &Role, memory: Pointer| role.fill(memory, 4096, 7).refused(&[CUresult::CUDA_ERROR_ILLEGAL_ADDRESS]))]
#[case::copy_reads(|role: &Role, memory: Pointer| role.read(memory, 4).refused(&[]))]
#[case::copy_writes(|role: &Role, memory: Pointer| role.write(memory, vec![7; 4]).refused(&[]))]
#[case::other_call(|role: &Role, memory: Pointer| role.mem_get_address_range(memory).refused(&[]))]
#[conformance::test()]
fn succeeds(exporter: Role, #[case] use_it: fn(&Role, Pointer) -> Outcome) -> Outcome {
    use_it(&exporter, exporter.mem_alloc(4096)?)
}
