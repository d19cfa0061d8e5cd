//! Work of one device on the memory of another.

use std::sync::atomic::Ordering;

use cuda_ipc::foreign::ForeignMemory;
use cuda_ipc::host::SharedPages;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, Device, DeviceBuffer, DeviceMemory, Error, Stream};

use crate::common::{context, device, driver};
use crate::peer::{Peer, roles};
use crate::{Gate, alone, kernel, words};

const SHAPE: LaunchShape = LaunchShape::linear(1, 64);

fn other_device() -> Device {
    driver().device(1).expect("a second device")
}

/// Writes to memory with a kernel of the first device.
fn launch(memory: &DeviceMemory) -> Result<(), Error> {
    let (stream, fill) = (Stream::non_blocking(&context())?, kernel::fill(&context()));
    stream.scope(|stream| stream.launch(&fill, SHAPE, (memory.slice(..4)?, 5)))
}

/// Checks that a launch is refused, and that the device has not failed.
fn is_refused(memory: &DeviceMemory) {
    let error = launch(memory).unwrap_err();
    assert!(matches!(error, Error::NoAccess { wanted: Access::ReadWrite, .. }), "{error}");
    context().synchronize().unwrap();
}

/// A fill is a kernel to some drivers, and a kernel without access ends the work of the process.
#[test]
fn memory_of_a_device_without_access_is_not_filled() {
    let _alone = alone();
    let other = Context::primary(other_device()).unwrap();
    let (stream, memory) = (Stream::non_blocking(&context()).unwrap(), DeviceBuffer::new(&other, 8).unwrap());
    memory.fill(1).unwrap();
    let refused = stream.scope(|stream| stream.fill(memory.slice(..)?, 7_u32));
    assert!(matches!(refused, Err(Error::NoAccess { .. })), "{refused:?}");
    assert_eq!(memory.snapshot::<u8>(..).unwrap()[..], [1; 8]);
}

#[test]
fn streams_of_two_devices_copy_in_one_scope() {
    let _alone = alone();
    let other = Context::primary(other_device()).unwrap();
    let (here, there) = (Stream::non_blocking(&context()).unwrap(), Stream::non_blocking(&other).unwrap());
    let (one, two) = (DeviceBuffer::new(&context(), 16).unwrap(), DeviceBuffer::new(&other, 16).unwrap());
    let pages = SharedPages::<u32>::new(&context(), 1).unwrap();
    let sent = [1_u32, 2, 3, 4];
    let mut received = [0_u32; 4];
    let copied = pages.memory().slice::<u32>(..).unwrap();
    stream::scope(|scope| {
        let (here, there) = (scope.on(&here), scope.on(&there));
        here.write(one.slice(..)?, &sent)?;
        here.copy(two.slice::<u32>(..)?, one.slice(..)?)?;
        here.write_value(copied, 1)?;
        there.wait_value(copied, WaitValue::Equal, 1)?;
        there.fill(two.slice(..1)?, 9_u32)?;
        there.read(two.slice(..)?, &mut received)
    })
    .unwrap();
    assert_eq!(received, [9, 2, 3, 4]);
}

#[test]
fn a_kernel_reaches_a_peer_while_access_is_enabled() {
    let _alone = alone();
    let other = Context::new(other_device()).unwrap();
    let memory = DeviceBuffer::new(&other, 16).unwrap();
    is_refused(&memory);
    let access = PeerAccess::enable(&context(), &other).unwrap();
    launch(&memory).unwrap();
    assert_eq!(words(&memory), [0, 1, 2, 3].map(|place| kernels::pattern(5, place)));
    access.disable().unwrap();
    is_refused(&memory);
}

/// The owner is a reference, so the same memory is also that of this crate.
#[test]
fn a_kernel_reaches_foreign_memory_of_a_peer_as_it_reaches_memory_of_this_crate() {
    let _alone = alone();
    let other = Context::new(other_device()).unwrap();
    let buffer = DeviceBuffer::new(&other, 16).unwrap();
    // SAFETY: the buffer outlives the borrow, and nothing reads it as values that not all bytes are.
    let foreign = unsafe { ForeignMemory::borrow_raw(&other, buffer.pointer(), buffer.size(), &buffer) };
    is_refused(&foreign);
    let access = PeerAccess::enable(&context(), &other).unwrap();
    launch(&foreign).unwrap();
    access.disable().unwrap();
    is_refused(&foreign);
}

/// CUDA does not say which of both happens. Neither makes the device fail.
#[test]
fn memory_of_another_context_of_the_device_is_reached_or_refused() {
    let _alone = alone();
    let other = Context::new(device()).unwrap();
    let memory = DeviceBuffer::new(&other, 16).unwrap();
    match launch(&memory) {
        Ok(()) => assert_eq!(words(&memory), [0, 1, 2, 3].map(|place| kernels::pattern(5, place))),
        Err(error) => assert!(matches!(error, Error::NoAccess { .. }), "{error}"),
    }
    context().synchronize().unwrap();
}

#[test]
fn a_kernel_reaches_mapped_memory_of_a_peer_with_access() {
    let _alone = alone();
    let other = Context::primary(other_device()).unwrap();
    let size = granularity(other_device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(other_device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&other, &[&allocation], Access::ReadWrite).unwrap();
    is_refused(&mapping);
    mapping.set_access(device(), Access::Read).unwrap();
    is_refused(&mapping);
    mapping.set_access(device(), Access::ReadWrite).unwrap();
    launch(&mapping).unwrap();
}

#[test]
fn a_kernel_reaches_pool_memory_of_a_peer_with_access() {
    let _alone = alone();
    let pool = Pool::new(other_device(), HandleTypes::NONE, None).unwrap();
    // The memory is on the second device, and belongs to the first device's context, as the stream does.
    let memory = PoolBuffer::new(&pool, 16, &Stream::new(&context()).unwrap()).unwrap();
    is_refused(&memory);
    pool.set_access(device(), Access::ReadWrite).unwrap();
    launch(&memory).unwrap();
}

#[test]
fn peer_access_that_is_dropped_in_a_scope_lasts_until_its_work_is_done() {
    let _alone = alone();
    let other = Context::new(other_device()).unwrap();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (memory, fill, spin) =
        (DeviceBuffer::new(&other, 16).unwrap(), kernel::fill(&context()), kernel::spin(&context()));
    let mut access = Some(PeerAccess::enable(&context(), &other).unwrap());
    stream
        .scope(|stream| {
            stream.launch(&spin, SHAPE, (5_000_000,))?;
            stream.launch(&fill, SHAPE, (memory.slice(..)?, 5))?;
            drop(access.take());
            Ok(())
        })
        .unwrap();
    assert_eq!(words(&memory), [0, 1, 2, 3].map(|place| kernels::pattern(5, place)));
    is_refused(&memory);
}

#[test]
fn streams_of_two_devices_wait_for_numbers_that_the_cpu_stores() {
    let _alone = alone();
    let other = Context::primary(other_device()).unwrap();
    let pages = SharedPages::<u32>::new(&context(), 64).unwrap();
    let [one, two] = [context(), other].map(|context| Stream::non_blocking(&context).unwrap());
    let numbers = pages.memory().slice::<u32>(..).unwrap();
    stream::scope(|scope| {
        let (one, two) = (scope.on(&one), scope.on(&two));
        one.wait_value(numbers.value(0)?, WaitValue::Equal, 1)?;
        one.write_value(numbers.value(32)?, 2)?;
        two.wait_value(numbers.value(32)?, WaitValue::Equal, 2)?;
        two.write_value(numbers.value(33)?, 3)?;
        pages.numbers()[0].store(1, Ordering::Release);
        Ok(())
    })
    .unwrap();
    assert_eq!(pages.numbers()[33].load(Ordering::Acquire), 3);
}

#[test]
fn access_that_is_taken_from_work_is_an_error_of_the_scope() {
    let _alone = alone();
    Peer::start(module_path!(), "role_loses_access").finish();
}

roles! {
    // The failure of a device ends the work of its process.
    fn role_loses_access(_connection) {
        let (here, there) = (context(), Context::new(other_device()).unwrap());
        let stream = Stream::non_blocking(&here).unwrap();
        let size = granularity(other_device(), HandleTypes::NONE).unwrap();
        let allocation = Allocation::new(other_device(), size, HandleTypes::NONE).unwrap();
        let mapping = Mapping::new(&there, &[&allocation], Access::ReadWrite).unwrap();
        mapping.set_access(device(), Access::ReadWrite).unwrap();
        let (gate, fill) = (Gate::closed(&here), kernel::fill(&here));
        let lost = stream.scope(|stream| {
            stream.wait_value(gate.number(), WaitValue::Equal, 1)?;
            stream.launch(&fill, SHAPE, (mapping.slice(..4)?, 5))?;
            mapping.set_access(device(), Access::None)?;
            // The device may have failed before this returns.
            let _ = gate.try_open();
            Ok(())
        });
        assert_eq!(lost.unwrap_err().code(), Some(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
    }
}
