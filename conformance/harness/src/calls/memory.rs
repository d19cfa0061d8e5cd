//! Memory of every kind, copies and fills.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use cuda_ipc_sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CU_MEMHOSTREGISTER_DEVICEMAP, CUmemAttach_flags,
    CUmemRangeHandleType,
};

use crate::message::Refused;
use crate::role::{Resource, Session, differing, first_differing};
use crate::{AddressRange, Context, Descriptor, MemInfo, Pointer, Stream, WrongByte};

calls! {
    /// `cuMemAlloc`.
    fn mem_alloc(session, size: u64) -> Pointer {
        let mut pointer = 0;
        cuda!(session.cuMemAlloc(&mut pointer, size as usize));
        session.ledger.add(Resource::Allocation(pointer));
        Ok(Pointer(pointer))
    }

    /// `cuMemAllocPitch` of a number of rows.
    fn mem_alloc_pitch(session, width: u64, rows: u64) -> Pointer {
        let (mut pointer, mut pitch) = (0, 0);
        cuda!(session.cuMemAllocPitch(&mut pointer, &mut pitch, width as usize, rows as usize, 4));
        session.ledger.add(Resource::Allocation(pointer));
        Ok(Pointer(pointer))
    }

    /// `cuMemFree`.
    fn mem_free(session, pointer: Pointer) -> () {
        cuda!(session.cuMemFree(pointer.0));
        session.ledger.remove(&Resource::Allocation(pointer.0));
        Ok(())
    }

    /// `cuMemAllocHost`.
    fn mem_alloc_host(session, size: u64) -> Pointer {
        let mut pointer = ptr::null_mut();
        cuda!(session.cuMemAllocHost(&mut pointer, size as usize));
        session.ledger.add(Resource::PinnedHost(pointer as u64));
        Ok(Pointer(pointer as u64))
    }

    /// `cuMemFreeHost`.
    fn mem_free_host(session, pointer: Pointer) -> () {
        cuda!(session.cuMemFreeHost(pointer.0 as _));
        session.ledger.remove(&Resource::PinnedHost(pointer.0));
        Ok(())
    }

    /// `cuMemHostAlloc`, portable and mapped, with additional flags.
    fn mem_host_alloc(session, size: u64, flags: u32) -> Pointer {
        let mut pointer = ptr::null_mut();
        let flags = flags | CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        cuda!(session.cuMemHostAlloc(&mut pointer, size as usize, flags));
        session.ledger.add(Resource::PinnedHost(pointer as u64));
        Ok(Pointer(pointer as u64))
    }

    /// `cuMemHostRegister` of ordinary memory, mapped.
    fn mem_host_register(session, size: u64) -> Pointer {
        let pointer = session.host_memory(size as usize);
        let address = pointer.0 as *mut c_void;
        cuda!(session.cuMemHostRegister(address, size as usize, CU_MEMHOSTREGISTER_DEVICEMAP));
        session.ledger.add(Resource::RegisteredHost(pointer.0));
        Ok(pointer)
    }

    /// `cuMemHostGetDevicePointer`.
    fn mem_host_get_device_pointer(session, host: Pointer) -> Pointer {
        let mut pointer = 0;
        cuda!(session.cuMemHostGetDevicePointer(&mut pointer, host.0 as *mut c_void, 0));
        Ok(Pointer(pointer))
    }

    /// `cuMemAllocManaged`. Keep it small: a few MiB.
    fn mem_alloc_managed(session, size: u64) -> Pointer {
        let mut pointer = 0;
        let flags = CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.0;
        cuda!(session.cuMemAllocManaged(&mut pointer, size as usize, flags));
        session.ledger.add(Resource::Allocation(pointer));
        Ok(Pointer(pointer))
    }

    /// `cuMemAllocAsync` from the current pool, then `cuStreamSynchronize`.
    fn mem_alloc_async(session, size: u64) -> Pointer {
        let mut pointer = u64::MAX;
        cuda!(session.cuMemAllocAsync(&mut pointer, size as usize, Stream::DEFAULT.0 as _));
        session.ledger.add(Resource::StreamOrdered(pointer));
        cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
        Ok(Pointer(pointer))
    }

    /// `cuMemFreeAsync` in the default stream.
    fn mem_free_async(session, pointer: Pointer) -> () {
        cuda!(session.cuMemFreeAsync(pointer.0, Stream::DEFAULT.0 as _));
        session.ledger.remove(&Resource::StreamOrdered(pointer.0));
        Ok(())
    }

    /// Allocates memory of the process, as `malloc` does. It lives until the case ends.
    fn heap_alloc(session, size: u64) -> Pointer {
        Ok(session.host_memory(size as usize))
    }

    /// Returns an address on the stack of the thread that performs the calls.
    fn stack_address(session) -> Pointer {
        let local = 0_u64;
        Ok(Pointer(ptr::from_ref(&local) as u64))
    }

    /// `cuMemsetD8`.
    fn memset_d8(session, pointer: Pointer, value: u8, count: u64) -> () {
        cuda!(session.cuMemsetD8(pointer.0, value, count as usize));
        Ok(())
    }

    /// `cuMemsetD8Async`.
    fn memset_d8_async(session, pointer: Pointer, value: u8, count: u64, stream: Stream) -> () {
        cuda!(session.cuMemsetD8Async(pointer.0, value, count as usize, stream.0 as _));
        Ok(())
    }

    /// `cuMemsetD32`.
    fn memset_d32(session, pointer: Pointer, value: u32, count: u64) -> () {
        cuda!(session.cuMemsetD32(pointer.0, value, count as usize));
        Ok(())
    }

    /// `cuMemsetD32Async`.
    fn memset_d32_async(session, pointer: Pointer, value: u32, count: u64, stream: Stream) -> () {
        cuda!(session.cuMemsetD32Async(pointer.0, value, count as usize, stream.0 as _));
        Ok(())
    }

    /// `cuMemsetD16`.
    fn memset_d16(session, pointer: Pointer, value: u16, count: u64) -> () {
        cuda!(session.cuMemsetD16(pointer.0, value, count as usize));
        Ok(())
    }

    /// `cuMemsetD16Async`.
    fn memset_d16_async(session, pointer: Pointer, value: u16, count: u64, stream: Stream) -> () {
        cuda!(session.cuMemsetD16Async(pointer.0, value, count as usize, stream.0 as _));
        Ok(())
    }

    /// `cuMemcpyAsync`, which takes memory of any kind on both sides.
    fn memcpy_async(session, to: Pointer, from: Pointer, count: u64, stream: Stream) -> () {
        cuda!(session.cuMemcpyAsync(to.0, from.0, count as usize, stream.0 as _));
        Ok(())
    }

    /// `cuMemcpyDtoH`, `cuMemcpyHtoD` of the same bytes to another address, then `cuCtxSynchronize`.
    fn memcpy_through_host(session, to: Pointer, from: Pointer, count: u64) -> () {
        let mut bytes = vec![0_u8; count as usize];
        cuda!(session.cuMemcpyDtoH(bytes.as_mut_ptr().cast(), from.0, bytes.len()));
        cuda!(session.cuMemcpyHtoD(to.0, bytes.as_ptr().cast(), bytes.len()));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpyDtoHAsync`, `cuMemcpyHtoDAsync` of the same bytes to another address, each followed by
    /// `cuStreamSynchronize`.
    fn memcpy_through_host_async(session, to: Pointer, from: Pointer, count: u64, stream: Stream) -> () {
        let mut bytes = vec![0_u8; count as usize];
        cuda!(session.cuMemcpyDtoHAsync(bytes.as_mut_ptr().cast(), from.0, bytes.len(), stream.0 as _));
        cuda!(session.cuStreamSynchronize(stream.0 as _));
        cuda!(session.cuMemcpyHtoDAsync(to.0, bytes.as_ptr().cast(), bytes.len(), stream.0 as _));
        cuda!(session.cuStreamSynchronize(stream.0 as _));
        Ok(())
    }

    /// `cuMemcpyDtoH` to host memory of this role, or `cuMemcpyDtoHAsync` if there is a stream.
    fn memcpy_to_host(session, host: Pointer, from: Pointer, count: u64, stream: Option<Stream>) -> () {
        let to = host.0 as *mut c_void;
        match stream {
            Some(stream) => cuda!(session.cuMemcpyDtoHAsync(to, from.0, count as usize, stream.0 as _)),
            None => cuda!(session.cuMemcpyDtoH(to, from.0, count as usize)),
        }
        Ok(())
    }

    /// `cuMemcpyHtoD` from host memory of this role, or `cuMemcpyHtoDAsync` if there is a stream.
    fn memcpy_from_host(session, to: Pointer, host: Pointer, count: u64, stream: Option<Stream>) -> () {
        let from = host.0 as *const c_void;
        match stream {
            Some(stream) => cuda!(session.cuMemcpyHtoDAsync(to.0, from, count as usize, stream.0 as _)),
            None => cuda!(session.cuMemcpyHtoD(to.0, from, count as usize)),
        }
        Ok(())
    }

    /// `cuMemcpyDtoDAsync`.
    fn memcpy_dtod_async(session, to: Pointer, from: Pointer, count: u64, stream: Stream) -> () {
        cuda!(session.cuMemcpyDtoDAsync(to.0, from.0, count as usize, stream.0 as _));
        Ok(())
    }

    /// `cuMemcpy`, which takes memory of any kind on both sides, then `cuCtxSynchronize`.
    fn memcpy(session, to: Pointer, from: Pointer, count: u64) -> () {
        cuda!(session.cuMemcpy(to.0, from.0, count as usize));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpyDtoD`, then `cuCtxSynchronize`.
    fn memcpy_dtod(session, to: Pointer, from: Pointer, count: u64) -> () {
        cuda!(session.cuMemcpyDtoD(to.0, from.0, count as usize));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpyDtoD` between several ranges at once, each on a thread of its own, then `cuCtxSynchronize` there.
    fn memcpy_dtod_from_threads(session, to: Vec<Pointer>, from: Vec<Pointer>, count: u64) -> () {
        let next = AtomicUsize::new(0);
        let answers = session.on_threads(to.len().min(from.len()), |session| {
            let place = next.fetch_add(1, Ordering::Relaxed);
            cuda!(session.cuMemcpyDtoD(to[place].0, from[place].0, count as usize));
            cuda!(session.cuCtxSynchronize());
            Ok(())
        })?;
        answers.into_iter().collect()
    }

    /// `cuMemcpyPeer` from memory of one context to memory of another one, then `cuCtxSynchronize`.
    fn memcpy_peer(session, to: Pointer, to_context: Context, from: Pointer, from_context: Context, count: u64) -> () {
        cuda!(session.cuMemcpyPeer(to.0, to_context.0 as _, from.0, from_context.0 as _, count as usize));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpyHtoD`, then `cuCtxSynchronize`, so that another process can read the bytes.
    fn write(session, pointer: Pointer, bytes: Vec<u8>) -> () {
        cuda!(session.cuMemcpyHtoD(pointer.0, bytes.as_ptr().cast(), bytes.len()));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpyDtoH`.
    fn read(session, pointer: Pointer, count: u64) -> Vec<u8> {
        let mut bytes = vec![0; count as usize];
        cuda!(session.cuMemcpyDtoH(bytes.as_mut_ptr().cast(), pointer.0, bytes.len()));
        Ok(bytes)
    }

    /// Writes the pattern of a seed to a range with a kernel, and waits for it.
    ///
    /// A kernel reaches what the page tables allow. A copy also passes checks of the driver that a kernel never meets, so
    /// the two do not replace each other: see [`fill_by_copy`](crate::Role::fill_by_copy).
    fn fill(session, pointer: Pointer, size: u64, seed: u32) -> () {
        session.launch("fill", vec![pointer.into(), (size / 4).into(), seed.into()], Stream::DEFAULT)?;
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// Counts the words of a range that differ from the pattern of a seed, with a kernel.
    fn mismatches(session, pointer: Pointer, size: u64, seed: u32) -> u64 {
        session.count_by_kernel(pointer, size, seed)
    }

    /// Returns the first byte of a range that differs from the pattern of a seed, after `cuMemcpyDtoH`. A failed check calls
    /// it to say where.
    fn first_wrong_byte(session, pointer: Pointer, size: u64, seed: u32) -> Option<WrongByte> {
        let mut words = vec![0_u32; (size / 4) as usize];
        cuda!(session.cuMemcpyDtoH(words.as_mut_ptr().cast(), pointer.0, words.len() * 4));
        Ok(first_differing(words, seed))
    }

    /// Returns the first byte of host memory that differs from the pattern of a seed, as read by the CPU.
    fn first_wrong_byte_by_host(session, pointer: Pointer, size: u64, seed: u32) -> Option<WrongByte> {
        // SAFETY: the case passes host memory of this role, of this size; the driver aligns it.
        let word = |index: u64| unsafe { host_word(pointer, index) }.load(Ordering::Relaxed);
        Ok(first_differing((0..size / 4).map(word), seed))
    }

    /// `cuMemcpyHtoD` of the pattern of a seed to a range, then `cuCtxSynchronize`.
    fn fill_by_copy(session, pointer: Pointer, size: u64, seed: u32) -> () {
        let bytes: Vec<u8> = (0..size / 4).flat_map(|index| kernels::pattern(seed, index).to_le_bytes()).collect();
        cuda!(session.cuMemcpyHtoD(pointer.0, bytes.as_ptr().cast(), bytes.len()));
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// Counts the words of a range that differ from the pattern of a seed, after `cuMemcpyDtoH`.
    fn mismatches_by_copy(session, pointer: Pointer, size: u64, seed: u32) -> u64 {
        let mut words = vec![0_u32; (size / 4) as usize];
        cuda!(session.cuMemcpyDtoH(words.as_mut_ptr().cast(), pointer.0, words.len() * 4));
        Ok(differing(words, seed))
    }

    /// Writes the pattern of a seed over host memory, with CPU stores and not through the driver.
    fn fill_by_host(session, pointer: Pointer, size: u64, seed: u32) -> () {
        for index in 0..size / 4 {
            // SAFETY: the case passes host memory of this role, of this size; the driver aligns it.
            unsafe { host_word(pointer, index) }.store(kernels::pattern(seed, index), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns how many words of host memory differ from the pattern of a seed, as read by the CPU.
    fn mismatches_by_host(session, pointer: Pointer, size: u64, seed: u32) -> u64 {
        // SAFETY: the case passes host memory of this role, of this size; the driver aligns it.
        let word = |index: u64| unsafe { host_word(pointer, index) }.load(Ordering::Relaxed);
        Ok(differing((0..size / 4).map(word), seed))
    }

    /// Returns how many bytes of the range differ from a value.
    fn other_bytes(session, pointer: Pointer, size: u64, value: u8) -> u64 {
        let mut bytes = vec![0_u8; size as usize];
        cuda!(session.cuMemcpyDtoH(bytes.as_mut_ptr().cast(), pointer.0, bytes.len()));
        Ok(bytes.iter().filter(|byte| **byte != value).count() as u64)
    }

    /// Writes a flag in pinned host memory for which a kernel waits.
    fn set_host_flag(session, pointer: Pointer, value: u32) -> () {
        // SAFETY: the case passes an aligned address of this role's own host memory.
        unsafe { host_word(pointer, 0) }.store(value, Ordering::SeqCst);
        Ok(())
    }

    /// `cuMemGetInfo`. A case calls [`Role::mem_get_info`](crate::Role::mem_get_info).
    fn mem_info(session) -> MemInfo {
        session.mem_info()
    }

    /// `cuMemGetAddressRange`.
    fn mem_get_address_range(session, pointer: Pointer) -> AddressRange {
        let (mut base, mut size) = (u64::MAX, usize::MAX);
        cuda!(session.cuMemGetAddressRange(&mut base, &mut size, pointer.0));
        Ok(AddressRange { base: Pointer(base), size: size as u64 })
    }

    /// `cuMemGetHandleForAddressRange` as a dma-buf.
    fn mem_get_dma_buf(session, pointer: Pointer, size: u64, flags: u64) -> Descriptor {
        let mut descriptor = -1;
        let output = ptr::from_mut(&mut descriptor).cast();
        let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        cuda!(session.cuMemGetHandleForAddressRange(output, pointer.0, size as usize, kind, flags));
        session.ledger.add(Resource::Descriptor(descriptor));
        Ok(Descriptor(descriptor))
    }

    /// `cuMemGetAddressRange` with both outputs, one or none. Returns the base if it is wanted, else the size.
    fn mem_get_address_range_in_part(session, pointer: Pointer, base_wanted: bool, size_wanted: bool) -> u64 {
        let (mut base, mut size) = (u64::MAX, usize::MAX);
        let base_output = if base_wanted { &raw mut base } else { ptr::null_mut() };
        let size_output = if size_wanted { &raw mut size } else { ptr::null_mut() };
        cuda!(session.cuMemGetAddressRange(base_output, size_output, pointer.0));
        Ok(if base_wanted { base } else { size as u64 })
    }
}

/// Returns a word of host memory. It is atomic, because kernels may write and read it meanwhile, and those of the reference
/// driver are threads.
///
/// # Safety
/// The word must be in this process's memory, at an address that is a multiple of 4, for as long as the result is used.
unsafe fn host_word<'memory>(pointer: Pointer, index: u64) -> &'memory AtomicU32 {
    // SAFETY: the caller promises that the word is there.
    unsafe { AtomicU32::from_ptr(pointer.offset(index * 4).0 as *mut u32) }
}

impl Session {
    /// Counts with the kernel `verify`. The counter is pinned host memory, so that the count changes no device memory.
    pub(super) fn count_by_kernel(&mut self, pointer: Pointer, size: u64, seed: u32) -> Result<u64, Refused> {
        let session = self;
        let (mut counter, mut device_counter) = (ptr::null_mut(), 0);
        cuda!(session.cuMemHostAlloc(&mut counter, 8, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
        let counter = counter.cast::<u64>();
        // SAFETY: the driver gave 8 aligned bytes of host memory.
        unsafe { counter.write_volatile(0) };
        let counted: Result<u64, Refused> = (|| {
            cuda!(session.cuMemHostGetDevicePointer(&mut device_counter, counter.cast(), 0));
            let arguments = vec![pointer.into(), (size / 4).into(), seed.into(), device_counter.into()];
            session.launch("verify", arguments, Stream::DEFAULT)?;
            cuda!(session.cuStreamSynchronize(Stream::DEFAULT.0 as _));
            // SAFETY: as above; the kernel has ended.
            Ok(unsafe { counter.read_volatile() })
        })();
        // SAFETY: the memory is this function's. If the kernel failed, the context refuses the call too.
        let freed = unsafe { session.driver.cuMemFreeHost(counter.cast()) };
        let counted = counted?;
        crate::message::answered("cuMemFreeHost", freed)?;
        Ok(counted)
    }
    /// Returns the free and total bytes of the current context's device.
    pub(crate) fn mem_info(&mut self) -> Result<MemInfo, Refused> {
        let session = self;
        let (mut free, mut total) = (0, 0);
        cuda!(session.cuMemGetInfo(&mut free, &mut total));
        Ok(MemInfo { free: free as u64, total: total as u64 })
    }
}
