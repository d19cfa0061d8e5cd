//! Checked kernels: what safe code launches, and what it cannot.

use cuda_ipc::foreign::ForeignMemory;
use cuda_ipc::kernel::{Kernel, Write};
use cuda_ipc::module::LaunchShape;
use cuda_ipc::stream::WaitValue;
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Error, SharedBuffer, Stream};

use crate::common::{context, device};
use crate::{Gate, alone, buffer, kernel, words};

const SHAPE: LaunchShape = LaunchShape::linear(4, 64);

#[test]
fn kernels_fill_and_verify_slices() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (fill, verify) = (kernel::fill(&context), kernel::verify(&context));
    let (memory, counter) = (buffer([0; 1000]), buffer([0; 2]));
    stream
        .scope(|stream| {
            let words = memory.slice(..)?;
            stream.launch(&fill, SHAPE, (words.part(100..600)?, 5))?;
            stream.launch(&verify, SHAPE, (words.part(100..)?, 5, counter.slice(..)?))
        })
        .unwrap();
    let found = words(&memory);
    assert!(found[100..600].iter().zip(0..).all(|(word, place)| *word == kernels::pattern(5, place)));
    assert!(found[..100].iter().chain(&found[600..]).all(|word| *word == 0), "the kernel kept to its slice");
    assert_eq!(*counter.snapshot::<u64>(..).unwrap(), [400]);
}

#[test]
fn a_kernel_that_waits_holds_its_stream() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (gate, memory, latch) = (Gate::closed(&context), buffer([0; 1]), kernel::latch(&context));
    stream
        .scope(|stream| {
            let _opens = gate.opens_on_failure();
            stream.launch(&latch, LaunchShape::linear(1, 1), (gate.number(), 1))?;
            stream.write_value(memory.slice::<u32>(..)?, 3)?;
            assert!(!stream.stream().query()?);
            gate.open();
            Ok(())
        })
        .unwrap();
    assert_eq!(words(&memory), [3]);
}

#[test]
fn a_shape_that_the_device_cannot_run_is_refused() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (memory, fill) = (buffer([1; 4]), kernel::fill(&context()));
    let error = stream.scope(|stream| stream.launch(&fill, LaunchShape::linear(1, 0), (memory.slice(..)?, 5)));
    assert_eq!(error.unwrap_err().code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE));
    assert_eq!(words(&memory), [1; 4]);
}

#[test]
fn a_kernel_runs_only_in_its_own_context() {
    let _alone = alone();
    let other = Context::new(device()).unwrap();
    let stream = Stream::non_blocking(&other).unwrap();
    let (memory, fill) = (DeviceBuffer::new(&other, 16).unwrap(), kernel::fill(&context()));
    let error = stream.scope(|stream| stream.launch(&fill, SHAPE, (memory.slice(..)?, 5)));
    assert!(matches!(error, Err(Error::OtherContext)), "{error:?}");
}

#[test]
fn a_slice_of_one_value_has_one_value() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (memory, verify) = (buffer([0; 8]), kernel::verify(&context()));
    for length in [0, 2] {
        let error = stream.scope(|stream| {
            let counters = memory.part(16..)?.slice::<u64>(..length)?;
            stream.launch(&verify, SHAPE, (memory.slice(..4)?, 5, counters))
        });
        assert!(matches!(error, Err(Error::Length { found, expected: 1, .. }) if found == length), "{error:?}");
    }
    assert_eq!(words(&memory), [0; 8]);
}

#[test]
fn a_kernel_does_not_write_memory_that_can_only_be_read() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (fill, verify) = (kernel::fill(&context), kernel::verify(&context));
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap();
    let counter = buffer([0; 2]);
    let launch_fill = |fill: &Kernel<(Write<u32>, u32)>| {
        stream.scope(|stream| stream.launch(fill, SHAPE, (mapping.part(8..)?.slice(..10)?, 5)))
    };
    launch_fill(&fill).unwrap();
    mapping.set_access(device(), Access::Read).unwrap();
    let error = launch_fill(&fill).unwrap_err();
    let found = matches!(error, Error::NoAccess { found: Access::Read, wanted: Access::ReadWrite, .. });
    assert!(found, "{error}");
    assert!(error.to_string().contains("device 0 has the access Read"), "{error}");
    // Reading is allowed, and the device still works.
    let words = mapping.part(8..).unwrap().slice(..10).unwrap();
    stream.scope(|stream| stream.launch(&verify, SHAPE, (words, 5, counter.slice(..)?))).unwrap();
    assert_eq!(*counter.snapshot::<u64>(..).unwrap(), [0]);
}

#[test]
fn shared_buffers_and_memory_of_other_code_have_the_access_of_their_mapping() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (buffer, fill) = (SharedBuffer::new(&context(), 16).unwrap(), kernel::fill(&context()));
    // SAFETY: the buffer outlives the value.
    let foreign = unsafe { ForeignMemory::borrow_raw(&context(), buffer.pointer(), 16, &buffer) };
    let launch = |memory: &DeviceMemory| stream.scope(|stream| stream.launch(&fill, SHAPE, (memory.slice(..)?, 5)));
    launch(&buffer).unwrap();
    launch(&foreign).unwrap();
    buffer.mapping().set_access(device(), Access::Read).unwrap();
    for refused in [launch(&buffer), launch(&foreign)] {
        assert!(matches!(refused, Err(Error::NoAccess { .. })), "{refused:?}");
    }
}

#[test]
fn an_unchecked_kernel_of_the_scope_is_awaited() {
    let _alone = alone();
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let (fill, memory, gate) = (kernel::fill(&context), buffer([0; 4]), Gate::closed(&context));
    stream
        .scope(|scoped| {
            let _opens = gate.opens_on_failure();
            scoped.wait_value(gate.number(), WaitValue::Equal, 1)?;
            let (mut words, mut count, mut seed) = (memory.pointer(), 4_u64, 9_u32);
            let mut parameters = [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut seed).cast()];
            // SAFETY: these are the kernel's parameters, and the memory exists until the scope has waited.
            unsafe { fill.function().launch(SHAPE, scoped.stream(), &mut parameters)? };
            gate.open();
            Ok(())
        })
        .unwrap();
    assert_eq!(words(&memory), [0, 1, 2, 3].map(|place| kernels::pattern(9, place)));
}
