//! Turns of several runs on the same devices.
//!
//! Free memory is a number of the whole device, so what another run takes looks like a leak, and a case that reads it sees
//! the other run. So runs take turns: a run that checks for leaks has the devices to itself during each case. Runs that do
//! not check share a turn.
//!
//! A turn is a lock of the kernel on a byte of /dev/null, which every process can open and nobody else locks. It leaves no
//! file, and ends with its process. Runs in containers with a /dev of their own do not see each other.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// The name of the devices of the system's driver. Any other is that of a simulated machine.
pub(super) const SYSTEM: &str = "system";

/// What runs share, and how this one uses it.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The bytes and names of what is shared, in ascending order, so that no two runs wait for each other.
    places: Vec<(i64, String)>,
    /// Holds a lock as long as the run lives, by which others know of it.
    presence: Option<File>,
    has_waited: AtomicBool,
    /// What another run had until the time was over.
    missed: Mutex<Option<String>>,
}

/// The devices for one run, or for runs that do not check for leaks. They are free again when the value is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    lock: Option<(Arc<File>, Vec<i64>)>,
}

impl Drop for Turn {
    /// Gives the lock back. Closing the file would not be enough: a process that this one starts at the moment has it too,
    /// until it executes its program.
    fn drop(&mut self) {
        let Some((file, places)) = &self.lock else { return };
        places.iter().for_each(|place| drop(lock(file, libc::F_OFD_SETLK, libc::F_UNLCK, *place)));
    }
}

impl Turns {
    /// Shares what these texts name.
    pub(super) fn of(shared: &[String]) -> Self {
        let mut places: Vec<_> = shared.iter().map(|shared| (place(shared), shared.clone())).collect();
        places.sort_unstable();
        let presence = File::options().read(true).write(true).open("/dev/null").ok();
        let presence = presence.filter(|file| {
            !places.is_empty()
                && places.iter().all(|(place, _)| lock(file, libc::F_OFD_SETLK, libc::F_RDLCK, place + 1).is_ok())
        });
        Self { places, presence, has_waited: AtomicBool::new(false), missed: Mutex::default() }
    }

    /// Whether runs can meet.
    pub(super) const fn are_shared(&self) -> bool {
        !self.places.is_empty()
    }

    /// Waits for a turn. Returns `None` if another run has it until the time is over.
    pub(super) fn take(&self, is_alone: bool, until: Option<Instant>) -> Option<Turn> {
        if self.places.is_empty() {
            return Some(Turn { lock: None });
        }
        let kind = if is_alone { libc::F_WRLCK } else { libc::F_RDLCK };
        let Ok(file) = File::options().read(true).write(true).open("/dev/null") else {
            return Some(Turn { lock: None });
        };
        let file = Arc::new(file);
        for (place, name) in &self.places {
            if lock(&file, libc::F_OFD_SETLK, kind, *place).is_ok() {
                continue;
            }
            if !self.has_waited.swap(true, Ordering::Relaxed) {
                eprintln!("conformance: another run uses the same devices: the two take turns, one case at a time");
            }
            if !wait(&file, kind, *place, until) {
                *self.missed.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.clone());
                return None;
            }
        }
        let places = self.places.iter().map(|(place, _)| *place).collect();
        Some(Turn { lock: Some((file, places)) })
    }

    /// Says which devices this run waited for until its time was over.
    pub(super) fn waited_in_vain(&self) -> Option<String> {
        let missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let devices = match missed.as_str() {
            SYSTEM => "the GPUs of the system's driver".to_owned(),
            machine => format!("the devices of the simulated machine `{machine}`"),
        };
        Some(format!("this run waited in vain for {devices}, which another run uses"))
    }

    /// Whether another run uses the same devices now.
    pub(super) fn has_neighbour(&self) -> bool {
        let Some(file) = &self.presence else { return false };
        self.places.iter().any(|(place, _)| {
            lock(file, libc::F_OFD_GETLK, libc::F_WRLCK, place + 1).is_ok_and(|found| found != libc::F_UNLCK)
        })
    }
}

/// Returns the byte of something that runs share. The next byte is for the presence of a run.
fn place(shared: &str) -> i64 {
    // Below the locks with which the reference driver accounts for memory.
    const HIGHEST: u64 = 1 << 60;
    let mut hasher = DefaultHasher::new();
    ("conformance", shared).hash(&mut hasher);
    ((hasher.finish() % HIGHEST) & !1).cast_signed()
}

/// Waits for the lock of a byte. Returns false if the time is over before.
fn wait(file: &Arc<File>, kind: i32, place: i64, until: Option<Instant>) -> bool {
    let locked = {
        let file = Arc::clone(file);
        // A signal may interrupt it. Without the lock, the run goes on as if it were alone.
        move || {
            while lock(&file, libc::F_OFD_SETLKW, kind, place)
                .is_err_and(|error| error.kind() == io::ErrorKind::Interrupted)
            {}
        }
    };
    let Some(until) = until else {
        locked();
        return true;
    };
    // The kernel waits for a lock without a limit, so a thread does. If the time is over first, nobody waits for the
    // thread: it ends with the program, or gives the lock back with the last reference to the file.
    let (sender, signal) = mpsc::channel();
    let waiting = thread::Builder::new().name("turn".to_owned()).spawn(move || {
        locked();
        let _ = sender.send(());
    });
    let left = until.saturating_duration_since(Instant::now());
    // Without a thread, the run goes on as without the lock.
    waiting.is_err() || signal.recv_timeout(left) != Err(RecvTimeoutError::Timeout)
}

/// Locks a byte, or asks for its lock. Returns the kind of the lock that the kernel answers with.
fn lock(file: &File, command: i32, kind: i32, place: i64) -> io::Result<i32> {
    // SAFETY: all zeros are a valid `flock`.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (place, 1);
    // SAFETY: the descriptor is the file's, and the lock is a local.
    if unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut lock) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(i32::from(lock.l_type))
}

#[cfg(test)]
mod tests {
    use super::Turns;

    /// A process that begins while a turn ends does not keep it, although it has inherited the file.
    #[test]
    fn a_turn_ends_although_a_child_has_its_file() {
        let turns = Turns::of(&["a_turn_ends_although_a_child_has_its_file".to_owned()]);
        let turn = turns.take(true, None).unwrap();
        let inherited = turn.lock.as_ref().unwrap().0.try_clone().unwrap();
        drop(turn);
        assert!(turns.take(true, Some(std::time::Instant::now())).is_some());
        assert!(!turns.has_waited.load(std::sync::atomic::Ordering::Relaxed), "the run waited for itself");
        drop(inherited);
    }

    /// A run knows of another one on the same devices, also while neither has a turn.
    #[test]
    fn a_run_knows_of_its_neighbours() {
        let shared = ["a_run_knows_of_its_neighbours".to_owned()];
        let turns = Turns::of(&shared);
        assert!(!turns.has_neighbour(), "the run takes itself for another one");
        let other = Turns::of(&shared);
        assert!(turns.has_neighbour() && other.has_neighbour());
    }
}
