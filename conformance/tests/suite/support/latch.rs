//! Work that stays pending until the case releases it.

use conformance::{Outcome, Pointer, Role, Stop, Stream};

/// A kernel in a stream that waits for a flag in host memory.
pub(crate) struct Latch {
    role: Role,
    flag: Pointer,
    device_flag: Pointer,
    stream: Stream,
}

impl Latch {
    /// Holds a stream: work that is enqueued later does not run before [`Latch::release`].
    pub(crate) fn hold(role: &Role, stream: Stream) -> Result<Self, Stop> {
        let latch = Self::open(role, stream)?;
        latch.close()?;
        Ok(latch)
    }

    /// Prepares a latch that does not hold the stream yet. The stream must be idle, because this waits for it.
    pub(crate) fn open(role: &Role, stream: Stream) -> Result<Self, Stop> {
        let flag = role.mem_host_alloc(4096, 0)?;
        role.set_host_flag(flag, 0)?;
        let device_flag = role.mem_host_get_device_pointer(flag)?;
        // Load the module before the stream is held, because loading may wait for the device.
        role.launch("latch".into(), vec![device_flag.into(), 0_u32.into()], stream)?;
        role.stream_synchronize(stream)?;
        Ok(Self { role: role.clone(), flag, device_flag, stream })
    }

    /// Holds the stream, which may be held already.
    pub(crate) fn close(&self) -> Outcome {
        self.role.launch("latch".into(), vec![self.device_flag.into(), 1_u32.into()], self.stream)
    }

    /// Lets the stream continue.
    pub(crate) fn release(&self) -> Outcome {
        self.role.set_host_flag(self.flag, 1)
    }
}

impl Drop for Latch {
    /// Releases the stream, so that a case that stops early does not leave the GPU held. A process that has ended holds
    /// nothing.
    fn drop(&mut self) {
        if !self.role.is_gone() {
            let _ = self.release();
        }
    }
}
