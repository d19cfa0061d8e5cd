//! What a nightly gate reads. Changes are planted in real runs of a small suite, and the first line of `diff` tells each
//! in one sentence, with the right exit code.

use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::{Outcome, Stop, check};
use rstest::rstest;
use tempfile::TempDir;

use crate::command::{conformance, finish};
use crate::night::{DISCLOSES, ENDS};
use crate::suite::{compile, harness, suite};

/// Runs of the small suite, on drivers with defects.
struct Lab {
    folder: TempDir,
}

/// A library before the reference driver. Its `cuIpcOpenMemHandle` takes 20 ms longer, or once fails.
const LAYER: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { char bytes[64]; } Handle;
static int (*driver_open)(uint64_t *, Handle, unsigned);
static int opened;

static int layer_open(uint64_t *pointer, Handle handle, unsigned flags) {
    const char *once = getenv("LAYER_FAILS_ONCE");
    if (getenv("LAYER_IS_SLOW")) usleep(20000);
    if (once && ++opened == 5 && open(once, O_CREAT | O_EXCL, 0600) >= 0) return 999;
    return driver_open(pointer, handle, flags);
}

// A loader knows a driver by this function.
int cuDriverGetVersion(int *version) {
    void *driver = dlopen(getenv("LAYER_DRIVER"), RTLD_NOW);
    int (*find)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    return find(version);
}

int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *reason) {
    void *driver = dlopen(getenv("LAYER_DRIVER"), RTLD_NOW);
    int (*find)(const char *, void **, int, uint64_t, int *) = dlsym(driver, "cuGetProcAddress_v2");
    int code = find(name, address, version, flags, reason);
    if (code == 0 && *address && strcmp(name, "cuIpcOpenMemHandle") == 0) {
        driver_open = (int (*)(uint64_t *, Handle, unsigned))*address;
        *address = (void *)layer_open;
    }
    return code;
}
"#;

/// The bug that the corrupt byte shows, as a list of known bugs.
const LISTED: &str = r#"
[[deviation]]
case = "night::a_close_leaves_the_memory/*"
driver = "reference"
from = "0.1"
verdict = "fail"
reason = "wrong word"
link = "https://example.org/1"
date = "2026-11-21"
"#;

impl Lab {
    fn new() -> Result<Self, Stop> {
        Ok(Self { folder: tempfile::tempdir().map_err(harness)? })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a run of the small suite, as if the program had no other cases.
    fn run(&self, driver: &str, environment: &[(&str, &str)]) -> Result<Command, Stop> {
        let mut command = suite(driver)?;
        command.env("CONFORMANCE_PLANTED", "night::").args(["--seed", "1"]).envs(environment.iter().copied());
        Ok(command)
    }

    fn plain(&self) -> Result<Command, Stop> {
        self.run("reference", &[])
    }

    fn faulty(&self, fault: &str) -> Result<Command, Stop> {
        self.run("reference", &[("REFERENCE_DRIVER_FAULT", fault)])
    }

    fn layered(&self, environment: &[(&str, &str)]) -> Result<Command, Stop> {
        let layer = self.path("liblayer.so");
        if !layer.exists() {
            compile(LAYER, &layer)?;
        }
        let driver = std::env::current_exe().map_err(harness)?.with_file_name("libreference_driver.so");
        let mut command = self.run(&layer.to_string_lossy(), environment)?;
        command.env("LAYER_DRIVER", driver);
        Ok(command)
    }

    fn report(&self, mut command: Command, name: &str) -> Result<PathBuf, Stop> {
        let path = self.path(name);
        let output = command.arg("--report").arg(&path).output().map_err(harness)?;
        check!(path.exists(), "the run wrote no report: {}", String::from_utf8_lossy(&output.stderr));
        Ok(path)
    }
}

fn nothing(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.plain()?])
}

fn a_repaired_bug(lab: &Lab) -> Result<[Command; 2], Stop> {
    let list = lab.path("deviations.toml");
    std::fs::write(&list, LISTED).map_err(harness)?;
    let mut runs = [lab.faulty("close-clears-the-last-byte")?, lab.plain()?];
    runs.iter_mut().for_each(|run| _ = run.arg("--deviations").arg(&list));
    Ok(runs)
}

fn a_machine_with_one_gpu(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.run("reference", &[("REFERENCE_DRIVER_DEVICES", "1")])?])
}

fn a_filter(lab: &Lab) -> Result<[Command; 2], Stop> {
    let mut new = lab.plain()?;
    new.arg("leaves_the_memory");
    Ok([lab.plain()?, new])
}

fn a_skip(lab: &Lab) -> Result<[Command; 2], Stop> {
    let mut new = lab.plain()?;
    new.args(["--skip", "both_gpus"]);
    Ok([lab.plain()?, new])
}

fn a_run_that_broke_off(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.run("reference", &[(ENDS, "1")])?])
}

fn a_flake_of_5_percent(lab: &Lab) -> Result<[Command; 2], Stop> {
    let once = lab.path("failed").to_string_lossy().into_owned();
    let mut runs = [lab.layered(&[])?, lab.layered(&[("LAYER_FAILS_ONCE", &once)])?];
    runs.iter_mut().for_each(|run| _ = run.args(["--repeat", "20"]));
    Ok(runs)
}

fn a_slow_call(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.layered(&[])?, lab.layered(&[("LAYER_IS_SLOW", "1")])?])
}

fn a_leak(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.faulty("close-leaks-a-descriptor")?])
}

fn a_corrupt_byte(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.faulty("close-clears-the-last-byte")?])
}

fn a_disclosure(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.run("reference", &[(DISCLOSES, "1")])?])
}

fn a_crash(lab: &Lab) -> Result<[Command; 2], Stop> {
    Ok([lab.plain()?, lab.faulty("pool-destroy-after-a-refused-export-crashes")?])
}

/// A planted change is told in the first line, which needs no other line, and only what is worse for the driver's users
/// leads to exit code 1. `…` stands for a time, which differs between runs.
#[rstest]
#[case::nothing(nothing, 0, "No documented rule broke since the earlier run of this driver.")]
#[case::repaired(
    a_repaired_bug,
    0,
    "No documented rule broke since the earlier run of this driver; 4 cases of IPCMEM-CLOSE-011 are better (4 listed bugs are gone)."
)]
#[case::one_gpu(
    a_machine_with_one_gpu,
    0,
    "Compared 5 of 6 cases, because the new run had 1 GPU instead of 2: no documented rule broke since the earlier run \
     of this driver; 1 case is no longer checked: the machine lacks something that is needed."
)]
#[case::filter(
    a_filter,
    0,
    "Compared 4 of 6 cases, because the new run used the filter leaves_the_memory: no documented rule broke since \
     the earlier run of this driver; 2 cases are no longer checked: left out by a filter."
)]
#[case::skip(
    a_skip,
    0,
    "Compared 5 of 6 cases, because the new run used --skip both_gpus: no documented rule broke since the earlier \
     run of this driver; 1 case is no longer checked: left out by a filter."
)]
#[case::broken_off(
    a_run_that_broke_off,
    0,
    "Compared 5 of 6 cases, because the new run broke off while night::both_gpus_are_found was running: no documented \
     rule broke since the earlier run of this driver; 1 case is no longer checked: still running when the report ends."
)]
#[case::flake(
    a_flake_of_5_percent,
    1,
    "1 documented rule broke since the earlier run of this driver (1 wrong code): cuIpcOpenMemHandle returned \
     CUDA_ERROR_UNKNOWN (999), expected CUDA_SUCCESS, in 1 of 20 runs."
)]
#[case::slow_call(
    a_slow_call,
    1,
    "No documented rule broke since the earlier run of this driver; 1 call became slower: cuIpcOpenMemHandle: … to … \
     ms, in 4 cases."
)]
#[case::leak(
    a_leak,
    1,
    "1 documented rule broke since the earlier run of this driver (1 leak): importer: a file descriptor of \
     /dev/null is still open after the process released everything, in 4 cases (3 of them ran several times, and 9 of \
     9 runs failed)."
)]
#[case::corrupt_byte(
    a_corrupt_byte,
    1,
    "1 documented rule broke since the earlier run of this driver (1 corruption): exporter read 1 wrong word of 262144 \
     with a kernel; the first wrong byte is at offset 1048575 (expected 0x…, read 0x00), in 4 cases (3 of them ran \
     several times, and 9 of 9 runs failed)."
)]
#[case::crash(
    a_crash,
    1,
    "1 case regressed since the earlier run of this driver, where no documented rule decides (1 crash): SIGABRT in \
     cuMemPoolDestroy, in 3 of 3 runs."
)]
#[case::disclosure(
    a_disclosure,
    1,
    "1 case regressed since the earlier run of this driver, where no documented rule decides (1 disclosure): a kernel \
     reads memory that was never shared."
)]
#[conformance::test()]
fn a_planted_change_is_told(
    #[case] plant: fn(&Lab) -> Result<[Command; 2], Stop>,
    #[case] code: i32,
    #[case] sentence: &str,
) -> Outcome {
    let lab = Lab::new()?;
    let [old, new] = plant(&lab)?;
    let (old, new) = (lab.report(old, "old.jsonl")?, lab.report(new, "new.jsonl")?);
    // A busy machine makes calls slower too.
    let is_about_time = sentence.contains("slower");
    let (found, printed, errors) = diff(&old, &new, if is_about_time { &[] } else { &["--no-time"] })?;
    let first = printed.lines().next().unwrap_or_default();
    check!(is_like(&without_the_machine(first), sentence), "{first}\n{sentence}\n{printed}{errors}");
    check!(found == Some(code), "the exit code is {found:?}: {printed}");
    if is_about_time {
        let (found, printed, _) = diff(&old, &new, &["--no-time"])?;
        check!(found == Some(0) && !printed.contains("slower"), "{printed}");
    }
    Ok(())
}

fn diff(old: &Path, new: &Path, flags: &[&str]) -> Result<(Option<i32>, String, String), Stop> {
    let mut command = conformance(&["diff"])?;
    command.args(flags).arg(old).arg(new);
    finish(command)
}

/// Removes the clause that all calls became slower. The comparison adds it if the machine was busier in the second run.
fn without_the_machine(line: &str) -> String {
    const BEGINS: &str = "; a typical call took ";
    const ENDS: &str = " times as long";
    match line.split_once(BEGINS).and_then(|(before, rest)| Some((before, rest.split_once(ENDS)?.1))) {
        Some((before, after)) => format!("{before}{after}"),
        None => line.to_owned(),
    }
}

/// Whether a sentence consists of these parts, between which stands anything.
fn is_like(sentence: &str, parts: &str) -> bool {
    let mut rest = sentence;
    let mut parts = parts.split('…');
    let first = parts.next().unwrap_or_default();
    rest = match rest.strip_prefix(first) {
        Some(rest) => rest,
        None => return false,
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty()
}
