//! What cases share: the processes they talk to, kinds of pointers and imports, work that is held back.

pub(crate) mod capture;
pub(crate) mod device_memory;
pub(crate) mod fixtures;
pub(crate) mod foreign;
pub(crate) mod import_kind;
pub(crate) mod latch;
pub(crate) mod pointer_kind;

/// The size of memory in a case whose rule does not depend on it, in bytes.
pub(crate) const SIZE: u64 = 2 * conformance::MIB;
