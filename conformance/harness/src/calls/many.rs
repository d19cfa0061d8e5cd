//! Many calls in one message.

use std::ffi::c_void;
use std::ptr;
use std::time::{Duration, Instant};

use cuda_ipc_sys::{
    CUevent, CUevent_flags, CUipcMem_flags, CUipcMemHandle, CUmemAccess_flags, CUmemAccessDesc,
    CUmemAllocationHandleType, CUmemLocation, CUresult,
};
use serde::{Deserialize, Serialize};

use crate::message::Refused;
use crate::role::{Resource, Session};
use crate::{Descriptor, Event, EventHandle, MemHandle, Pointer, PoolPointer, Stream};

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

    /// `cuIpcOpenMemHandle`, a copy of the first word and `cuIpcCloseMemHandle`, a number of times. Ends at the first round
    /// in which the word is not that of the pattern, and returns its number.
    fn ipc_open_and_close_repeatedly(session, handle: MemHandle, seed: u32, rounds: usize) -> Option<usize> {
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.0;
        first_wrong(rounds, || {
            let mut pointer = 0;
            cuda!(session.cuIpcOpenMemHandle(&mut pointer, handle.0, flags));
            let is_shared = session.begins_with(pointer, seed)?;
            cuda!(session.cuIpcCloseMemHandle(pointer));
            Ok(is_shared)
        })
    }

    /// `cuIpcOpenEventHandle`, `cuEventQuery` and `cuEventDestroy`, a number of times. Ends at the first round in which the
    /// event is not pending, and returns its number.
    fn ipc_open_and_destroy_event_repeatedly(session, handle: EventHandle, rounds: usize) -> Option<usize> {
        first_wrong(rounds, || {
            let mut event = ptr::null_mut();
            cuda!(session.cuIpcOpenEventHandle(&mut event, handle.0));
            let is_pending = session.is_pending(event)?;
            cuda!(session.cuEventDestroy(event));
            Ok(is_pending)
        })
    }

    /// `cuMemImportFromShareableHandle` of a file descriptor, a mapping of which the first word is copied, and
    /// `cuMemRelease`, a number of times. Ends at the first round in which the word is not that of the pattern, and returns
    /// its number.
    fn mem_import_and_release_repeatedly(
        session,
        descriptor: Descriptor,
        size: u64,
        seed: u32,
        rounds: usize
    ) -> Option<usize> {
        let (number, size) = (descriptor.0 as isize as *mut c_void, size as usize);
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = CUmemAccessDesc { location: CUmemLocation::device(session.device), flags };
        let mut address = 0;
        cuda!(session.cuMemAddressReserve(&mut address, size, 0, 0, 0));
        let wrong = first_wrong(rounds, || {
            let mut handle = 0;
            cuda!(session.cuMemImportFromShareableHandle(&mut handle, number, DESCRIPTOR));
            cuda!(session.cuMemMap(address, size, 0, handle, 0));
            cuda!(session.cuMemSetAccess(address, size, &access, 1));
            let is_shared = session.begins_with(address, seed)?;
            cuda!(session.cuMemUnmap(address, size));
            cuda!(session.cuMemRelease(handle));
            Ok(is_shared)
        })?;
        cuda!(session.cuMemAddressFree(address, size));
        Ok(wrong)
    }

    /// `cuMemPoolImportFromShareableHandle` of a file descriptor, an import of a pointer of which the first word is copied,
    /// and `cuMemPoolDestroy`, a number of times. Ends at the first round in which the word is not that of the pattern, and
    /// returns its number.
    fn mem_pool_import_and_destroy_repeatedly(
        session,
        descriptor: Descriptor,
        data: PoolPointer,
        seed: u32,
        rounds: usize
    ) -> Option<usize> {
        let number = descriptor.0 as isize as *mut c_void;
        first_wrong(rounds, || {
            let (mut pool, mut pointer, mut data) = (ptr::null_mut(), 0, data.0);
            cuda!(session.cuMemPoolImportFromShareableHandle(&mut pool, number, DESCRIPTOR, 0));
            cuda!(session.cuMemPoolImportPointer(&mut pointer, pool, &mut data));
            let is_shared = session.begins_with(pointer, seed)?;
            cuda!(session.cuMemFree(pointer));
            cuda!(session.cuMemPoolDestroy(pool));
            Ok(is_shared)
        })
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

/// Performs a number of rounds, and returns the number of the first one that returns `false`.
fn first_wrong(rounds: usize, mut round: impl FnMut() -> Result<bool, Refused>) -> Result<Option<usize>, Refused> {
    for number in 0..rounds {
        if !round()? {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

impl Session {
    /// Whether memory begins with the pattern of a seed, after a copy of the first word: a check that costs less than the
    /// open before it.
    fn begins_with(&mut self, pointer: u64, seed: u32) -> Result<bool, Refused> {
        let (session, mut word) = (self, 0_u32);
        cuda!(session.cuMemcpyDtoH(ptr::from_mut(&mut word).cast(), pointer, size_of::<u32>()));
        Ok(word == kernels::pattern(seed, 0))
    }

    /// Whether the work of an event is pending.
    fn is_pending(&mut self, event: CUevent) -> Result<bool, Refused> {
        let session = self;
        let query = || {
            cuda!(session.cuEventQuery(event));
            Ok(())
        };
        match query() {
            Ok(()) => Ok(false),
            Err(Refused::Driver { code, .. }) if CUresult(code) == CUresult::CUDA_ERROR_NOT_READY => Ok(true),
            Err(refused) => Err(refused),
        }
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
