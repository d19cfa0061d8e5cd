//! Raw events.

use std::fmt;
use std::ops::Deref;

use crate::Context;
use crate::event::{Event, InterprocessEvent};
use crate::foreign::Owner;
use crate::resource::Owned;
use crate::sys::CUevent;

/// An event of other code, which is never destroyed here. `O` is the owner, which keeps the event alive: a value of the
/// other code, or a reference to one.
pub struct ForeignEvent<O> {
    /// Dropped before the context.
    owner: Owner<O>,
    event: Event,
}

impl<O> ForeignEvent<O> {
    /// Borrows an event of other code, with any flags. Dropping the value does not destroy it.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live event of this driver's library, and belongs to the context;
    /// - it is not destroyed before `owner` is dropped.
    pub unsafe fn borrow_raw(context: &Context, raw: CUevent, owner: O) -> Self {
        Self { owner: Owner::new(owner), event: Event::of_other_code(context, raw) }
    }

    /// Returns the owner.
    pub fn owner(&self) -> &O {
        &self.owner
    }

    /// Ends the borrow, and returns the owner.
    pub fn into_owner(self) -> O {
        self.owner.into_inner()
    }
}

impl<O> Deref for ForeignEvent<O> {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl<O> fmt::Debug for ForeignEvent<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, event } = self;
        f.debug_struct("ForeignEvent").field("event", event).field("owner", owner).finish()
    }
}

impl InterprocessEvent {
    /// Takes over an event. Dropping the value destroys it.
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is a live event of this driver's library, and belongs to the context;
    /// - `cuEventCreate` returned it for the flags `CU_EVENT_INTERPROCESS` and `CU_EVENT_DISABLE_TIMING`;
    /// - nothing else destroys it, or uses it after the value is dropped.
    #[must_use]
    pub unsafe fn from_raw(context: &Context, raw: CUevent) -> Self {
        Self::hold(Owned::new(Event::new(context, raw)))
    }

    /// Hands the event over: returns the raw event, which this crate no longer destroys. The caller destroys it with
    /// `cuEventDestroy`, before its context is released.
    #[must_use]
    pub fn into_raw(self) -> CUevent {
        self.relinquish()
    }
}
