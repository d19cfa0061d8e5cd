//! `cuIpcOpenMemHandle`.

mod contexts;
mod copies;
mod corrupted;
mod devices;
mod flags;
mod isolation;
mod references;
mod sharing;
mod stale;
mod wrong_release;
