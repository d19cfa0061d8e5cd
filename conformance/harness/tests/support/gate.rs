//! A pipe at which a planted case of another run waits.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use conformance::{Stop, check};

use crate::suite::harness;

/// A named pipe that the planted case `waits_at_a_gate` reads.
pub(crate) struct Gate {
    path: PathBuf,
}

/// A case that waits. It goes on when the value is dropped.
pub(crate) struct Waiting {
    open: File,
    output: JoinHandle<(String, Option<File>)>,
}

impl Gate {
    /// Makes the pipe in a folder.
    pub(crate) fn new(folder: &Path) -> Result<Self, Stop> {
        let path = folder.join("gate");
        check!(Command::new("mkfifo").arg(&path).status().map_err(harness)?.success());
        Ok(Self { path })
    }

    /// Lets the planted cases of a run wait here.
    pub(crate) fn bars(&self, run: &mut Command) {
        run.env("CONFORMANCE_PLANTED", "1").env("PLANTED_GATE", &self.path);
    }

    /// Waits until a case of the run, which prints this output, has come to the gate. If the run ends before, that is an
    /// error.
    pub(crate) fn wait(&self, output: Option<impl Read + Send + 'static>) -> Result<Waiting, Stop> {
        let mut output = output.ok_or_else(|| harness("the run has no output"))?;
        let (path, has_ended) = (self.path.clone(), Arc::new(AtomicBool::new(false)));
        let ended = Arc::clone(&has_ended);
        let output = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What cannot be read is missing in the text, so a check of it fails.
            let _ = output.read_to_end(&mut text);
            ended.store(true, Ordering::Release);
            // The open below would wait for a run that has ended. As long as this file is open, it does not.
            let mut options = File::options();
            options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
            (String::from_utf8_lossy(&text).into_owned(), options.open(path).ok())
        });
        // It opens as soon as the case has it open for reading.
        let open = File::options().write(true).open(&self.path).map_err(harness)?;
        check!(!has_ended.load(Ordering::Acquire), "the run ended before a case came to the gate");
        Ok(Waiting { open, output })
    }
}

impl Waiting {
    /// Lets the case go on, and returns all that the run prints until its end.
    pub(crate) fn go_on(self) -> Result<String, Stop> {
        drop(self.open);
        let (text, _) = self.output.join().map_err(|_| harness("the output cannot be read"))?;
        Ok(text)
    }
}
