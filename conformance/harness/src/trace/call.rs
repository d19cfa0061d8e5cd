//! Driver calls of a role, as the trace has them.

use cuda_ipc_sys::CUresult;
use cuda_ipc_sys::runtime::cudaError;

use super::extent::{extent, read_memory};
use super::{Argument, Bytes, Call, Event, is_on, unique_id, write};

/// What a function of CUDA returns.
pub(crate) trait Code: Copy {
    /// The number. The runtime's codes have the numbers of the driver's.
    fn number(self) -> u32;
}

impl Code for CUresult {
    fn number(self) -> u32 {
        self.0
    }
}

impl Code for cudaError {
    fn number(self) -> u32 {
        self.0
    }
}

/// Calls a driver function. A macro cannot count its arguments, so there is a function for each number of them: its type
/// is what converts a reference into the pointer that the driver takes.
macro_rules! through_the_trace {
    ($name:expr, $function:expr; ) => {
        $crate::trace::call0($name, $function)
    };
    ($name:expr, $function:expr; $a:expr) => {
        $crate::trace::call1($name, $function, $a)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr) => {
        $crate::trace::call2($name, $function, $a, $b)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr, $c:expr) => {
        $crate::trace::call3($name, $function, $a, $b, $c)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr, $c:expr, $d:expr) => {
        $crate::trace::call4($name, $function, $a, $b, $c, $d)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => {
        $crate::trace::call5($name, $function, $a, $b, $c, $d, $e)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr) => {
        $crate::trace::call6($name, $function, $a, $b, $c, $d, $e, $f)
    };
    ($name:expr, $function:expr; $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr, $g:expr, $h:expr, $i:expr, $j:expr, $k:expr) => {
        $crate::trace::call11($name, $function, $a, $b, $c, $d, $e, $f, $g, $h, $i, $j, $k)
    };
}
pub(crate) use through_the_trace;

macro_rules! numbers_of_arguments {
    ($($call:ident($($type:ident $value:ident)*))*) => {$(
        /// Calls a driver function with this number of arguments.
        ///
        /// # Safety
        /// That of the function.
        #[allow(clippy::too_many_arguments, clippy::many_single_char_names)]
        pub(crate) unsafe fn $call<R: Code, $($type: Copy),*>(
            name: &'static str,
            function: unsafe extern "C" fn($($type),*) -> R,
            $($value: $type),*
        ) -> R {
            if !is_on() {
                // SAFETY: as the caller promises.
                return unsafe { function($($value),*) };
            }
            let arguments = begun(name, vec![$(argument(&$value)),*]);
            // SAFETY: as the caller promises.
            let code = unsafe { function($($value),*) };
            returned(name, &arguments, code.number());
            code
        }
    )*};
}

numbers_of_arguments! {
    call0()
    call1(A a)
    call2(A a B b)
    call3(A a B b C c)
    call4(A a B b C c D d)
    call5(A a B b C c D d E e)
    call6(A a B b C c D d E e F f)
    call11(A a B b C c D d E e F f G g H h I i J j K k)
}

fn thread() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// Describes an argument, without what it points to.
fn argument<T: Copy>(value: &T) -> Argument {
    let size = size_of::<T>();
    // SAFETY: the arguments of driver functions are numbers, pointers and structures without padding.
    let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size) };
    let mut number = [0; 8];
    let is_number = size <= number.len();
    if is_number {
        number[..size].copy_from_slice(bytes);
    }
    Argument {
        kind: short(std::any::type_name::<T>()),
        value: u64::from_le_bytes(number),
        bytes: (!is_number).then(|| Bytes::of(bytes)),
    }
}

/// Returns the name of a type without its path: `*mut *mut CUctx_st`.
fn short(name: &str) -> String {
    let stars = name.rfind(['*', ' ']).map_or(0, |place| place + 1);
    let (pointers, path) = name.split_at(stars);
    format!("{pointers}{}", path.rsplit("::").next().unwrap_or(path))
}

/// Writes the call, with what its arguments point to. Returns them.
fn begun(function: &str, mut arguments: Vec<Argument>) -> Vec<Argument> {
    let pointed: Vec<_> = (0..arguments.len()).map(|place| contents(function, &arguments, place)).collect();
    for (argument, bytes) in arguments.iter_mut().zip(pointed) {
        argument.bytes = argument.bytes.take().or(bytes);
    }
    let call = Call {
        process: unique_id(std::process::id()),
        thread: unique_id(thread()),
        function: function.to_owned(),
        arguments,
    };
    write(|| Event::Call(call.clone()));
    call.arguments
}

fn returned(function: &str, arguments: &[Argument], code: u32) {
    write(|| Event::Return {
        process: unique_id(std::process::id()),
        thread: unique_id(thread()),
        code,
        outputs: (0..arguments.len()).map(|place| contents(function, arguments, place)).collect(),
    });
}

/// Describes what an argument points to.
fn contents(function: &str, arguments: &[Argument], place: usize) -> Option<Bytes> {
    let address = arguments[place].value;
    let text = || {
        let (mut text, mut byte) = (Vec::new(), [0]);
        while text.len() < 1 << 16 && read_memory(address + text.len() as u64, &mut byte) && byte[0] != 0 {
            text.push(byte[0]);
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    match (function, place) {
        _ if address == 0 => None,
        ("cuModuleLoadData", 1) => {
            let image = text();
            let kernel = kernels::ALL.iter().find(|kernel| kernel.ptx.to_bytes() == image.as_bytes());
            Some(kernel.map_or(Bytes::Text(image), |kernel| Bytes::Kernel(kernel.entry.to_string_lossy().into_owned())))
        }
        ("cuModuleGetFunction", 2) | ("cuModuleGetGlobal", 3) | ("cuGetProcAddress", 0) => Some(Bytes::Text(text())),
        // Up to four parameters, each as eight bytes. The program knows how many its kernel has.
        ("cuLaunchKernel", 9) => {
            let mut pointers = [[0; 8]; 4];
            let mut parameters = Vec::new();
            for (index, pointer) in (0..).zip(&mut pointers) {
                let mut parameter = [0; 8];
                if read_memory(address + 8 * index, pointer) {
                    read_memory(u64::from_le_bytes(*pointer), &mut parameter);
                }
                parameters.extend(parameter);
            }
            Some(Bytes::of(&parameters))
        }
        _ => {
            let mut bytes = vec![0; extent(function, arguments, place)?];
            read_memory(address, &mut bytes).then(|| Bytes::of(&bytes))
        }
    }
}
