//! What a case observes does not identify the machine either, unless the run was started with `--identify`.

use conformance::{Outcome, Role, check, observe};
use rstest::rstest;

use crate::program::reference;
use crate::sample::exporter;
use crate::suite::{harness, run, suite};

const HOME: &str = "/home/alice-the-tester";
const UUID: &str = "5a1e0000-1111-2222-3333-444444444444";
const HOST: &str = "alices-node-7";
const DIGITS: &str = "5a1e0000111122223333444444444444";
/// Contents of memory with as many digits as a UUID.
const CONTENTS: &str = "00112233445566778899aabbccddeeff";

/// Observes and asks for what identifies a machine.
#[rstest]
#[conformance::test(needs(gpus = 1))]
fn a_case_sees_the_machine(exporter: Role) -> Outcome {
    observe("file", format!("{HOME}/driver/libcuda.so"));
    observe("contents", CONTENTS);
    observe("gpus", vec![format!("GPU-{UUID}"), format!("GPU-{DIGITS}"), UUID.to_owned()]);
    // As a list of devices may have it.
    observe("short", format!("GPU-{}", &UUID[..8]));
    // Otherwise the last lines of each run of these checks would show it.
    if std::env::var_os("HOME").is_some_and(|home| home == HOME) {
        conformance::disclose(&format!("{HOME}/secret of GPU-{UUID} can be read"));
    }
    let memory = exporter.mem_alloc(4096)?;
    exporter.memset_d8(memory, 7, 4)?;
    exporter.read(memory, 4)?;
    exporter.device_get_uuid(0).map(drop)
}

/// Without `--identify`, a report has neither the host, the home folder nor a UUID; with it, it has all of them, and the
/// host is called as `CONFORMANCE_HOST` says.
#[rstest]
#[case::asked_for(true)]
#[case::not_asked_for(false)]
#[conformance::test()]
fn a_case_identifies_no_machine(#[case] identify: bool) -> Outcome {
    let mut command = suite("reference")?;
    command.env("HOME", HOME).env("CONFORMANCE_HOST", HOST).args(["--exact", "identify::a_case_sees_the_machine"]);
    if identify {
        command.args(["--identify", "--kernel-log", "/dev/null"]);
    }
    let run = run(command)?;
    check!(run.output.status.success(), "{}{}", run.text(), run.errors());
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    let case = run.report()?.cases.pop().ok_or_else(|| harness("no case ran"))?;
    let step = case.steps.iter().find(|step| step.call.starts_with("device_get_uuid"));
    let answer = step.map(|step| step.answer.as_str()).unwrap_or_default();
    check!(answer.contains(|c: char| c.is_ascii_digit()) == identify && !answer.is_empty(), "{:?}", case.steps);
    // What memory contains is a list of bytes too.
    let step = case.steps.iter().find(|step| step.call.starts_with("read "));
    check!(step.is_some_and(|step| step.answer == "[7, 7, 7, 7]"), "{:?}", case.steps);
    for told in [HOST, "alice", "5a1e0000", DIGITS] {
        check!(text.contains(told) == identify, "{told}: {text}");
    }
    let host = run.report()?.run.identification.map(|machine| machine.host);
    check!(host.as_deref() == identify.then_some(HOST), "{host:?}");
    check!(identify || case.observations["file"] == "~/driver/libcuda.so", "{case:?}");
    // Digits without dashes can be contents of memory, which a report keeps.
    check!(case.observations["contents"] == CONTENTS, "{case:?}");
    check!(identify || case.disclosures == ["~/secret of GPU-… can be read"], "{case:?}");
    Ok(())
}

/// The home folder that `HOME` names is hidden wherever it is.
#[rstest]
#[conformance::test()]
fn a_home_folder_elsewhere_is_hidden() -> Outcome {
    let home = tempfile::tempdir().map_err(harness)?;
    let library = home.path().join("driver.so");
    std::os::unix::fs::symlink(reference()?, &library).map_err(harness)?;
    let mut command = suite(&library.to_string_lossy())?;
    command.env("HOME", home.path()).args(["--exact", "identify::a_case_sees_the_machine"]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}{}", run.text(), run.errors());
    let path = run.report()?.run.driver.given_path;
    check!(path.as_deref() == Some("~/driver.so"), "{path:?}");
    Ok(())
}

/// Home folders are hidden too if `HOME` is that of another user or unset, as with sudo and for a service.
#[rstest]
#[case::service(None)]
#[case::sudo(Some("/nonexistent"))]
#[case::slash(Some("/home/alice-the-tester/"))]
#[case::longer_name(Some("/home/alice"))]
#[conformance::test()]
fn a_home_folder_of_another_is_hidden(#[case] home: Option<&str>) -> Outcome {
    let mut command = suite("reference")?;
    command.envs(home.map(|home| ("HOME", home))).args(["--exact", "identify::a_case_sees_the_machine"]);
    let run = run(command)?;
    let text = std::fs::read_to_string(run.path()).map_err(harness)?;
    let case = run.report()?.cases.pop().ok_or_else(|| harness("no case ran"))?;
    check!(case.observations["file"] == "~/driver/libcuda.so" && !text.contains("alice"), "{text}");
    Ok(())
}
