//! `conformance run`: runs the suite, with a progress bar on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use clap::{Args, Parser as _};
use conformance::runner::Options;

use crate::output::{Failure, remark};
use crate::progress;
use crate::suite::Suite;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The flags of the suite; `run -- --help` prints them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SUITE FLAGS")]
    flags: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  cargo conformance run --driver system --require gpus=2 --report report.jsonl
  cargo conformance run ipcmem::open

In an unpacked bundle, the command is ./conformance.
The suite is the executable that CONFORMANCE_SUITE names, else `conformance-suite` beside this command, else the one
that cargo builds in the checkout.
Exit codes, which are those of the suite if it could start:
  0        no case failed
  1        the run cannot start, or its report or its output cannot be written
  2        a flag is invalid, or the suite could not be started
  101      a case failed, a process crashed or hung outside any case, a requirement is not met, or --budget was too
           short for any case
  128 + N  signal N ended the suite";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let suite = Suite::find()?;
    remark(&suite);
    let mut command = suite.command();
    match Options::try_parse_from([OsString::from("conformance-suite")].iter().chain(&arguments.flags)) {
        Ok(options) if io::stdout().is_terminal() && !options.libtest.list => {
            progress::follow(command, &arguments.flags, &options)
        }
        // Without a terminal, and for flags that the suite itself answers (--list, --help, invalid ones), this process
        // becomes the suite, with its exit code and its signals.
        _ => {
            let error = command.args(&arguments.flags).exec();
            Err(Failure::new(format_args!("cannot run {}: {error}", suite.program.display())))
        }
    }
}
