//! The safe layer.
