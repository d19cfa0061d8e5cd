//! Many calls in one message.

use std::ffi::c_void;
use std::ptr;
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUevent_flags, CUipcMem_flags, CUipcMemHandle, CUmemAllocationHandleType, CUresult};
use serde::{Deserialize, Serialize};

use crate::message::Refused;
use crate::role::Resource;
use crate::{Descriptor, Event, EventHandle, MemHandle, Pointer, Stream};

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

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

/// How a thread spent a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The duration of the wait.
    pub elapsed: Duration,
    /// The part of `elapsed` during which the thread was running.
    pub running: Duration,
}

calls! {
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

    /// `cuIpcCloseMemHandle` of each.
    fn ipc_close_mem_handle_many(session, pointers: Vec<Pointer>) -> () {
        for pointer in pointers {
            cuda!(session.cuIpcCloseMemHandle(pointer.0));
            session.ledger.remove(&Resource::Import(pointer.0));
        }
        Ok(())
    }

    /// `cuMemFree` of each.
    fn mem_free_many(session, pointers: Vec<Pointer>) -> () {
        for pointer in pointers {
            cuda!(session.cuMemFree(pointer.0));
            session.ledger.remove(&Resource::Allocation(pointer.0));
        }
        Ok(())
    }

    /// Writes a pattern over each range, with a kernel. The seed of the first one is `seed`, and each next one is higher by
    /// one.
    fn fill_many(session, pointers: Vec<Pointer>, size: u64, seed: u32) -> () {
        for (pointer, seed) in pointers.into_iter().zip(seeds(seed)) {
            session.launch("fill", vec![pointer.into(), (size / 4).into(), seed.into()], Stream::DEFAULT)?;
        }
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// Returns the number of the first range that does not contain its pattern of `fill_many`, as a kernel reads it.
    fn first_mismatch_of_many(session, pointers: Vec<Pointer>, size: u64, seed: u32) -> Option<usize> {
        for (number, (pointer, seed)) in pointers.into_iter().zip(seeds(seed)).enumerate() {
            if session.count_by_kernel(pointer, size, seed)? != 0 {
                return Ok(Some(number));
            }
        }
        Ok(None)
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

    /// `cuIpcOpenEventHandle` and `cuEventDestroy`, a number of times.
    fn ipc_open_and_destroy_event_repeatedly(session, handle: EventHandle, rounds: usize) -> () {
        for _ in 0..rounds {
            let mut event = ptr::null_mut();
            cuda!(session.cuIpcOpenEventHandle(&mut event, handle.0));
            cuda!(session.cuEventDestroy(event));
        }
        Ok(())
    }

    /// `cuMemImportFromShareableHandle` of a file descriptor and `cuMemRelease`, a number of times.
    fn mem_import_and_release_repeatedly(session, descriptor: Descriptor, rounds: usize) -> () {
        let number = descriptor.0 as isize as *mut c_void;
        for _ in 0..rounds {
            let mut handle = 0;
            cuda!(session.cuMemImportFromShareableHandle(&mut handle, number, DESCRIPTOR));
            cuda!(session.cuMemRelease(handle));
        }
        Ok(())
    }

    /// `cuMemPoolImportFromShareableHandle` of a file descriptor and `cuMemPoolDestroy`, a number of times.
    fn mem_pool_import_and_destroy_repeatedly(session, descriptor: Descriptor, rounds: usize) -> () {
        let number = descriptor.0 as isize as *mut c_void;
        for _ in 0..rounds {
            let mut pool = ptr::null_mut();
            cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, number, DESCRIPTOR, 0));
            cuda!(session.cuMemPoolDestroy(pool));
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

/// The seeds of many ranges.
fn seeds(first: u32) -> impl Iterator<Item = u32> {
    (0..).map(move |number| first.wrapping_add(number))
}

/// Returns the CPU time of this thread.
fn running_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the output is a local.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}
