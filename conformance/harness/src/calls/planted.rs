//! Faults that a role commits on purpose, for the checks of the harness.

use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use crate::message::Refused;

calls! {
    /// Die of a signal.
    fn die_of(session, signal: i32) -> () {
        let signal = Signal::from_named_raw(signal).ok_or_else(|| Refused::Role(format!("no signal {signal}")))?;
        // Rust's own handler of SIGSEGV takes the first one, and steps aside.
        for _ in 0..2 {
            kill_process(getpid(), signal)?;
        }
        Err(Refused::Role(format!("survived signal {signal:?}")))
    }

    /// Answer so late that no deadline holds.
    fn hang(session) -> () {
        loop {
            std::thread::sleep(Duration::from_secs(3600));
        }
    }

    /// Announce an answer, send half of it and die.
    fn die_in_the_middle_of_an_answer(session) -> () {
        session.announce_and_exit();
        Ok(())
    }

    /// Leave memory behind that no ledger knows, as a driver that leaks would.
    fn leak_device_memory(session, size: u64) -> () {
        let mut pointer = 0;
        cuda!(session.cuMemAlloc(&mut pointer, size as usize));
        Ok(())
    }

    /// Leave a descriptor behind, as a driver that leaks would.
    fn leak_descriptor(session) -> () {
        std::mem::forget(std::fs::File::open("/proc/self/status")?);
        Ok(())
    }
}
