//! Peer access between contexts, as far as the topology allows it.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use cuda_ipc_sys::{CUatomicOperation, CUcontext, CUdevice, CUdevice_P2PAttribute, CUresult};

use crate::answer::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, Input, Output, Result};
use crate::context::Context;
use crate::process::{State, state};
use crate::seen::Seen;
use crate::topology::topology;

impl State {
    /// Whether kernels of a context can access the memory of another context. Memory of other processes is accessible
    /// to the context that opened it, whatever device the memory is on. Apart from that, opening memory enables no
    /// access, as on an H200 (IPCMEM-OPEN-034).
    pub(crate) fn has_peer_access(&self, context: u64, owner: u64) -> bool {
        self.contexts.get(&context).is_some_and(|context| context.peers.contains(&owner))
    }

    /// P2P-007: whether kernels of a context reach linear memory of another context.
    pub(crate) fn kernel_reaches(&self, context: u64, owner: u64) -> bool {
        if fault!(
            "enable-peer-access-gives-none",
            ["P2P-007", "P2P-012"],
            "Enabling peer access succeeds, but kernels do not reach the peer's memory."
        ) {
            return false;
        }
        let is_both_ways = fault!(
            "enable-peer-access-both-ways",
            ["P2P-007"],
            "Enabling peer access also gives the peer access, to the memory of the context that enabled it."
        );
        self.has_peer_access(context, owner) || is_both_ways && self.has_peer_access(owner, context)
    }

    /// P2P-007, P2P-012: whether peer access reaches memory with this buffer id. Without a fault it reaches all.
    pub(crate) fn is_old_enough(buffer_id: u64) -> bool {
        !is_newer_memory_left_out() || buffer_id < NEWEST_AT_ENABLING.load(Ordering::Relaxed)
    }

    /// Whether a context has peer access to any context on a device.
    pub(crate) fn has_peer_on(&self, context: &Context, device: usize) -> bool {
        let is_there = |peer: &u64| self.contexts.get(peer).is_some_and(|peer| peer.device_index == device);
        context.peers.iter().any(is_there)
    }

    /// P2P-001: the indices of the two devices that a call names.
    fn pair(&mut self, device: CUdevice, peer: CUdevice) -> Result<(usize, usize)> {
        let end = self.devices.len() as CUdevice;
        let is_accepted = device == end
            && fault!(
                "can-access-peer-accepts-the-device-count",
                ["P2P-001"],
                "cuDeviceCanAccessPeer accepts the device count as the device."
            )
            || peer == end
                && fault!(
                    "can-access-peer-accepts-the-device-count-as-peer",
                    ["P2P-001"],
                    "cuDeviceCanAccessPeer accepts the device count as the peer."
                )
            || device < 0
                && fault!(
                    "can-access-peer-accepts-negative-devices",
                    ["P2P-001"],
                    "cuDeviceCanAccessPeer accepts a negative device."
                )
            || peer < 0
                && fault!(
                    "can-access-peer-accepts-negative-peers",
                    ["P2P-001"],
                    "cuDeviceCanAccessPeer accepts a negative peer."
                );
        if is_accepted {
            return Ok((0, 0));
        }
        let known = 0..end;
        if !(known.contains(&device) && known.contains(&peer))
            && fault!(
                "can-access-peer-invalid-value",
                ["P2P-001"],
                "cuDeviceCanAccessPeer returns CUDA_ERROR_INVALID_VALUE for a nonexistent device."
            )
        {
            return Err(INVALID_VALUE);
        }
        Ok((self.device(device)?.index, self.device(peer)?.index))
    }
}

/// For a fault: the contexts to which access was disabled.
static DISABLED: Seen = Seen::new();

fn remembers_disabled() -> bool {
    fault!("disable-peer-access-cannot-be-undone", ["P2P-004"], "Access that was disabled counts as enabled.")
}

/// For a fault: the id that was free when peer access was last enabled.
static NEWEST_AT_ENABLING: AtomicU64 = AtomicU64::new(0);

fn is_newer_memory_left_out() -> bool {
    fault!(
        "enable-peer-access-leaves-out-newer-memory",
        ["P2P-007", "P2P-012"],
        "Peer access reaches only the memory that existed when it was enabled."
    )
}

/// P2P-009: the value of the attribute for access.
fn is_access_reported(one: usize, other: usize) -> bool {
    let reaches = topology().reaches(one, other);
    if one < other
        && fault!(
            "p2p-access-missing-upwards",
            ["P2P-009"],
            "The access attribute is 0 from a device to one with a higher number."
        )
    {
        return false;
    }
    if one > other
        && fault!(
            "p2p-access-missing-downwards",
            ["P2P-009"],
            "The access attribute is 0 from a device to one with a lower number."
        )
    {
        return false;
    }
    reaches
        || fault!(
            "p2p-access-without-a-link",
            ["P2P-009"],
            "The access attribute is 1 for devices without peer access."
        )
}

/// P2P-011: the value of the attribute for partial support of native atomics.
fn is_partial(one: usize, other: usize) -> bool {
    one < other
        && fault!(
            "p2p-atomics-partial-upwards",
            ["P2P-011"],
            "From a device to one with a higher number, full and partial native atomics are both reported."
        )
        || one > other
            && fault!(
                "p2p-atomics-partial-downwards",
                ["P2P-011"],
                "From a device to one with a lower number, full and partial native atomics are both reported."
            )
}

/// P2P-010: 0 is the best rank.
fn rank(one: usize, other: usize) -> c_int {
    let is_negative = one < other
        && fault!(
            "p2p-rank-negative-upwards",
            ["P2P-010"],
            "The performance rank from a device to one with a higher number is -1."
        )
        || one > other
            && fault!(
                "p2p-rank-negative-downwards",
                ["P2P-010"],
                "The performance rank from a device to one with a lower number is -1."
            );
    if is_negative { -1 } else { 0 }
}

impl State {
    /// The imports that a context has of a device's memory.
    fn imports_of_a_peer(&self, context: u64, device: usize) -> Vec<u64> {
        let ranges = self.imports.pointers().filter_map(|pointer| self.ranges.get(pointer));
        ranges.filter(|range| range.context == context && range.device == device).map(|range| range.base).collect()
    }
}

entry_points! {
    fn cuDeviceCanAccessPeer(output: Output<c_int>, device: CUdevice, peer: CUdevice) {
        let mut state = state()?;
        let (one, other) = state.pair(device, peer)?;
        let reaches = topology().reaches(one, other);
        let is_claimed = !reaches
            && one != other
            && fault!(
                "can-access-peer-without-a-link",
                ["P2P-009"],
                "cuDeviceCanAccessPeer says yes for devices without peer access."
            );
        output.give(c_int::from(reaches || is_claimed))
    }

    fn cuDeviceGetP2PAttribute(
        output: Output<c_int>,
        attribute: CUdevice_P2PAttribute,
        device: CUdevice,
        peer: CUdevice,
    ) {
        type A = CUdevice_P2PAttribute;
        let mut state = state()?;
        if output.wanted().is_err()
            && fault!("p2p-null-output-accepted", ["P2P-008"], "cuDeviceGetP2PAttribute accepts a null output.")
        {
            return Ok(());
        }
        output.wanted()?;
        // P2P-008
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        let is_accepted = one == other
            && (fault!(
                "p2p-same-device-accepted",
                ["P2P-008"],
                "cuDeviceGetP2PAttribute accepts the same device twice, and gives 0."
            ) || one > 0
                && fault!(
                    "p2p-same-device-accepted-beyond-the-first",
                    ["P2P-008"],
                    "cuDeviceGetP2PAttribute refuses the same device twice only for device 0."
                ));
        if is_accepted {
            return output.give(0);
        }
        if one == other
            && fault!(
                "p2p-same-device-invalid-value",
                ["P2P-008"],
                "cuDeviceGetP2PAttribute returns CUDA_ERROR_INVALID_VALUE for the same device twice."
            )
        {
            return Err(INVALID_VALUE);
        }
        if one == other {
            return Err(INVALID_DEVICE);
        }
        output.give(match attribute {
            // P2P-009
            A::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED => is_access_reported(one, other).into(),
            // P2P-011
            A::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED => topology().has_native_atomics(one, other).into(),
            // No atomic operation is missing.
            A::CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => is_partial(one, other).into(),
            A::CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK => rank(one, other),
            // There are no CUDA arrays here.
            A::CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED => 0,
            _ if fault!(
                "p2p-unknown-attribute-is-zero",
                ["P2P-008"],
                "cuDeviceGetP2PAttribute gives 0 for an unknown attribute."
            ) =>
            {
                0
            }
            CUdevice_P2PAttribute(0)
                if fault!("p2p-attribute-zero-is-known", ["P2P-008"], "cuDeviceGetP2PAttribute knows an attribute 0.") =>
            {
                0
            }
            _ => return Err(INVALID_VALUE),
        })
    }

    fn cuDeviceGetP2PAtomicCapabilities(
        capabilities: Output<u32>,
        operations: Input<CUatomicOperation>,
        count: u32,
        device: CUdevice,
        peer: CUdevice,
    ) {
        // Signed and unsigned operations and reductions, on scalars of 32 and 64 bits.
        const NATIVE: u32 = 0b1_1111;
        let mut state = state()?;
        let (one, other) = (state.device(device)?.index, state.device(peer)?.index);
        if one == other {
            return Err(INVALID_DEVICE);
        }
        capabilities.wanted()?;
        if count == 0 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `count` operations.
        let operations = unsafe { operations.values(count as usize) }?;
        if operations.iter().any(|operation| operation.0 >= CUatomicOperation::CU_ATOMIC_OPERATION_MAX.0) {
            return Err(INVALID_VALUE);
        }
        let native = if topology().has_native_atomics(one, other) { NATIVE } else { 0 };
        // SAFETY: the caller promises room for `count` capabilities.
        unsafe { capabilities.give_all(&vec![native; operations.len()]) };
        Ok(())
    }

    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) {
        let mut state = state()?;
        if state.current().is_err()
            && fault!(
                "enable-peer-access-needs-no-context",
                ["P2P-006"],
                "cuCtxEnablePeerAccess succeeds without a current context."
            )
        {
            return Ok(());
        }
        if state.current().is_err()
            && fault!(
                "enable-peer-access-without-context-code",
                ["P2P-006"],
                "cuCtxEnablePeerAccess returns CUDA_ERROR_INVALID_VALUE without a current context."
            )
        {
            return Err(INVALID_VALUE);
        }
        let current = state.current()?;
        // P2P-006
        let are_flags_ignored =
            fault!("enable-peer-access-ignores-flags", ["P2P-006"], "cuCtxEnablePeerAccess ignores its flags.")
                || flags & 1 == 0
                    && fault!(
                        "enable-peer-access-checks-one-flag",
                        ["P2P-006"],
                        "cuCtxEnablePeerAccess checks only the lowest bit of its flags."
                    );
        if flags != 0 && !are_flags_ignored {
            if fault!(
                "enable-peer-access-despite-flags",
                ["P2P-006"],
                "cuCtxEnablePeerAccess with flags fails, but enables the access."
            ) {
                state.context_mut(current)?.peers.insert(peer as u64);
            }
            return Err(INVALID_VALUE);
        }
        if state.context(peer as u64).is_err()
            && fault!(
                "enable-peer-access-to-a-destroyed-context",
                ["P2P-006"],
                "cuCtxEnablePeerAccess accepts a destroyed context."
            )
        {
            return Ok(());
        }
        if state.context(peer as u64).is_err()
            && fault!(
                "enable-peer-access-to-a-destroyed-context-code",
                ["P2P-006"],
                "cuCtxEnablePeerAccess returns CUDA_ERROR_INVALID_VALUE for a destroyed context."
            )
        {
            return Err(INVALID_VALUE);
        }
        let peer_device = state.context(peer as u64)?.device_index;
        if fault!("open-prevents-peer-access", ["IPCMEM-OPEN-034"], "Beside an import, peer access cannot be enabled.")
            && !state.imports_of_a_peer(current, peer_device).is_empty()
        {
            return Err(CUresult::CUDA_ERROR_TOO_MANY_PEERS);
        }
        // P2P-003
        if peer as u64 == current
            && fault!("enable-peer-access-to-oneself", ["P2P-003"], "cuCtxEnablePeerAccess accepts the current context.")
        {
            return Ok(());
        }
        if peer as u64 == current
            && fault!(
                "enable-peer-access-to-oneself-code",
                ["P2P-003"],
                "cuCtxEnablePeerAccess returns CUDA_ERROR_INVALID_VALUE for the current context."
            )
        {
            return Err(INVALID_VALUE);
        }
        if peer as u64 == current {
            return Err(INVALID_CONTEXT);
        }
        if !topology().reaches(state.context(current)?.device_index, peer_device)
            && !fault!(
                "enable-peer-access-without-a-link",
                ["P2P-009"],
                "cuCtxEnablePeerAccess succeeds between devices that report no access."
            )
        {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        }
        if remembers_disabled() && DISABLED.has(peer as u64) {
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        }
        // P2P-004
        if state.has_peer_access(current, peer as u64)
            && fault!("enable-peer-access-twice", ["P2P-004"], "Enabling peer access twice succeeds.")
        {
            return Ok(());
        }
        if state.has_peer_access(current, peer as u64)
            && fault!(
                "enable-peer-access-twice-code",
                ["P2P-004"],
                "Enabling peer access twice returns CUDA_ERROR_INVALID_VALUE."
            )
        {
            return Err(INVALID_VALUE);
        }
        if state.has_peer_access(current, peer as u64) {
            if fault!(
                "enable-peer-access-twice-disables",
                ["P2P-004"],
                "Enabling peer access twice fails, and ends the access that was enabled."
            ) {
                state.context_mut(current)?.peers.remove(&(peer as u64));
            }
            return Err(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        }
        if fault!(
            "enable-peer-access-enables-the-reverse",
            ["P2P-007"],
            "Enabling peer access enables the reverse direction, which then cannot be enabled."
        ) {
            state.context_mut(peer as u64)?.peers.insert(current);
        }
        if state.context(current)?.device_index > peer_device
            && fault!("enable-peer-access-to-gpu-0-gives-none", ["P2P-007"], "Access to a lower device is never enabled.")
        {
            return Ok(());
        }
        if is_newer_memory_left_out() {
            NEWEST_AT_ENABLING.store(state.new_id() >> 8, Ordering::Relaxed);
        }
        state.context_mut(current)?.peers.insert(peer as u64);
        Ok(())
    }

    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let mut state = state()?;
        let current = state.current()?;
        let peer_device = state.context(peer as u64)?.device_index;
        if fault!("disable-peer-access-unmaps-imports", ["IPCMEM-OPEN-034"], "Imports of a peer end with its access.") {
            for pointer in state.imports_of_a_peer(current, peer_device) {
                state.ranges.remove(&pointer);
            }
        }
        // P2P-005
        let was_enabled = if fault!(
            "disable-peer-access-keeps-it",
            ["P2P-005"],
            "cuCtxDisablePeerAccess changes nothing, so disabling again succeeds."
        ) {
            state.has_peer_access(current, peer as u64)
        } else {
            state.context_mut(current)?.peers.remove(&(peer as u64))
        };
        if fault!("disable-peer-access-ends-the-reverse", ["P2P-007"], "Disabling ends the access of the peer too.") {
            state.context_mut(peer as u64)?.peers.remove(&current);
        }
        if remembers_disabled() {
            DISABLED.again(peer as u64);
        }
        if !was_enabled
            && fault!("disable-peer-access-always-succeeds", ["P2P-005"], "Disabling what is not enabled succeeds.")
        {
            return Ok(());
        }
        if !was_enabled
            && fault!(
                "disable-peer-access-code",
                ["P2P-005"],
                "Disabling what is not enabled returns CUDA_ERROR_INVALID_VALUE."
            )
        {
            return Err(INVALID_VALUE);
        }
        if was_enabled { Ok(()) } else { Err(CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) }
    }
}
