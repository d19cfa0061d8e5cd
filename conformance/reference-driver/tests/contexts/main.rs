//! Contexts: how they come and go, what goes with them, and what goes wrong in them.
//!
//! Each test is a process of its own: which contexts there are, what the environment says and whether a process was
//! forked is a process's.

#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[macro_use]
#[path = "../common/calls.rs"]
mod calls;
#[path = "../common/mod.rs"]
mod common;

mod destroy;
mod exporter;
mod fork;
mod functions;
mod primary;
mod resources;
mod sticky;
mod stress;
mod visible;
mod wild;
