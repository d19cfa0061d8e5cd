//! Children of a role: forks of a process that uses the driver, and programs that it starts.

use std::ffi::c_void;
use std::fmt;
use std::io::{Read as _, Write as _};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::ptr;

use cuda_ipc_sys::{CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemLocation, CUresult, Driver};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, waitpid};
use serde::{Deserialize, Serialize};

use super::session::ThreadSession;
use crate::WrongByte;
use crate::message::Refused;

/// The hidden first argument of a program that a role starts.
pub(crate) const CHILD_ARGUMENT: &str = "--conformance-child";
const USE: &str = "use";
const HOLD: &str = "hold";

/// How a child that used the driver ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChildEnd {
    /// All its work succeeded.
    Worked,
    /// The driver returned an error code.
    Refused {
        /// The function.
        function: String,
        /// The code.
        code: u32,
    },
    /// Something else, in words, such as a signal or a missing driver.
    Otherwise(String),
}

impl fmt::Display for ChildEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worked => f.write_str("worked"),
            Self::Refused { function, code } => write!(f, "{function} returned {}", CUresult(*code)),
            Self::Otherwise(words) => f.write_str(words),
        }
    }
}

impl From<Result<(), Refused>> for ChildEnd {
    fn from(result: Result<(), Refused>) -> Self {
        match result {
            Ok(()) => Self::Worked,
            Err(Refused::Driver { function, code, .. }) => Self::Refused { function, code },
            Err(refused) => Self::Otherwise(refused.to_string()),
        }
    }
}

/// Whether a child calls `cuInit` before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Beginning {
    /// The child calls `cuInit`.
    Init,
    /// The child does not call `cuInit`: it relies on its parent's call.
    Context,
}

/// Uses the driver as every program does: creates a context, allocates memory, fills it and reads it. Releases
/// everything.
pub(crate) fn use_the_driver(driver: &'static Driver, device: i32, beginning: Beginning) -> Result<(), Refused> {
    const SIZE: usize = 2 << 20;
    let session = &ThreadSession { driver };
    if beginning == Beginning::Init {
        cuda!(session.cuInit(0));
    }
    let (mut context, mut pointer, mut byte) = (ptr::null_mut(), 0, 0_u8);
    cuda!(session.cuDevicePrimaryCtxRetain(&mut context, device));
    cuda!(session.cuCtxSetCurrent(context));
    cuda!(session.cuMemAlloc(&mut pointer, SIZE));
    cuda!(session.cuMemsetD8(pointer, 7, SIZE));
    cuda!(session.cuMemcpyDtoH(ptr::from_mut(&mut byte).cast(), pointer + SIZE as u64 - 1, 1));
    cuda!(session.cuMemFree(pointer));
    cuda!(session.cuCtxSetCurrent(ptr::null_mut()));
    cuda!(session.cuDevicePrimaryCtxRelease(device));
    if byte == 7 { Ok(()) } else { Err(Refused::Role(format!("read {byte}, expected 7"))) }
}

/// Initialises the driver, imports memory from a descriptor, and compares it with the pattern of a seed. Nothing is
/// released: the process ends afterwards.
pub(crate) fn import_and_verify(
    driver: &'static Driver,
    device: i32,
    descriptor: i32,
    size: usize,
    seed: u32,
) -> Result<(), Refused> {
    let session = &ThreadSession { driver };
    let (mut context, mut handle, mut address) = (ptr::null_mut(), 0, 0);
    let number = descriptor as isize as *mut c_void;
    let handle_type = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    let description = CUmemAccessDesc { location: CUmemLocation::device(device), flags };
    let mut words = vec![0_u32; size / 4];
    cuda!(session.cuInit(0));
    cuda!(session.cuDevicePrimaryCtxRetain(&mut context, device));
    cuda!(session.cuCtxSetCurrent(context));
    cuda!(session.cuMemImportFromShareableHandle(&mut handle, number, handle_type));
    cuda!(session.cuMemAddressReserve(&mut address, size, 0, 0, 0));
    cuda!(session.cuMemMap(address, size, 0, handle, 0));
    cuda!(session.cuMemSetAccess(address, size, &description, 1));
    cuda!(session.cuMemcpyDtoH(words.as_mut_ptr().cast(), address, size));
    match differing(words, seed) {
        0 => Ok(()),
        count => Err(Refused::Role(format!("{count} words differ from the pattern"))),
    }
}

/// Counts the words that differ from the pattern of a seed.
pub(crate) fn differing(words: impl IntoIterator<Item = u32>, seed: u32) -> u64 {
    let differs = |(index, word): &(u64, u32)| *word != kernels::pattern(seed, *index);
    (0..).zip(words).filter(differs).count() as u64
}

/// Returns the first byte that differs from the pattern of a seed.
pub(crate) fn first_differing(words: impl IntoIterator<Item = u32>, seed: u32) -> Option<WrongByte> {
    (0..).zip(words).find_map(|(index, word)| {
        let (expected, actual) = (kernels::pattern(seed, index).to_le_bytes(), word.to_le_bytes());
        let byte = expected.iter().zip(&actual).position(|(expected, actual)| expected != actual)?;
        Some(WrongByte { offset: index * 4 + byte as u64, expected: expected[byte], actual: actual[byte] })
    })
}

/// Forks, performs `work` in the child and returns how the child ended. The child leaves by `_exit`, so that it runs no
/// exit handlers of its parent.
pub(crate) fn fork(work: impl FnOnce() -> ChildEnd) -> Result<ChildEnd, Refused> {
    let (from_child, to_parent) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: a role performs its calls on its only thread, so no other thread holds a lock of ours. Some cases check
    // what happens with locks of the driver's threads.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error().into()),
        0 => {
            let sent = set_parent_process_death_signal(Some(Signal::KILL))
                .map_err(std::io::Error::from)
                .and_then(|()| write_end(to_parent, &work()));
            // SAFETY: the call does not return, and runs no exit handler of the parent.
            unsafe { libc::_exit(i32::from(sent.is_err())) }
        }
        child => {
            drop(to_parent);
            let mut bytes = Vec::new();
            std::fs::File::from(from_child).read_to_end(&mut bytes)?;
            let ended = waitpid(Pid::from_raw(child), WaitOptions::empty())?;
            let status = ExitStatus::from_raw(ended.map_or(0, |(_, status)| status.as_raw()));
            Ok(end_of(&bytes, status))
        }
    }
}

/// Forks. The child calls `exit`, which runs the exit handlers that the driver registered.
pub(crate) fn fork_and_exit() -> Result<ChildEnd, Refused> {
    fork(|| {
        // SAFETY: the handlers run in the child, which is what the case checks.
        unsafe { libc::exit(0) }
    })
}

/// Starts this program again by `fork` and `exec`. It uses the driver and exits.
pub(crate) fn exec(device: i32) -> Result<ChildEnd, Refused> {
    let mut command = program(USE)?;
    command.arg(device.to_string()).stdin(Stdio::null()).stdout(Stdio::piped());
    let output = command.output()?;
    Ok(end_of(&output.stdout, output.status))
}

/// Starts a program that inherits a descriptor and does nothing until its standard input ends.
pub(crate) fn start_holder(descriptor: i32) -> Result<Child, Refused> {
    let mut command = program(HOLD)?;
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let inherit = move || {
        // SAFETY: the case passes a descriptor that the role holds, and this is the child's copy of it.
        let held = unsafe { BorrowedFd::borrow_raw(descriptor) };
        rustix::io::fcntl_setfd(held, rustix::io::FdFlags::empty()).map_err(Into::into)
    };
    // SAFETY: one system call.
    unsafe { command.pre_exec(inherit) };
    Ok(command.spawn()?)
}

/// Returns a command that starts this program again as a child that does not outlive its parent.
fn program(task: &str) -> Result<Command, Refused> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHILD_ARGUMENT).arg(task);
    // SAFETY: one system call. A closure also makes the standard library use `fork` and `exec` instead of a faster way.
    unsafe { command.pre_exec(|| set_parent_process_death_signal(Some(Signal::KILL)).map_err(Into::into)) };
    Ok(command)
}

/// Serves as the program that a role started.
pub(crate) fn serve(mut arguments: impl Iterator<Item = String>) -> std::io::Result<()> {
    if arguments.next().as_deref() == Some(HOLD) {
        return std::io::stdin().read_to_end(&mut Vec::new()).map(drop);
    }
    let device = arguments.next().and_then(|device| device.parse().ok()).unwrap_or(0);
    let end = match Driver::get() {
        Ok(driver) => use_the_driver(driver, device, Beginning::Init).into(),
        Err(error) => ChildEnd::Otherwise(error.to_string()),
    };
    let bytes = postcard::to_stdvec(&end).map_err(std::io::Error::other)?;
    std::io::stdout().write_all(&bytes)
}

fn write_end(to_parent: OwnedFd, end: &ChildEnd) -> std::io::Result<()> {
    let bytes = postcard::to_stdvec(end).map_err(std::io::Error::other)?;
    std::fs::File::from(to_parent).write_all(&bytes)
}

/// Returns the result that a child sent, or its exit status if it sent none.
fn end_of(bytes: &[u8], status: ExitStatus) -> ChildEnd {
    postcard::from_bytes(bytes).unwrap_or_else(|_| ChildEnd::Otherwise(format!("ended without a result, {status}")))
}
