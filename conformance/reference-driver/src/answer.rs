//! Conversion of C calls to Rust results and back.

use std::ffi::{CStr, c_char, c_void};

use cuda_ipc_sys::CUresult;

pub(crate) type Result<T> = std::result::Result<T, CUresult>;

pub(crate) const INVALID_VALUE: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
pub(crate) const INVALID_HANDLE: CUresult = CUresult::CUDA_ERROR_INVALID_HANDLE;
pub(crate) const INVALID_CONTEXT: CUresult = CUresult::CUDA_ERROR_INVALID_CONTEXT;
pub(crate) const CONTEXT_IS_DESTROYED: CUresult = CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED;
pub(crate) const INVALID_DEVICE: CUresult = CUresult::CUDA_ERROR_INVALID_DEVICE;
pub(crate) const OUT_OF_MEMORY: CUresult = CUresult::CUDA_ERROR_OUT_OF_MEMORY;
pub(crate) const NOT_PERMITTED: CUresult = CUresult::CUDA_ERROR_NOT_PERMITTED;
pub(crate) const NOT_SUPPORTED: CUresult = CUresult::CUDA_ERROR_NOT_SUPPORTED;

/// Exports functions of the driver. A body is a `Result`, and its error is the code that the caller gets.
macro_rules! entry_points {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> ::cuda_ipc_sys::CUresult {
            $crate::answer::code(stringify!($name), || {
                $crate::profile::check_support(stringify!($name))?;
                $crate::capture::check(stringify!($name))?;
                $body
            })
        }
    )*};
}

/// Performs a call and returns its code. A panic becomes `CUDA_ERROR_UNKNOWN`, since nothing may unwind into the
/// caller.
pub(crate) fn code(function: &str, call: impl FnOnce() -> Result<()>) -> CUresult {
    let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(Ok(())) => return CUresult::CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUresult::CUDA_ERROR_UNKNOWN,
    };
    crate::log::say(function, code);
    code
}

/// An argument that a call writes. It comes from a C call, whose caller promises that it is null or can be written.
#[repr(transparent)]
pub(crate) struct Output<T>(*mut T);

impl<T> Clone for Output<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Output<T> {}

impl<T> Output<T> {
    /// Rejects null, before the call has done anything.
    pub(crate) fn wanted(self) -> Result<()> {
        if self.0.is_null() { Err(INVALID_VALUE) } else { Ok(()) }
    }

    /// The value before the call, for faults that do not write all of it.
    pub(crate) fn old(self) -> T
    where
        T: Copy,
    {
        // SAFETY: the type guarantees that the pointer can be written, and C callers let it be read too.
        unsafe { self.0.read_unaligned() }
    }

    pub(crate) const fn pointer(self) -> *mut T {
        self.0
    }

    /// The byte after the value, for faults that write it.
    pub(crate) fn after(self) -> *mut u8 {
        self.0.wrapping_add(1).cast()
    }

    /// Writes a result. Null is an error.
    pub(crate) fn give(self, value: T) -> Result<()> {
        self.wanted()?;
        self.give_if_wanted(value);
        Ok(())
    }

    /// Writes a result, or nothing if the pointer is null.
    pub(crate) fn give_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the pointer is not null, so the type guarantees that it can be written. The address may be
            // unaligned.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Writes several results.
    ///
    /// # Safety
    /// The caller of the C function promised room for that many values.
    pub(crate) unsafe fn give_all(self, values: &[T])
    where
        T: Copy,
    {
        for (index, value) in values.iter().enumerate() {
            // SAFETY: as this function's caller promises.
            unsafe { self.0.add(index).write_unaligned(*value) };
        }
    }

    /// Creates an output from a pointer that is not itself an argument.
    ///
    /// # Safety
    /// The pointer is null or can be written.
    pub(crate) const unsafe fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }
}

impl<A> Output<A> {
    /// Returns the same memory as an output of another type.
    ///
    /// # Safety
    /// The caller of the C function promised that the pointer is null or that the memory has room for the type.
    pub(crate) const unsafe fn cast<T>(self) -> Output<T> {
        Output(self.0.cast())
    }
}

impl Output<c_char> {
    /// Writes a text with its NUL. The text must fit into `length` bytes.
    pub(crate) fn give_text(self, length: i32, text: &CStr) -> Result<()> {
        self.wanted()?;
        let bytes = text.to_bytes_with_nul();
        if usize::try_from(length).map_or(true, |length| length < bytes.len()) {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller promises `length` bytes, and the text is not longer.
        unsafe { self.0.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// An argument that a call reads: one value, or the first of several. It comes from a C call, whose caller promises
/// that it is null or can be read.
#[repr(transparent)]
pub(crate) struct Input<T>(*const T);

impl<T> Clone for Input<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Input<T> {}

impl<T> Input<T> {
    /// Creates an input from a pointer that is not itself an argument.
    ///
    /// # Safety
    /// The pointer is null or can be read.
    pub(crate) const unsafe fn new(pointer: *const T) -> Self {
        Self(pointer)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl Input<c_void> {
    /// Returns the same memory as an input of another type.
    ///
    /// # Safety
    /// The caller of the C function promised that the pointer is null or that the memory holds a value of the type.
    pub(crate) const unsafe fn cast<T>(self) -> Input<T> {
        Input(self.0.cast())
    }
}

impl<T: Copy> Input<T> {
    /// Reads the value. Null is an error.
    pub(crate) fn value(self) -> Result<T> {
        if self.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the pointer is not null, so the type guarantees that it can be read. The address may be unaligned.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Reads one of several values. Null is an error.
    ///
    /// # Safety
    /// The caller of the C function promised that many values.
    pub(crate) unsafe fn at(self, index: usize) -> Result<T> {
        if self.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as this function's caller promises.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// Reads `count` values. Null is allowed only if `count` is 0.
    ///
    /// # Safety
    /// The caller of the C function promised that many values.
    pub(crate) unsafe fn values(self, count: usize) -> Result<Vec<T>> {
        // SAFETY: as this function's caller promises.
        (0..count).map(|index| unsafe { self.at(index) }).collect()
    }
}

impl Input<c_char> {
    /// Reads a text that ends with a NUL. A null pointer is an error.
    pub(crate) fn text<'call>(self) -> Result<&'call CStr> {
        if self.0.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the pointer is not null, and the caller promises a C string for the duration of the call.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }
}
