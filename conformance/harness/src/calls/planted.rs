//! Faults that a role makes on purpose, for the checks of the harness.

use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use crate::message::{Refused, encode};

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
