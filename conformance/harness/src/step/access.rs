//! Helpers of the suite that only read or only write memory, through a copy or a kernel. If one succeeds although CUDA must
//! refuse it, a process reads or changes memory to which it has no access.

use super::function;

/// What a helper does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The helpers that read memory: each with the function of CUDA whose code it returns, and what a kernel does.
const READS: [(&str, &str, Option<&str>); 4] = [
    ("mismatches", "cuStreamSynchronize", Some("a kernel reads memory")),
    ("mismatches_by_copy", "cuMemcpyDtoH", None),
    ("other_bytes", "cuMemcpyDtoH", None),
    ("read", "cuMemcpyDtoH", None),
];

/// The helpers that write memory, likewise.
const WRITES: [(&str, &str, Option<&str>); 4] = [
    ("fill", "cuCtxSynchronize", Some("a kernel writes memory")),
    ("fill_by_copy", "cuMemcpyHtoD", None),
    ("memset_d8", "cuMemsetD8", None),
    ("write", "cuMemcpyHtoD", None),
];

/// A step that succeeded although CUDA must refuse it.
pub(crate) struct Accepted {
    /// What it does to memory; absent if that is not all that it does.
    pub(crate) access: Option<Access>,
    /// The function of CUDA that succeeded.
    pub(crate) function: String,
    /// What a kernel did; absent if a function of CUDA did it.
    pub(crate) by_kernel: Option<&'static str>,
}

impl Accepted {
    pub(crate) fn of(step: &str) -> Self {
        let name = step.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let accesses = [(Access::Read, READS), (Access::Write, WRITES)];
        let known = accesses.into_iter().find_map(|(access, helpers)| {
            let (_, function, by_kernel) = helpers.into_iter().find(|(helper, ..)| *helper == name)?;
            Some(Self { access: Some(access), function: function.to_owned(), by_kernel })
        });
        known.unwrap_or_else(|| Self { access: None, function: function(step), by_kernel: None })
    }
}
