//! Work that stays pending until the case releases it.

use conformance::{Outcome, Pointer, Role, Stop, Stream};

/// Enqueues a kernel that waits until a word of memory has a value.
fn wait(role: &Role, word: Pointer, value: u32, stream: Stream) -> Outcome {
    role.launch("latch".into(), vec![word.into(), value.into()], stream)
}

/// Loads the kernel before a stream is held, because loading may wait for the device. The word must be 0.
fn load(role: &Role, word: Pointer, stream: Stream) -> Outcome {
    wait(role, word, 0, stream)?;
    role.stream_synchronize(stream)
}

/// Starts a kernel that waits until a word of memory, which must be 0 now, has a value.
pub(crate) fn wait_for(role: &Role, word: Pointer, value: u32, stream: Stream) -> Outcome {
    load(role, word, stream)?;
    wait(role, word, value, stream)
}

/// Starts a kernel that waits until a word of memory, which must be 0 now, is 1.
pub(crate) fn wait_for_one(role: &Role, word: Pointer, stream: Stream) -> Outcome {
    wait_for(role, word, 1, stream)
}

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
        load(role, device_flag, stream)?;
        Ok(Self { role: role.clone(), flag, device_flag, stream })
    }

    /// Loads the kernel in a process in which nothing waits yet. Otherwise the first latch would load it, which may wait
    /// for all work of the process.
    pub(crate) fn prepare(role: &Role) -> Outcome {
        let stream = role.stream_create()?;
        Self::open(role, stream)?;
        role.stream_destroy(stream)
    }

    /// Holds the stream, which may be held already.
    pub(crate) fn close(&self) -> Outcome {
        wait(&self.role, self.device_flag, 1, self.stream)
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
