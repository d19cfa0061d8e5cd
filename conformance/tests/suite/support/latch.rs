//! Work that stays pending until the case lets it go.

use conformance::{Outcome, Pointer, Role, Stop, Stream};

/// A kernel in a stream that waits for a flag in host memory.
pub(crate) struct Latch {
    role: Role,
    flag: Pointer,
}

impl Latch {
    /// Hold a stream: what is enqueued from now on does not run before [`Latch::release`].
    pub(crate) fn hold(role: &Role, stream: Stream) -> Result<Self, Stop> {
        let flag = role.mem_host_alloc(4096, 0)?;
        role.set_host_flag(flag, 0)?;
        let device_flag = role.mem_host_get_device_pointer(flag)?;
        // The module is loaded before the stream is held: loading may wait for the device.
        role.launch("latch".into(), vec![device_flag.into(), 0_u32.into()], stream)?;
        role.stream_synchronize(stream)?;
        role.launch("latch".into(), vec![device_flag.into(), 1_u32.into()], stream)?;
        Ok(Self { role: role.clone(), flag })
    }

    /// Let the stream go on.
    pub(crate) fn release(&self) -> Outcome {
        self.role.set_host_flag(self.flag, 1)
    }
}

impl Drop for Latch {
    /// A case that stops early must not leave the GPU held; a process that is gone holds nothing.
    fn drop(&mut self) {
        if !self.role.is_gone() {
            let _ = self.release();
        }
    }
}
