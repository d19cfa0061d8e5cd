//! A process that is late to make a file.

use cuda_ipc::liveness::{FileLease, FileTenancy};

use super::{SHORT, folder, told};
use crate::peer::{Peer, roles, say, wait_for_the_end};

/// A process that is about to take the next file is stopped. Meanwhile another one publishes that file and ends. The
/// first must not look like its owner when it goes on.
#[test]
fn a_late_maker_is_no_owner() {
    let (_folder, path) = folder();
    let mut peer = Peer::start(module_path!(), "role_publishes_when_told");
    let maker = Traced::seize(peer.process.hear().parse().unwrap());
    peer.connection.send(path.to_str().unwrap().as_bytes(), &[]).unwrap();
    // The file is open, and not locked yet.
    maker.run_to(libc::SYS_fcntl, Some(libc::F_OFD_SETLK));
    let lease = FileLease::publish(&path, b"bytes").unwrap();
    let (tenancy, _) = FileTenancy::open(&path, SHORT).unwrap();
    drop(lease);
    assert!(!tenancy.owner_is_alive().unwrap());
    // It has its lock now, and looks whether the file is still at its place.
    maker.run_to(libc::SYS_close, None);
    assert!(!tenancy.owner_is_alive().unwrap(), "the file of a process that has ended is believed");
    drop(maker);
    assert_eq!(peer.process.hear(), "done");
}

/// A thread of another process, which stops at system calls (`ptrace`). Dropping this lets it run.
struct Traced(libc::pid_t);

impl Traced {
    /// Stops a thread that waits for a message.
    fn seize(thread: libc::pid_t) -> Self {
        let traced = Self(thread);
        traced.request(libc::PTRACE_SEIZE, libc::PTRACE_O_TRACESYSGOOD);
        traced.request(libc::PTRACE_INTERRUPT, 0);
        traced.wait();
        traced
    }

    fn request(&self, request: libc::c_uint, argument: libc::c_int) {
        let (nothing, argument) = (std::ptr::null_mut::<libc::c_void>(), argument as usize as *mut libc::c_void);
        // SAFETY: these requests write no memory of this process.
        let result = unsafe { libc::ptrace(request, self.0, nothing, argument) };
        assert_eq!(result, 0, "ptrace({request:#x}): {}", std::io::Error::last_os_error());
    }

    fn wait(&self) {
        let mut status = 0;
        // SAFETY: the output is a local.
        let thread = unsafe { libc::waitpid(self.0, &mut status, libc::__WALL) };
        assert!(thread == self.0 && libc::WIFSTOPPED(status), "{status:#x}");
    }

    /// Lets the thread run until it makes a system call, with a certain second argument if one is given.
    fn run_to(&self, call: libc::c_long, argument: Option<libc::c_int>) {
        loop {
            self.request(libc::PTRACE_SYSCALL, 0);
            self.wait();
            // SAFETY: the structure is plain numbers.
            let mut found: libc::ptrace_syscall_info = unsafe { std::mem::zeroed() };
            // SAFETY: the kernel writes at most as many bytes as the structure has.
            let written =
                unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, self.0, size_of_val(&found), &raw mut found) };
            assert!(written > 0, "{}", std::io::Error::last_os_error());
            if found.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
                continue;
            }
            // SAFETY: this is the variant of `PTRACE_SYSCALL_INFO_ENTRY`.
            let entry = unsafe { found.u.entry };
            if entry.nr == call as u64 && argument.is_none_or(|argument| entry.args[1] == argument as u64) {
                return;
            }
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        self.request(libc::PTRACE_DETACH, 0);
    }
}

roles! {
    fn role_publishes_when_told(connection) {
        // SAFETY: the call has no arguments.
        say(&unsafe { libc::gettid() }.to_string());
        let _lease = FileLease::publish(told(&connection), b"late").unwrap();
        say("done");
        wait_for_the_end()
    }
}
