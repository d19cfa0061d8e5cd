// In the crate's documentation the README's links lead to the guide modules: the first definition of a link counts.
//! [sys]: crate::sys
//! [buffer]: guide::buffer
//! [pool]: guide::pool
//! [parts]: guide::parts
//! [ordering]: guide::ordering
//! [gpus]: guide::gpus
//! [containers]: guide::containers
//! [lifetimes]: guide::lifetimes
//! [limits]: guide::limits
//! [safety]: guide::safety
#![doc = include_str!("../README.md")]
#![deny(unsafe_code)] // Modules that call the driver allow it in their first lines.

#[cfg(not(target_os = "linux"))]
compile_error!("cuda-ipc supports only Linux; cuda-ipc-sys builds on every platform");

pub mod cache;
pub mod context;
mod deadline;
pub mod device;
mod driver;
mod drop_hook;
mod error;
pub mod event;
pub mod fabric;
mod fork;
pub mod guide;
mod handle;
mod identity;
pub mod ipc;
pub mod liveness;
pub mod memory;
pub mod mirror;
pub mod module;
mod parcel;
pub mod peer;
pub mod pool;
mod resource;
pub mod stream;
pub mod ticket;
pub mod transport;
pub mod vmm;

pub use context::Context;
pub use cuda_ipc_sys as sys;
pub use device::Device;
pub use driver::Driver;
pub use drop_hook::{DropError, set_drop_hook};
pub use error::Error;
pub use identity::ProcessIdentity;
pub use memory::{DeviceBuffer, DeviceMemory};
pub use parcel::{ImportedMemory, Parcel};
pub use stream::Stream;
pub use ticket::Ticket;

const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}

    crosses_threads::<Driver>();
    crosses_threads::<Device>();
    crosses_threads::<Context>();
    crosses_threads::<Stream>();
    crosses_threads::<DeviceBuffer>();
    crosses_threads::<ipc::ImportedBuffer>();
    crosses_threads::<event::InterprocessEvent>();
    crosses_threads::<ipc::ImportedEvent>();
    crosses_threads::<ipc::MemHandle>();
    crosses_threads::<ipc::EventHandle>();
    crosses_threads::<cache::Cache>();
    crosses_threads::<cache::CachedMemory>();
    crosses_threads::<Parcel>();
    crosses_threads::<ImportedMemory>();
    crosses_threads::<vmm::Allocation>();
    crosses_threads::<vmm::ImportedAllocation>();
    crosses_threads::<vmm::Reservation>();
    crosses_threads::<vmm::Mapping>();
    crosses_threads::<pool::Pool>();
    crosses_threads::<pool::PoolBuffer>();
    crosses_threads::<pool::ImportedPool>();
    crosses_threads::<pool::ImportedPoolBuffer>();
    crosses_threads::<peer::PeerAccess>();
    crosses_threads::<module::Module>();
    crosses_threads::<module::Function>();
    crosses_threads::<Error>();
    crosses_threads::<transport::Connection>();
    crosses_threads::<transport::Listener>();
    crosses_threads::<transport::TransportError>();
    crosses_threads::<liveness::ProcessWatch>();
    crosses_threads::<liveness::Lease>();
    crosses_threads::<liveness::Tenancy>();
    crosses_threads::<liveness::LivenessError>();
};
