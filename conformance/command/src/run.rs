//! `conformance run`: the suite, with a progress bar on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use clap::{Args, Parser as _};
use conformance::runner::Options;

use crate::output::{Failure, remark};
use crate::progress;
use crate::suite::Suite;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What the suite takes; `run -- --help` prints it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SUITE FLAGS")]
    flags: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  conformance run --driver system --require gpus=2 --report report.jsonl
  conformance run ipcmem::open

The suite is the one that CONFORMANCE_SUITE names, else `conformance-suite` beside this command, else what cargo builds
in the checkout. The exit code is the suite's: 0, 101 where a case failed, 128 and the number of the signal that ended
it; 2 where it could not be started.";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let suite = Suite::find()?;
    remark(&suite);
    let mut command = Command::new(&suite.program);
    match Options::try_parse_from([OsString::from("conformance-suite")].iter().chain(&arguments.flags)) {
        Ok(options) if io::stdout().is_terminal() && !options.libtest.list => {
            progress::follow(command, &arguments.flags, &options)
        }
        // Where nobody watches, and for flags that the suite explains itself, this process becomes the suite: its exit
        // code and its signals are the suite's own.
        _ => {
            let error = command.args(&arguments.flags).exec();
            Err(Failure::new(format_args!("{} cannot be run: {error}", suite.program.display())))
        }
    }
}
