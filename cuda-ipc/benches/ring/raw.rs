//! A ring of raw calls that is ordered by events.

use std::hint::spin_loop;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use cuda_ipc::event::{Event, InterprocessEvent};
use cuda_ipc::host::SharedPages;
use cuda_ipc::ipc::ImportedEvent;
use cuda_ipc::sys::{self, CUevent_wait_flags};
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, DeviceBuffer, ImportedMemory, Parcel, SharedBuffer, Stream};

use crate::driver::ok;
use crate::{Plan, Receive, Send, word};

/// The indices of two counters: records of filled slots, and of freed ones. Each has a cache line of its own.
const FILLED: usize = 0;
const FREED: usize = 32;

/// What both sides have.
struct Side {
    driver: &'static sys::Driver,
    stream: Stream,
    pages: SharedPages<u32>,
    /// Never destroyed: the other side may still have them open.
    ours: ManuallyDrop<Vec<InterprocessEvent>>,
    theirs: Vec<ImportedEvent>,
    plan: Plan,
}

impl Side {
    fn new(context: &Context, other: &Connection, plan: Plan, pages: SharedPages<u32>) -> Self {
        let ours: Vec<_> = (0..plan.slots).map(|_| InterprocessEvent::new(context).unwrap()).collect();
        ours.iter().for_each(|event| event.share().unwrap().send(other).unwrap());
        // SAFETY: both processes run this program, and keep their events until they end. The consumer's process ends
        // last, and closes its imports before it tells the producer to end.
        let open = |_| unsafe { Parcel::receive(other).unwrap().open_event(context).unwrap() };
        let theirs = (0..plan.slots).map(open).collect();
        let (driver, stream) = (context.driver().raw(), Stream::non_blocking(context).unwrap());
        Self { driver, stream, pages, ours: ManuallyDrop::new(ours), theirs, plan }
    }

    fn number(&self, place: usize) -> &AtomicU32 {
        &self.pages.numbers()[place]
    }

    /// Waits until the other side has issued so many records.
    fn await_issue(&self, place: usize, records: u32) {
        while self.number(place).load(Ordering::Acquire).wrapping_sub(records).cast_signed() < 0 {
            spin_loop();
        }
    }

    fn wait(&self, event: &Event) {
        let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT.0;
        // SAFETY: both handles are live, and belong to one context.
        ok(unsafe { self.driver.cuStreamWaitEvent(self.stream.raw(), event.raw(), flags) });
    }

    fn record(&self, event: &Event, place: usize) {
        // SAFETY: both handles are live, and belong to one context.
        ok(unsafe { self.driver.cuEventRecord(event.raw(), self.stream.raw()) });
        self.number(place).fetch_add(1, Ordering::Release);
    }
}

pub(crate) fn producer<'a>(context: &Context, consumer: &Connection, plan: Plan) -> Send<'a> {
    let memory = SharedBuffer::new(context, plan.size * plan.slots).unwrap();
    memory.share().unwrap().send(consumer).unwrap();
    let pages = SharedPages::receive(consumer, context, FREED + 1).unwrap();
    let side = Side::new(context, consumer, plan, pages);
    Box::new(move |round| fill(&side, &memory, round))
}

fn fill(side: &Side, memory: &SharedBuffer, round: u32) {
    let Plan { slots, messages, size, .. } = side.plan;
    let before = side.number(FILLED).load(Ordering::Relaxed);
    for message in 0..messages {
        let slot = message % slots;
        if let Some(freed) = (message + 1).checked_sub(slots).filter(|freed| *freed > 0) {
            side.await_issue(FREED, before.wrapping_add(freed as u32));
            side.wait(&side.theirs[slot]);
        }
        let (pointer, words) = (memory.pointer() + (slot * size) as u64, side.plan.words());
        // SAFETY: the slot is within the memory, which lives until the stream is done.
        ok(unsafe { side.driver.cuMemsetD32Async(pointer, word(round, message), words, side.stream.raw()) });
        side.record(&side.ours[slot], FILLED);
    }
    side.stream.synchronize().unwrap();
}

pub(crate) fn consumer<'a>(context: &'a Context, producer: &Connection, plan: Plan) -> Receive<'a> {
    let parcel = Parcel::receive(producer).unwrap();
    let pages = SharedPages::new(context, FREED + 1).unwrap();
    pages.send(producer).unwrap();
    let side = Side::new(context, producer, plan, pages);
    let memory = parcel.map(context).unwrap();
    let own = DeviceBuffer::new(context, plan.size).unwrap();
    Box::new(move |round| copy(&side, &memory, &own, round))
}

fn copy(side: &Side, memory: &ImportedMemory, own: &DeviceBuffer, round: u32) -> Instant {
    let Plan { slots, messages, size, .. } = side.plan;
    let before = side.number(FREED).load(Ordering::Relaxed);
    for message in 0..messages {
        let slot = message % slots;
        side.await_issue(FILLED, before.wrapping_add(message as u32 + 1));
        side.wait(&side.theirs[slot]);
        let from = memory.pointer() + (slot * size) as u64;
        // SAFETY: the slot is within the memory; both memories live until the stream is done.
        ok(unsafe { side.driver.cuMemcpyDtoDAsync(own.pointer(), from, size, side.stream.raw()) });
        side.record(&side.ours[slot], FREED);
    }
    side.stream.synchronize().unwrap();
    let end = Instant::now();
    assert_eq!(*own.snapshot::<u32>(side.plan.words() - 1..).unwrap(), [word(round, messages - 1)]);
    end
}
