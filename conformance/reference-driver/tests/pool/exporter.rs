//! A child process that exports a pool, performs orders from a socket, and can be killed.

use std::fs;
use std::os::fd::OwnedFd;

use peer::Peer;
use serde::{Deserialize, Serialize};

/// An order to the child.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The descriptor of the pool comes beside the answer.
    Pool,
    /// The answer is the pool's fabric handle.
    Fabric,
    /// Allocates, fills every word and exports the pointer.
    Allocate { size: u64, word: u32 },
    /// The first word of the newest allocation.
    Read,
    /// Frees the newest allocation.
    Free,
    /// Destroys the pool.
    Destroy,
    /// The free memory of the device.
    FreeBytes,
}

/// The child process: this test executable, which runs only the test `exporter`.
pub(crate) struct Exporter(Peer);

impl Exporter {
    /// Starts an exporter that sees one device of the machine.
    pub(crate) fn start(machine: &str, device: &str) -> Self {
        let started = Peer::start(|command| {
            command.args(["--exact", "exporter", "--ignored", "--nocapture"]);
            command.env("REFERENCE_DRIVER_MACHINE", machine).env("CUDA_VISIBLE_DEVICES", device);
        });
        Self(started.expect("the test executable starts"))
    }

    /// Receives the descriptor of the exporter's pool.
    pub(crate) fn pool(&mut self) -> OwnedFd {
        let (_, mut descriptors) = self.ask(&Order::Pool);
        descriptors.pop().expect("the exporter sends its pool")
    }

    /// Returns the fabric handle of the exporter's pool, which needs a channel.
    pub(crate) fn fabric(&mut self) -> [u8; 64] {
        self.ask(&Order::Fabric).0.try_into().expect("64 bytes")
    }

    /// Returns the free memory of the device, as the exporter sees it.
    pub(crate) fn free_bytes(&mut self) -> u64 {
        u64::from_le_bytes(self.ask(&Order::FreeBytes).0.try_into().expect("8 bytes"))
    }

    /// Makes the exporter allocate, fill every word and export the pointer.
    pub(crate) fn allocate(&mut self, size: u64, word: u32) -> [u8; 64] {
        self.ask(&Order::Allocate { size, word }).0.try_into().expect("64 bytes")
    }

    /// Returns the first word of the exporter's newest allocation.
    pub(crate) fn read(&mut self) -> u32 {
        u32::from_le_bytes(self.ask(&Order::Read).0.try_into().expect("4 bytes"))
    }

    /// Makes the exporter free its newest allocation.
    pub(crate) fn free(&mut self) {
        self.ask(&Order::Free);
    }

    /// Makes the exporter destroy the pool.
    pub(crate) fn destroy(&mut self) {
        self.ask(&Order::Destroy);
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    fn ask(&mut self, order: &Order) -> (Vec<u8>, Vec<OwnedFd>) {
        self.0.ask(order, &[]).expect("the exporter answers")
    }

    /// Returns the paths that the exporter maps or has open. The folder of the build and the standard error, which it
    /// shares with this process, are left out.
    pub(crate) fn paths(&self) -> Vec<String> {
        let folder = format!("/proc/{}", self.0.id());
        let maps = fs::read_to_string(format!("{folder}/maps")).expect("the process lives");
        let mapped = maps.lines().filter_map(|line| Some(line.get(line.find('/')?..)?.to_owned()));
        let open = fs::read_dir(format!("{folder}/fd")).expect("the process lives").flatten();
        let opened = open.filter(|entry| entry.file_name() != "2");
        let program = std::env::current_exe().expect("a test executable has a path");
        let build = program.parent().expect("it lies in a folder").display().to_string();
        let opened = opened.filter_map(|entry| Some(fs::read_link(entry.path()).ok()?.display().to_string()));
        mapped.chain(opened).filter(|path| !path.starts_with(&build)).collect()
    }

    /// Ends the exporter with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.0.kill().expect("it is a child of this process");
    }
}
