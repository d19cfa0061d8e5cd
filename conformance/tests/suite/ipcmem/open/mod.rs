//! `cuIpcOpenMemHandle`.

mod contexts;
mod corrupted;
mod devices;
mod flags;
mod isolation;
mod references;
mod sharing;
mod stale;
mod wrong_release;
