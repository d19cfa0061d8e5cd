//! The flags of `cuIpcOpenMemHandle`.

use cuda_ipc_sys::{CUdeviceptr, CUresult};

use crate::answer::{INVALID_VALUE, Output, Result};
use crate::environment::environment;
use crate::handle::{Handle, Kind};
use crate::process::State;

/// An address where nothing is mapped.
pub(super) const WILD: u64 = 0x7000_0000_0000;

impl State {
    /// Refuses an open without the documented flag.
    pub(super) fn refuse_flags(
        &mut self,
        context: u64,
        pointer: Output<CUdeviceptr>,
        bytes: [u8; 64],
        flags: u32,
    ) -> Result<()> {
        let owner =
            Handle::from_bytes(&bytes, Kind::Memory, environment().machine_number()).map(|handle| handle.device);
        let is_peer = owner != Some(self.context(context)?.device_index as u32);
        if is_peer
            && fault!("open-on-a-peer-without-flags-maps-nothing", ["IPCMEM-OPEN-030"], "It gives a wild pointer.")
            || flags == 0
                && fault!("open-without-flags-maps-nothing", ["IPCMEM-OPEN-010"], "Flags of 0 give a wild pointer.")
            || flags != 0
                && fault!("open-with-other-flags-maps-nothing", ["IPCMEM-OPEN-011"], "Flags of 2 give a wild pointer.")
        {
            return pointer.give(WILD);
        }
        if flags == 0
            && fault!("open-without-flags-returns-another-code", ["IPCMEM-OPEN-010"], "Flags of 0 give UNKNOWN.")
            || flags != 0
                && fault!("open-with-other-flags-returns-another-code", ["IPCMEM-OPEN-011"], "Flags of 2 give UNKNOWN.")
        {
            return Err(CUresult::CUDA_ERROR_UNKNOWN);
        }
        if fault!(
            "open-refused-for-its-flags-stays-open",
            ["IPCMEM-OPEN-010", "IPCMEM-OPEN-011"],
            "An open that is refused for its flags adds a reference.",
        ) {
            self.open(context, bytes)?;
        }
        Err(INVALID_VALUE)
    }
}
