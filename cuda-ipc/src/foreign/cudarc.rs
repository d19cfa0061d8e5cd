//! Conversions from and to the types of the crate `cudarc`.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;

use bytemuck::AnyBitPattern;
use cudarc::driver::sys as theirs;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError};

use crate::error::check;
use crate::foreign::stream::PER_THREAD;
use crate::foreign::{ForeignError, ForeignMemory};
use crate::memory::DeviceMemory;
use crate::sys::{CUdeviceptr, CUresult};
use crate::{Context, Driver, Error, Stream};

// Relies on: the handles of cudarc.
impl Context {
    /// Borrows a context of cudarc, and keeps it alive. cudarc releases it after the last use.
    ///
    /// # Errors
    /// [`Error::Foreign`] if cudarc has loaded another driver library than this process's [`Driver`]; otherwise as
    /// [`Driver::get`] and [`Context::borrow_raw`].
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Self, Error> {
        let driver = Driver::get()?;
        check_driver(driver)?;
        // SAFETY: the driver is the same, and cudarc's context lives as long as the owner.
        unsafe { Self::borrow_raw(driver, context.cu_ctx().cast(), Arc::clone(context)) }
    }

    /// `cuDevicePrimaryCtxRetain`: returns cudarc's value for this context, which must be a primary one. Both hold a
    /// reference of their own.
    ///
    /// # Panics
    /// cudarc panics if it finds no driver library: it searches for `libcuda.so` and `libcuda.so.1`.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the context is not the primary context of its device, or if cudarc has loaded another
    /// driver library; [`Error::Refused`] with the driver's error code.
    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>, Error> {
        check_driver(self.driver())?;
        if *self != Self::primary(self.device())? {
            return Err(ForeignError::NotPrimary.into());
        }
        let _entered = self.enter()?;
        // The raw device is its ordinal.
        let ordinal = usize::try_from(self.device().raw()).unwrap_or(usize::MAX);
        CudaContext::new(ordinal).map_err(refused("cuDevicePrimaryCtxRetain"))
    }
}

impl Stream {
    /// Borrows a stream of cudarc, and keeps it alive. cudarc destroys it after the last use.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another context, or is the per-thread default stream, or if cudarc
    /// has loaded another driver library; [`Error::Refused`] with the driver's error code.
    pub fn from_cudarc(context: &Context, stream: &Arc<CudaStream>) -> Result<Self, Error> {
        check_driver(context.driver())?;
        if stream.context().cu_ctx().cast() != context.raw() {
            return Err(ForeignError::OtherContext.into());
        }
        // SAFETY: the driver is the same, and cudarc's stream lives as long as the owner.
        unsafe { Self::borrow_raw(context, stream.cu_stream().cast(), Arc::clone(stream)) }
    }

    /// Lets cudarc borrow this stream.
    ///
    /// cudarc's safe functions can capture the stream into a graph. Meanwhile, this crate enqueues nothing in it.
    ///
    /// # Panics
    /// As [`Context::to_cudarc`].
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another context, or if cudarc has loaded another driver library.
    ///
    /// # Safety
    /// The caller promises that
    /// - this stream, or a clone of it, lives as long as the result and everything in cudarc that holds it;
    /// - work that is enqueued in it through cudarc is ordered with the work of cudarc's other streams: cudarc does not
    ///   know that this stream runs beside them, and may free memory that it still uses.
    pub unsafe fn to_cudarc(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>, Error> {
        check_driver(self.context().driver())?;
        if context.cu_ctx().cast() != self.context().raw() {
            return Err(ForeignError::OtherContext.into());
        }
        // SAFETY: the stream belongs to the context, and the caller promises the rest.
        Ok(unsafe { context.wrap_borrowed_stream(self.raw().cast()) })
    }
}

impl<O> ForeignMemory<O> {
    /// `cuStreamSynchronize`: borrows the memory of a slice of cudarc. The slice is the owner: pass the slice itself, a
    /// reference, or an `Arc`.
    ///
    /// It waits until the slice's stream has allocated the memory and cudarc's last write to it is complete.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the slice belongs to another context, if its stream is the per-thread default stream, for
    /// which another thread cannot wait, or if cudarc has loaded another driver library; [`Error::Refused`] with the error
    /// of the stream's work, if it failed.
    #[doc(alias = "cuStreamSynchronize")]
    pub fn from_cudarc<T: AnyBitPattern>(context: &Context, owner: O) -> Result<Self, Error>
    where
        O: Borrow<CudaSlice<T>>,
    {
        check_driver(context.driver())?;
        let slice = owner.borrow();
        if slice.context().cu_ctx().cast() != context.raw() {
            return Err(ForeignError::OtherContext.into());
        }
        let stream = slice.stream();
        if stream.cu_stream().addr() == PER_THREAD {
            return Err(ForeignError::PerThreadStream.into());
        }
        // cudarc makes its context current in each call.
        let _entered = context.enter()?;
        // This makes the stream wait for writes that other streams make.
        let (pointer, reading) = slice.device_ptr(stream);
        drop(reading);
        stream.synchronize().map_err(refused("cuStreamSynchronize"))?;
        let size = slice.num_bytes();
        // SAFETY: the memory was allocated in this context, is allocated by now, and lives as long as the owner. cudarc
        // reads values from it that are valid with any bytes.
        Ok(unsafe { Self::borrow_raw(context, pointer, size, owner) })
    }
}

impl DeviceMemory {
    /// Lets cudarc borrow the memory, as a slice of all whole values in it.
    ///
    /// cudarc counts `stream` as the slice's stream.
    ///
    /// # Panics
    /// As [`Context::to_cudarc`], and if the driver has no memory left for cudarc's two events.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another context, or if cudarc has loaded another driver library;
    /// [`Error::Misaligned`] if the memory does not begin at a multiple of `T`'s alignment.
    ///
    /// # Safety
    /// Work that cudarc enqueues on the slice must be complete before the memory is freed or closed: dropping the slice
    /// does not wait for it.
    pub unsafe fn to_cudarc<T: AnyBitPattern>(&self, stream: &Arc<CudaStream>) -> Result<CudarcSlice<'_, T>, Error> {
        const { assert!(size_of::<T>() > 0, "values of 0 bytes have no place in memory") };
        check_driver(self.context().driver())?;
        if stream.context().cu_ctx().cast() != self.context().raw() {
            return Err(ForeignError::OtherContext.into());
        }
        let pointer = self.pointer();
        if !pointer.is_multiple_of(align_of::<T>() as CUdeviceptr) {
            return Err(Error::Misaligned { pointer, alignment: align_of::<T>() });
        }
        // cudarc makes its context current.
        let _entered = self.context().enter()?;
        // SAFETY: the memory has room for the values, whose bytes may be any. `CudarcSlice` keeps cudarc from freeing it.
        let slice = unsafe { stream.upgrade_device_ptr(pointer, self.size() / size_of::<T>()) };
        Ok(CudarcSlice { slice: ManuallyDrop::new(slice), memory: PhantomData })
    }
}

/// A slice of cudarc that borrows device memory of this crate: [`DeviceMemory::to_cudarc`]. Dropping it does not free
/// the memory.
pub struct CudarcSlice<'memory, T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    memory: PhantomData<&'memory DeviceMemory>,
}

impl<T> CudarcSlice<'_, T> {
    /// Returns a view that cudarc can write to.
    ///
    /// There is no mutable reference to the slice itself: with it, the slice could be moved out, and would free the
    /// memory.
    pub fn as_view_mut(&mut self) -> cudarc::driver::CudaViewMut<'_, T> {
        self.slice.as_view_mut()
    }
}

impl<T> Deref for CudarcSlice<'_, T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.slice
    }
}

impl<T> Drop for CudarcSlice<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the field is not used again. `leak` drops everything but the memory.
        unsafe { ManuallyDrop::take(&mut self.slice) }.leak();
    }
}

impl<T> fmt::Debug for CudarcSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CudarcSlice({} × {})", self.slice.len(), std::any::type_name::<T>())
    }
}

/// Returns an error unless cudarc calls the same driver library.
///
/// Each library returns the address of a text of its own, so equal addresses come from one library.
fn check_driver(driver: Driver) -> Result<(), Error> {
    let (mut ours, mut theirs) = (ptr::null(), ptr::null());
    // SAFETY: the output is a local.
    let answer = unsafe { driver.calls()?.cuGetErrorName(CUresult::CUDA_SUCCESS, &mut ours) };
    check("cuGetErrorName", answer, String::new)?;
    // SAFETY: as above.
    let answer = unsafe { theirs::cuGetErrorName(theirs::CUresult::CUDA_SUCCESS, &mut theirs) };
    answer.result().map_err(refused("cuGetErrorName"))?;
    if ours == theirs { Ok(()) } else { Err(ForeignError::OtherDriver.into()) }
}

/// Returns a function for `map_err` that makes this crate's error of one of cudarc's.
fn refused(function: &'static str) -> impl Fn(DriverError) -> Error {
    move |error| match check(function, Ok(CUresult(error.0 as u32)), || "called by cudarc".to_owned()) {
        Err(error) => error,
        Ok(()) => ForeignError::OtherDriver.into(),
    }
}
