//! The faults of the interposer, and the functions that alter a driver's answers.
//!
//! A fault is one entry of a `faults!` list: its name, the rows of the catalogue that a driver with it violates, what
//! the driver does wrong, and the code that does it. Each list belongs to one function of the driver.
//!
//! `conformance score --driver system` runs the cases of those rows with each fault, over the driver of the machine.

#[macro_use]
mod hook;

mod answer;
mod context;
mod device;
mod event;
mod ipc;
mod memory;
mod pointer;
mod pool;
mod share;
mod table;
mod vmm;

pub use fault::Fault;
pub use hook::{FAULT_VARIABLE, faults};
pub use table::{LIBRARY_VARIABLE, TABLE, driver};
