//! The CUDA versions for which a case is: the program looks at that of the driver before it does anything else.

use cuda_ipc_sys::CudaVersion;

use super::program::Program;
use super::story::Story;

/// Returns the lines of `load` that end the program if the driver is of another version than the case needs.
pub(crate) fn check(program: &mut Program, story: &Story) -> String {
    let (first, before) = story.cuda;
    let first = first.map(|first| (format!("version < {first}"), format!("CUDA {}", CudaVersion(first))));
    let before =
        before.map(|before| (format!("version >= {before}"), format!("a driver before CUDA {}", CudaVersion(before))));
    let (others, needed): (Vec<_>, Vec<_>) = first.into_iter().chain(before).unzip();
    if others.is_empty() {
        return String::new();
    }
    program.functions.insert("cuDriverGetVersion".to_owned());
    include_str!("helpers/version.c")
        .replace("//OTHERS//", &others.join(" || "))
        .replace("//NEEDED//", &needed.join(" and "))
}
