//! Faults that a role makes on purpose, for the checks of the harness.

use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use crate::message::Refused;

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
