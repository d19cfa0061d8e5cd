//! From C calls to Rust results and back.

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

/// Exports functions of the driver: a body is a `Result`, and its error the code that the caller sees.
macro_rules! entry_points {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: $type),*) -> ::cuda_ipc_sys::CUresult {
            $crate::answer::code(stringify!($name), || $body)
        }
    )*};
}

/// The code of a call. A bug of this driver is an answer too: nothing unwinds into the caller.
pub(crate) fn code(function: &str, call: impl FnOnce() -> Result<()>) -> CUresult {
    let code = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(Ok(())) => return CUresult::CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUresult::CUDA_ERROR_UNKNOWN,
    };
    crate::log::say(function, code);
    code
}

/// An argument that a call writes. One exists only as an argument of a C call, whose caller promises that it is null
/// or can be written.
#[repr(transparent)]
pub(crate) struct Output<T>(*mut T);

impl<T> Clone for Output<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Output<T> {}

impl<T> Output<T> {
    /// Refuse null before anything is done.
    pub(crate) fn wanted(self) -> Result<()> {
        if self.0.is_null() { Err(INVALID_VALUE) } else { Ok(()) }
    }

    /// Write a result that the caller must want.
    pub(crate) fn give(self, value: T) -> Result<()> {
        self.wanted()?;
        self.give_if_wanted(value);
        Ok(())
    }

    /// Write a result for which null is allowed.
    pub(crate) fn give_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so it can be written: that is what the type says. The address may be unaligned.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Write several results.
    ///
    /// # Safety
    /// The caller of the C function promised room for so many.
    pub(crate) unsafe fn give_all(self, values: &[T])
    where
        T: Copy,
    {
        for (index, value) in values.iter().enumerate() {
            // SAFETY: as this function's caller promises.
            unsafe { self.0.add(index).write_unaligned(*value) };
        }
    }

    /// An output that is reached through another argument.
    ///
    /// # Safety
    /// The pointer is null or can be written.
    pub(crate) const unsafe fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }
}

impl Output<c_void> {
    /// The same memory, for a value of a type.
    ///
    /// # Safety
    /// The caller of the C function promised that the memory is null or has room for it.
    pub(crate) const unsafe fn cast<T>(self) -> Output<T> {
        Output(self.0.cast())
    }
}

impl Output<c_char> {
    /// Write a text with its NUL, which must fit into `length` bytes.
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

/// An argument that a call reads: one value, or the first of several. One exists only as an argument of a C call,
/// whose caller promises that it is null or can be read.
#[repr(transparent)]
pub(crate) struct Input<T>(*const T);

impl<T> Clone for Input<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Input<T> {}

impl<T> Input<T> {
    /// An argument that is reached through another one.
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
    /// The same memory, as a value of a type.
    ///
    /// # Safety
    /// The caller of the C function promised that the memory is null or holds such a value.
    pub(crate) const unsafe fn cast<T>(self) -> Input<T> {
        Input(self.0.cast())
    }
}

impl<T: Copy> Input<T> {
    /// The value, which has to be there.
    pub(crate) fn value(self) -> Result<T> {
        if self.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: not null, so it can be read: that is what the type says. The address may be unaligned.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// One of several values, which have to be there.
    ///
    /// # Safety
    /// The caller of the C function promised so many values.
    pub(crate) unsafe fn at(self, index: usize) -> Result<T> {
        if self.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as this function's caller promises.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// So many values, which have to be there; null is fine where there are none.
    ///
    /// # Safety
    /// The caller of the C function promised so many values.
    pub(crate) unsafe fn values(self, count: usize) -> Result<Vec<T>> {
        // SAFETY: as this function's caller promises.
        (0..count).map(|index| unsafe { self.at(index) }).collect()
    }
}

impl Input<c_char> {
    /// The text, which has to be there and end with a NUL.
    pub(crate) fn text<'call>(self) -> Result<&'call CStr> {
        if self.0.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: not null, and the caller promises a C string for the time of the call.
        Ok(unsafe { CStr::from_ptr(self.0) })
    }
}
