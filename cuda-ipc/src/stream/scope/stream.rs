//! What safe code can enqueue in a stream of a scope.
#![allow(unsafe_code)] // Enqueues work that uses memory until the scope has waited.

use bytemuck::{AnyBitPattern, NoUninit};

use super::Scope;
use super::watch::Watch;
use crate::event::Event;
use crate::foreign::ForeignError;
use crate::kernel::{Kernel, Parameters};
use crate::memory::{DeviceSlice, type_of};
use crate::module::LaunchShape;
use crate::stream::value::{StreamValue, WaitValue};
use crate::sys::{CUdeviceptr, CUmemorytype};
use crate::vmm::Access;
use crate::{Error, Stream};

const HOST: CUmemorytype = CUmemorytype::CU_MEMORYTYPE_HOST;

/// A stream in a [`scope()`](super::scope). Each method enqueues work, and borrows what the work uses until the scope
/// has waited for it.
///
/// If other code is capturing the stream into a graph, each method returns [`Error::Foreign`]: the graph could run the
/// work after the scope. The driver is asked only about streams that other code may know: those that are
/// [borrowed](Stream::borrow_raw) or [taken over](Stream::from_raw), and those whose [raw stream](Stream::raw) other code
/// has.
///
/// Work of one stream runs in the order of the calls. Between streams there is no order, except by
/// [`record`](Self::record) and [`wait`](Self::wait), or by [`write_value`](Self::write_value) and
/// [`wait_value`](Self::wait_value). Without one, work that uses the same memory gives a mixture of bytes.
#[derive(Clone, Copy, Debug)]
pub struct ScopedStream<'scope, 'env: 'scope> {
    scope: &'scope Scope<'scope, 'env>,
    stream: &'scope Stream,
    /// The stream's place in the scope. `None` if the stream was being captured when the scope took it in: the scope then
    /// does not wait for it.
    place: Option<usize>,
}

impl<'scope, 'env> ScopedStream<'scope, 'env> {
    pub(super) const fn new(scope: &'scope Scope<'scope, 'env>, stream: &'scope Stream, place: Option<usize>) -> Self {
        Self { scope, stream, place }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(self) -> &'scope Stream {
        self.stream
    }

    /// `cuMemcpyHtoDAsync`: writes values of the host to the device. Both slices must have the same length.
    ///
    /// If `from` is ordinary host memory, and not a [`PinnedBuffer`](crate::host::PinnedBuffer), the driver first makes
    /// a copy of its own. The call may then wait for the stream's earlier work. If `to` is host memory too, the call
    /// waits as [`copy`](Self::copy) does.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyHtoDAsync")]
    pub fn write<T: NoUninit>(self, to: DeviceSlice<'scope, T>, from: &'scope [T]) -> Result<(), Error> {
        to.require_length(from.len())?;
        self.before_copy(to.pointer(), from.as_ptr().addr() as CUdeviceptr)?;
        // SAFETY: the memory and the values are borrowed until the scope has waited, and the values do not change.
        unsafe { to.memory().write_async(to.offset(), from, self.stream) }
    }

    /// `cuMemcpyDtoHAsync`: reads values of the device to the host. Both slices must have the same length.
    ///
    /// If `to` is ordinary host memory, and not a [`PinnedBuffer`](crate::host::PinnedBuffer), the call waits for the
    /// copy and for all earlier work of the stream. So it must not come before the call that ends a wait of this
    /// stream. The same is true if `from` is host memory too, such as that of
    /// [`SharedPages`](crate::host::SharedPages).
    ///
    /// # Errors
    /// As [`ScopedStream::write`].
    #[doc(alias = "cuMemcpyDtoHAsync")]
    pub fn read<T: AnyBitPattern>(self, from: DeviceSlice<'scope, T>, to: &'scope mut [T]) -> Result<(), Error> {
        from.require_length(to.len())?;
        self.before_copy(to.as_ptr().addr() as CUdeviceptr, from.pointer())?;
        // SAFETY: the memory is borrowed, and the values mutably, until the scope has waited.
        unsafe { from.memory().read_async(from.offset(), to, self.stream) }
    }

    /// `cuMemcpyPeerAsync`: copies values from device to device, or within one. Both slices must have the same length.
    ///
    /// If both slices are in host memory, such as that of [`SharedPages`](crate::host::SharedPages), CUDA copies
    /// synchronously: the call waits for the copy and for all earlier work of the stream. If the stream waits for a
    /// number or an event, the calling thread is blocked until that wait ends. So the call must not come before the
    /// call that ends the wait.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::Overlap`]; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuMemcpyPeerAsync")]
    pub fn copy<T>(self, to: DeviceSlice<'scope, T>, from: DeviceSlice<'scope, T>) -> Result<(), Error> {
        to.require_length(from.len())?;
        self.before_copy(to.pointer(), from.pointer())?;
        let (offset, from_offset) = (to.offset(), from.offset());
        // SAFETY: both memories are borrowed until the scope has waited.
        unsafe { to.memory().copy_from_async(offset, from.memory(), from_offset, from.size(), self.stream) }
    }

    /// `cuMemsetD8Async`, `cuMemsetD16Async` or `cuMemsetD32Async`: sets every value of a slice. Values of other sizes
    /// than 1, 2 and 4 bytes do not compile.
    ///
    /// # Errors
    /// [`Error::Misaligned`] if the slice does not begin at a multiple of the value's size; [`Error::Refused`] with the
    /// driver's error code.
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    pub fn fill<T: NoUninit>(self, slice: DeviceSlice<'scope, T>, value: T) -> Result<(), Error> {
        self.require_no_capture()?;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { slice.fill_async(value, self.stream) }
    }

    /// `cuStreamWriteValue32` or `cuStreamWriteValue64`: writes a number, for streams that wait for it. The slice must
    /// be one value.
    ///
    /// A reader that sees the number also sees the effects of the stream's earlier work, in other processes too.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NoAccess`]; [`Error::Refused`] if the device does not support this. Some devices do
    /// not support 64 bits (`CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS`).
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuStreamWriteValue64")]
    pub fn write_value<N: StreamValue>(self, number: DeviceSlice<'scope, N>, value: N) -> Result<(), Error> {
        self.require_no_capture()?;
        number.require_length(1)?;
        number.memory().require_access(self.stream.context(), Access::ReadWrite)?;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { value.write(self.stream, number.memory(), number.offset()) }
    }

    /// `cuStreamWaitValue32` or `cuStreamWaitValue64`: makes later work of the stream wait for a number in memory. The
    /// slice must be one value.
    ///
    /// If no stream or process ever writes such a number, the scope never ends. If a process that may die is to write
    /// it, use [`scope_watching`](super::scope_watching).
    ///
    /// # Errors
    /// As [`ScopedStream::write_value`]; [`Error::EndlessWait`] if there is no number that meets the condition.
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    pub fn wait_value<N: StreamValue>(
        self,
        number: DeviceSlice<'scope, N>,
        wait: WaitValue,
        value: N,
    ) -> Result<(), Error> {
        self.require_no_capture()?;
        number.require_length(1)?;
        // A scope that watches a process may have to write the number.
        let access = if self.scope.used.watch.is_some() { Access::ReadWrite } else { Access::Read };
        number.memory().require_access(self.stream.context(), access)?;
        value.require_end(wait)?;
        // SAFETY: the memory is borrowed until the scope has waited.
        unsafe { value.wait(self.stream, number.memory(), number.offset(), wait)? };
        if let Some(watch) = &self.scope.used.watch {
            watch.remember(self.stream, number, wait, value);
        }
        Ok(())
    }

    /// `cuEventRecord`: records an event, of this process or imported. From then on it stands for all work that was
    /// enqueued in the stream before. [`Event::record`] says when the stream waits.
    ///
    /// # Errors
    /// [`Error::Refused`] if the stream belongs to another context than the event.
    #[doc(alias = "cuEventRecord")]
    pub fn record(self, event: &'scope Event) -> Result<(), Error> {
        self.require_no_capture()?;
        event.record(self.stream)
    }

    /// `cuStreamWaitEvent`: makes later work of the stream wait for the work that the event, of this process or
    /// imported, has captured at this moment.
    ///
    /// If the work of another process is never done because it was killed, the scope may never end.
    ///
    /// # Errors
    /// As [`Stream::wait`].
    #[doc(alias = "cuStreamWaitEvent")]
    pub fn wait(self, event: &'scope Event) -> Result<(), Error> {
        self.require_no_capture()?;
        self.stream.wait(event)
    }

    /// `cuLaunchKernel`: runs a kernel. The arguments are those of the kernel's [`Parameters`].
    ///
    /// # Errors
    /// [`Error::OtherContext`] if the kernel was loaded in another context than the stream's; [`Error::NoAccess`] if the
    /// stream's device cannot reach a slice; [`Error::Length`] if a slice has another length than the kernel needs;
    /// [`Error::Refused`] if the device cannot run that shape.
    #[doc(alias = "cuLaunchKernel")]
    pub fn launch<P: Parameters>(
        self,
        kernel: &'scope Kernel<P>,
        shape: LaunchShape,
        arguments: P::Arguments<'scope>,
    ) -> Result<(), Error> {
        self.require_no_capture()?;
        // SAFETY: the kernel and its slices are borrowed until the scope has waited.
        unsafe { kernel.launch(shape, self.stream, arguments) }
    }

    /// Refuses a captured stream, and one that was captured when the scope took it in. Otherwise notes that the scope may
    /// enqueue work in the stream.
    #[inline]
    fn require_no_capture(self) -> Result<(), Error> {
        let place = self.place.ok_or(ForeignError::Capturing)?;
        self.stream.require_no_capture()?;
        self.scope.used.busy.add(place);
        Ok(())
    }

    /// Refuses a captured stream. If the scope watches a process, waits for the stream before a copy for which the driver
    /// would wait in the call, where nothing can end the wait: a copy of ordinary host memory, or one within host memory.
    #[inline]
    fn before_copy(self, to: CUdeviceptr, from: CUdeviceptr) -> Result<(), Error> {
        self.require_no_capture()?;
        match &self.scope.used.watch {
            Some(watch) => self.settle_before_copy(watch, to, from),
            None => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn settle_before_copy(self, watch: &Watch<'_>, to: CUdeviceptr, from: CUdeviceptr) -> Result<(), Error> {
        let [to, from] = [to, from].map(|pointer| type_of(self.stream.context(), pointer));
        match (to?, from?) {
            (None, _) | (_, None) | (Some(HOST), Some(HOST)) => watch.settle(self.stream, true),
            _ => Ok(()),
        }
    }
}
