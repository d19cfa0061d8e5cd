//! The conformance cases. Each module holds a group of cases, and each file in it covers one call or topic. `support`
//! holds shared helpers.

use std::process::ExitCode;

use conformance::runner::{self, Program};

mod devattr;
mod dmabuf;
mod err;
mod fab;
mod fork;
mod ipcevt;
mod ipcmem;
mod load;
mod mc;
mod model;
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
