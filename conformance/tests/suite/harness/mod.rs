//! Checks of the harness itself: that it tells the truth about processes, drivers and machines. They need no GPU and
//! run the suite executable on the reference driver.

mod catalogue;
mod drivers;
mod options;
mod orphans;
pub(crate) mod planted;
mod report;
mod roles;
mod runtime;
mod suite;
mod verdicts;
mod wire;
