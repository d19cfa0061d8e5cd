//! CUDA memory and events that cross process borders, as Rust types.
//!
//! A call is a method, an out-parameter a return value, a resource a type; each item names its C call first. What the
//! types add is what the C interface leaves to discipline:
//!
//! - **Nothing is torn down in the wrong order.** A buffer holds its context, so that values may be dropped in any
//!   order.
//! - **What is yours and what is another process's are two types.** A [`DeviceBuffer`] is freed and an
//!   [`ImportedBuffer`](ipc::ImportedBuffer) closed; neither has the other's method.
//! - **No error is lost.** Whatever has a `Drop` has a method that does the same and returns the error, and what `Drop`
//!   meets goes to the hook of [`set_drop_hook`], never to a later call.
//! - **The current context stays as it was.** Every call makes its own context current and then restores yours.
//!
//! Opening a handle is `unsafe`: another process decides what its bytes mean, and how long they mean it.
//!
//! ```no_run
//! # fn main() -> Result<(), cuda_ipc::Error> {
//! # fn send(_: [u8; 64]) {}
//! # fn receive() -> [u8; 64] { [0; 64] }
//! use cuda_ipc::ipc::{ImportedBuffer, MemHandle};
//! use cuda_ipc::{Context, DeviceBuffer, Driver};
//!
//! // In the process that owns the memory:
//! let context = Context::primary(Driver::get()?.device(0)?)?;
//! let buffer = DeviceBuffer::new(&context, 1 << 20)?;
//! buffer.write(0, b"some bytes")?;
//! send(buffer.ipc_handle()?.to_bytes());
//!
//! // In another process:
//! let context = Context::primary(Driver::get()?.device(0)?)?;
//! let handle = MemHandle::from_bytes(receive());
//! // SAFETY: the bytes come unaltered from the owner, which frees the memory after we have closed it.
//! let imported = unsafe { ImportedBuffer::open(&context, &handle)? };
//! let mut bytes = [0_u8; 10];
//! imported.read(0, &mut bytes)?;
//! imported.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! The driver is loaded at run time; nothing of CUDA is needed to build. [`sys`] is the raw interface.

#![deny(unsafe_code)] // The modules that call the driver allow it, each at its head.

#[cfg(not(target_os = "linux"))]
compile_error!("cuda-ipc is for Linux, where CUDA shares memory between processes; cuda-ipc-sys builds everywhere");

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

const fn crosses_threads<T: Send + Sync>() {}

const _: () = {
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
