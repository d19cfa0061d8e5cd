//! C programs agree with their cases, on a sound driver and on one with a fault.

use conformance::{
    Argument, Expect as _, MIB, MemHandle, Outcome, Placement, Pointer, Role, Stop, check, until_changed,
};
use rstest::rstest;

use crate::command::{conformance, finish};
use crate::program::{compiled, executed, reference};
use crate::sample::{exporter, importer};
use crate::suite::{harness, run, suite};

const SIZE: u64 = 2 * MIB;

/// Memory keeps its contents if an importer dies whose kernel, which starts late, writes beside it.
#[rstest]
#[conformance::test("PROC-004", needs(gpus = 1))]
fn memory_survives_a_late_kernel(exporter: Role, importer: Role) -> Outcome {
    const LATE: u64 = 300_000_000;
    const ENDLESS: u64 = 1 << 40;
    let counter = exporter.mem_alloc(SIZE)?;
    exporter.fill(counter.offset(4096), SIZE - 4096, 7)?;
    exporter.write(counter, vec![0; 4])?;
    let import = importer.ipc_open_mem_handle(exporter.ipc_get_mem_handle(counter)?)?;
    let stream = importer.stream_create()?;
    let launch = |kernel: &str, arguments: Vec<Argument>| importer.launch(kernel.into(), arguments, stream);
    // The kernel is loaded before, because loading waits for other kernels.
    launch("add", vec![import.into(), 0_u32.into(), 1_u64.into()])?;
    importer.stream_synchronize(stream)?;
    launch("spin", vec![LATE.into()])?;
    launch("add", vec![import.into(), 1_u32.into(), ENDLESS.into()])?;
    until_changed("the importer's kernel did not start", &vec![0; 4], || exporter.read(counter, 4))?;
    importer.kill()?;
    let kept = is_kept(&exporter, counter);
    // No other case may use this process.
    exporter.kill()?;
    kept
}

fn is_kept(exporter: &Role, counter: Pointer) -> Outcome {
    exporter.ctx_synchronize()?;
    check!(exporter.mismatches(counter.offset(4096), SIZE - 4096, 7)? == 0);
    check!(exporter.read(counter, 4)? != [0; 4]);
    Ok(())
}

/// A process that has used the driver exits in order.
#[rstest]
#[conformance::test("PROC-003", needs(gpus = 2))]
fn a_process_exits(exporter: Role) -> Outcome {
    Role::new("other", Placement::device(1))?.ctx_synchronize()?;
    exporter.mem_alloc(MIB)?;
    exporter.exit()
}

/// Runs a case with a fault and reports it. Returns what the command prints.
fn reported(case: &str, fault: &str, folder: &std::path::Path) -> Result<String, Stop> {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_FAULT", fault).args(["--seed", "1", "--reruns", "0", "--exact", case]);
    let run = run(command)?;
    let mut command = conformance(&["report", "--runs", "1"])?;
    command.env("REFERENCE_DRIVER_FAULT", fault).arg(run.path()).arg("--output").arg(folder);
    let (code, text, errors) = finish(command)?;
    check!(code == Some(0), "{code:?}: {errors}");
    Ok(text)
}

/// A stale handle shows nothing of newer memory at its address.
#[rstest]
#[conformance::test("IPCMEM-OPEN-017", needs(gpus = 1))]
fn a_stale_handle_shows_nothing_new(exporter: Role, importer: Role) -> Outcome {
    let buffer = exporter.mem_alloc(SIZE)?;
    let stale = exporter.ipc_get_mem_handle(buffer)?;
    exporter.mem_free(buffer)?;
    let newer = exporter.mem_alloc(SIZE)?;
    exporter.memset_d8(newer, 0x5a, SIZE)?;
    exporter.ctx_synchronize()?;
    let hidden = hides(&importer, stale);
    importer.kill()?;
    exporter.kill()?;
    hidden
}

fn hides(importer: &Role, stale: MemHandle) -> Outcome {
    let Some(import) = importer.ipc_open_mem_handle(stale).recorded("open")? else { return Ok(()) };
    let Some(others) = importer.other_bytes(import, SIZE, 0x5a).recorded("read")? else { return Ok(()) };
    let checked = || {
        check!(others >= SIZE / 2);
        Ok(())
    };
    checked().map_err(|_: Stop| Stop::disclosed("a stale handle shows newer memory"))
}

/// Lets the work go on that waits for a flag, as a case does in which something fails while it waits.
struct Held(Role, Pointer);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.set_host_flag(self.1, 1);
    }
}

/// An importer records an event behind work that is pending.
#[rstest]
#[conformance::test("IPCEVT-020", needs(gpus = 1))]
fn an_importer_records_behind_work(exporter: Role, importer: Role) -> Outcome {
    // Without timing, for other processes.
    let event = exporter.event_create(6)?;
    let imported = importer.ipc_open_event_handle(exporter.ipc_get_event_handle(event)?)?;
    let held = Held(importer.clone(), importer.mem_host_alloc(4096, 0)?);
    importer.set_host_flag(held.1, 0)?;
    importer.event_record(imported, importer.stream_create()?)
}

const BEHIND: (&str, &str) = ("an_importer_records_behind_work", "record-import-is-refused");
const LATE_KERNEL: (&str, &str) = ("memory_survives_a_late_kernel", "importer-death-clears-the-memory");
const STALE: (&str, &str) = ("a_stale_handle_shows_nothing_new", "open-shows-newer-memory");
const EXIT: (&str, &str) = ("a_process_exits", "exit-aborts");

/// A program shows the fault that its case fails with, and exits with 0 on a sound driver. It repeats a read as the case
/// does, sees how a process exits, and says what it expected and what it found.
#[rstest]
#[case::waits_for_a_kernel(LATE_KERNEL, "wrong_words1 is 523264, expected 0\n")]
#[case::disclosure(STALE, ": a stale handle shows newer memory: other_bytes1 is 0, expected at least 1048576\n")]
#[case::while_work_is_pending(
    BEHIND,
    "importer: cuEventRecord(event2, stream1) returned CUDA_ERROR_INVALID_HANDLE (400), expected CUDA_SUCCESS\n"
)]
#[case::crash_at_the_exit(EXIT, "exporter: killed by signal 6 (Aborted) in exit\n")]
#[conformance::test()]
fn a_program_shows_what_its_case_finds(#[case] (case, fault): (&str, &str), #[case] line: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let printed = reported(&format!("agreement::{case}"), fault, folder.path())?;
    let source = folder.path().join(format!("agreement-{case}.c"));
    check!(source.exists(), "{printed}");
    let program = compiled(&source)?;
    let (code, text) = executed(&program, &reference()?, Some(fault))?;
    check!(code == Some(1) && text.ends_with(line), "{code:?}: {text}");
    let (code, text) = executed(&program, &reference()?, None)?;
    check!(code == Some(0), "{code:?}: {text}");
    Ok(())
}

/// A page marks the step whose result is wrong, names addresses, and explains the helpers of the suite. It says where
/// processes run, and not that the case killed them after the failure.
#[rstest]
#[case::check(LATE_KERNEL, &[
    "→ `523264` **← here: expected 0**\n\nFunctions of the suite, not of CUDA:\n",
    "`cuLaunchKernel(entry: \"add\", arguments: [pointer B, 1, 1099511627776], stream: stream A)`",
    "`mismatches(pointer: pointer A + 4096, size: 2093056, seed: 7)`",
    ", repeated until the answer changes, to step ",
    "- `mismatches`: Counts the words of a range that differ from the pattern of a seed, with a kernel.\n",
    "- kernel `spin`: ",
])]
#[case::disclosure(STALE, &["→ `0` **← the disclosure: expected at least 1048576**\n\nFunctions of the suite", "- `other_bytes`: "])]
#[case::exit(EXIT, &["## Steps\n\n- other runs on GPU 1\n\n1. other: ", "\nexporter exits, ← here: killed by signal 6 (SIGABRT).\n"])]
#[conformance::test()]
fn a_page_marks_what_is_wrong(#[case] (case, fault): (&str, &str), #[case] parts: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    reported(&format!("agreement::{case}"), fault, folder.path())?;
    let page = std::fs::read_to_string(folder.path().join(format!("agreement-{case}.md"))).map_err(harness)?;
    for part in parts {
        check!(page.contains(part), "{part} is not in {page}");
    }
    Ok(())
}
