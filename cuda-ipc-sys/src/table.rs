//! What the driver's table and the runtime's have in common, and functions that are in neither.

/// The default stream of a table's functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultStream {
    /// One for all threads.
    Legacy,
    /// One for each thread.
    PerThread,
}

/// The methods that the driver and the runtime share.
macro_rules! table {
    ($library:ident) => {
        impl $library {
            /// Loads a library by path, or by name through the loader's search. Ignores the environment variable.
            ///
            /// The library stays loaded for the rest of the process.
            ///
            /// # Errors
            #[doc = concat!("[`LoadError`], as for [`", stringify!($library), "::get`].")]
            ///
            /// # Safety
            /// The file must be a CUDA library, or one that behaves like it. Its code runs when it is loaded, and its
            /// functions are called with the signatures that belong to their names.
            pub unsafe fn load_from(path: impl AsRef<Path>) -> Result<Self, LoadError> {
                Self::load(&[path.as_ref().to_owned()])
            }

            /// Returns the table of [`get`](Self::get) for the per-thread default stream: a null stream means the
            /// default stream of the calling thread, as in a C program that is compiled with
            /// `CUDA_API_PER_THREAD_DEFAULT_STREAM`.
            ///
            /// It has the same library and the same methods. Both tables can be used in one process.
            ///
            /// # Errors
            #[doc = concat!("[`LoadError`], as for [`", stringify!($library), "::get`].")]
            pub fn get_per_thread() -> Result<&'static Self, LoadError> {
                static TABLE: Once<$library> = Once::new();
                TABLE.get(|| Ok(Self::get()?.per_thread()))
            }

            /// Returns a table of the same library for the per-thread default stream.
            #[must_use]
            pub fn per_thread(&self) -> Self {
                Self::resolve(self.library().clone(), DefaultStream::PerThread)
            }

            /// Returns the name or path that was loaded.
            #[must_use]
            pub fn path(&self) -> &Path {
                &self.library().path
            }

            /// Returns the newest CUDA version that the library supports.
            #[must_use]
            pub const fn version(&self) -> CudaVersion {
                self.library().version
            }

            /// Returns the function pointers. A pointer is `None` if the library lacks the function.
            #[inline]
            #[must_use]
            pub const fn functions(&self) -> &Functions {
                // SAFETY: each address was found by the name and the version of its symbol.
                unsafe { Functions::of_all(&self.addresses) }
            }

            /// Returns the address of each function in the order of [`SYMBOLS`], or null if the library lacks it.
            #[must_use]
            pub const fn addresses(&self) -> &[*const c_void] {
                &self.addresses
            }

            /// Returns the address of an exported symbol of the library by its exact name, as `dlsym` does.
            ///
            /// A name does not determine the signature: `cuMemAlloc` is exported with the signature of CUDA 2.0. To find the
            #[doc = concat!("function of a CUDA version, use [`", stringify!($library), "::address`].")]
            #[must_use]
            pub fn exported(&self, name: &CStr) -> Option<NonNull<c_void>> {
                NonNull::new(self.library().address(name).cast_mut())
            }

            /// Returns the functions of the table that this library lacks.
            #[inline]
            pub fn missing_symbols(&self) -> impl Iterator<Item = MissingSymbol> {
                let found = SYMBOLS.iter().zip(&self.addresses);
                found.filter(|(_, address)| address.is_null()).map(|(symbol, _)| self.lacks(symbol.name, symbol.since))
            }

            /// Returns the error for a function of the table.
            #[cold]
            const fn missing(&self, index: usize) -> MissingSymbol {
                let $crate::Symbol { name, since, .. } = SYMBOLS[index];
                self.lacks(name, since)
            }

            const fn lacks(&self, name: &'static CStr, needs: CudaVersion) -> MissingSymbol {
                MissingSymbol { library: CudaLibrary::$library, name, needs, found: self.version() }
            }
        }

        // SAFETY: the addresses point to code, and any thread may call CUDA's functions.
        unsafe impl Send for $library {}
        // SAFETY: as above, and nothing here is mutable.
        unsafe impl Sync for $library {}

        impl fmt::Debug for $library {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = f.debug_struct(stringify!($library));
                text.field("path", &self.path()).field("version", &self.version()).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use table;

/// Finds a function that these bindings lack, with a signature of your own: one that a newer CUDA added, or one of a
/// version that is not bound.
///
/// The library is a [`Driver`](crate::Driver) or a [`Runtime`](crate::runtime::Runtime). `since` is the CUDA version of
/// the signature, as 1000 × major + 10 × minor. For the driver, it is the number in cudaTypedefs.h:
/// `PFN_cuNewThing_v14000`. The result is `Result<unsafe extern "C" fn(…) -> …, MissingSymbol>`, which can be kept as long
/// as the program runs.
///
/// The macro only finds the function. Whoever calls it promises, in an `unsafe` block, that the signature is right.
///
/// ```no_run
/// use cuda_ipc_sys::{CUresult, Driver, Error, function};
/// use std::ffi::c_int;
///
/// fn new_thing(a: c_int) -> Result<(), Error> {
///     let new_thing = function!(Driver::get()?, fn cuNewThing(a: c_int) -> CUresult, since 14000)?;
///     // SAFETY: this is the signature of CUDA 14.0.
///     unsafe { new_thing(a) }.result()?;
///     Ok(())
/// }
/// ```
#[macro_export]
macro_rules! function {
    (
        $library:expr,
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)?,
        since $since:expr $(,)?
    ) => {{
        // No item is declared here, so that the caller's types, constants and generic parameters keep their meaning.
        let name = const {
            match ::core::ffi::CStr::from_bytes_with_nul(::core::concat!(::core::stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => ::core::unreachable!(),
            }
        };
        $library.address(name, $crate::CudaVersion($since)).map(|address| {
            // SAFETY: an address that is not null is a valid function pointer. The type is unsafe to call.
            unsafe {
                ::core::mem::transmute::<
                    ::core::ptr::NonNull<::core::ffi::c_void>,
                    unsafe extern "C" fn($($argument: $type),*) $(-> $output)?,
                >(address)
            }
        })
    }};
}
