//! Faults that a role makes on purpose, for the checks of the harness.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, getpid, getrlimit, kill_process, setrlimit};

use serde::{Deserialize, Serialize};

use crate::message::{Refused, encode};

/// How a role ends while it exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BadExit {
    /// By SIGABRT.
    Aborts,
    /// With exit code 3.
    Fails,
    /// Not at all.
    Hangs,
    /// In order, but only one role at a time, and each takes two seconds.
    TakesTurns,
}

static BAD_EXIT: AtomicU8 = AtomicU8::new(0);

/// Becomes the tracer of another process, with these options.
fn trace(process: u32, options: libc::c_int) -> Result<(), Refused> {
    // SAFETY: the call reads and writes no memory of this process.
    if unsafe { libc::ptrace(libc::PTRACE_SEIZE, process, 0, options) } != 0 {
        let error = std::io::Error::last_os_error();
        return Err(Refused::Unsupported(format!("cannot trace another process: {error}")));
    }
    Ok(())
}

extern "C" fn exit_badly() {
    match BAD_EXIT.load(Ordering::Relaxed) {
        how if how == BadExit::Aborts as u8 => std::process::abort(),
        // SAFETY: the call ends the process.
        how if how == BadExit::Fails as u8 => unsafe { libc::_exit(3) },
        how if how == BadExit::TakesTurns as u8 => {
            if let Ok(program) = std::fs::File::open("/proc/self/exe") {
                let _ = rustix::fs::flock(&program, rustix::fs::FlockOperation::LockExclusive);
                std::thread::sleep(Duration::from_secs(2));
            }
        }
        _ => loop {
            std::thread::sleep(Duration::from_secs(3600));
        },
    }
}

calls! {
    /// Kills the role with a signal.
    fn die_of(session, signal: i32) -> () {
        let signal = Signal::from_named_raw(signal).ok_or_else(|| Refused::Role(format!("{signal} is not a signal")))?;
        // Rust's handler of SIGSEGV catches the first signal and removes itself.
        for _ in 0..2 {
            kill_process(getpid(), signal)?;
        }
        Err(Refused::Role(format!("survived signal {signal:?}")))
    }

    /// Sleeps forever, so that the call passes its deadline.
    fn hang(session) -> () {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }

    /// Registers an exit handler that goes wrong, as a driver may.
    fn exit_badly_later(session, how: BadExit) -> () {
        BAD_EXIT.store(how as u8, Ordering::Relaxed);
        // SAFETY: the handler is a function of this program.
        if unsafe { libc::atexit(exit_badly) } != 0 {
            return Err(Refused::Role("no exit handler can be registered".to_owned()));
        }
        Ok(())
    }

    /// Lets every process trace the role, also where the system lets only parents do that.
    fn let_itself_be_traced(session) -> () {
        // SAFETY: the call only sets a property of the process. It fails on a system without such a limit.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY) };
        Ok(())
    }

    /// Keeps another process in the kernel when SIGKILL ends it, as a driver that waits for a device would, for as long as
    /// this role lives.
    fn hold_the_death_of(session, process: u32) -> () {
        trace(process, libc::PTRACE_O_TRACEEXIT)
    }

    /// Keeps the status of another process from its parent when it has ended, as a debugger does that nobody lets go on,
    /// for as long as this role lives.
    fn keep_the_status_of(session, process: u32) -> () {
        trace(process, 0)
    }

    /// Announces an answer, sends half of it and exits.
    fn die_in_the_middle_of_an_answer(session) -> () {
        session.announce_and_exit();
        Ok(())
    }

    /// Answers this call as many times more as told.
    fn answer_again(session, times: u32) -> () {
        for _ in 0..times {
            session.answer(&encode(&Ok(())), Duration::ZERO)?;
        }
        Ok(())
    }

    /// Answers, and then sends empty frames for ever.
    fn flood(session) -> () {
        session.answer(&encode(&Ok(())), Duration::ZERO)?;
        session.flood()
    }

    /// Sends these bytes before the answer.
    fn send_garbage(session, bytes: Vec<u8>) -> () {
        Ok(session.send_frame(&bytes)?)
    }

    /// Answers with something else than an answer.
    fn answer_with_garbage(session, bytes: Vec<u8>) -> () {
        Ok(session.answer(&bytes, Duration::ZERO)?)
    }

    /// Answers, and reads no further call.
    fn read_nothing(session) -> () {
        session.answer(&encode(&Ok(())), Duration::ZERO)?;
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }

    /// Forks a child that keeps the role's socket open until the time is over, and kills the role.
    fn fork_and_keep_the_socket(session, time: Duration) -> () {
        // SAFETY: the child only closes descriptors and sleeps, and leaves by `_exit`.
        match unsafe { libc::fork() } {
            -1 => Err(std::io::Error::last_os_error().into()),
            0 => {
                // Who reads the output of the run would wait for this process.
                // SAFETY: nothing in the child uses them.
                unsafe { (libc::close(1), libc::close(2)) };
                std::thread::sleep(time);
                // SAFETY: the call does not return, and runs no exit handler of the parent.
                unsafe { libc::_exit(0) }
            }
            _ => {
                kill_process(getpid(), Signal::KILL)?;
                Ok(())
            }
        }
    }

    /// Leaves the role only four MiB of addresses, in which hardly any stack of a thread has room.
    fn lack_threads(session) -> () {
        const LEFT: u64 = 4 << 20;
        let status = std::fs::read_to_string("/proc/self/status")?;
        let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
        let size: u64 = size
            .and_then(|size| size.parse().ok())
            .ok_or_else(|| Refused::Unsupported("the kernel does not say how large a process is".to_owned()))?;
        let maximum = getrlimit(Resource::As).maximum;
        Ok(setrlimit(Resource::As, Rlimit { current: Some(size * 1024 + LEFT), maximum })?)
    }

    /// Leaks memory: allocates it without an entry in the ledger, as a driver with a leak would.
    fn leak_device_memory(session, size: u64) -> () {
        let mut pointer = 0;
        cuda!(session.cuMemAlloc(&mut pointer, size as usize));
        Ok(())
    }

    /// Leaks a descriptor, as a driver with a leak would.
    fn leak_descriptor(session) -> () {
        std::mem::forget(std::fs::File::open("/proc/self/status")?);
        Ok(())
    }
}
