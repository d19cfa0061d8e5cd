//! The cases, one module a group and one file a call or a rule, on the harness of the `conformance` crate.

use std::process::ExitCode;

mod fixtures;
mod harness;
mod ipcevt;
mod ipcmem;
mod rt;

fn main() -> ExitCode {
    conformance::runner::main()
}
