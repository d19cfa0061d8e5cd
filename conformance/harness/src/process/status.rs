//! How a process ended, in words, and a list of those that ended badly.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::Signal;

/// What is known of processes that did not end in order when no case owned them any more. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct BadEnds(Arc<Mutex<Vec<String>>>);

impl BadEnds {
    pub(super) fn add(&self, end: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    }

    /// Takes what was reported so far, a text for each process.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns how a process ended.
pub(super) fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(number), _) => match Signal::from_named_raw(number).map(|signal| format!("{signal:?}")) {
            Some(name) => {
                // rustix prints `"Signal::SEGV"`.
                let name = match name.trim_matches('"').trim_start_matches("Signal::") {
                    "ABORT" => "ABRT",
                    "ALARM" => "ALRM",
                    "CHILD" => "CHLD",
                    name => name,
                };
                format!("killed by signal {number} (SIG{name})")
            }
            None => format!("killed by signal {number}"),
        },
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => "ended".to_owned(),
    }
}
