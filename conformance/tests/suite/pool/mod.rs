//! Memory pools that processes share: `cuMemPoolCreate` and related calls.

mod access;
mod attribute;
mod copies;
mod corrupted;
mod create;
mod export;
mod fabric;
mod host;
mod import;
mod isolation;
mod large;
mod pointer;
mod reach;
