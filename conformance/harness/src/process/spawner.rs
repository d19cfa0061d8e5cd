//! The threads that start processes.
//!
//! A role gets its death signal when the thread that started it ends, and threads of a test runner end during a run. So
//! dedicated threads start the roles. A thread with a new PID namespace for its children starts roles in that
//! namespace.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::{Stop, mounts};

type Request = (Command, mpsc::Sender<std::io::Result<Child>>);

/// A thread that starts processes while this value lives.
#[derive(Debug)]
struct Spawner(Mutex<mpsc::Sender<Request>>);

impl Spawner {
    /// Starts the thread, which calls `first` before it starts processes.
    fn new(first: impl FnOnce() -> std::io::Result<()> + Send + 'static) -> std::io::Result<Self> {
        let (sender, requests) = mpsc::channel::<Request>();
        let (ready, began) = mpsc::channel();
        std::thread::Builder::new().spawn(move || {
            let first = first();
            let is_ready = first.is_ok();
            let _ = ready.send(first);
            if is_ready {
                for (mut command, answer) in requests {
                    let _ = answer.send(command.spawn());
                }
            }
        })?;
        began.recv().map_err(|_| gone())??;
        Ok(Self(Mutex::new(sender)))
    }

    fn spawn(&self, command: Command) -> std::io::Result<Child> {
        let (answer, child) = mpsc::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).send((command, answer)).map_err(|_| gone())?;
        child.recv().map_err(|_| gone())?
    }
}

fn gone() -> std::io::Error {
    std::io::Error::other("the thread that starts processes has ended")
}

/// A new PID namespace. The first role in it is its process 1, and the other roles end with that one. Its roles serve
/// one case only.
#[derive(Clone, Debug)]
pub struct PidNamespace {
    number: u32,
    spawner: Arc<Spawner>,
}

impl PidNamespace {
    /// Creates a namespace without processes.
    ///
    /// # Errors
    /// [`Stop::Unsupported`], if the system does not allow it.
    pub fn new() -> Result<Self, Stop> {
        let leave = || {
            // SAFETY: the call only changes the namespace of later children of this thread.
            if unsafe { libc::unshare(libc::CLONE_NEWPID) } == 0 {
                Ok(())
            } else {
                Err(std::io::Error::last_os_error())
            }
        };
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        Spawner::new(leave)
            .map(|spawner| Self { number, spawner: Arc::new(spawner) })
            .map_err(|error| Stop::Unsupported(format!("cannot create a PID namespace: {error}")))
    }

    /// Returns a number that no other namespace of this run has.
    pub(crate) const fn number(&self) -> u32 {
        self.number
    }
}

impl PartialEq for PidNamespace {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for PidNamespace {}

/// Mounts /proc for the PID namespace, as a container does. A driver does not start if /proc shows another PID
/// namespace.
fn mount_proc() -> std::io::Result<()> {
    mounts::unshare()?;
    mounts::mount(Some(c"proc"), c"/proc", Some(c"proc"), 0)
}

/// Starts a process, in another PID namespace if one is given.
pub(crate) fn spawn(mut command: Command, namespace: Option<&PidNamespace>) -> std::io::Result<Child> {
    static SPAWNER: OnceLock<std::io::Result<Spawner>> = OnceLock::new();
    match namespace {
        Some(PidNamespace { spawner, .. }) => {
            // SAFETY: the closure only makes system calls, with constants of the program.
            unsafe { command.pre_exec(mount_proc) };
            spawner.spawn(command)
        }
        None => match SPAWNER.get_or_init(|| Spawner::new(|| Ok(()))) {
            Ok(spawner) => spawner.spawn(command),
            Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
        },
    }
}
