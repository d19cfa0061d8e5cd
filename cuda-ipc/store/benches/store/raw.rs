//! What a program in C does that has no store.

use std::env;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::ptr;

use cuda_ipc::Context;
use cuda_ipc::sys::{
    self, CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationHandleType, CUmemAllocationProp, CUmemAllocationType,
    CUmemLocation,
};
use cuda_ipc::vmm::{HandleTypes, granularity};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

use crate::driver::ok;

/// The argument with which this program is the owner of a descriptor.
pub(crate) const OWNER: &str = "--raw-owner";

const DESCRIPTOR: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// The calls of a program in C.
pub(crate) struct Raw {
    driver: &'static sys::Driver,
    size: usize,
    access: CUmemAccessDesc,
    properties: CUmemAllocationProp,
}

/// A mapping: its address and the driver's handle of the memory.
pub(crate) type Mapped = (u64, u64);

impl Raw {
    pub(crate) fn new(context: &Context, size: usize) -> Self {
        let (device, driver) = (context.device(), context.driver().raw());
        let unit = granularity(device, HandleTypes::POSIX_FILE_DESCRIPTOR).expect("a granularity");
        let location = CUmemLocation::device(device.raw());
        let flags = CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let properties = CUmemAllocationProp {
            type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: DESCRIPTOR,
            location,
            ..Default::default()
        };
        Self { driver, size: size.next_multiple_of(unit), access: CUmemAccessDesc { location, flags }, properties }
    }

    pub(crate) fn import(&self, descriptor: &OwnedFd) -> Mapped {
        let mut handle = 0;
        let os_handle = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: the output is a local, and the descriptor is open.
        ok(unsafe { self.driver.cuMemImportFromShareableHandle(&mut handle, os_handle, DESCRIPTOR) });
        self.map(handle)
    }

    /// Creates memory, exports it and maps it: what a store does without a second process.
    pub(crate) fn create(&self) -> (Mapped, OwnedFd) {
        let (mut handle, mut descriptor) = (0, -1);
        // SAFETY: outputs and properties are locals. The driver gives the descriptor to this call.
        let exported = unsafe {
            ok(self.driver.cuMemCreate(&mut handle, self.size, &self.properties, 0));
            ok(self.driver.cuMemExportToShareableHandle((&raw mut descriptor).cast(), handle, DESCRIPTOR, 0));
            std::os::fd::FromRawFd::from_raw_fd(descriptor)
        };
        (self.map(handle), exported)
    }

    fn map(&self, handle: u64) -> Mapped {
        let mut address = 0;
        // SAFETY: the output and the description are locals, and the memory has this size.
        unsafe {
            ok(self.driver.cuMemAddressReserve(&mut address, self.size, 0, 0, 0));
            ok(self.driver.cuMemMap(address, self.size, 0, handle, 0));
            ok(self.driver.cuMemSetAccess(address, self.size, &self.access, 1));
        }
        (address, handle)
    }

    pub(crate) fn close(&self, (address, handle): Mapped) {
        // SAFETY: nothing uses the memory.
        unsafe {
            ok(self.driver.cuMemUnmap(address, self.size));
            ok(self.driver.cuMemRelease(handle));
            ok(self.driver.cuMemAddressFree(address, self.size));
        }
    }
}

/// Another process that has a descriptor, and gives it to this one with one message for one byte: what a program does
/// that has no store.
pub(crate) struct Owner {
    process: Child,
    socket: UnixStream,
}

impl Owner {
    pub(crate) fn start(descriptor: &OwnedFd) -> Self {
        let (socket, theirs) = UnixStream::pair().expect("a pair of sockets");
        let mut command = Command::new(env::current_exe().expect("this executable has a path"));
        command.arg(OWNER).stdin(OwnedFd::from(theirs));
        command.stdout(descriptor.try_clone().expect("a descriptor"));
        Self { process: command.spawn().expect("this program starts"), socket }
    }

    pub(crate) fn ask(&self) -> OwnedFd {
        rustix::io::write(&self.socket, &[0]).expect("the other process reads");
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let byte = &mut [0];
        recvmsg(&self.socket, &mut [IoSliceMut::new(byte)], &mut control, RecvFlags::CMSG_CLOEXEC)
            .expect("the other process answers");
        let message = control.drain().next().expect("a descriptor");
        let RecvAncillaryMessage::ScmRights(mut rights) = message else { panic!("the message has no descriptor") };
        rights.next().expect("a descriptor")
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // The other process ends when it can read no more.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let _ = self.process.wait();
    }
}

/// The other process: its standard output is the descriptor.
pub(crate) fn own() {
    let (socket, descriptor) = (io::stdin(), io::stdout());
    while rustix::io::read(&socket, &mut [0]) == Ok(1) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let rights = [descriptor.as_fd()];
        assert!(control.push(SendAncillaryMessage::ScmRights(&rights)), "there is room for one descriptor");
        sendmsg(&socket, &[IoSlice::new(&[0])], &mut control, SendFlags::empty()).expect("the other process receives");
    }
}
