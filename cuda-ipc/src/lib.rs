// In the crate's documentation the README's links lead to the guide modules: the first definition of a link counts.
//! [sys]: crate::sys
//! [store]: https://docs.rs/cuda-ipc-store
//! [buffer]: guide::buffer
//! [server]: guide::server
//! [pool]: guide::pool
//! [parts]: guide::parts
//! [ordering]: guide::ordering
//! [gpus]: guide::gpus
//! [containers]: guide::containers
//! [lifetimes]: guide::lifetimes
//! [beside]: guide::beside
//! [limits]: guide::limits
//! [safety]: guide::safety
#![doc = include_str!("../README.md")]
//!
//! ## Giving back, and the error of it
//!
//! Dropping a value gives back what it owns. A method of the value does the same and returns the error. Its name is the
//! verb of the C call:
//!
//! | method | C call | values |
//! |---|---|---|
//! | `free` | `cuMemFree`, `cuMemFreeAsync`, `cuMemFreeHost`, `cuMemAddressFree` | [`DeviceBuffer`], [`SharedBuffer`], [`PoolBuffer`](pool::PoolBuffer), [`PinnedBuffer`](host::PinnedBuffer), [`Reservation`](vmm::Reservation) |
//! | `close` | `cuIpcCloseMemHandle`; for pools and events that of the owner | all imports: [`ImportedMemory`], [`ImportedBuffer`](ipc::ImportedBuffer), [`ImportedEvent`](ipc::ImportedEvent), [`ImportedPool`](pool::ImportedPool), [`ImportedPoolBuffer`](pool::ImportedPoolBuffer); each side of a [`ring`] |
//! | `unmap` | `cuMemUnmap`, `cuMemHostUnregister` | [`Mapping`](vmm::Mapping), [`SharedPages`](host::SharedPages) |
//! | `destroy` | `cuStreamDestroy`, `cuEventDestroy`, `cuMemPoolDestroy` | [`Stream`], [`InterprocessEvent`](event::InterprocessEvent), [`Pool`](pool::Pool) |
//! | `release` | `cuDevicePrimaryCtxRelease`, `cuCtxDestroy` | [`Context`]; a message of a [`ring`] |
//! | `disable` | `cuCtxDisablePeerAccess` | [`PeerAccess`](peer::PeerAccess) |
//! | `unload` | `cuModuleUnload` | [`Module`](module::Module) |
#![deny(unsafe_code)] // Modules that call the driver allow it in their first lines.

#[cfg(not(target_os = "linux"))]
compile_error!("cuda-ipc supports only Linux; cuda-ipc-sys builds on every platform");

pub mod cache;
mod changes;
pub mod context;
mod deadline;
pub mod device;
mod driver;
mod drop_hook;
mod error;
pub mod event;
mod exporter;
pub mod fabric;
pub mod foreign;
mod fork;
pub mod guide;
mod handle;
pub mod host;
mod identity;
pub mod ipc;
pub mod kernel;
mod known;
pub mod liveness;
mod lock;
pub mod memory;
pub mod mirror;
pub mod module;
mod os_handle;
mod parcel;
pub mod peer;
pub mod pool;
mod resource;
pub mod ring;
mod shared;
pub mod stream;
mod sync;
pub mod ticket;
mod time_namespace;
pub mod transport;
pub mod vmm;

pub use context::Context;
pub use cuda_ipc_sys as sys;
pub use device::Device;
pub use driver::Driver;
pub use drop_hook::{DropError, set_drop_hook};
pub use error::{Error, SystemError};
pub use exporter::ExporterIdentity;
pub use identity::ProcessIdentity;
pub use memory::{DeviceBuffer, DeviceMemory, DeviceSlice};
pub use parcel::{ImportedMemory, Parcel};
pub use shared::SharedBuffer;
pub use stream::Stream;
pub use ticket::Ticket;

const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}

    crosses_threads::<Driver>();
    crosses_threads::<Device>();
    crosses_threads::<Context>();
    crosses_threads::<Stream>();
    crosses_threads::<DeviceBuffer>();
    crosses_threads::<DeviceSlice<'static, *mut u8>>();
    crosses_threads::<memory::Part<'static>>();
    crosses_threads::<SharedBuffer>();
    crosses_threads::<ipc::ImportedBuffer>();
    crosses_threads::<event::InterprocessEvent>();
    crosses_threads::<ipc::ImportedEvent>();
    crosses_threads::<ipc::MemHandle>();
    crosses_threads::<ipc::EventHandle>();
    crosses_threads::<cache::Cache>();
    crosses_threads::<cache::CachedMemory>();
    crosses_threads::<host::PinnedBuffer<u8>>();
    crosses_threads::<host::SharedPages<u32>>();
    crosses_threads::<host::SharedPages<u64>>();
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
    crosses_threads::<kernel::Kernel<(kernel::Write<*mut u8>, u32)>>();
    crosses_threads::<Error>();
    crosses_threads::<transport::Connection>();
    crosses_threads::<transport::Group>();
    crosses_threads::<transport::Listener>();
    crosses_threads::<transport::TransportError>();
    crosses_threads::<liveness::ProcessWatch>();
    crosses_threads::<liveness::FileLease>();
    crosses_threads::<liveness::FileTenancy>();
    crosses_threads::<liveness::Lease>();
    crosses_threads::<liveness::Tenancy>();
    crosses_threads::<liveness::LivenessError>();
    crosses_threads::<ring::RingError>();
};

const _: () = {
    const fn moves_to_threads<T: Send>() {}

    moves_to_threads::<ring::Consumer>();
    moves_to_threads::<ring::Producer>();
};
