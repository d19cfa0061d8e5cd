//! The role's process: it performs calls until its runner has ended.

mod child;
mod descriptor;
mod kernels;
mod ledger;
mod probe;
mod serve;
mod session;
mod user;

pub use child::{Beginning, ChildEnd};
pub(crate) use child::{
    differing, exec, first_differing, fork, fork_and_exit, import_and_verify, start_holder, use_the_driver,
};
pub(crate) use descriptor::{close, held};
pub(crate) use kernels::pointers;
pub use kernels::{BLOCKS, THREADS};
pub(crate) use ledger::Resource;
pub use ledger::{Cleanness, Problem};
pub(crate) use serve::serve_if_role;
pub(crate) use session::{Session, ThreadSession};
