//! Interprocess events.

mod create;
mod destroy;
mod exporter_death;
mod get;
mod graph;
mod isolation;
mod many;
mod open;
mod record;
mod wait;

use cuda_ipc_sys::CUevent_flags;

use crate::support::constants::{DISABLE_TIMING, INTERPROCESS, NOT_READY};
use crate::support::event::{export, share};
use crate::support::waiting::{begin_to_wait, begin_to_wait_for_stream, has_ended};

const INTERPROCESS_BLOCKING: u32 = INTERPROCESS | CUevent_flags::CU_EVENT_BLOCKING_SYNC.0;
