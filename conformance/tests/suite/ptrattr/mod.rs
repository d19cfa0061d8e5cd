//! `cuPointerGetAttribute` and its family.

mod by_kind;
mod imported;
mod mapping;
mod query;
mod reach;
