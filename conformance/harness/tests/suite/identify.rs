//! `--identify`: what a report says of its machine, with it and without it.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use conformance::{Outcome, check};
use rstest::rstest;

use crate::suite::{harness, run, suite};

/// What the stand-in for `nvidia-smi` prints.
const BOARD: &str = "00000000:18:00.0, GPU-5a1e0000-0000-0000-0000-000000000000, 96.00.99.00.01, Completed";

/// Gives a command a host name that no other text contains, in a namespace of its own. Returns the command and the host
/// name; this machine's name if it allows no namespaces.
fn renamed(command: Command) -> (Command, String) {
    const NAME: &str = "planted-host-of-the-test";
    let namespace = || {
        let mut namespace = Command::new("unshare");
        namespace.args(["--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\"", NAME]);
        namespace
    };
    if !namespace().arg("true").output().is_ok_and(|output| output.status.success()) {
        return (command, rustix::system::uname().nodename().to_string_lossy().into_owned());
    }
    let mut renamed = namespace();
    renamed.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => renamed.env(name, value),
            None => renamed.env_remove(name),
        };
    }
    (renamed, NAME.to_owned())
}

/// With `--identify`, a report names host, image and GPUs, and each case has the Xid messages that came while it ran.
/// Without it, neither the host nor a UUID is anywhere in the file.
#[rstest]
#[case::asked_for(true)]
#[case::not_asked_for(false)]
#[conformance::test()]
fn only_identify_identifies(#[case] identify: bool) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let program = folder.path().join("nvidia-smi");
    std::fs::write(&program, format!("#!/bin/sh\necho '{BOARD}'\n")).map_err(harness)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).map_err(harness)?;
    let log = folder.path().join("kernel.log");
    std::fs::write(&log, "NVRM: Xid (PCI:0000:18:00): 31, before the run\n").map_err(harness)?;
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = suite("reference")?;
    command
        .env("CONFORMANCE_PLANTED", "1")
        .env("CONFORMANCE_KERNEL_LOG", &log)
        .env("CONFORMANCE_IMAGE", "registry/image:1")
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env("NVIDIA_VISIBLE_DEVICES", "GPU-5a1e0000,1")
        .args(["--exact", "planted::xid"]);
    if identify {
        command.arg("--identify");
    }
    let (command, host) = renamed(command);
    let run = run(command)?;
    let report = run.report()?;
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let xid = "Xid (PCI:0000:18:00): 79, GPU has fallen off the bus.".to_owned();
    check!(case.xids == if identify { vec![xid] } else { Vec::new() }, "{case:?}");
    if !identify {
        check!(report.run.identification.is_none(), "{text}");
        let uuids: Vec<_> = report.run.devices.iter().filter(|device| !device.uuid.is_empty()).collect();
        // A short name of a machine without namespaces, such as `gpu`, can be a part of another word.
        const SHORTEST: usize = 6;
        check!(host.len() < SHORTEST || !text.contains(&host), "the report contains the host name {host}");
        check!(uuids.is_empty() && !text.contains("GPU-5a1e") && !text.contains("registry/image:1"), "{text}");
        return Ok(());
    }
    let machine = report.run.identification.ok_or_else(|| harness("the report identifies no machine"))?;
    check!(machine.host == host && machine.image.as_deref() == Some("registry/image:1"), "{machine:?}");
    let boards: Vec<_> = machine
        .boards
        .iter()
        .map(|board| [&*board.bus, &*board.uuid, &*board.vbios, &*board.fabric].join(", "))
        .collect();
    check!(boards == [BOARD], "{machine:?}");
    check!(report.run.devices.iter().all(|device| !device.uuid.is_empty()), "{text}");
    Ok(())
}

/// A kernel log that cannot be read is a warning, and the run goes on.
#[rstest]
#[conformance::test()]
fn a_kernel_log_that_cannot_be_read_is_a_warning() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--identify", "--kernel-log", "/no/such/log", "--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}", run.errors());
    check!(run.errors().contains("warning: /no/such/log: No such file"), "{}", run.errors());
    Ok(())
}

/// Under cargo, a relative path starts at the folder of the shell, although cargo starts a suite in its package.
#[rstest]
#[conformance::test()]
fn a_kernel_log_is_in_the_folder_of_the_shell() -> Outcome {
    let [shell, package] = [tempfile::tempdir().map_err(harness)?, tempfile::tempdir().map_err(harness)?];
    std::fs::write(shell.path().join("kernel.log"), "").map_err(harness)?;
    let package = std::fs::canonicalize(package.path()).map_err(harness)?;
    let mut command = suite("reference")?;
    command.current_dir(&package).env("CARGO_MANIFEST_DIR", &package).env("PWD", shell.path());
    command.args(["--identify", "--kernel-log", "kernel.log", "--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    check!(run.output.status.success() && !run.errors().contains("kernel.log"), "{}", run.errors());
    Ok(())
}

/// Without `--identify`, a report keeps of an environment variable only the name, unless its value says how the driver
/// behaves. A file that a flag or a variable names is not in it, not even without its folder.
#[rstest]
#[conformance::test()]
fn a_report_keeps_no_path_and_no_secret() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let cases = folder.path().join("alice").join("node7.txt");
    std::fs::create_dir(folder.path().join("alice")).map_err(harness)?;
    std::fs::write(&cases, "sample::null_is_refused\n").map_err(harness)?;
    let mut command = suite("reference")?;
    command.arg("--cases").arg(&cases);
    command.env("NVIDIA_SECRET_TOKEN", "hunter2").env("CUDA_CACHE_PATH", "/home/alice/.nv/cache");
    command.env("CONFORMANCE_RECORDS", folder.path().join("alice")).env("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    command.env("CONFORMANCE_SUITE", "suite-of-node7").env("NAME_OF_ALICE", "1");
    let run = run(command)?;
    let report = std::fs::read_to_string(run.path()).map_err(harness)?;
    for kept in ["NVIDIA_SECRET_TOKEN", "CUDA_CACHE_PATH", "PCI_BUS_ID", "--cases a file"] {
        check!(report.contains(kept), "{kept} is not in {report}");
    }
    // Of a variable that is neither the driver's nor the suite's, not even the name is in it.
    for told in ["hunter2", "alice", "node7", "NAME_OF_ALICE"] {
        check!(!report.contains(told), "{told} is in {report}");
    }
    Ok(())
}

/// The name of the report whose cases run again can name a host. Only a report that identifies its machine has it.
#[rstest]
#[case::asked_for(&["--identify"], "--from node7.jsonl with --budget 1h")]
#[case::not_asked_for(&[], "--from a report with --budget 1h")]
#[conformance::test()]
fn only_identify_names_the_report_that_runs_again(#[case] flags: &[&str], #[case] selection: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let before = folder.path().join("node7.jsonl");
    let case = ["--exact", "planted::fail"];
    let first = suite("reference")?.env("CONFORMANCE_PLANTED", "1").args(case).arg("--report").arg(&before).output();
    check!(first.map_err(harness)?.status.code() == Some(101));
    let mut again = suite("reference")?;
    again.env("CONFORMANCE_PLANTED", "1").args(flags).args(["--budget", "1h", "--from"]).arg(&before);
    let run = run(again)?;
    let report = run.report()?;
    check!(report.run.selection.as_deref() == Some(selection), "{:?}", report.run.selection);
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    check!(text.contains("node7") == !flags.is_empty(), "{text}");
    Ok(())
}

/// A list of deviations can be called like a host. Only a report that identifies its machine has it among the flags of a
/// failure. The other flags stay.
#[rstest]
#[case::asked_for(&["--identify"], &["--gpus", "0"], true)]
#[case::not_asked_for(&[], &["--gpus", "0"], false)]
#[case::as_the_first_flag(&[], &[], false)]
#[conformance::test()]
fn only_identify_names_the_list_of_deviations(
    #[case] flags: &[&str],
    #[case] gpus: &[&str],
    #[case] is_named: bool,
) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let list = folder.path().join("node7.toml");
    std::fs::write(&list, "").map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CONFORMANCE_PLANTED", "1").args(gpus).args(["--deadline", "7", "--deviations"]).arg(&list);
    command.args(flags).args(["--exact", "planted::fail"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness("no case ran"))?;
    let named = ["--deviations".to_owned(), list.display().to_string()];
    let expected = [
        gpus.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>(),
        if is_named { named.to_vec() } else { Vec::new() },
        ["--deadline", "7"].map(str::to_owned).to_vec(),
    ];
    check!(case.flags == expected.concat(), "{:?}", case.flags);
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    check!(text.contains("node7") == is_named, "{text}");
    Ok(())
}

/// Who starts MPS chooses its folder, and who simulates a machine its name. Only a report that identifies its machine has
/// them.
#[rstest]
#[case::asked_for(&["--identify", "--kernel-log", "/dev/null"])]
#[case::not_asked_for(&[])]
#[conformance::test()]
fn a_report_keeps_no_name_that_a_user_chose(#[case] flags: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let pipes = folder.path().join("mps-of-alice");
    std::fs::create_dir(&pipes).map_err(harness)?;
    std::fs::write(pipes.join("control"), "").map_err(harness)?;
    let mut command = suite("reference")?;
    command.env("CUDA_MPS_PIPE_DIRECTORY", &pipes).env("REFERENCE_DRIVER_MACHINE", "machine-of-alice");
    command.args(flags).args(["--exact", "sample::null_is_refused"]);
    let run = run(command)?;
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    let environment = run.report()?.run.environment.ok_or_else(|| harness("no environment was recorded"))?;
    let is_named = !flags.is_empty();
    check!(
        environment.mps.is_some_and(|mps| mps == if is_named { pipes.to_string_lossy() } else { "…".into() }),
        "{text}"
    );
    check!(text.contains("mps-of-alice") == is_named && text.contains("machine-of-alice") == is_named, "{text}");
    Ok(())
}
