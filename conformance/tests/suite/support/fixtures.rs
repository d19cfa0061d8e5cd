//! The processes that cases control. `#[with(1)]` places one on GPU 1.

use conformance::Placement;
use conformance::Role;
use rstest::fixture;

/// Starts a role. A fixture cannot return an error, so a stop becomes a panic, from which the runner takes it.
pub(crate) fn start(name: &str, placement: Placement) -> Role {
    Role::new(name, placement).unwrap_or_else(|stop| std::panic::panic_any(stop))
}

/// The process that owns memory and events.
#[fixture]
pub(crate) fn exporter(#[default(0)] device: i32) -> Role {
    start("exporter", Placement::device(device))
}

/// The process that opens memory and events of another process.
#[fixture]
pub(crate) fn importer(#[default(0)] device: i32) -> Role {
    start("importer", Placement::device(device))
}

/// Starts an exporter on GPU 0 and an importer on GPU 1, without peer access between them.
pub(crate) fn on_gpus_that_are_no_peers() -> (Role, Role) {
    let on = |name, device| start(name, Placement::device(device).without_peer_access());
    (on("exporter", 0), on("importer", 1))
}

/// A process that has not called `cuInit`.
#[fixture]
pub(crate) fn uninitialised() -> Role {
    start("uninitialised", Placement::device(0).uninitialised())
}

/// A third process.
#[fixture]
pub(crate) fn observer(#[default(0)] device: i32) -> Role {
    start("observer", Placement::device(device))
}
