//! The scripts of `docs/fleet`, with stand-ins for the programs that they start.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::report::Report;
use conformance::{Outcome, Stop, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::command::{conformance, finish};
use crate::night::DISCLOSES;
use crate::suite::harness;

/// Returns a script of `docs/fleet`, or nothing to check where the sources are not beside this program.
fn script(name: &str) -> Result<String, Stop> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet").join(name);
    match path.is_file() {
        true => Ok(path.to_string_lossy().into_owned()),
        false => Err(Stop::Unsupported("docs/fleet is not in this checkout".to_owned())),
    }
}

/// Writes an executable script.
fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(harness)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(harness)
}

/// `by-ssh` asks each host of the file once, whatever blanks, comments and line ends the file has, and a red host makes it
/// red.
#[rstest]
#[case::no_final_newline("good\nred", 1, &["good", "red"])]
#[case::blank_lines("\ngood\n\n  \nred\n\n", 1, &["good", "red"])]
#[case::blanks_around("good \n\tred\t\r\n", 1, &["good", "red"])]
#[case::comments("# rack 1\ngood # spare\nred\n", 1, &["good", "red"])]
#[case::twice("good\ngood\n", 0, &["good"])]
#[case::no_host("# rack 1\n", 2, &[])]
#[conformance::test()]
fn each_host_of_the_file_is_asked(#[case] hosts: &str, #[case] code: i32, #[case] asked: &[&str]) -> Outcome {
    const SSH: &str = "#!/bin/sh\nhost=$6\ncase $7 in *gate.sh) ;; *) exit 1 ;; esac\n\
                       echo \"$host\" >>\"$ASKED\"\necho told\n[ \"$host\" = good ]\n";
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = |name: &str| folder.path().join(name);
    write(&path("ssh"), SSH)?;
    write(&path("conformance"), "#!/bin/sh\n")?;
    std::fs::write(path("hosts"), hosts).map_err(harness)?;
    let programs = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(script("by-ssh")?);
    command.arg(path("hosts")).env("PATH", programs).env("ASKED", path("asked")).current_dir(folder.path());
    let (found, printed, errors) = finish(command)?;
    let text = std::fs::read_to_string(path("asked")).unwrap_or_default();
    let mut told: Vec<_> = text.lines().collect();
    told.sort_unstable();
    check!(found == Some(code) && told == asked, "{found:?}, asked {told:?}: {printed}{errors}");
    check!(!errors.contains("No such file"), "{errors}");
    check!(asked.iter().all(|host| printed.contains(&format!("{host}: "))), "{printed}{errors}");
    Ok(())
}

/// A host whose gate runs the small suite of `night` on the reference driver.
struct Host {
    folder: TempDir,
}

impl Host {
    fn new() -> Result<Self, Stop> {
        Ok(Self { folder: tempfile::tempdir().map_err(harness)? })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("node-1").join(name)
    }

    /// Runs the gate; returns its exit code and the last line that it prints.
    fn gate(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Result<(Option<i32>, String), Stop> {
        let mut command = conformance(&[])?;
        let program = command.get_program().to_owned();
        let shell = std::mem::replace(&mut command, crate::suite::without_settings(Path::new("bash")));
        command.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.arg("-c").arg("exec \"$0\" \"$@\" 2>&1").arg(script("gate.sh")?).args(arguments);
        command.env("GATE_CONFORMANCE", program).env("GATE_REPORTS", self.folder.path()).env("GATE_HOST", "node-1");
        command.env("GATE_DRIVER", "reference").env("GATE_FLAGS", "--seed 1").env("GATE_DIFF_FLAGS", "--no-time");
        command.env("GATE_FLEET", "no").env("CONFORMANCE_PLANTED", "night::").envs(environment.iter().copied());
        let (code, printed, _) = finish(command)?;
        Ok((code, printed.lines().last().unwrap_or_default().to_owned()))
    }
}

/// The last line of a gate whose driver does not load says why no case can run.
#[rstest]
#[conformance::test()]
fn a_host_without_a_driver_says_why() -> Outcome {
    let (code, said) = Host::new()?.gate(&[], &[("GATE_DRIVER", "/nonexistent/libcuda.so")])?;
    let is_told = said.starts_with("gate: node-1: no case can run: driver: ") && said.contains("/nonexistent/");
    check!(code == Some(2) && is_told, "{code:?}: {said}");
    Ok(())
}

/// It says so too if the driver loads and finds no GPU.
#[rstest]
#[conformance::test()]
fn a_host_without_a_gpu_says_why() -> Outcome {
    let (code, said) = Host::new()?.gate(&[], &[("REFERENCE_DRIVER_DEVICES", "0")])?;
    let is_told = said.starts_with("gate: node-1: no case can run: driver: reference ");
    check!(code == Some(2) && is_told && said.ends_with(": cuInit returned CUDA_ERROR_NO_DEVICE (100)"), "{said}");
    Ok(())
}

/// `--accept` before the first night says that there is no night, and the nights after it are compared as usual.
#[rstest]
#[case::a_new_host(false)]
#[case::a_host_whose_good_night_is_the_folder(true)]
#[conformance::test()]
fn there_is_no_night_to_accept(#[case] is_broken: bool) -> Outcome {
    let host = Host::new()?;
    let (code, said) = host.gate(&["--accept"], &[])?;
    check!(
        code == Some(2) && said == "gate: node-1: there is no night to accept; ./gate.sh runs one",
        "{code:?} {said}"
    );
    if is_broken {
        std::os::unix::fs::symlink("nights/", host.path("good")).map_err(harness)?;
    }
    let (code, said) = host.gate(&[], &[])?;
    check!(code == Some(0) && said.contains(" 6 pass, "), "{code:?}: {said}");
    let (code, said) = host.gate(&[], &[])?;
    check!(code == Some(0) && said.starts_with("No documented rule broke"), "{code:?}: {said}");
    Ok(())
}

/// A gate whose run selects no case says so and why, and does not promise to go on with it.
#[rstest]
#[case::wrong_flags("--nonsense", "no case ran, because the flags of the run are invalid; correct GATE_FLAGS, ")]
#[case::no_case("no_such_case", "no case ran: no case matches `no_such_case`")]
#[conformance::test()]
fn a_run_without_cases_says_why(#[case] flags: &str, #[case] says: &str) -> Outcome {
    let host = Host::new()?;
    let (code, said) = host.gate(&[], &[("GATE_FLAGS", flags)])?;
    check!(
        code == Some(2) && said.starts_with(&format!("gate: node-1: {says}")) && said.contains("; correct "),
        "{code:?}: {said}"
    );
    let (code, said) = host.gate(&[], &[])?;
    check!(code == Some(0), "{code:?}: {said}");
    Ok(())
}

/// The first red night names what went wrong and the rule, as there is no good night to compare it with.
#[rstest]
#[conformance::test()]
fn the_first_red_night_names_the_rule() -> Outcome {
    let (code, said) = Host::new()?.gate(&[], &[("REFERENCE_DRIVER_FAULT", "close-clears-the-last-byte")])?;
    let told = ["fails: corruption, exporter read 1 wrong word", ", and 9 of 9 runs failed) (IPCMEM-CLOSE-011)"];
    check!(code == Some(1) && told.iter().all(|part| said.contains(part)), "{code:?}: {said}");
    Ok(())
}

/// A report of the gate names the host as the gate does, also in a container whose node name is that of a pod.
#[rstest]
#[conformance::test()]
fn a_night_names_the_host_of_the_gate() -> Outcome {
    let host = Host::new()?;
    check!(host.gate(&[], &[])?.0 == Some(0));
    let report = Report::read(&host.path("good")).map_err(harness)?;
    let name = report.run.identification.map(|machine| machine.host);
    check!(name.as_deref() == Some("node-1"), "{name:?}");
    Ok(())
}

/// The fault with which four cases fail in each of three runs.
const FAULT: (&str, &str) = ("REFERENCE_DRIVER_FAULT", "close-clears-the-last-byte");

/// A disclosure that nobody accepted stays red, also after a night that could not show it.
#[rstest]
#[conformance::test()]
fn a_night_that_cannot_show_a_disclosure_accepts_none() -> Outcome {
    let host = Host::new()?;
    let discloses = (DISCLOSES, "1");
    let one_gpu = ("REFERENCE_DRIVER_DEVICES", "1");
    let nights = [(None, 0), (Some(discloses), 1), (Some(one_gpu), 0), (Some(discloses), 1), (Some(discloses), 1)];
    for (night, (environment, code)) in nights.into_iter().enumerate() {
        let (found, said) = host.gate(&[], environment.as_slice())?;
        check!(found == Some(code), "night {night}: {found:?}: {said}");
        check!(code == 0 || said.contains("disclos"), "night {night}: {said}");
    }
    let (code, said) = host.gate(&["--accept"], &[])?;
    let is_told = said.starts_with("gate: node-1: the night 20") && said.ends_with(" is the good one now");
    check!(code == Some(0) && is_told, "{code:?}: {said}");
    let (code, said) = host.gate(&[], &[discloses])?;
    check!(code == Some(0), "{code:?}: {said}");
    Ok(())
}

/// A night that checks less than the good one is green, and does not become the good one.
#[rstest]
#[case::filter(("GATE_FLAGS", "--seed 1 night::both_gpus_are_found"))]
#[case::one_gpu(("REFERENCE_DRIVER_DEVICES", "1"))]
#[conformance::test()]
fn a_night_that_checks_less_is_not_the_good_one(#[case] less: (&str, &str)) -> Outcome {
    let host = Host::new()?;
    check!(host.gate(&[], &[])?.0 == Some(0));
    let good = || std::fs::read_link(host.path("good")).map_err(harness);
    let first = good()?;
    let (code, said) = host.gate(&[], &[less])?;
    check!(code == Some(0) && said.contains(" no longer checked: ") && good()? == first, "{code:?}: {said}");
    // The next whole night is compared with the good one, and becomes the good one.
    let (code, said) = host.gate(&[], &[])?;
    check!(code == Some(0) && said.starts_with("No documented rule broke"), "{code:?}: {said}");
    check!(good()? != first, "{said}");
    Ok(())
}

/// An accepted failure is compared with the accepted night until it is gone: its share of failed runs cannot rise a little
/// every night.
#[rstest]
#[conformance::test()]
fn an_accepted_failure_cannot_worsen_step_by_step() -> Outcome {
    let host = Host::new()?;
    check!(host.gate(&[], &[FAULT])?.0 == Some(1));
    check!(host.gate(&["--accept"], &[])?.0 == Some(0));
    let accepted = std::fs::read_link(host.path("good")).map_err(harness)?;
    let good = std::fs::read_to_string(host.path("good")).map_err(harness)?;
    let nights = [(2, &[FAULT][..], 0, true), (1, &[FAULT][..], 1, true), (2, &[][..], 0, false)];
    // The accepted night failed in some of three runs.
    for (failed, environment, code, is_kept) in nights {
        let altered = good.replace("\"runs\":{\"failed\":3", &format!("\"runs\":{{\"failed\":{failed}"));
        check!(altered != good, "{good}");
        std::fs::write(host.path("good"), altered).map_err(harness)?;
        let (found, said) = host.gate(&[], environment)?;
        check!(found == Some(code), "{failed} of 3: {found:?}: {said}");
        let is_good = std::fs::read_link(host.path("good")).map_err(harness)? == accepted;
        check!(is_good == is_kept, "{failed} of 3, the accepted night is the good one: {is_good}: {said}");
    }
    Ok(())
}

/// An accepted failure that was gone in a green night is red when it comes back, although the accepted night has it.
#[rstest]
#[conformance::test()]
fn an_accepted_failure_that_was_gone_is_new() -> Outcome {
    let host = Host::new()?;
    check!(host.gate(&[], &[FAULT])?.0 == Some(1));
    check!(host.gate(&["--accept"], &[])?.0 == Some(0));
    check!(host.gate(&[], &[FAULT])?.0 == Some(0));
    let night = std::fs::canonicalize(host.path("green")).map_err(harness)?;
    let failed = std::fs::read_to_string(&night).map_err(harness)?;
    let gone = failed.replace("\"verdict\":\"fail\"", "\"verdict\":\"pass\"");
    check!(gone != failed, "{failed}");
    std::fs::write(night, gone).map_err(harness)?;
    let (code, said) = host.gate(&[], &[FAULT])?;
    check!(code == Some(1) && said.starts_with("1 documented rule broke"), "{code:?}: {said}");
    check!(host.gate(&["--accept"], &[])?.0 == Some(0));
    let (code, said) = host.gate(&[], &[FAULT])?;
    check!(code == Some(0), "{code:?}: {said}");
    Ok(())
}
