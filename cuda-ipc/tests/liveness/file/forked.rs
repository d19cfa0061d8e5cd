//! Forked children, which have their parent's leases.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use cuda_ipc::liveness::{FileLease, FileTenancy, LivenessError};

use super::{assert_held, folder};

/// A forked child has the values and the locks of its parent, until it calls exec. Returns the parent's copy.
fn end_in_a_child<T: Send + Sync + 'static>(value: T, end: impl Fn(T) -> bool + Send + Sync + 'static) -> Command {
    let mut copy = Some(value);
    let mut command = Command::new("true");
    let ending = move || if copy.take().is_some_and(&end) { Ok(()) } else { Err(ErrorKind::Other.into()) };
    // SAFETY: the child compares numbers, copies a path and closes a descriptor. The parent's copy is not changed.
    unsafe { command.pre_exec(ending) };
    assert!(command.status().unwrap().success());
    command
}

fn drop_in_a_child<T: Send + Sync + 'static>(value: T) -> Command {
    end_in_a_child(value, |value| {
        drop(value);
        true
    })
}

#[test]
fn a_lease_that_a_forked_child_drops_stays_its_parents() {
    let (_folder, path) = folder();
    let parents = drop_in_a_child(FileLease::publish(&path, b"a ticket").unwrap());
    let (tenancy, _) = FileTenancy::open(&path, Duration::ZERO).unwrap();
    assert!(tenancy.owner_is_alive().unwrap());
    drop(parents);
    assert!(!tenancy.owner_is_alive().unwrap());
    assert!(!path.exists());
}

#[test]
fn a_forked_child_does_not_withdraw_its_parents_file() {
    let (_folder, path) = folder();
    let _parents = end_in_a_child(FileLease::publish(&path, b"a ticket").unwrap(), |lease| {
        matches!(lease.withdraw(Duration::ZERO), Err(LivenessError::InUse { .. }))
    });
    assert_eq!(FileTenancy::open(&path, Duration::ZERO).unwrap().1, b"a ticket");
}

#[test]
fn a_tenancy_that_a_forked_child_drops_stays_its_parents() {
    let (_folder, path) = folder();
    let lease = FileLease::publish(&path, b"a ticket").unwrap();
    let parents = drop_in_a_child(FileTenancy::open(&path, Duration::ZERO).unwrap().0);
    assert_held(&lease);
    drop(parents);
    lease.withdraw(Duration::ZERO).unwrap();
}
