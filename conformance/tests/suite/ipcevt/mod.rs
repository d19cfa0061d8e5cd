//! Interprocess events.
