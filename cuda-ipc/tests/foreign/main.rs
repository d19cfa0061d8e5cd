//! Values that other code made, and values for other code.

#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "cudarc")]
#[path = "../common/peer.rs"]
mod peer;

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "dlpack")]
mod dlpack;
mod raw;
