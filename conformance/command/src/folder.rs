//! The folder of the golden records, as commands take it.

use std::path::PathBuf;

use clap::Args;
use conformance::records::{self, Records};

use crate::output::remark;

#[derive(Args)]
pub(crate) struct Folder {
    /// The folder of the golden records [default: `records` beside this command, or else in the checkout]
    #[arg(long, env = "CONFORMANCE_RECORDS", value_name = "DIR")]
    records: Option<PathBuf>,
}

impl Folder {
    pub(crate) fn path(&self) -> PathBuf {
        self.records.clone().unwrap_or_else(records::folder)
    }

    /// Returns the records that can be read, and prints a warning for each of the others.
    pub(crate) fn read(&self) -> Records {
        let records = Records::read(&self.path());
        for warning in &records.warnings {
            remark(warning);
        }
        records
    }
}
