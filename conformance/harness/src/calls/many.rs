//! Many calls in one message.

use std::ptr;
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUevent_flags, CUipcMem_flags, CUipcMemHandle, CUresult};
use serde::{Deserialize, Serialize};

use crate::message::Refused;
use crate::role::Resource;
use crate::{Event, MemHandle, Pointer, Stream};

/// The results of a sequence of calls that ends when the driver refuses one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Many<T> {
    /// The outputs of the calls that succeeded.
    pub given: Vec<T>,
    /// The code of the refused call; `None` if all calls succeeded.
    pub refused: Option<u32>,
}

impl<T> Many<T> {
    /// Performs the call up to `count` times.
    fn of(count: usize, mut call: impl FnMut(usize) -> Result<T, Refused>) -> Result<Self, Refused> {
        let mut many = Self { given: Vec::new(), refused: None };
        for index in 0..count {
            match call(index) {
                Ok(output) => many.given.push(output),
                Err(Refused::Driver { code, .. }) => {
                    many.refused = Some(code);
                    break;
                }
                Err(refused) => return Err(refused),
            }
        }
        Ok(many)
    }

    /// Returns the number of successful calls and the code that ended them, in words.
    #[must_use]
    pub fn limit(&self) -> String {
        match self.refused {
            Some(code) => format!("{}, then {}", self.given.len(), CUresult(code)),
            None => format!("no limit in {} calls", self.given.len()),
        }
    }
}

/// The system resources of a process that a leak would increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The resident memory in bytes.
    pub resident: u64,
    /// The number of open descriptors.
    pub descriptors: usize,
}

/// How a thread spent a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The duration of the wait.
    pub elapsed: Duration,
    /// The part of `elapsed` during which the thread was running.
    pub running: Duration,
}

calls! {
    /// Returns the resident memory and the number of descriptors of the process.
    fn usage(session) -> Usage {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB")?.trim().parse().ok());
        let kibibytes: u64 = kibibytes.ok_or_else(|| Refused::Role("/proc/self/status contains no VmRSS".to_owned()))?;
        Ok(Usage { resident: kibibytes << 10, descriptors: std::fs::read_dir("/proc/self/fd")?.count() })
    }

    /// `cuMemAlloc` up to `count` times, until one is refused.
    fn mem_alloc_many(session, size: u64, count: usize) -> Many<Pointer> {
        Many::of(count, |_| {
            let mut pointer = 0;
            cuda!(session.cuMemAlloc(&mut pointer, size as usize));
            session.ledger.add(Resource::Allocation(pointer));
            Ok(Pointer(pointer))
        })
    }

    /// `cuIpcGetMemHandle` of each, until one is refused.
    fn ipc_get_mem_handle_many(session, pointers: Vec<Pointer>) -> Many<MemHandle> {
        Many::of(pointers.len(), |index| {
            let mut handle = CUipcMemHandle::from_bytes([0; 64]);
            cuda!(session.cuIpcGetMemHandle(&mut handle, pointers[index].0));
            Ok(MemHandle(handle))
        })
    }

    /// `cuIpcOpenMemHandle` of each, until one is refused.
    fn ipc_open_mem_handle_many(session, handles: Vec<MemHandle>) -> Many<Pointer> {
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        Many::of(handles.len(), |index| {
            let mut pointer = 0;
            let handle = handles[index].0;
            cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle, flags));
            session.ledger.add(Resource::Import(pointer));
            Ok(Pointer(pointer))
        })
    }

    /// `cuIpcOpenMemHandle` and `cuIpcCloseMemHandle`, a number of times.
    fn ipc_open_and_close_repeatedly(session, handle: MemHandle, rounds: usize) -> () {
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        for _ in 0..rounds {
            let mut pointer = 0;
            cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle.0, flags));
            cuda!(session.cuIpcCloseMemHandle(pointer));
        }
        Ok(())
    }

    /// `cuEventCreate` and `cuEventRecord` up to `count` times, until one is refused.
    fn event_create_and_record_many(session, flags: u32, stream: Stream, count: usize) -> Many<Event> {
        Many::of(count, |_| {
            let mut event = ptr::null_mut();
            cuda!(session.cuEventCreate(&mut event, flags));
            let record = || {
                cuda!(session.cuEventRecord(event, stream.0 as _));
                Ok(())
            };
            if let Err(refused) = record() {
                cuda!(session.cuEventDestroy(event));
                return Err(refused);
            }
            session.ledger.add(Resource::Event(event as u64));
            Ok(Event(event as u64))
        })
    }

    /// `cuEventDestroy` of each.
    fn event_destroy_many(session, events: Vec<Event>) -> () {
        for event in events {
            cuda!(session.cuEventDestroy(event.0 as _));
            session.ledger.remove(&Resource::Event(event.0));
        }
        Ok(())
    }

    /// Creates and destroys interprocess events on many threads at once, with allocations and fills in between.
    fn use_events_from_threads(session, threads: usize, rounds: usize) -> () {
        let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let answers = session.on_threads(threads, |session| {
            for _ in 0..rounds {
                let (mut event, mut pointer) = (ptr::null_mut(), 0);
                cuda!(session.cuEventCreate(&mut event, flags.0));
                cuda!(session.cuMemAlloc(&mut pointer, 4096));
                cuda!(session.cuMemsetD8Async(pointer, 1, 4096, ptr::null_mut()));
                cuda!(session.cuEventRecord(event, ptr::null_mut()));
                cuda!(session.cuEventSynchronize(event));
                cuda!(session.cuMemFree(pointer));
                cuda!(session.cuEventDestroy(event));
            }
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuEventSynchronize`. Returns how the thread spent the wait.
    fn event_synchronize_watched(session, event: Event) -> Wait {
        let (began, ran) = (Instant::now(), running_time());
        cuda!(session.cuEventSynchronize(event.0 as _));
        Ok(Wait { elapsed: began.elapsed(), running: running_time().saturating_sub(ran) })
    }
}

/// Returns the CPU time of this thread.
fn running_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the output is a local.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}
