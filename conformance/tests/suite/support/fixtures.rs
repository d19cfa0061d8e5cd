//! The processes that cases talk to. `#[with(1)]` places one on GPU 1.

use conformance::Placement;
use conformance::Role;
use rstest::fixture;

/// A fixture cannot return an error: the runner takes the stop out of the panic.
pub(crate) fn start(name: &str, placement: Placement) -> Role {
    Role::new(name, placement).unwrap_or_else(|stop| std::panic::panic_any(stop))
}

/// The process that owns memory and events.
#[fixture]
pub(crate) fn exporter(#[default(0)] device: i32) -> Role {
    start("exporter", Placement::device(device))
}

/// The process that opens what another exported.
#[fixture]
pub(crate) fn importer(#[default(0)] device: i32) -> Role {
    start("importer", Placement::device(device))
}

/// An exporter on GPU 0 and an importer on GPU 1, which do not reach each other's memory.
pub(crate) fn on_gpus_that_are_no_peers() -> (Role, Role) {
    let on = |name, device| start(name, Placement::device(device).without_peer_access());
    (on("exporter", 0), on("importer", 1))
}

/// A process in which nobody called `cuInit`.
#[fixture]
pub(crate) fn uninitialised() -> Role {
    start("uninitialised", Placement::device(0).uninitialised())
}

/// A third process.
#[fixture]
pub(crate) fn observer(#[default(0)] device: i32) -> Role {
    start("observer", Placement::device(device))
}
