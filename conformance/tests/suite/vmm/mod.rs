//! Virtual memory management (VMM): `cuMemCreate` and related calls.

mod access;
mod copies;
mod create;
mod export;
mod hidden;
mod import;
mod imported;
mod isolation;
mod lifetime;
mod map;
mod null;
mod reserve;
mod retain;
mod stale;
mod transport;
