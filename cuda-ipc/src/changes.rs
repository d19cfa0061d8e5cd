//! Waiting until something changes at a path, or at an address that has none.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use crate::deadline::Deadline;

/// The first pause if the kernel reports nothing. Only microseconds pass between the `bind` of a listener, which
/// creates the file, and its `listen`.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The pause if the kernel reports the file. It does not report everything: a parent folder can be renamed, or the path
/// can be a link to a file in another folder.
const RECHECK: Duration = Duration::from_secs(1);

/// The changes at a path.
pub(crate) struct Changes<'path> {
    /// Absent for the abstract name of a socket, which no folder contains.
    path: Option<&'path Path>,
    /// Absent without a path, and if this user has no inotify instance left.
    inotify: Option<OwnedFd>,
    is_watched: bool,
    pause: Duration,
}

impl<'path> Changes<'path> {
    pub(crate) fn at(path: Option<&'path Path>) -> Self {
        let inotify = path.and_then(|_| inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok());
        Self { path, inotify, is_watched: false, pause: SHORTEST_PAUSE }
    }

    /// `inotify_add_watch`: watches the folder. Call this before each look at the path: changes before this call are
    /// not reported, and the path may lead to another folder by now.
    pub(crate) fn watch(&mut self) {
        let folder = self.path.map(|path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        });
        let changes = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        self.is_watched = match (&self.inotify, folder) {
            (Some(inotify), Some(folder)) => inotify::add_watch(inotify, folder, changes | WatchFlags::ONLYDIR).is_ok(),
            _ => false,
        };
    }

    /// Waits until the file may have changed, or until it is time to look again, at the latest until the deadline.
    ///
    /// `needs_file` says that only a new file helps, which the kernel reports. Nothing reports that a process begins to
    /// listen at a file that exists, or at an abstract name. For these the pauses grow up to [`LONGEST_PAUSE`].
    pub(crate) fn wait(&mut self, needs_file: bool, deadline: Deadline) -> io::Result<()> {
        let pause = if self.is_watched && needs_file { RECHECK } else { self.pause };
        self.pause = LONGEST_PAUSE.min(self.pause * 2);
        let end = deadline.min(Deadline::after(Some(pause)));
        let Some(inotify) = self.inotify.as_ref().filter(|_| self.is_watched) else {
            thread::sleep(end.left().unwrap_or(pause));
            return Ok(());
        };
        while !end.poll(inotify, PollFlags::IN)?.is_empty() {
            if self.has_changed(inotify)? {
                self.pause = SHORTEST_PAUSE;
                break;
            }
        }
        Ok(())
    }

    /// `read`: returns whether one of the reported changes concerns the file, and not a neighbour.
    fn has_changed(&self, inotify: &OwnedFd) -> io::Result<bool> {
        let file = self.path.and_then(Path::file_name);
        // One event has at most 16 bytes and a name of 256.
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(inotify, &mut space);
        let mut has_changed = false;
        loop {
            match events.next() {
                // An event without a name is about the folder. After an overflow, any file may have changed.
                Ok(event) => {
                    let is_file = match event.file_name() {
                        Some(name) => file.is_none_or(|file| file.as_bytes() == name.to_bytes()),
                        None => true,
                    };
                    has_changed |= is_file || event.events().contains(ReadFlags::QUEUE_OVERFLOW);
                }
                Err(rustix::io::Errno::AGAIN) => return Ok(has_changed),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Instant;

    use super::*;

    const MOMENT: Duration = Duration::from_millis(30);

    /// Returns how long one wait took.
    fn waited(changes: &mut Changes<'_>, limit: Duration) -> Duration {
        let begin = Instant::now();
        changes.wait(true, Deadline::after(Some(limit))).unwrap();
        begin.elapsed()
    }

    /// The change is reported before the wait begins, so the wait returns without a pause.
    #[test]
    fn a_new_file_ends_the_wait() {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut changes = Changes::at(Some(&path));
        changes.watch();
        assert!(changes.is_watched);
        File::create(folder.path().join("socket")).unwrap();
        assert!(waited(&mut changes, 2 * RECHECK) < RECHECK);
        assert_eq!(changes.pause, SHORTEST_PAUSE);
    }

    #[test]
    fn a_file_that_is_moved_there_ends_the_wait() {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        File::create(folder.path().join("other")).unwrap();
        let path = folder.path().join("socket");
        let mut changes = Changes::at(Some(&path));
        changes.watch();
        std::fs::rename(folder.path().join("other"), folder.path().join("socket")).unwrap();
        assert!(waited(&mut changes, 2 * RECHECK) < RECHECK);
    }

    #[test]
    fn a_neighbours_file_does_not_end_the_wait() {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        let path = folder.path().join("socket");
        let mut changes = Changes::at(Some(&path));
        changes.watch();
        File::create(folder.path().join("socket.lock")).unwrap();
        assert!(waited(&mut changes, MOMENT) >= MOMENT);
    }

    #[test]
    fn without_reports_the_pauses_grow() {
        let folder = tempfile::Builder::new().prefix("cuda-ipc-test").tempdir().unwrap();
        let (below, in_folder) = (folder.path().join("none/socket"), folder.path().join("socket"));
        let mut no_instance_left = Changes::at(Some(&in_folder));
        no_instance_left.inotify = None;
        for mut changes in [Changes::at(None), Changes::at(Some(&below)), no_instance_left] {
            changes.watch();
            assert!(!changes.is_watched);
            let mut expected = SHORTEST_PAUSE;
            for _ in 0..10 {
                assert!(waited(&mut changes, 2 * RECHECK) >= expected);
                expected = LONGEST_PAUSE.min(2 * expected);
            }
            assert_eq!(expected, LONGEST_PAUSE);
        }
    }
}
