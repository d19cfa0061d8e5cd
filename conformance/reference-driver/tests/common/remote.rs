//! Calls of the driver in another process, which performs one after the other. Memory travels as it does between
//! programs: descriptors as rights of a socket, fabric handles as bytes.
#![allow(dead_code, reason = "no test uses everything")]

use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd};

use cuda_ipc_sys::{CUdevice_attribute, CUmemAccess_flags, CUmemAllocationHandleType, CUmemLocation, CUresult};
use peer::Peer;
use serde::{Deserialize, Serialize};

use crate::calls::{self, Access, Answer, Types};

/// One call.
#[derive(Serialize, Deserialize)]
enum Call {
    Create {
        size: usize,
        types: u32,
        device: i32,
    },
    CreateMulticast {
        devices: u32,
        size: usize,
    },
    AddDevice {
        multicast: u64,
        device: i32,
    },
    Bind {
        multicast: u64,
        memory: u64,
        size: usize,
    },
    Release {
        handle: u64,
    },
    Map {
        handle: u64,
        size: usize,
    },
    Unmap {
        base: u64,
        size: usize,
    },
    Grant {
        base: u64,
        size: usize,
        flags: u32,
    },
    Read {
        pointer: u64,
    },
    Write {
        pointer: u64,
        word: u32,
    },
    FreeBytes,
    /// The descriptor comes beside the answer, and the other process closes its own.
    ExportDescriptor {
        handle: u64,
    },
    /// The descriptor comes beside the call, and the other process closes it at once.
    ImportDescriptor,
    ExportFabric {
        handle: u64,
    },
    ImportFabric {
        bytes: Vec<u8>,
    },
    Attribute {
        attribute: u32,
    },
}

/// What a call gives.
#[derive(Serialize, Deserialize)]
enum Output {
    Number(u64),
    Bytes(Vec<u8>),
}

/// Another process with a context.
pub(crate) struct Remote(Peer);

impl Remote {
    /// A process on the machine that all processes of a test share by default.
    pub(crate) fn new(environment: &[(&str, &str)]) -> Self {
        Self::on("peers", environment)
    }

    /// A process on a machine of this name, whose memory no process on another machine uses.
    pub(crate) fn on(machine: &str, environment: &[(&str, &str)]) -> Self {
        let machine = format!("{machine}-{}", std::process::id());
        let started = Peer::start(|command| {
            command.args(["remote", "--exact", "--ignored", "--quiet"]);
            command.env("REFERENCE_DRIVER_MACHINE", machine).env("REFERENCE_DRIVER_DEVICES", "2");
            command.envs(environment.iter().copied());
        });
        Self(started.expect("the test executable starts"))
    }

    /// Kills the process, whatever it holds.
    pub(crate) fn kill(mut self) {
        self.0.kill().expect("it is a child of this process");
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    fn ask(&mut self, call: &Call, descriptors: &[&OwnedFd]) -> Answer<(Output, Vec<OwnedFd>)> {
        let descriptors: Vec<_> = descriptors.iter().map(|descriptor| descriptor.as_fd()).collect();
        let asked = self.0.ask::<_, Result<Output, u32>>(call, &descriptors);
        let (answer, descriptors) = asked.expect("the other process answers");
        answer.map(|output| (output, descriptors)).map_err(CUresult)
    }

    fn number(&mut self, call: &Call) -> Answer<u64> {
        match self.ask(call, &[])? {
            (Output::Number(number), _) => Ok(number),
            (Output::Bytes(_), _) => panic!("the other process gave bytes for a number"),
        }
    }

    pub(crate) fn create(&mut self, size: usize, types: Types) -> Answer<u64> {
        self.create_on(0, size, types)
    }

    pub(crate) fn create_on(&mut self, device: i32, size: usize, types: Types) -> Answer<u64> {
        self.number(&Call::Create { size, types: types.0, device })
    }

    pub(crate) fn create_multicast(&mut self, devices: u32, size: usize) -> Answer<u64> {
        self.number(&Call::CreateMulticast { devices, size })
    }

    pub(crate) fn add_device(&mut self, multicast: u64, device: i32) -> Answer<()> {
        self.number(&Call::AddDevice { multicast, device }).map(drop)
    }

    pub(crate) fn bind(&mut self, multicast: u64, memory: u64, size: usize) -> Answer<()> {
        self.number(&Call::Bind { multicast, memory, size }).map(drop)
    }

    pub(crate) fn release(&mut self, handle: u64) -> Answer<()> {
        self.number(&Call::Release { handle }).map(drop)
    }

    pub(crate) fn map(&mut self, handle: u64, size: usize) -> Answer<u64> {
        self.number(&Call::Map { handle, size })
    }

    pub(crate) fn unmap(&mut self, base: u64, size: usize) -> Answer<()> {
        self.number(&Call::Unmap { base, size }).map(drop)
    }

    pub(crate) fn grant(&mut self, base: u64, size: usize, flags: Access) -> Answer<()> {
        self.number(&Call::Grant { base, size, flags: flags.0 }).map(drop)
    }

    /// Maps memory and grants access to it.
    pub(crate) fn open(&mut self, handle: u64, size: usize) -> Answer<u64> {
        let base = self.map(handle, size)?;
        self.grant(base, size, calls::READ_WRITE).map(|()| base)
    }

    pub(crate) fn read(&mut self, pointer: u64) -> Answer<u64> {
        self.number(&Call::Read { pointer })
    }

    pub(crate) fn write(&mut self, pointer: u64, word: u32) -> Answer<()> {
        self.number(&Call::Write { pointer, word }).map(drop)
    }

    pub(crate) fn free_bytes(&mut self) -> usize {
        self.number(&Call::FreeBytes).expect("it succeeds") as usize
    }

    pub(crate) fn export_descriptor(&mut self, handle: u64) -> Answer<OwnedFd> {
        let (_, mut descriptors) = self.ask(&Call::ExportDescriptor { handle }, &[])?;
        Ok(descriptors.pop().expect("a descriptor came with the answer"))
    }

    pub(crate) fn import_descriptor(&mut self, descriptor: &OwnedFd) -> Answer<u64> {
        match self.ask(&Call::ImportDescriptor, &[descriptor])? {
            (Output::Number(handle), _) => Ok(handle),
            (Output::Bytes(_), _) => panic!("the other process gave bytes for a handle"),
        }
    }

    pub(crate) fn export_fabric(&mut self, handle: u64) -> Answer<[u8; 64]> {
        match self.ask(&Call::ExportFabric { handle }, &[])? {
            (Output::Bytes(bytes), _) => Ok(bytes.try_into().expect("a fabric handle has 64 bytes")),
            (Output::Number(_), _) => panic!("the other process gave a number for a fabric handle"),
        }
    }

    pub(crate) fn import_fabric(&mut self, bytes: [u8; 64]) -> Answer<u64> {
        self.number(&Call::ImportFabric { bytes: bytes.to_vec() })
    }

    pub(crate) fn attribute(&mut self, attribute: CUdevice_attribute) -> Answer<u64> {
        self.number(&Call::Attribute { attribute: attribute.0 })
    }
}

/// Performs the calls, in the other process.
pub(crate) fn perform() {
    let channel = peer::inherited().expect("standard input is a channel");
    let _context = calls::Context::new();
    let served = peer::serve(&channel, |call: Call, arrived: Vec<OwnedFd>| {
        let mut sent = Vec::new();
        let output = output(call, &arrived, &mut sent);
        (output.map_err(|code| code.0), sent)
    });
    served.expect("the test asks in whole frames");
}

fn output(call: Call, arrived: &[OwnedFd], sent: &mut Vec<OwnedFd>) -> Answer<Output> {
    let done = |()| 0;
    let number = match call {
        Call::Create { size, types, device } => {
            calls::create_at(CUmemLocation::device(device), size, CUmemAllocationHandleType(types))
        }
        Call::CreateMulticast { devices, size } => calls::create_multicast(devices, size, calls::DESCRIPTOR),
        Call::AddDevice { multicast, device } => calls::add_device(multicast, device).map(done),
        Call::Bind { multicast, memory, size } => calls::bind(multicast, 0, memory, 0, size).map(done),
        Call::Release { handle } => calls::release(handle).map(done),
        Call::Map { handle, size } => calls::map(handle, size),
        Call::Unmap { base, size } => calls::unmap(base, size).map(done),
        Call::Grant { base, size, flags } => calls::grant(base, size, CUmemAccess_flags(flags)).map(done),
        Call::Read { pointer } => calls::read(pointer).map(u64::from),
        Call::Write { pointer, word } => calls::write(pointer, word).map(done),
        Call::FreeBytes => Ok(calls::free_bytes() as u64),
        Call::ExportDescriptor { handle } => calls::export_descriptor(handle).map(|descriptor| {
            // SAFETY: the descriptor is new, and nothing else in this process has it.
            sent.push(unsafe { OwnedFd::from_raw_fd(descriptor) });
            0
        }),
        Call::ImportDescriptor => calls::import_descriptor(arrived[0].as_raw_fd()),
        Call::ExportFabric { handle } => {
            return calls::export_fabric(handle).map(|bytes| Output::Bytes(bytes.to_vec()));
        }
        Call::ImportFabric { bytes } => calls::import_fabric(bytes.try_into().expect("64 bytes were sent")),
        Call::Attribute { attribute } => calls::attribute(CUdevice_attribute(attribute)).map(|value| value as u64),
    };
    number.map(Output::Number)
}
