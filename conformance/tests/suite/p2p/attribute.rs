//! `cuDeviceCanAccessPeer` and `cuDeviceGetP2PAttribute`.

use conformance::{Expect as _, Outcome, Role, Stop, check, observe};
use cuda_ipc_sys::CUdevice_P2PAttribute as Attribute;
use rstest::rstest;

use crate::support::constants::{INVALID_DEVICE, INVALID_VALUE};
use crate::support::fixtures::{observer, on_gpus_that_are_no_peers};

const ACCESS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED.0;
const RANK: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK.0;
const ATOMICS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED.0;
const PARTIAL_ATOMICS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED.0;

/// All pairs of different devices, in both orders.
fn pairs(observer: &Role) -> Result<Vec<(i32, i32)>, Stop> {
    let count = observer.device_get_count()?;
    let all = (0..count).flat_map(|one| (0..count).map(move |other| (one, other)));
    Ok(all.filter(|(one, other)| one != other).collect())
}

/// The driver refuses a negative device, as the first and as the second argument.
#[rstest]
#[conformance::test("P2P-001")]
fn negative_devices_are_refused(observer: Role) -> Outcome {
    observer.device_can_access_peer(-1, 0).refused(INVALID_DEVICE)?;
    observer.device_can_access_peer(0, -1).refused(INVALID_DEVICE)?;
    Ok(())
}

/// The driver refuses the device count and larger numbers as devices, as the first and as the second argument.
#[rstest]
#[conformance::test("P2P-001")]
fn nonexistent_devices_are_refused(observer: Role) -> Outcome {
    for device in [observer.device_get_count()?, 1000, i32::MAX] {
        observer.device_can_access_peer(device, 0).refused(INVALID_DEVICE)?;
        observer.device_can_access_peer(0, device).refused(INVALID_DEVICE)?;
    }
    Ok(())
}

/// Whether the driver reports that a device can access itself as a peer is recorded.
#[rstest]
#[conformance::test("P2P-002")]
fn whether_a_device_can_access_itself(observer: Role) -> Outcome {
    if let Some(answer) = observer.device_can_access_peer(0, 0).recorded("code")? {
        observe("can access", answer.to_string());
    }
    Ok(())
}

/// The driver refuses an attribute query for a link from a device to itself.
#[rstest]
#[conformance::test("P2P-008")]
fn a_device_has_no_link_to_itself(observer: Role) -> Outcome {
    for device in 0..observer.device_get_count()? {
        observer.device_get_p2p_attribute(ACCESS, device, device).refused(INVALID_DEVICE)?;
    }
    Ok(())
}

/// The driver refuses an unknown attribute and a null output.
#[rstest]
#[conformance::test("P2P-008", needs(gpus = 2))]
fn unknown_attributes_and_a_null_output_are_refused(observer: Role) -> Outcome {
    for attribute in [0, 9999, u32::MAX] {
        observer.device_get_p2p_attribute(attribute, 0, 1).refused(INVALID_VALUE)?;
    }
    observer.device_get_p2p_attribute_into_null(ACCESS, 0, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// For all pairs of devices, the access attribute equals the result of `cuDeviceCanAccessPeer`.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2))]
fn access_attribute_agrees_with_can_access_peer(observer: Role) -> Outcome {
    for (one, other) in pairs(&observer)? {
        let can = observer.device_can_access_peer(one, other)?;
        let access = observer.device_get_p2p_attribute(ACCESS, one, other)?;
        check!(access == i32::from(can), "from {one} to {other}: can access {can}, attribute {access}");
    }
    Ok(())
}

/// If two devices cannot access each other, `cuDeviceCanAccessPeer` and the access attribute both report it.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2, no_peer_access))]
fn missing_access_is_reported_by_both_queries() -> Outcome {
    let (observer, _) = on_gpus_that_are_no_peers();
    for (one, other) in [(0, 1), (1, 0)] {
        check!(!observer.device_can_access_peer(one, other)?);
        check!(observer.device_get_p2p_attribute(ACCESS, one, other)? == 0);
    }
    Ok(())
}

/// The performance rank of no link is negative. The rank from device 0 to device 1 is recorded.
#[rstest]
#[conformance::test("P2P-010", needs(gpus = 2))]
fn a_rank_is_not_negative(observer: Role) -> Outcome {
    for (one, other) in pairs(&observer)? {
        let rank = observer.device_get_p2p_attribute(RANK, one, other)?;
        check!(rank >= 0, "from {one} to {other}: {rank}");
    }
    observe("rank", observer.device_get_p2p_attribute(RANK, 0, 1)?.to_string());
    Ok(())
}

/// No link reports both full and only partial support for native atomics.
#[rstest]
#[conformance::test("P2P-011", needs(gpus = 2, cuda = 13_000))]
fn full_and_partial_atomics_exclude_each_other(observer: Role) -> Outcome {
    for (one, other) in pairs(&observer)? {
        let all = observer.device_get_p2p_attribute(ATOMICS, one, other)?;
        let some = observer.device_get_p2p_attribute(PARTIAL_ATOMICS, one, other)?;
        if all != 0 {
            check!(some == 0, "from {one} to {other}: full native atomics {all}, only partial {some}");
        }
    }
    Ok(())
}
