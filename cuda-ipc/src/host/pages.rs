//! Host memory that processes share, and that their devices access.
#![allow(unsafe_code)] // Registers memory with the driver, and refers to it.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::slice;

use rustix::io::Errno;

use super::file::{View, adopt, create};
use super::{Number, PagesError};
use crate::error::{SystemError, check};
use crate::memory::DeviceMemory;
use crate::resource::{Owned, Raw, Resource};
use crate::sys::{CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_PORTABLE};
use crate::transport::{Connection, Message};
use crate::{Context, Error, fork};

/// Host memory that processes share, as numbers. A stream can write a number that a CPU reads, and wait for a number
/// that a CPU stores. The CPU can run this process or another.
///
/// The memory is a memfd, and a new one contains zeros. The kernel keeps it as long as a process has it mapped or holds
/// a descriptor, so either side may end first, also by SIGKILL. Its size is sealed, so no process can take the memory
/// away. A hostile process can write any number at any time. It can also replace the memory that CPUs see with zeros,
/// while devices may still use the old memory.
///
/// ```no_run
/// use std::sync::atomic::Ordering;
///
/// use cuda_ipc::host::SharedPages;
/// use cuda_ipc::stream::WaitValue;
/// use cuda_ipc::transport::Connection;
/// use cuda_ipc::{Context, Error, Stream};
///
/// const LENGTH: usize = 1024;
///
/// fn wait(context: &Context, other: &Connection) -> Result<(), Error> {
///     let pages = SharedPages::<u32>::new(context, LENGTH)?;
///     pages.send(other)?;
///     let first = pages.memory().slice::<u32>(..1)?;
///     Stream::non_blocking(context)?.scope(|stream| stream.wait_value(first, WaitValue::Equal, 1))
/// }
///
/// fn release(context: &Context, other: &Connection) -> Result<(), Error> {
///     let pages = SharedPages::<u32>::receive(other, context, LENGTH)?;
///     pages.numbers()[0].store(1, Ordering::Release);
///     Ok(())
/// }
/// ```
///
/// The pages are sent as a descriptor, without a ticket. A ticket states what a driver's handle does not say, such as
/// the size. For a memfd, the kernel itself says how large it is and whether it is sealed.
///
/// On the host the memory is atomic numbers and not plain values, because other processes and devices write to it at
/// any time. A number that is stored with [`Ordering::Release`](std::sync::atomic::Ordering::Release) and read with
/// [`Ordering::Acquire`](std::sync::atomic::Ordering::Acquire) orders what was stored before it.
///
/// A copy between two places of host memory is never asynchronous (CUDA driver API, "API synchronization behavior").
/// This concerns copies between two `SharedPages`, and between one and a [`PinnedBuffer`](super::PinnedBuffer). The
/// call that enqueues such a copy waits for all earlier work of its stream. If the stream waits for a number, the
/// calling thread is blocked until another thread or process stores that number. Copies between the pages and a device
/// have no such limit.
#[derive(Debug)]
pub struct SharedPages<N: Number> {
    memory: DeviceMemory,
    registered: Owned<Registered>,
    length: usize,
    file: OwnedFd,
    numbers: PhantomData<fn() -> N>,
}

/// A mapping that is registered with the driver.
#[derive(Debug)]
struct Registered {
    context: Context,
    address: Raw<c_void>,
    /// The size of the mapping.
    size: usize,
}

impl Resource for Registered {
    const NAME: &'static str = "SharedPages";

    unsafe fn give_back(&self) -> Result<(), Error> {
        let driver = self.context.enter()?;
        // SAFETY: the driver registered the memory, which is not used again.
        let answer = unsafe { driver.cuMemHostUnregister(self.address.0) };
        // Memory that the driver may still use stays mapped. Other memory in its place would be mistaken for it.
        check("cuMemHostUnregister", answer, || format!("{:p} of {} bytes", self.address.0, self.size))?;
        // SAFETY: the mapping was left to this value, and is not used again.
        unsafe { View::from_raw(self.address.0, self.size) }.unmap()
    }
}

impl<N: Number> SharedPages<N> {
    /// `cuMemHostRegister`, `cuMemHostGetDevicePointer`: creates a memfd of `length` zeros, maps it, and registers it for
    /// every context of this process.
    ///
    /// # Errors
    /// [`Error::Pages`] if the length is 0; [`Error::System`] if the kernel has no memory or no descriptor left;
    /// [`Error::Refused`] with `OUT_OF_MEMORY` if so much memory cannot be locked in RAM, and with `NOT_SUPPORTED` if the
    /// device cannot access it.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn new(context: &Context, length: usize) -> Result<Self, Error> {
        let size = size::<N>(length)?;
        Self::of(context, create(size)?, length, size)
    }

    /// `cuMemHostRegister`, `cuMemHostGetDevicePointer`: maps a memfd of another process, and registers it as
    /// [`SharedPages::new`] does. The descriptor may be anything, and is duplicated.
    ///
    /// # Errors
    /// As [`SharedPages::new`]; [`Error::Pages`] if the descriptor is not a memfd, if its size is not that of `length`
    /// numbers, or if its size can change.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn import(context: &Context, descriptor: BorrowedFd<'_>, length: usize) -> Result<Self, Error> {
        let size = size::<N>(length)?;
        Self::of(context, adopt(descriptor, size)?, length, size)
    }

    /// `sendmsg` with `SCM_RIGHTS`: sends the pages. They can be sent to several processes, also by a process that
    /// received them.
    ///
    /// # Errors
    /// [`Error::Transport`].
    pub fn send(&self, connection: &Connection) -> Result<(), Error> {
        Ok(connection.send(message::<N>().as_bytes(), &[self.as_fd()])?)
    }

    /// `recvmsg` with `SCM_RIGHTS`, `cuMemHostRegister`: receives pages of `length` numbers, as [`SharedPages::import`]
    /// does.
    ///
    /// # Errors
    /// As [`SharedPages::import`]; [`Error::Transport`]; [`Error::Pages`] if the next message does not contain such
    /// pages.
    #[doc(alias = "cuMemHostRegister")]
    pub fn receive(connection: &Connection, context: &Context, length: usize) -> Result<Self, Error> {
        let Message { bytes, descriptors } = connection.receive()?;
        match &*descriptors {
            [descriptor] if bytes == message::<N>().as_bytes() => Self::import(context, descriptor.as_fd(), length),
            _ => Err(PagesError::OtherMessage { expected: N::NAME }.into()),
        }
    }

    fn of(context: &Context, file: OwnedFd, length: usize, size: usize) -> Result<Self, Error> {
        let driver = context.enter()?;
        let view = View::of(&file, size)?;
        let (address, size_of_view) = view.raw();
        let flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
        // SAFETY: the memory stays mapped until it is no longer registered.
        let answer = unsafe { driver.cuMemHostRegister(address, size_of_view, flags) };
        check("cuMemHostRegister", answer, || format!("{size_of_view} bytes of a memfd, PORTABLE | DEVICEMAP"))?;
        let (address, size_of_view) = view.into_raw();
        let resource = Registered { context: context.clone(), address: Raw(address), size: size_of_view };
        let registered = Owned::new(resource);
        let mut pointer = 0;
        // SAFETY: the output is a local, and the memory is registered.
        let answer = unsafe { driver.cuMemHostGetDevicePointer(&mut pointer, address, 0) };
        check("cuMemHostGetDevicePointer", answer, || format!("{address:p}"))?;
        let memory = DeviceMemory::new(context.clone(), pointer, size);
        Ok(Self { memory, registered, length, file, numbers: PhantomData })
    }

    /// Returns the numbers, for the CPU. In a forked child there are none.
    #[must_use]
    pub fn numbers(&self) -> &[N::Atomic] {
        // A driver may keep registered memory from a forked child.
        if fork::is_child() {
            return &[];
        }
        // SAFETY: the mapping has that many numbers, begins at a page, and lives as long as this value. Its file cannot
        // shrink. References to the mapping have no other type.
        unsafe { slice::from_raw_parts(self.registered.address.0.cast(), self.length) }
    }

    /// Copies numbers from the pages to a slice, from the index `first` on. Each number is read as a whole, in no
    /// particular order.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`], in bytes; [`Error::Forked`].
    pub fn load(&self, first: usize, values: &mut [N]) -> Result<(), Error> {
        let numbers = self.part(first, values.len())?;
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = N::load(number);
        }
        Ok(())
    }

    /// Copies numbers from a slice to the pages, from the index `first` on. Each number is written as a whole, in no
    /// particular order. To tell another process that all are there, store one more number with `Ordering::Release`.
    ///
    /// # Errors
    /// As [`SharedPages::load`].
    pub fn store(&self, first: usize, values: &[N]) -> Result<(), Error> {
        let numbers = self.part(first, values.len())?;
        for (value, number) in values.iter().zip(numbers) {
            value.store(number);
        }
        Ok(())
    }

    fn part(&self, first: usize, length: usize) -> Result<&[N::Atomic], Error> {
        fork::check()?;
        let part = first.checked_add(length).and_then(|end| self.numbers().get(first..end));
        part.ok_or_else(|| {
            let bytes = |numbers: usize| numbers.saturating_mul(size_of::<N>());
            Error::OutOfBounds { offset: bytes(first), length: bytes(length), size: self.memory.size() }
        })
    }

    // Relies on: copies of host memory by the driver.
    /// Returns the memory as devices see it: for numbers that streams write and wait for, copies and kernels.
    ///
    /// A device reaches this memory over PCIe or NVLink, so it suits a few numbers and not much data.
    #[must_use]
    pub const fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// `cuMemHostUnregister`, `munmap`: gives the pages up as dropping does, and returns the error. Other processes keep
    /// them.
    ///
    /// Work that was given [`DeviceMemory::pointer`] must be complete.
    ///
    /// # Errors
    /// [`Error::Refused`] with the driver's error code. The memory then stays mapped, because the driver may still use it.
    #[doc(alias = "cuMemHostUnregister")]
    pub fn unmap(self) -> Result<(), Error> {
        self.registered.close()
    }
}

impl<N: Number> AsFd for SharedPages<N> {
    /// Returns the memfd, to be sent beside other descriptors and then imported.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Returns the size of some numbers in bytes.
fn size<N: Number>(length: usize) -> Result<usize, Error> {
    if length == 0 {
        return Err(PagesError::Empty.into());
    }
    // No mapping is larger.
    let size = length.checked_mul(size_of::<N>()).filter(|size| isize::try_from(*size).is_ok());
    size.ok_or_else(|| SystemError::new("mmap", Errno::NOMEM).into())
}

/// Returns the message that the descriptor is sent with. It does not begin as a ticket does: a process that expects a
/// parcel would take it for a ticket of a newer release.
fn message<N: Number>() -> String {
    format!("shared pages of {} (CUDA-IPC)", N::NAME)
}
