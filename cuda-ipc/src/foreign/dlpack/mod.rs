//! DLPack's managed tensors, with which PyTorch, CuPy, JAX and others exchange device memory without a copy.
//!
//! [`Tensor::export`] makes a tensor from memory. The other code releases the memory when it is done with it.
//! [`Tensor::memory`] borrows the memory of a tensor that other code exported. Dropping it releases the tensor.
//!
//! In Python a tensor travels in a capsule. The capsule `dltensor` contains a [`Managed`], and `dltensor_versioned` a
//! [`ManagedVersioned`]. DLPack does not order work: before a tensor is handed over, its producer waits for the work that
//! writes it, or orders the consumer's stream behind it.

mod abi;
mod error;

use std::ffi::c_void;
use std::fmt;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::slice;

pub use abi::{Abi, DataType, Device, Managed, ManagedVersioned, RawTensor};
pub use error::TensorError;

use crate::drop_hook::report;
use crate::foreign::{ForeignError, ForeignMemory};
use crate::memory::DeviceMemory;
use crate::sys::CUdeviceptr;
use crate::vmm::Access;
use crate::{Context, Error, fork};

/// A type of elements that tensors can have.
pub trait Element: sealed::Sealed {
    /// DLPack's name of the type.
    const TYPE: DataType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($element:ty: $code:literal;)*) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            const TYPE: DataType = DataType { code: $code, bits: 8 * size_of::<$element>() as u8, lanes: 1 };
        }
    )*};
}

elements! {
    i8: 0; i16: 0; i32: 0; i64: 0;
    u8: 1; u16: 1; u32: 1; u64: 1;
    f32: 2; f64: 2;
}

/// A managed tensor: this value is responsible for calling its deleter, once.
pub struct Tensor<A: Abi>(NonNull<A>);

// SAFETY: `from_raw` requires a deleter that may be called in any thread, and `export` makes such ones. Nothing changes
// the structure as long as this value has it.
unsafe impl<A: Abi> Send for Tensor<A> {}
// SAFETY: a shared tensor is only read.
unsafe impl<A: Abi> Sync for Tensor<A> {}

/// What an exported tensor points to. The deleter drops it.
struct Exported<A, M> {
    managed: A,
    shape: Vec<i64>,
    strides: Vec<i64>,
    #[expect(dead_code, reason = "it is only dropped")]
    memory: M,
    /// The context of the memory, which is dropped after it.
    context: Context,
}

impl<A: Abi> Tensor<A> {
    /// Exports a part of device memory: `shape` is the number of elements in each dimension, in row-major order, and the
    /// first element is `offset` bytes after the beginning of the memory.
    ///
    /// The tensor owns `memory`, such as a buffer. Consumers such as PyTorch call the deleter while their kernels still
    /// run. So the deleter waits for all work of the memory's context, and of its device's primary context, in which most
    /// consumers work, before it drops the memory. If it cannot wait, because other code is capturing a stream of these
    /// contexts, it leaks the memory, and the error goes to the hook of [`set_drop_hook`](crate::set_drop_hook). If
    /// dropping the memory panics, the process is aborted.
    ///
    /// A tensor of the memory of another tensor owns that tensor, and drops it in its own deleter. So export the memory
    /// itself again rather than thousands of tensors of each other, whose deleters would exhaust the stack.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] and [`Error::Misaligned`]; [`Error::Tensor`] if the size does not fit into 64 bits.
    pub fn export<T: Element, M>(memory: M, offset: usize, shape: &[usize]) -> Result<Self, Error>
    where
        M: Deref<Target = DeviceMemory> + Send + 'static,
    {
        let shape: Option<Vec<i64>> = shape.iter().map(|length| i64::try_from(*length).ok()).collect();
        let shape = shape.ok_or(TensorError::TooLarge)?;
        // Once: a `Deref` may return other memory each time, and what the tensor names is what the deleter must wait for.
        let exported: &DeviceMemory = &memory;
        let pointer = exported.at(offset, size_in_bytes(&shape, size_of::<T>())?)?;
        let context = exported.context().clone();
        if !pointer.is_multiple_of(align_of::<T>() as CUdeviceptr) {
            return Err(Error::Misaligned { pointer, alignment: align_of::<T>() });
        }
        let tensor = RawTensor {
            // Some consumers ignore the byte offset, so the address is that of the first element.
            data: ptr::without_provenance_mut(pointer as usize),
            byte_offset: 0,
            // The raw device is its ordinal.
            device: Device { kind: Device::CUDA, ordinal: context.device().raw() },
            dimensions: i32::try_from(shape.len()).map_err(|_| TensorError::TooLarge)?,
            data_type: T::TYPE,
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
        };
        let (strides, managed) = (row_major(&shape), A::new(tensor, ptr::null_mut(), delete::<A, M>));
        let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, memory, context }));
        // SAFETY: the value was allocated just now, and nothing else points to it.
        let Exported { managed, shape, strides, .. } = unsafe { &mut *exported };
        let tensor = RawTensor { shape: shape.as_mut_ptr(), strides: strides.as_mut_ptr(), ..tensor };
        *managed = A::new(tensor, exported.cast::<c_void>(), delete::<A, M>);
        // The whole value's provenance, for the deleter.
        // SAFETY: the field is within the allocation.
        Ok(Self(unsafe { NonNull::new_unchecked(&raw mut (*exported).managed) }))
    }

    /// Takes over a tensor that other code exported, such as the contents of a Python capsule, which must then be
    /// renamed to `used_dltensor` or `used_dltensor_versioned`.
    ///
    /// # Errors
    /// [`TensorError::Null`].
    ///
    /// # Safety
    /// The caller promises that
    /// - `raw` is null or a managed tensor with its shape and strides, as DLPack requires, and nothing else calls its
    ///   deleter;
    /// - the deleter may be called in any thread;
    /// - the memory that the tensor describes was allocated by the driver library of this process, is allocated by now,
    ///   and stays until the deleter is called;
    /// - a host value that other code reads from the memory is valid with any bytes, because safe code can write any.
    pub unsafe fn from_raw(raw: *mut A) -> Result<Self, TensorError> {
        NonNull::new(raw).map(Self).ok_or(TensorError::Null)
    }

    /// Hands the tensor over: returns the pointer that a capsule contains. Whoever has it calls the deleter.
    #[must_use]
    pub fn into_raw(self) -> *mut A {
        let raw = self.as_raw();
        std::mem::forget(self);
        raw
    }

    /// Returns the pointer, which is valid as long as this value exists.
    #[must_use]
    pub const fn as_raw(&self) -> *mut A {
        self.0.as_ptr()
    }

    /// Returns the type of the elements.
    ///
    /// # Errors
    /// [`TensorError::OtherVersion`].
    pub fn data_type(&self) -> Result<DataType, TensorError> {
        Ok(self.raw()?.0.data_type)
    }

    /// Returns the number of elements in each dimension.
    ///
    /// # Errors
    /// [`TensorError::OtherVersion`]; [`TensorError::Shape`].
    pub fn shape(&self) -> Result<&[i64], TensorError> {
        let (tensor, _) = self.raw()?;
        let dimensions = tensor.dimensions;
        match usize::try_from(dimensions) {
            Ok(0) => Ok(&[]),
            // SAFETY: `from_raw` requires that the shape has that many numbers, and `export` makes them.
            Ok(count) if !tensor.shape.is_null() => unsafe { Ok(slice::from_raw_parts(tensor.shape, count)) },
            _ => Err(TensorError::Shape(dimensions.into())),
        }
    }

    /// Borrows the tensor's memory, as bytes. The deleter is called when the memory is dropped, or now if there is an
    /// error.
    ///
    /// # Errors
    /// [`Error::Tensor`] if the tensor is not contiguous, is read-only, or is not in the memory of a GPU;
    /// [`Error::Foreign`] if the GPU is not that of the context; [`Error::NoAccess`] if the memory is that of another
    /// context, and this one cannot reach it.
    pub fn memory(self, context: &Context) -> Result<ForeignMemory<Self>, Error> {
        let (tensor, is_read_only) = self.raw()?;
        if tensor.device.kind != Device::CUDA {
            return Err(TensorError::NotCuda(tensor.device).into());
        }
        let (found, expected) = (tensor.device.ordinal, context.device().raw());
        if found != expected {
            return Err(ForeignError::OtherDevice { found, expected }.into());
        }
        if is_read_only {
            return Err(TensorError::ReadOnly.into());
        }
        let shape = self.shape()?;
        let DataType { bits, lanes, .. } = tensor.data_type;
        let bits = usize::from(bits) * usize::from(lanes);
        if bits == 0 || !bits.is_multiple_of(8) {
            return Err(TensorError::NotBytes(tensor.data_type).into());
        }
        let size = size_in_bytes(shape, bits / 8)?;
        if size > 0 && !self.is_contiguous(tensor, shape) {
            return Err(TensorError::NotContiguous.into());
        }
        let (data, offset) = (tensor.data.addr(), tensor.byte_offset);
        let pointer = (data as CUdeviceptr).checked_add(offset).filter(|_| data != 0 || size == 0);
        let Some(pointer) = pointer.filter(|pointer| pointer.checked_add(size as CUdeviceptr).is_some()) else {
            return Err(TensorError::NoMemory { data, offset, size }.into());
        };
        // SAFETY: `from_raw` requires that the memory is allocated until the deleter is called, and the tensor owns what
        // `export` exported. The numbers are those of the tensor.
        let memory = unsafe { ForeignMemory::borrow_raw(context, pointer, size, self) };
        if size > 0 {
            // DLPack names the device, but not the context.
            memory.require_access(context, Access::Read)?;
        }
        Ok(memory)
    }

    fn raw(&self) -> Result<(&RawTensor, bool), TensorError> {
        // SAFETY: the pointer is valid as long as this value exists.
        let managed = unsafe { self.0.as_ref() };
        managed.tensor().map_err(|(major, minor)| TensorError::OtherVersion { major, minor })
    }

    fn is_contiguous(&self, tensor: &RawTensor, shape: &[i64]) -> bool {
        if tensor.strides.is_null() || shape.is_empty() {
            return true;
        }
        // SAFETY: `from_raw` requires that there are as many strides as dimensions, and `export` makes them.
        let strides = unsafe { slice::from_raw_parts(tensor.strides, shape.len()) };
        // The stride of a dimension with one element has no meaning.
        let compact = row_major(shape);
        shape.iter().zip(strides).zip(compact).all(|((length, stride), compact)| *length == 1 || *stride == compact)
    }
}

impl Tensor<ManagedVersioned> {
    /// Sets [`ManagedVersioned::READ_ONLY`]: consumers must not write to the tensor. Nothing enforces that.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        // SAFETY: the pointer is valid as long as this value exists, and nothing else refers to the structure.
        let managed = unsafe { self.0.as_mut() };
        if managed.major == ManagedVersioned::MAJOR {
            managed.flags |= ManagedVersioned::READ_ONLY;
        }
        self
    }
}

impl<A: Abi> Drop for Tensor<A> {
    fn drop(&mut self) {
        // What a forked child inherits still belongs to its parent.
        if fork::is_child() {
            return;
        }
        // SAFETY: the pointer is valid until the deleter is called, which is valid in every version.
        if let Some(deleter) = unsafe { self.0.as_ref() }.deleter() {
            // SAFETY: nothing else calls the deleter, and `self` ends here.
            unsafe { deleter(self.0.as_ptr()) }
        }
    }
}

impl<A: Abi> fmt::Debug for Tensor<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("data_type", &self.data_type()).field("shape", &self.shape()).finish()
    }
}

/// Drops what [`Tensor::export`] made.
unsafe extern "C" fn delete<A: Abi, M: Deref<Target = DeviceMemory>>(managed: *mut A) {
    // SAFETY: the consumer passes the tensor that it got.
    let exported = unsafe { (*managed).context() }.cast::<Exported<A, M>>();
    // SAFETY: `export` allocated it, and the consumer calls this once.
    let exported = unsafe { Box::from_raw(exported) };
    match finish_consumers(&exported.context) {
        Ok(()) => {}
        // Nothing uses the memory any more.
        Err(error) if error.ends_work() => {}
        Err(error) => {
            // Work may still use the memory, so it stays.
            std::mem::forget(exported);
            report("Tensor", error);
        }
    }
}

/// Waits for all work of a context, and of the primary context of its device.
fn finish_consumers(context: &Context) -> Result<(), Error> {
    context.finish()?;
    match Context::active_primary(context.device())? {
        Some(primary) if primary != *context => primary.finish(),
        _ => Ok(()),
    }
}

/// Returns the size of a tensor, in bytes.
fn size_in_bytes(shape: &[i64], element: usize) -> Result<usize, TensorError> {
    if let Some(length) = shape.iter().find(|length| **length < 0) {
        return Err(TensorError::Shape(*length));
    }
    // A size of 0 in one dimension does not excuse an overflow in the others, for which there would be no strides.
    let whole = shape.iter().filter(|length| **length > 0).try_fold(element as i64, |size, n| size.checked_mul(*n));
    let size = whole.and_then(|size| usize::try_from(size).ok()).ok_or(TensorError::TooLarge)?;
    Ok(if shape.contains(&0) { 0 } else { size })
}

/// Returns the strides of a compact tensor in row-major order, whose size is known to fit into 63 bits.
fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at] * shape[at].max(1);
    }
    strides
}
