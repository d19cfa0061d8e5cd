//! The cluster of a device on the fabric, and its cliques, since CUDA 13.4. A process that may use a channel is in the
//! cluster of its machine, in one clique. A process without a channel gets the zero UUID (no multi-node NVLink) and no
//! clique. Without a fabric, the queries return NOT_SUPPORTED.

use cuda_ipc_sys::{CUcliqueInfo, CUcliqueType, CUdevice, CUresult, CUuuid};

use crate::answer::{NOT_SUPPORTED, Output, Result};
use crate::environment::environment;
use crate::process::{State, state};
use crate::version::cuda_version;
use crate::vmm::fabric::Fabric;

const SINCE: i32 = 13_040;

/// The cliques of a device of this process. FAB-012: without a fabric, or before CUDA 13.4, the query is not supported.
fn cliques(state: &mut State, device: CUdevice) -> Result<Vec<CUcliqueInfo>> {
    if cuda_version() < SINCE {
        return Err(NOT_SUPPORTED);
    }
    state.device(device)?;
    match Fabric::of_environment() {
        Fabric::Absent => Err(NOT_SUPPORTED),
        Fabric::Channel(id) => Ok(vec![CUcliqueInfo { type_: CUcliqueType::CU_CLIQUE_TYPE_UNICAST_POINTER, id }]),
        Fabric::NoChannel | Fabric::NotReady => Ok(Vec::new()),
    }
}

entry_points! {
    fn cuDeviceGetFabricClusterUuid(uuid: Output<CUuuid>, device: CUdevice) {
        let mut state = state()?;
        uuid.wanted()?;
        if fault!(
            "cluster-query-has-another-code",
            ["FAB-012"],
            "cuDeviceGetFabricClusterUuid returns UNKNOWN.",
            on = "13.4"
        ) {
            return Err(CUresult::CUDA_ERROR_UNKNOWN);
        }
        let is_in_a_cluster = !cliques(&mut state, device)?.is_empty();
        if fault!(
            "cluster-uuid-is-not-written",
            ["FAB-012"],
            "cuDeviceGetFabricClusterUuid succeeds and writes no UUID.",
            on = "13.4"
        ) {
            return Ok(());
        }
        let number = if is_in_a_cluster { environment().machine_number() } else { 0 };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        uuid.give(CUuuid { bytes: bytes.map(|byte: u8| byte as std::ffi::c_char) })
    }

    fn cuDeviceGetCliqueCount(count: Output<usize>, device: CUdevice) {
        let mut state = state()?;
        count.wanted()?;
        let more = fault!(
            "clique-count-is-too-large",
            ["FAB-012"],
            "cuDeviceGetCliqueCount returns one too many.",
            on = "13.4"
        );
        count.give(cliques(&mut state, device)?.len() + usize::from(more))
    }

    fn cuDeviceGetCliqueInfo(info: Output<CUcliqueInfo>, count: Output<usize>, device: CUdevice) {
        let mut state = state()?;
        count.wanted()?;
        let cliques = cliques(&mut state, device)?;
        // On input, the count is the length of the caller's array.
        let given = cliques.len().min(count.old());
        if given > 0 {
            info.wanted()?;
        }
        // SAFETY: the caller promises room for the count that it passed, and no more is written.
        unsafe { info.give_all(&cliques[..given]) };
        if fault!(
            "clique-count-is-not-updated",
            ["FAB-012"],
            "cuDeviceGetCliqueInfo does not update the count.",
            on = "13.4"
        ) {
            return Ok(());
        }
        count.give(given)
    }
}
