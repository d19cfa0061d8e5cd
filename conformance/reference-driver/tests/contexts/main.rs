//! Contexts: their creation and end, the resources that end with them, and the errors in them.
//!
//! Each test runs in a process of its own, because contexts, the environment and forks belong to the process.

#[macro_use]
#[path = "../common/own_process.rs"]
mod own_process;
#[macro_use]
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/calls.rs"]
mod calls;

mod destroy;
mod exporter;
mod fork;
mod functions;
mod library;
mod main_thread;
mod primary;
mod resources;
mod sticky;
mod stress;
mod visible;
mod wild;
