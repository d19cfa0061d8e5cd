//! Helpers that cases share: processes, kinds of pointers and imports, and work that stays pending.

pub(crate) mod by_kernel;
pub(crate) mod capture;
pub(crate) mod constants;
pub(crate) mod copies;
pub(crate) mod device_memory;
pub(crate) mod distinct;
pub(crate) mod dma_buf;
pub(crate) mod event;
pub(crate) mod fixtures;
pub(crate) mod foreign;
pub(crate) mod growth;
pub(crate) mod import_kind;
pub(crate) mod isolated;
pub(crate) mod latch;
pub(crate) mod legacy;
pub(crate) mod pointer_kind;
pub(crate) mod reach;
pub(crate) mod reuse;
pub(crate) mod shared_pool;
pub(crate) mod value;
pub(crate) mod virtual_memory;
pub(crate) mod waiting;

/// The size of an allocation, in bytes, in a case whose rule does not depend on the size.
pub(crate) const SIZE: u64 = 2 * conformance::MIB;
