//! The cases: one module a group, one file a call or a rule. `support` has what they share.

use std::process::ExitCode;

use conformance::runner::{self, Program};

mod devattr;
mod dmabuf;
mod err;
mod fab;
mod fork;
mod ipcevt;
mod ipcmem;
mod mc;
mod p2p;
mod pool;
mod proc;
mod ptrattr;
mod range;
mod rt;
mod support;
mod vmm;

fn main() -> ExitCode {
    runner::main(Program::of_drivers(env!("CARGO_PKG_NAME")))
}
