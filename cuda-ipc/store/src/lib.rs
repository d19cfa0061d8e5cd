#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(not(target_os = "linux"))]
compile_error!("cuda-ipc-store supports only Linux");

mod client;
pub mod daemon;
mod error;
mod limits;
mod object_id;
mod protocol;

pub use client::{Client, Draft, Object, SealError};
pub use error::Error;
pub use limits::Limits;
pub use object_id::{ObjectId, ParseObjectIdError};
pub use protocol::{Counted, LONGEST_NAME, ObjectStatus, Refusal, Status, UserStatus, VERSION};

const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}

    crosses_threads::<Client>();
    crosses_threads::<Draft>();
    crosses_threads::<Object>();
    crosses_threads::<Error>();
};
