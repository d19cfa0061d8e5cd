//! `cuDeviceCanAccessPeer` and `cuDeviceGetP2PAttribute`.

use conformance::{Expect as _, Outcome, Role, check, observe};
use cuda_ipc_sys::{CUdevice_P2PAttribute as Attribute, CUresult};
use rstest::rstest;

use crate::support::fixtures::{observer, on_gpus_that_are_no_peers};

const ACCESS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED.0;
const RANK: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK.0;
const ATOMICS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED.0;
const PARTIAL_ATOMICS: u32 = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED.0;
const INVALID_DEVICE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_DEVICE];
const INVALID_VALUE: &[CUresult] = &[CUresult::CUDA_ERROR_INVALID_VALUE];

/// A device that is not there is refused, on either side.
#[rstest]
#[case::negative(-1)]
#[case::beyond(1000)]
#[conformance::test("P2P-001")]
fn a_device_that_is_not_there_is_refused(observer: Role, #[case] device: i32) -> Outcome {
    observer.device_can_access_peer(device, 0).refused(INVALID_DEVICE)?;
    observer.device_can_access_peer(0, device).refused(INVALID_DEVICE)?;
    Ok(())
}

/// What a device answers of itself is recorded.
#[rstest]
#[conformance::test("P2P-002")]
fn a_device_and_itself_is_recorded(observer: Role) -> Outcome {
    if let Some(answer) = observer.device_can_access_peer(0, 0).recorded("code")? {
        observe("answer", answer.to_string());
    }
    Ok(())
}

/// A link has two ends.
#[rstest]
#[conformance::test("P2P-008")]
fn a_device_has_no_link_to_itself(observer: Role) -> Outcome {
    observer.device_get_p2p_attribute(ACCESS, 0, 0).refused(INVALID_DEVICE)?;
    Ok(())
}

/// An attribute that there is not, and no place to write it to, are refused.
#[rstest]
#[conformance::test("P2P-008", needs(gpus = 2))]
fn unknown_attributes_and_null_are_refused(observer: Role) -> Outcome {
    observer.device_get_p2p_attribute(9999, 0, 1).refused(INVALID_VALUE)?;
    observer.device_get_p2p_attribute_into_null(ACCESS, 0, 1).refused(INVALID_VALUE)?;
    Ok(())
}

/// The attribute for access says what `cuDeviceCanAccessPeer` says.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2))]
fn access_is_told_in_two_ways(observer: Role, #[values((0, 1), (1, 0))] pair: (i32, i32)) -> Outcome {
    let can = observer.device_can_access_peer(pair.0, pair.1)?;
    check!(observer.device_get_p2p_attribute(ACCESS, pair.0, pair.1)? == i32::from(can));
    Ok(())
}

/// Where there is no access, both ways say so.
#[rstest]
#[conformance::test("P2P-009", needs(gpus = 2, no_peer_access))]
fn no_access_is_told_in_two_ways() -> Outcome {
    let (observer, _) = on_gpus_that_are_no_peers();
    check!(!observer.device_can_access_peer(0, 1)?);
    check!(observer.device_get_p2p_attribute(ACCESS, 0, 1)? == 0);
    Ok(())
}

/// The rank of a link is not negative: 0 is the best.
#[rstest]
#[conformance::test("P2P-010", needs(gpus = 2))]
fn a_rank_is_not_negative(observer: Role) -> Outcome {
    let rank = observer.device_get_p2p_attribute(RANK, 0, 1)?;
    check!(rank >= 0, "{rank}");
    observe("rank", rank.to_string());
    Ok(())
}

/// Atomic operations are all native, or only some, or none: never all and only some.
#[rstest]
#[conformance::test("P2P-011", needs(gpus = 2, cuda = 13_000))]
fn atomics_are_not_all_and_only_some(observer: Role) -> Outcome {
    let all = observer.device_get_p2p_attribute(ATOMICS, 0, 1)?;
    let some = observer.device_get_p2p_attribute(PARTIAL_ATOMICS, 0, 1)?;
    check!(all * some == 0, "native {all}, only partial {some}");
    Ok(())
}
