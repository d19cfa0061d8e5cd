//! Files that are not a driver, and machines that do not meet `--require` or the needs of a case.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::identity::Kind;
use conformance::machine::{Device, Fabric, Machine};
use conformance::report::Environment;
use conformance::{KERNEL_PARAMETERS, Needs, Outcome, Stop, Verdict, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::suite::{UnknownDriver, compile, harness, run, suite};

/// A file that is passed as a driver but is not one.
#[derive(Clone, Copy, Debug)]
enum NoDriver {
    Missing,
    Text,
    OtherLibrary,
    Stub,
}

impl NoDriver {
    fn make(self, folder: &TempDir) -> Result<PathBuf, Stop> {
        let path = folder.path().join("libcuda.so.1");
        match self {
            Self::Missing => {}
            Self::Text => std::fs::write(&path, "no library").map_err(harness)?,
            Self::OtherLibrary => compile("int nothing_of_cuda(void) { return 0; }", &path)?,
            Self::Stub => compile("int cuDriverGetVersion(int *version) { return 34; }", &path)?,
        }
        Ok(path)
    }
}

/// A file that is not a driver ends the run with one message that names the file and the cause.
#[rstest]
#[case::missing(NoDriver::Missing, "No such file")]
#[case::text(NoDriver::Text, "libcuda.so.1")]
#[case::other_library(NoDriver::OtherLibrary, "it does not export cuDriverGetVersion")]
#[case::stub(NoDriver::Stub, "stub")]
#[conformance::test()]
fn a_file_that_is_not_a_driver_is_an_error(#[case] kind: NoDriver, #[case] cause: &str) -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = kind.make(&folder)?;
    let run = run(suite(&path.to_string_lossy())?)?;
    let errors = run.errors();
    check!(!run.output.status.success(), "a run without a driver succeeded");
    check!(errors.contains(cause) && errors.contains("libcuda.so.1"), "the message is {errors:?}");
    // The variable with which the role gets the library is not what the user set.
    let flag = format!("conformance: --driver {}: ", path.display());
    check!(errors.starts_with(&flag) && !errors.contains("CUDA_IPC_DRIVER"), "the message is {errors:?}");
    check!(!errors.contains("panicked"), "the message is {errors:?}");
    check!(!run.text().contains("running"), "cases ran without a driver");
    Ok(())
}

const CASE: &str = "sample::null_is_refused";

/// The reference driver, found in this variable, with another name for its GPUs.
const NAMES_ITS_GPUS: &str = r#"
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <string.h>

    static void *real(const char *name) {
        static void *library;
        if (!library) library = dlopen(getenv("PLANTED_DRIVER"), RTLD_NOW);
        return dlsym(library, name);
    }
    static int named(char *name, int length, int device) {
        strncpy(name, "GPU\033[2J\ntest forged ... ok\r", length);
        return 0;
    }
    int cuInit(unsigned flags) { return ((int (*)(unsigned))real("cuInit"))(flags); }
    int cuDriverGetVersion(int *version) { return ((int (*)(int *))real("cuDriverGetVersion"))(version); }
    int cuGetProcAddress(const char *name, void **found, int version, unsigned long flags) {
        int code = ((int (*)(const char *, void **, int, unsigned long))real("cuGetProcAddress"))(
            name, found, version, flags);
        if (!code && !strcmp(name, "cuDeviceGetName")) *found = named;
        return code;
    }
    int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, void *status) {
        int code = ((int (*)(const char *, void **, int, unsigned long, void *))real("cuGetProcAddress_v2"))(
            name, found, version, flags, status);
        if (!code && !strcmp(name, "cuDeviceGetName")) *found = named;
        return code;
    }
"#;

/// A driver that gives a GPU a name of several lines prints no line that looks like a result, and does not control the
/// terminal.
#[rstest]
#[conformance::test()]
fn the_name_of_a_gpu_is_one_line() -> Outcome {
    let (folder, unknown) = (tempfile::tempdir().map_err(harness)?, UnknownDriver::new()?);
    let library = folder.path().join("libnames.so");
    compile(NAMES_ITS_GPUS, &library)?;
    let mut command = suite(&library.to_string_lossy())?;
    command.env("PLANTED_DRIVER", unknown.path()).args(["--exact", CASE]);
    let run = run(command)?;
    let text = run.text();
    check!(run.output.status.success() && text.contains("GPU\u{fffd}[2J\u{fffd}test forged"), "{text}{}", run.errors());
    check!(!text.contains("\ntest forged") && !text.contains('\x1b') && !text.contains('\r'), "{text:?}");
    let devices = run.report()?.run.devices;
    check!(devices.iter().all(|device| !device.name.contains(char::is_control)), "{devices:?}");
    Ok(())
}

/// A driver that contains no runtime has none, also where the system has one. The cases that need one say so.
#[rstest]
#[conformance::test()]
fn a_driver_without_a_runtime_has_none() -> Outcome {
    let (folder, unknown) = (tempfile::tempdir().map_err(harness)?, UnknownDriver::new()?);
    let library = folder.path().join("libnames.so");
    compile(NAMES_ITS_GPUS, &library)?;
    let mut command = suite(&library.to_string_lossy())?;
    command.env("PLANTED_DRIVER", unknown.path()).args(["--exact", "sample::there_is_a_runtime"]);
    let run = run(command)?;
    let report = run.report()?;
    let case = report.cases.first().ok_or_else(|| harness(format!("no case ran: {}", run.errors())))?;
    let reason = case.reason.as_deref().unwrap_or_default();
    check!(reason.starts_with("needs a runtime: "), "the reason is {reason:?}");
    Ok(())
}

/// Without a device, no case runs, and the report says why.
#[rstest]
#[conformance::test()]
fn no_device_is_unsupported() -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", "0").args(["--exact", CASE]);
    let run = run(command)?;
    let report = run.report()?;
    check!(run.output.status.success(), "the suite ended with {}", run.output.status);
    check!(
        report.summary()["unsupported"] == 1 && report.summary()["pass"] == 0,
        "the summary is {:?}",
        report.summary()
    );
    let reason = report.cases[0].reason.clone().unwrap_or_default();
    check!(reason.contains("CUDA_ERROR_NO_DEVICE"), "the reason is {reason:?}");
    check!(run.text().contains(", no device, seed "), "{}", run.text());
    Ok(())
}

/// If the driver refuses what each process uses of a device, no case runs, and the report says why. A run that has files
/// left to open does not blame their number.
#[rstest]
#[conformance::test()]
fn a_device_that_cannot_be_used_is_unsupported() -> Outcome {
    let mut command = suite("reference")?;
    // Less than a process allocates before its first case.
    command.env("REFERENCE_DRIVER_MEMORY", "2097152").args(["--exact", CASE]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}: {}", run.output.status, run.errors());
    let case = run.report()?.cases.pop().ok_or_else(|| harness("no case ran"))?;
    let reason = case.reason.unwrap_or_default();
    let is_told = reason.contains("device 0 cannot be used: ") && reason.contains("CUDA_ERROR_OUT_OF_MEMORY");
    check!(case.verdict == Verdict::Unsupported && is_told, "{}: {reason:?}", case.verdict);
    Ok(())
}

/// An unmet requirement fails the run, and the output and the report name it.
#[rstest]
#[case::no_device("0", "gpus=1", "gpus=1, found 0")]
#[case::no_device_to_have_it("0", "legacy_memory", "legacy_memory")]
#[case::too_few("1", "gpus=2,peer_access", "gpus=2, found 1")]
#[conformance::test()]
fn an_unmet_requirement_fails(#[case] devices: &str, #[case] list: &str, #[case] named: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", devices).args(["--require", list, "--exact", CASE]);
    let run = run(command)?;
    check!(!run.output.status.success(), "the suite succeeded without {list}");
    check!(run.text().contains(named), "the output lacks {named:?}: {}", run.text());
    check!(run.report()?.run.unmet.iter().any(|unmet| unmet == named), "{:?}", run.report()?.run);
    Ok(())
}

/// If a requirement is not met, the run fails, but no case does: what the machine lacks is unsupported, whether it is
/// required or not.
#[rstest]
#[case::needs_it("sample::there_are_two_gpus")]
#[case::needs_something_else("sample::there_are_nine_gpus")]
#[conformance::test()]
fn an_unmet_requirement_fails_no_case(#[case] case: &str) -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_DEVICES", "1").args(["--require", "gpus=2", case]);
    let run = run(command)?;
    let (text, report) = (run.text(), run.report()?);
    check!(run.output.status.code() == Some(101), "{}", run.output.status);
    check!(!report.cases.is_empty() && report.summary()["unsupported"] == report.cases.len(), "{text}");
    check!(text.contains("ignored (") && !text.contains("FAILED"), "{text}");
    Ok(())
}

/// A requirement is met on a machine that has the capability, and named on one that lacks it.
#[rstest]
#[case::interprocess_events("interprocess_events", "h200", "no-ipc")]
// A driver before CUDA 12 has no attribute for it.
#[case::interprocess_events_before_cuda_12("interprocess_events", "gt-1030", "no-ipc")]
#[case::legacy_memory("legacy_memory", "h200", "orin")]
#[case::peer_access("peer_access", "mps", "t4")]
#[case::managed_memory("managed_memory", "h200", "vgpu")]
#[case::memory_pools("memory_pools", "h200", "vgpu")]
#[case::virtual_memory("virtual_memory", "h200", "vgpu")]
#[case::memory_descriptors("memory_descriptors", "h200", "vgpu")]
#[case::fabric_channel("fabric_channel", "b200", "h200")]
#[conformance::test()]
fn a_requirement_depends_on_the_machine(#[case] word: &str, #[case] with: &str, #[case] without: &str) -> Outcome {
    for (profile, is_met) in [(with, true), (without, false)] {
        let mut command = suite("reference")?;
        command.env("REFERENCE_DRIVER_PROFILE", profile).args(["--require", word, "--exact", CASE]);
        let run = run(command)?;
        let unmet = run.report()?.run.unmet;
        check!(run.output.status.success() == is_met, "{profile}: {}", run.text());
        let is_named = matches!(&*unmet, [only] if only.starts_with(word));
        check!(if is_met { unmet.is_empty() } else { is_named }, "{profile}: {unmet:?}");
    }
    Ok(())
}

/// CUDA 12.0 is the first version with an attribute for interprocess events, so its driver is asked for this one.
#[rstest]
#[conformance::test()]
fn a_driver_of_cuda_12_says_whether_it_has_interprocess_events() -> Outcome {
    let mut command = suite("reference")?;
    command.env("REFERENCE_DRIVER_PROFILE", "no-ipc").env("REFERENCE_DRIVER_VERSION", "12.0");
    command.args(["--exact", CASE]);
    let devices = run(command)?.report()?.run.devices;
    check!(!devices.is_empty() && devices.iter().all(|device| !device.ipc), "{devices:?}");
    Ok(())
}

/// A report has the state of fabric handles. Where no channel can be opened, that is why a real driver refuses them,
/// whatever its code is. Here too, the reference driver under another name counts as a real one.
#[rstest]
#[case::absent("absent", "", false, Fabric::Absent)]
#[case::channel("channel", "", false, Fabric::Channel)]
#[case::no_channel("no-channel", "", false, Fabric::NoChannel)]
#[case::not_ready("not-ready", "", false, Fabric::NotReady)]
#[case::another_code("no-channel", "create-for-the-fabric-has-another-code", false, Fabric::NotReady)]
#[case::another_code_of_a_real_driver("no-channel", "create-for-the-fabric-has-another-code", true, Fabric::NoChannel)]
#[conformance::test()]
fn a_report_has_the_state_of_the_fabric(
    #[case] state: &str,
    #[case] fault: &str,
    #[case] is_real: bool,
    #[case] expected: Fabric,
) -> Outcome {
    if is_real && std::fs::read_dir("/dev/nvidia-caps-imex-channels").is_ok_and(|mut nodes| nodes.next().is_some()) {
        return Err(Stop::Unsupported("this machine has IMEX channels".to_owned()));
    }
    let unknown = if is_real { Some(UnknownDriver::new()?) } else { None };
    let driver = unknown.as_ref().map_or_else(|| "reference".to_owned(), UnknownDriver::path);
    let mut command = suite(&driver)?;
    command.env("REFERENCE_DRIVER_FABRIC", state).env("REFERENCE_DRIVER_FAULT", fault).args(["--exact", CASE]);
    let devices = run(command)?.report()?.run.devices;
    check!(!devices.is_empty() && devices.iter().all(|device| device.fabric == expected), "{devices:?}");
    Ok(())
}

/// A case runs only on a real machine that has what the case needs.
#[rstest]
#[case::managed_memory(
    Needs::none().managed_memory(),
    |machine: &mut Machine| machine.devices[0].managed_memory = true,
    "needs managed memory"
)]
#[case::pool_descriptors(
    Needs::none().pool_descriptors(),
    |machine: &mut Machine| machine.devices[0].pool_handle_types = 1,
    "needs pools that export file descriptors"
)]
#[case::fabric(
    Needs::none().fabric(Fabric::NoChannel),
    |machine: &mut Machine| machine.devices[0].fabric = Fabric::NoChannel,
    "needs fabric handles in another state"
)]
#[case::no_peer_access(
    Needs::none().no_peer_access(),
    |machine: &mut Machine| machine.peer_access[0][1] = false,
    "needs GPUs 0 and 1 without peer access"
)]
#[case::multicast(
    Needs::none().multicast(),
    |machine: &mut Machine| machine.devices[0].multicast = true,
    "needs multicast objects"
)]
#[case::memory_descriptors(
    Needs::none().memory_descriptors(),
    |machine: &mut Machine| machine.devices[0].memory_descriptors = true,
    "needs memory that exports file descriptors"
)]
#[conformance::test()]
fn a_case_runs_where_its_needs_are_met(
    #[case] needs: Needs,
    #[case] meet: fn(&mut Machine),
    #[case] lacks: &str,
) -> Outcome {
    let (devices, peer_access) = (vec![Device::default(); 2], vec![vec![true; 2]; 2]);
    let mut machine = Machine { cuda_version: 13_000, devices, peer_access, ..Machine::default() };
    let unmet = needs.unmet(&machine);
    check!(unmet.as_deref() == Some(lacks), "{unmet:?}");
    meet(&mut machine);
    let unmet = needs.unmet(&machine);
    check!(unmet.is_none(), "{unmet:?}");
    Ok(())
}

/// MPS, WSL and the kernel module are looked for on a real machine, and a simulated one has none of them. A case that needs
/// root needs it on both.
#[rstest]
#[case::real("libcuda.so.1", true)]
#[case::simulated("libreference_driver.so", false)]
#[conformance::test()]
fn a_case_runs_where_the_system_is_as_it_needs(#[case] library: &str, #[case] is_real: bool) -> Outcome {
    let devices = vec![Device::default()];
    let machine = Machine { library: library.to_owned(), devices, ..Machine::default() };
    let is_met = |needs: Needs| needs.unmet(&machine).is_none();
    let has_mps = is_real && Environment::find().mps.is_some();
    check!(is_met(Needs::none().mps()) == has_mps);
    check!(is_met(Needs::none().no_mps()) != has_mps);
    check!(is_met(Needs::none().wsl()) == (is_real && Path::new("/dev/dxg").exists()));
    check!(is_met(Needs::none().kernel_module()) == (is_real && Path::new(KERNEL_PARAMETERS).exists()));
    check!(is_met(Needs::none().simulated()) != is_real);
    check!(is_met(Needs::none().root()) == rustix::process::geteuid().is_root());
    // A driver says itself that a process is a client of MPS, on a simulated machine too.
    let client = Machine { devices: vec![Device { mps: true, ..Device::default() }], ..machine.clone() };
    check!(Needs::none().no_mps().unmet(&client).is_some());
    Ok(())
}

/// An unknown requirement is refused, and the message lists the known ones.
#[rstest]
#[conformance::test()]
fn an_unknown_requirement_is_refused() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--require", "teleport"]);
    let run = run(command)?;
    let errors = run.errors();
    check!(
        !run.output.status.success() && errors.contains("unknown requirement `teleport`") && errors.contains("gpus=N"),
        "{errors}"
    );
    Ok(())
}

/// The variable that the loader's advice names selects the driver of the suite too, and not only that of programs.
#[rstest]
#[case::auto("auto")]
#[case::system("system")]
#[conformance::test()]
fn the_variable_of_the_loader_selects_the_driver(#[case] choice: &str) -> Outcome {
    let reference = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
    let mut command = suite(choice)?;
    command.env("CUDA_IPC_DRIVER", &reference).args(["--exact", CASE]);
    let text = run(command)?.text();
    check!(text.lines().next().is_some_and(|line| line.contains("given by path")), "{text}");
    let mut command = suite(choice)?;
    command.env("CUDA_IPC_DRIVER", "/no/such/driver.so").args(["--exact", CASE]);
    let run = run(command)?;
    let told = "conformance: CUDA_IPC_DRIVER=/no/such/driver.so: ";
    check!(!run.output.status.success() && run.errors().contains(told), "{}", run.errors());
    Ok(())
}

/// Returns the places in which the loader looks for libraries, with a folder before them.
fn found_first(folder: &TempDir) -> Result<OsString, Stop> {
    let others = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let others = std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty());
    std::env::join_paths(std::iter::once(folder.path().to_owned()).chain(others)).map_err(harness)
}

/// With `auto`, a run checks the system's driver if the driver finds a device. In this test, that driver is a copy of the
/// reference driver.
#[rstest]
#[conformance::test()]
fn auto_takes_the_driver_of_the_system() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let library = folder.path().join("libcuda.so.1");
    let reference = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
    std::fs::copy(reference, &library).map_err(harness)?;
    let mut command = suite("auto")?;
    command.env("LD_LIBRARY_PATH", found_first(&folder)?).args(["--exact", CASE]);
    let run = run(command)?;
    check!(run.output.status.success(), "{}: {}{}", run.output.status, run.text(), run.errors());
    let driver = run.report()?.run.driver;
    check!(driver.kind == Kind::System && Path::new(&driver.path) == library, "{driver:?}");
    Ok(())
}

/// With `auto`, a run checks no driver of the system that finds no device: no case could run, and the run would be green.
#[rstest]
#[conformance::test()]
fn auto_takes_no_driver_without_a_device() -> Outcome {
    let folder = tempfile::tempdir().map_err(harness)?;
    let reference = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
    std::fs::copy(reference, folder.path().join("libcuda.so.1")).map_err(harness)?;
    let mut command = suite("auto")?;
    command.env("LD_LIBRARY_PATH", found_first(&folder)?).env("REFERENCE_DRIVER_DEVICES", "0");
    command.args(["--exact", CASE]);
    let run = run(command)?;
    // On a machine with an NVIDIA GPU, it is an error.
    if run.errors().contains(", but the system's driver reports no device: ") {
        check!(!run.output.status.success(), "{}", run.text());
        return Ok(());
    }
    let driver = run.report()?.run.driver;
    check!(driver.kind == Kind::Reference, "{driver:?}");
    Ok(())
}

/// With `auto`, a run on a machine with an NVIDIA GPU whose driver does not work is an error. On the reference driver it
/// would be green.
#[rstest]
#[conformance::test()]
fn auto_replaces_no_driver_of_a_gpu() -> Outcome {
    const PLANT: &str = r#"mount -t tmpfs none /sys/bus/pci/devices && mkdir /sys/bus/pci/devices/0000:18:00.0 &&
        echo 0x10de >/sys/bus/pci/devices/0000:18:00.0/vendor || exit 77
        exec "$0" "$@""#;
    let folder = tempfile::tempdir().map_err(harness)?;
    let library = NoDriver::OtherLibrary.make(&folder)?;
    std::fs::copy(&library, library.with_file_name("libcuda.so")).map_err(harness)?;
    let of_the_suite = suite("auto")?;
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", PLANT]).arg(of_the_suite.get_program()).args(of_the_suite.get_args());
    for (name, value) in of_the_suite.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("LD_LIBRARY_PATH", found_first(&folder)?).args(["--exact", CASE]);
    let run = run(command)?;
    let errors = run.errors();
    if run.output.status.code() == Some(77) || errors.contains("unshare: ") {
        return Err(Stop::Unsupported(format!("cannot plant a GPU: {}", errors.trim())));
    }
    let is_told = errors.contains(", but the system's driver does not work: ");
    check!(!run.output.status.success() && is_told, "{}: {}{errors}", run.output.status, run.text());
    Ok(())
}

/// The last lines name a requirement that is not met, because the counts beside them look good.
#[rstest]
#[conformance::test()]
fn the_last_lines_name_an_unmet_requirement() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--require", "gpus=9", "--exact", CASE]);
    let run = run(command)?;
    let text = run.text();
    let (_, last) = text.split_once("test result: ok").ok_or_else(|| harness("no result"))?;
    check!(last.contains("conformance: --require is not met: gpus=9, found 2\n"), "{text}");
    check!(run.output.status.code() == Some(101), "{}", run.output.status);
    Ok(())
}

/// A GPU that `--gpus` lists twice is an invalid flag.
#[rstest]
#[conformance::test()]
fn a_gpu_is_listed_once() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--gpus", "1,0,1", "--exact", CASE]);
    let run = run(command)?;
    check!(run.output.status.code() == Some(2), "{}", run.output.status);
    check!(run.errors().contains("--gpus lists GPU 1 twice"), "{}", run.errors());
    Ok(())
}

/// With `--format json`, standard output is JSON, and nothing else.
#[rstest]
#[conformance::test()]
fn json_is_not_mixed_with_text() -> Outcome {
    let mut command = suite("reference")?;
    command.args(["--format", "json", "--exact", CASE]);
    let run = run(command)?;
    for line in run.text().lines() {
        serde_json::from_str::<serde_json::Value>(line).map_err(|error| Stop::failed(format!("{line}: {error}")))?;
    }
    check!(run.errors().contains("conformance: driver: reference"), "{}", run.errors());
    Ok(())
}
