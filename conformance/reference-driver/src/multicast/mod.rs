//! Multicast objects: a write to one goes to the memory of several devices.
//!
//! An object is a file that its processes share. The file lists the devices that take part and the memory that is bound
//! at each offset. It holds no data of its own. A read returns the data of the first device.

mod object;

use std::sync::Arc;
use std::time::Duration;

use cuda_ipc_sys::{
    CUdevice, CUdeviceptr, CUmemAllocationHandleType, CUmemGenericAllocationHandle, CUmulticastGranularity_flags,
    CUmulticastObjectProp,
};

use crate::answer::{INVALID_DEVICE, INVALID_VALUE, Input, NOT_SUPPORTED, Output, Result};
use crate::block::GRANULARITY;
use crate::environment::environment;
use crate::process::{State, state};
use crate::profile::profile;
use crate::range::{AccessOf, Memory};

use object::Kept;
pub(crate) use object::Object;

/// Whether the attribute reports multicast objects (MC-001). A single device has none, as on a machine with one H200.
pub(crate) fn is_there() -> bool {
    environment().devices > 1 && profile().has_multicast
}

/// Memory to bind: the offset in it, the number of bytes from there on, the device, and whether processes can share it.
struct Bindable {
    kept: Kept,
    offset: u64,
    room: u64,
    device: usize,
    is_shareable: bool,
}

fn are_granular(values: &[u64]) -> bool {
    values.iter().all(|value| value.is_multiple_of(GRANULARITY))
}

impl State {
    pub(crate) fn multicast(&self, handle: CUmemGenericAllocationHandle) -> Result<Arc<Object>> {
        self.multicasts.get(&handle).map(Arc::clone).ok_or(INVALID_VALUE)
    }

    pub(crate) fn add_multicast(&mut self, object: Object) -> u64 {
        let handle = self.new_id();
        self.multicasts.insert(handle, Arc::new(object));
        handle
    }

    /// The memory at an address, if `cuMemCreate` or a pool allocated it.
    fn bindable_at(&self, address: u64) -> Result<Bindable> {
        let range = self.range(address).ok_or(INVALID_VALUE)?;
        let (kept, begin, is_shareable) = match &range.memory {
            Memory::Mapping { allocation, offset, .. } => {
                (Kept::Allocation(Arc::clone(allocation)), *offset, allocation.is_shareable)
            }
            Memory::Pool { piece, target, .. } if !target.is_managed && !target.is_host() => {
                (Kept::Block(Arc::clone(piece.block())), piece.offset, false)
            }
            _ => return Err(INVALID_VALUE),
        };
        let offset = begin + (address - range.base);
        let room = range.end() - address;
        Ok(Bindable { kept, offset, room, device: range.device, is_shareable })
    }

    fn bind(&self, object: &Object, offset: u64, memory: Bindable, size: u64) -> Result<()> {
        let end = offset.checked_add(size).ok_or(INVALID_VALUE)?;
        // MC-005: a bind may reach the very end of the object.
        let is_beyond = end > object.size
            && !fault!("multicast-binds-beyond-the-end", ["MC-005"], "Memory is bound beyond the end of an object.")
            || end == object.size
                && offset > 0
                && fault!("multicast-binds-short-of-the-end", ["MC-005"], "A bind must end before the object does.");
        if size == 0 || !are_granular(&[offset, memory.offset, size]) || is_beyond || size > memory.room {
            return Err(INVALID_VALUE);
        }
        // MC-002
        let is_private = match &memory.kept {
            Kept::Allocation(allocation) => {
                allocation.handle_types == CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE
            }
            Kept::Block(_) => true,
        };
        if object.is_shareable
            && memory.is_shareable
            && !is_private
            && fault!("multicast-refuses-shareable-memory", ["MC-002"], "Shareable memory cannot be bound.")
        {
            return Err(INVALID_VALUE);
        }
        if object.is_shareable
            && !memory.is_shareable
            && !fault!("multicast-binds-private-memory", ["MC-002"], "Private memory is bound to a shareable object.")
        {
            return Err(INVALID_VALUE);
        }
        object.bind(offset, memory, size)
    }
}

/// MC-004: waits until every device was added, for as long as that takes. The caller must hold no lock.
fn wait_for_devices(object: &Object) -> Result<()> {
    while !object.is_complete()? {
        // Another process may add the last device, and it has no way to wake this one.
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(())
}

/// `cuMemMap` of a multicast object.
pub(crate) fn map(object: Arc<Object>, address: u64, size: u64, offset: u64, flags: u64) -> Result<()> {
    if offset != 0 || flags != 0 || size == 0 || size > object.size || !are_granular(&[address, size]) {
        return Err(INVALID_VALUE);
    }
    if !fault!("multicast-map-does-not-wait", ["MC-004"], "cuMemMap returns before all devices were added.") {
        wait_for_devices(&object)?;
    }
    let mut state = state()?;
    state.check_free(address, size)?;
    state.add_range(address, size, 0, NOWHERE, Memory::Multicast { object, access: AccessOf::new() });
    Ok(())
}

/// Stands in for the index of a device, for memory that belongs to several devices.
const NOWHERE: usize = usize::MAX - 1;

/// Checks the properties of an object to create.
fn check(properties: &CUmulticastObjectProp, devices: usize) -> Result<()> {
    type T = CUmemAllocationHandleType;
    let known = T::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
    let is_team = properties.numDevices > 0 && properties.numDevices as usize <= devices;
    if !is_team || properties.flags != 0 || properties.size == 0 || !are_granular(&[properties.size as u64]) {
        return Err(INVALID_VALUE);
    }
    // Descriptors are the only handle type that is implemented.
    if properties.handleTypes & !u64::from(known) == 0 { Ok(()) } else { Err(NOT_SUPPORTED) }
}

entry_points! {
    fn cuMulticastCreate(output: Output<CUmemGenericAllocationHandle>, properties: Input<CUmulticastObjectProp>) {
        let mut state = state()?;
        output.wanted()?;
        let properties = properties.value()?;
        let is_ignored = fault!(
            "multicast-ignores-the-attribute",
            ["MC-001"],
            "A device without multicast has objects.",
        );
        if !is_there() && !is_ignored {
            let has_another_code = fault!(
                "multicast-without-support-has-another-code",
                ["MC-001"],
                "The code for a device without multicast is INVALID_VALUE.",
            );
            return Err(if has_another_code { INVALID_VALUE } else { NOT_SUPPORTED });
        }
        check(&properties, environment().devices)?;
        let object = Object::new(properties.size as u64, properties.numDevices, properties.handleTypes)?;
        output.give(state.add_multicast(object))
    }

    fn cuMulticastGetGranularity(
        output: Output<usize>,
        properties: Input<CUmulticastObjectProp>,
        option: CUmulticastGranularity_flags,
    ) {
        let _state = state()?;
        output.wanted()?;
        properties.value()?;
        if !is_there() {
            return Err(NOT_SUPPORTED);
        }
        if option.0 > CUmulticastGranularity_flags::CU_MULTICAST_GRANULARITY_RECOMMENDED.0 {
            return Err(INVALID_VALUE);
        }
        output.give(GRANULARITY as usize)
    }

    fn cuMulticastAddDevice(handle: CUmemGenericAllocationHandle, device: CUdevice) {
        let mut state = state()?;
        let object = state.multicast(handle)?;
        object.add_device(state.device(device)?.index)
    }

    fn cuMulticastBindMem(
        handle: CUmemGenericAllocationHandle,
        offset: usize,
        memory: CUmemGenericAllocationHandle,
        memory_offset: usize,
        size: usize,
        flags: u64,
    ) {
        let find = |state: &State| {
            let allocation = state.allocation(memory)?;
            let offset = memory_offset as u64;
            let room = allocation.block.size.checked_sub(offset).ok_or(INVALID_VALUE)?;
            let (device, is_shareable) = (allocation.device, allocation.is_shareable);
            Ok(Bindable { kept: Kept::Allocation(Arc::clone(allocation)), offset, room, device, is_shareable })
        };
        bind(handle, offset as u64, size as u64, flags, find)
    }

    fn cuMulticastBindAddr(
        handle: CUmemGenericAllocationHandle,
        offset: usize,
        address: CUdeviceptr,
        size: usize,
        flags: u64,
    ) {
        bind(handle, offset as u64, size as u64, flags, |state| state.bindable_at(address))
    }

    fn cuMulticastUnbind(handle: CUmemGenericAllocationHandle, device: CUdevice, offset: usize, size: usize) {
        let mut state = state()?;
        let object = state.multicast(handle)?;
        let device = state.device(device)?.index;
        object.unbind(device, offset as u64, size as u64)
    }
}

fn bind(
    handle: CUmemGenericAllocationHandle,
    offset: u64,
    size: u64,
    flags: u64,
    find: impl Fn(&State) -> Result<Bindable>,
) -> Result<()> {
    let object = {
        let state = state()?;
        find(&state)?;
        state.multicast(handle)?
    };
    if flags != 0 {
        return Err(INVALID_VALUE);
    }
    if !fault!("multicast-bind-does-not-wait", ["MC-004"], "A bind returns before all devices were added.") {
        wait_for_devices(&object)?;
    }
    let state = state()?;
    let memory = find(&state)?;
    if !object.has_device(memory.device)? {
        return Err(INVALID_DEVICE);
    }
    state.bind(&object, offset, memory, size)
}
