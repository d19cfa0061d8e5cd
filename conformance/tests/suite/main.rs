//! The cases, one module a group and one file a call or a rule, on the harness of the `conformance` crate.

use std::process::ExitCode;

mod account;
mod capture;
mod devattr;
mod dmabuf;
mod err;
mod fab;
mod fixtures;
mod foreign;
mod fork;
mod harness;
mod import_kind;
mod ipcevt;
mod ipcmem;
mod mc;
mod p2p;
mod pool;
mod proc;
mod ptrattr;
mod range;
mod rt;
mod vmm;

fn main() -> ExitCode {
    conformance::runner::main()
}
