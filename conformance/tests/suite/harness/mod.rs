//! Checks of the harness itself: that it tells the truth about processes, drivers and machines. They need no GPU and
//! run the suite executable on the reference driver.

mod bundle;
mod catalogue;
mod command;
mod deviations;
mod diff;
mod doctor;
mod drivers;
mod html;
mod junit;
mod nearest;
mod nextest;
mod options;
mod orphans;
mod output;
pub(crate) mod planted;
mod records;
mod report;
mod roles;
mod run;
mod runtime;
mod show;
mod suite;
mod verdicts;
mod wire;
