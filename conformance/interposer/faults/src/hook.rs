//! Faults, and the functions that stand in for a driver's.

use fault::Fault;

/// The environment variable that names the fault.
pub const FAULT_VARIABLE: &str = "FAULT_INTERPOSER_FAULT";

/// A function that stands in for the driver's.
#[derive(Debug)]
pub(crate) struct Hook {
    /// The place in the table of `cuda-ipc-sys`. A name is not enough, because a function can be there in several
    /// versions.
    pub(crate) place: usize,
    /// The function, which has the signature that belongs to the name.
    pub(crate) address: unsafe extern "C" fn(),
}

/// A declared fault, as the linker collects it.
pub(crate) struct Declared {
    pub(crate) fault: Fault,
    pub(crate) hook: Hook,
}

inventory::collect!(Declared);

/// Returns every declared fault, by name.
#[must_use]
pub fn faults() -> Vec<&'static Fault> {
    let mut faults: Vec<_> = inventory::iter::<Declared>.into_iter().map(|declared| &declared.fault).collect();
    faults.sort_by_key(|fault| fault.name);
    faults
}

/// Returns the function of the fault that the environment names.
pub(crate) fn chosen() -> Option<&'static Hook> {
    let name = std::env::var_os(FAULT_VARIABLE).filter(|name| !name.is_empty())?;
    let name = name.to_string_lossy();
    let chosen = fault::named(&name, faults()).unwrap_or_else(|reason| {
        // A test that asked for the fault must not pass without it.
        eprintln!("{FAULT_VARIABLE}: invalid value `{name}`: {reason}");
        std::process::exit(1)
    });
    let mut declared = inventory::iter::<Declared>.into_iter();
    declared.find(|declared| std::ptr::eq(&declared.fault, chosen)).map(|declared| &declared.hook)
}

/// Declares the faults of one driver function: the name, the violated rows, what the driver does wrong, and the code
/// that does it. `real` is the driver's own function.
///
/// ```text
/// faults! {
///     real = cuIpcCloseMemHandle(pointer: CUdeviceptr);
///
///     "close-does-nothing", ["IPCMEM-CLOSE-001"], "A close unmaps nothing." => SUCCESS;
/// }
/// ```
///
/// The code after `=>` is unsafe. Like the driver, it may read and write through the caller's arguments.
macro_rules! faults {
    (
        $real:ident = $function:ident $arguments:tt;
        $($name:literal, [$($row:literal),+ $(,)?], $summary:literal => $body:expr;)+
    ) => {
        $(fault! { $real = $function $arguments, $name, [$($row),+], $summary => $body })+
    };
}

/// Declares one fault of a driver function.
macro_rules! fault {
    (
        $real:ident = $function:ident($($argument:ident: $type:ty),* $(,)?),
        $name:literal, [$($row:literal),+], $summary:literal => $body:expr
    ) => {
        const _: () = {
            type Function = unsafe extern "C" fn($($type),*) -> ::cuda_ipc_sys::CUresult;

            #[allow(unused_variables)]
            unsafe extern "C" fn altered($($argument: $type),*) -> ::cuda_ipc_sys::CUresult {
                let Some($real) = $crate::table::driver().functions().$function else {
                    return ::cuda_ipc_sys::CUresult::CUDA_ERROR_NOT_SUPPORTED;
                };
                // The compiler compares the signatures of both functions.
                let $real: Function = $real;
                // SAFETY: the caller promises what the driver's function asks for, and the fault reads and writes only
                // what that function may.
                #[allow(unused_unsafe)]
                unsafe { $body }
            }

            ::inventory::submit! {
                $crate::hook::Declared {
                    fault: $crate::Fault {
                        name: $name,
                        rows: &[$($row),+],
                        summary: $summary,
                        file: ::core::file!(),
                        machine: ::fault::Machine { version: None, devices: None },
                    },
                    hook: $crate::hook::Hook {
                        place: ::core::mem::offset_of!(::cuda_ipc_sys::Functions, $function) / ::core::mem::size_of::<usize>(),
                        // SAFETY: the table is entered only with the signature that belongs to the name.
                        address: unsafe { ::core::mem::transmute::<Function, unsafe extern "C" fn()>(altered) },
                    },
                }
            }
        };
    };
}
