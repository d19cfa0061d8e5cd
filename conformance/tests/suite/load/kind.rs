//! What the processes of a load share.

use conformance::{Needs, Outcome, need};

/// One way to share memory or an event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A legacy handle of memory.
    Memory,
    /// The handle of an interprocess event.
    Event,
    /// A descriptor of virtual memory.
    Descriptor,
    /// A descriptor of a memory pool.
    Pool,
}

impl Kind {
    /// Ends the case as unsupported if the machine cannot share this.
    ///
    /// # Errors
    /// [`Stop::Unsupported`](conformance::Stop::Unsupported), with the unmet need.
    pub(super) fn need(self) -> Outcome {
        let needs = Needs::none();
        need(&match self {
            Self::Memory => needs.legacy_memory(),
            Self::Event => needs.interprocess_events(),
            Self::Descriptor => needs.memory_descriptors(),
            Self::Pool => needs.pool_descriptors(),
        })
    }
}
