//! `fork` and `exec` in a role.

use crate::Descriptor;
use crate::message::Refused;
use crate::role::{self, Beginning, ChildEnd};

calls! {
    /// Creates a context, fills memory and reads it, in the role itself.
    fn use_the_driver(session, beginning: Beginning) -> () {
        role::use_the_driver(session.driver, session.device, beginning)
    }

    /// `fork`. The child does the same and leaves by `_exit`.
    fn fork_and_use_the_driver(session, beginning: Beginning) -> ChildEnd {
        let (driver, device) = (session.driver, session.device);
        role::fork(|| role::use_the_driver(driver, device, beginning).into())
    }

    /// `fork`. The child initialises the driver, imports memory from a descriptor that it inherited, and compares it
    /// with the pattern of a seed.
    fn fork_and_import(session, descriptor: Descriptor, size: u64, seed: u32) -> ChildEnd {
        let (driver, device) = (session.driver, session.device);
        role::fork(|| role::import_and_verify(driver, device, descriptor.0, size as usize, seed).into())
    }

    /// `fork`. The child leaves at once by `_exit`.
    fn fork_and_leave(session) -> ChildEnd {
        role::fork(|| ChildEnd::Worked)
    }

    /// `fork`. The child leaves at once by `exit`.
    fn fork_and_exit(session) -> ChildEnd {
        role::fork_and_exit()
    }

    /// `fork` and `exec`. The program initialises the driver, fills memory and reads it, and exits.
    fn exec_and_use_the_driver(session) -> ChildEnd {
        role::exec(session.device)
    }

    /// `fork` and `exec` of a program that inherits a descriptor and keeps it.
    fn exec_and_hold(session, descriptor: Descriptor) -> () {
        session.holders.push(role::start_holder(descriptor.0)?);
        Ok(())
    }

    /// Ends the program that keeps a descriptor.
    fn end_holder(session) -> () {
        let holder = session.holders.pop();
        let mut holder = holder.ok_or_else(|| Refused::Role("no program holds a descriptor".to_owned()))?;
        drop(holder.stdin.take());
        holder.wait()?;
        Ok(())
    }
}
