//! What identifies the machine of a run. A report has it only if the run was started with `--identify`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::environment::MPS_FOLDER;
use super::home::{Homes, without_name};
use super::{CaseReport, Run};

/// The variable that names the image of the container: nothing in a container of Docker or Kubernetes does.
const IMAGE: &str = "CONFORMANCE_IMAGE";

/// The variable that names the host: in a pod of Kubernetes, the node name is that of the pod.
const HOST: &str = "CONFORMANCE_HOST";

/// The machine of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identification {
    /// The name of the host: `CONFORMANCE_HOST`, else the node name.
    pub host: String,
    /// The image of the container: `CONFORMANCE_IMAGE`, else what podman says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The GPUs of the host as `nvidia-smi` lists them; empty without it. A container may see fewer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Board>,
}

/// A GPU of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Board {
    /// The address on the PCI bus, such as `00000000:18:00.0`.
    pub bus: String,
    /// The UUID, such as `GPU-5a1e…`.
    pub uuid: String,
    /// The version of the video BIOS.
    pub vbios: String,
    /// The state of the fabric, such as `Completed`, or `[N/A]`.
    pub fabric: String,
}

impl Identification {
    /// Returns the names and values of what identifies the machine, in the words in which every output shows them.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let image = self.image.iter().map(|image| ("image".to_owned(), image.clone()));
        let boards = self.boards.iter().map(|Board { bus, uuid, vbios, fabric }| {
            (format!("GPU {bus}"), format!("UUID {uuid}, VBIOS {vbios}, fabric {fabric}"))
        });
        [("host".to_owned(), self.host.clone())].into_iter().chain(image).chain(boards).collect()
    }

    /// Identifies this machine.
    pub(crate) fn find() -> Self {
        let of_podman = || {
            let text = fs::read_to_string("/run/.containerenv").ok()?;
            let image = text.lines().find_map(|line| line.strip_prefix("image="))?;
            Some(image.trim_matches('"').to_owned())
        };
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let node = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self {
            host: given(HOST).unwrap_or_else(node),
            image: given(IMAGE).or_else(of_podman),
            boards: boards().unwrap_or_default(),
        }
    }
}

/// Asks `nvidia-smi`, which comes with the driver. No file below /proc names the state of the fabric.
fn boards() -> Option<Vec<Board>> {
    const QUERY: [&str; 2] = ["--query-gpu=pci.bus_id,uuid,vbios_version,fabric.state", "--format=csv,noheader"];
    let output = Command::new("nvidia-smi").args(QUERY).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let board = |line: &str| {
        let words: Vec<_> = line.split(',').map(|word| word.trim().to_owned()).collect();
        let [bus, uuid, vbios, fabric] = <[String; 4]>::try_from(words).ok()?;
        Some(Board { bus, uuid, vbios, fabric })
    };
    output.status.success().then(|| text.lines().filter_map(board).collect())
}

/// The variables whose values say how the driver and the suite behave, and cannot name a machine or a user. Of others,
/// only the name is kept.
const SHOWN: [&str; 15] = [
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER",
    "CUDA_DISABLE_PTX_JIT",
    "CUDA_FORCE_PTX_JIT",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_DATA_LOADING",
    "CUDA_MODULE_LOADING",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
    "CUDA_VERSION",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_PRODUCT_NAME",
    "NVIDIA_REQUIRE_CUDA",
    "NVIDIA_VISIBLE_DEVICES",
];

/// The variables that name a file or a folder, which may be called like a host even without its folder, and the name of the
/// simulated machine, which a user chose.
const NAMES: [&str; 8] = [
    "CONFORMANCE_CASES",
    "CONFORMANCE_DEVIATIONS",
    "CONFORMANCE_KERNEL_LOG",
    "CONFORMANCE_RECORDS",
    "CONFORMANCE_REPORT",
    "CONFORMANCE_SUITE",
    "CONFORMANCE_TRACE",
    "REFERENCE_DRIVER_MACHINE",
];

/// Whether a variable's value may be in a report that identifies no machine.
fn is_shown(name: &str, value: &str) -> bool {
    let is_ours = ["CONFORMANCE_", "REFERENCE_DRIVER_"].iter().any(|prefix| name.starts_with(prefix));
    SHOWN.contains(&name) || is_ours && !value.contains('/') && !NAMES.contains(&name)
}

/// Removes from a description what identifies its machine: the UUIDs of GPUs, home folders in paths, the folder of MPS, and
/// the values of variables that may be paths or secrets.
pub(crate) fn anonymous(mut run: Run) -> Run {
    let quiet = |text: &mut String| Homes::of_this_process().hide(text);
    run.devices.iter_mut().for_each(|device| device.uuid.clear());
    quiet(&mut run.driver.path);
    run.driver.given_path.iter_mut().for_each(quiet);
    // Whoever starts MPS chooses its folder.
    if let Some(mps) = run.environment.as_mut().and_then(|environment| environment.mps.as_mut()) {
        *mps = without_name(mps, MPS_FOLDER);
    }
    if let Some(host) = run.environment.as_mut().and_then(|environment| environment.host.as_mut()) {
        [HOST, IMAGE].iter().for_each(|name| _ = host.variables.remove(*name));
        for (name, value) in &mut host.variables {
            *value = if is_shown(name, value) { without_uuids(value) } else { "…".to_owned() };
        }
    }
    run
}

/// Removes from a case what identifies its machine: UUIDs and home folders, wherever they are.
pub(crate) fn anonymous_case(mut case: CaseReport) -> CaseReport {
    /// The calls that return a UUID, as a list of bytes.
    const OF_UUIDS: [&str; 2] = ["device_get_uuid", "device_get_fabric_cluster_uuid"];
    let quiet = |text: &mut String| {
        Homes::of_this_process().hide(text);
        *text = without_ids(text);
    };
    case.reason.iter_mut().for_each(quiet);
    case.disclosures.iter_mut().for_each(quiet);
    // A file may be called like a host or a site. The failure is the same without the list.
    if let Some(place) = case.flags.iter().position(|flag| flag == "--deviations") {
        case.flags.drain(place..(place + 2).min(case.flags.len()));
    }
    case.flags.iter_mut().for_each(quiet);
    case.observations.values_mut().for_each(|value| quiet_texts(value, &quiet));
    for step in &mut case.steps {
        if OF_UUIDS.iter().any(|call| step.call.starts_with(call)) && step.answer.starts_with('[') {
            step.answer = "…".to_owned();
        }
        quiet(&mut step.call);
        quiet(&mut step.answer);
        step.log.iter_mut().for_each(quiet);
    }
    case
}

fn quiet_texts(value: &mut Value, quiet: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => quiet(text),
        Value::Array(values) => values.iter_mut().for_each(|value| quiet_texts(value, quiet)),
        Value::Object(values) => values.values_mut().for_each(|value| quiet_texts(value, quiet)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Replaces the UUIDs in a text. Handles have more digits.
fn without_ids(text: &str) -> String {
    let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut quiet = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_a_word) {
        let (between, words) = rest.split_at(start);
        let (word, after) = words.split_at(words.find(|c| !is_of_a_word(c)).unwrap_or(words.len()));
        quiet.push_str(between);
        match ["GPU-", "MIG-", ""].into_iter().find_map(|kind| Some((kind, word.strip_prefix(kind)?))) {
            Some((kind, id)) if is_id(id, !kind.is_empty()) => quiet.extend([kind, "…"]),
            _ => quiet.push_str(word),
        }
        rest = after;
    }
    quiet + rest
}

/// Whether a word is a UUID. Behind its kind, it may be shortened, as in a list of devices.
fn is_id(word: &str, has_kind: bool) -> bool {
    const DIGITS: usize = 32;
    const SHORTEST: usize = 8;
    let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = word.bytes().filter(|byte| *byte == b'-').count();
    // Digits without dashes can also be contents of memory.
    let is_whole = digits == DIGITS && dashes == 4;
    digits + dashes == word.len() && (is_whole || has_kind && digits >= SHORTEST)
}

/// Replaces the UUIDs in a list of devices, as in `CUDA_VISIBLE_DEVICES=GPU-5a1e…,MIG-77c0…`.
fn without_uuids(list: &str) -> String {
    let kind = |word: &str| ["GPU-", "MIG-"].into_iter().find(|kind| word.trim().starts_with(kind));
    let words: Vec<_> =
        list.split(',').map(|word| kind(word).map_or(word.to_owned(), |kind| format!("{kind}…"))).collect();
    words.join(",")
}

/// The messages of the kernel, of which those of NVIDIA's module with an Xid say that a GPU failed.
#[derive(Debug)]
pub(crate) struct KernelLog {
    file: File,
    unfinished_line: Vec<u8>,
}

impl KernelLog {
    /// Opens the log after its last message.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::NONBLOCK.bits() as i32;
        let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, unfinished_line: Vec::new() })
    }

    /// Returns the Xid messages that came since the last call: `Xid (PCI:0000:18:00): 79, GPU has fallen off the bus.`
    pub(crate) fn xids(&mut self) -> Vec<String> {
        let mut bytes = [0; 8192];
        loop {
            match self.file.read(&mut bytes) {
                Ok(0) => break,
                Ok(count) => self.unfinished_line.extend_from_slice(&bytes[..count]),
                // The kernel overwrote messages that were not read yet.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::PIPE.raw_os_error()) => {}
                Err(_) => break,
            }
        }
        let end = self.unfinished_line.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let rest = self.unfinished_line.split_off(end);
        let lines = std::mem::replace(&mut self.unfinished_line, rest);
        let xid = |line: &str| line.split_once("NVRM: Xid ").map(|(_, message)| format!("Xid {}", message.trim_end()));
        String::from_utf8_lossy(&lines).lines().filter_map(xid).collect()
    }
}
