//! What can be enqueued in a scope, and what is refused.

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{DeviceBuffer, Error, Stream};

use crate::common::{context, device};
use crate::{Gate, alone, buffer, words};

#[test]
fn one_stream_writes_copies_fills_and_reads_in_order() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (one, other) = (buffer([0; 8]), buffer([9; 8]));
    let (sent, mut received, mut last) = ([1_u32, 2, 3], [0_u32; 8], [0_u32; 8]);
    let answer = stream.scope(|stream| {
        stream.write(one.slice(1..4)?, &sent)?;
        stream.copy(other.slice::<u32>(2..6)?, one.slice(0..4)?)?;
        stream.read(other.slice(..)?, &mut received)?;
        stream.fill(other.slice(..2)?, 7_u32)?;
        stream.read(other.slice(..)?, &mut last)?;
        Ok("an answer")
    });
    assert_eq!(answer.unwrap(), "an answer");
    assert_eq!(received, [9, 9, 0, 1, 2, 3, 9, 9]);
    assert_eq!(last, [7, 7, 0, 1, 2, 3, 9, 9]);
}

#[test]
fn memory_is_filled_with_values_of_1_2_and_4_bytes() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let buffer = buffer([0; 4]);
    stream
        .scope(|stream| {
            stream.fill(buffer.slice(0..3)?, 0x11_u8)?;
            stream.fill(buffer.slice(2..4)?, -2_i16)?;
            stream.fill(buffer.slice(2..3)?, 1.0_f32)?;
            stream.fill(buffer.slice(3..4)?, [1_u8, 2, 3, 4])
        })
        .unwrap();
    let expected = [u32::from_ne_bytes([0x11, 0x11, 0x11, 0]), 0xfffe_fffe, 1.0_f32.to_bits()];
    assert_eq!(words(&buffer)[..3], expected);
    assert_eq!(words(&buffer)[3].to_ne_bytes(), [1, 2, 3, 4]);
    let part = buffer.part(1..).unwrap();
    let misaligned = stream.scope(|stream| stream.fill(part.slice(..1)?, [0_u8; 4]));
    assert!(matches!(misaligned, Err(Error::Misaligned { alignment: 4, .. })), "{misaligned:?}");
}

#[test]
fn slices_of_other_lengths_are_refused() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let (one, other) = (buffer([1; 4]), buffer([2; 4]));
    let mut received = [3_u32; 3];
    let sent = [4_u32; 5];
    stream
        .scope(|stream| {
            let all = one.slice::<u32>(..)?;
            let errors = [
                stream.write(all, &sent),
                stream.read(all, &mut received),
                stream.copy(all, other.slice(1..)?),
                stream.write_value(all, 5),
                stream.wait_value(all.part(1..1)?, WaitValue::Equal, 0),
            ];
            let lengths = errors.map(|error| match error {
                Err(Error::Length { found, expected, .. }) => (found, expected),
                other => panic!("{other:?}"),
            });
            assert_eq!(lengths, [(4, 5), (4, 3), (4, 3), (4, 1), (0, 1)]);
            Ok(())
        })
        .unwrap();
    assert_eq!((words(&one), received), (vec![1; 4], [3; 3]));
}

#[test]
fn a_copy_within_one_memory_may_touch_but_not_overlap() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let buffer = buffer([1, 2, 3, 4]);
    let overlapping = stream.scope(|stream| stream.copy(buffer.slice::<u32>(1..3)?, buffer.slice(2..4)?));
    assert!(matches!(overlapping, Err(Error::Overlap { length: 8, .. })), "{overlapping:?}");
    stream.scope(|stream| stream.copy(buffer.slice::<u32>(..2)?, buffer.slice(2..)?)).unwrap();
    assert_eq!(words(&buffer), [3, 4, 3, 4]);
}

#[test]
fn a_wait_that_no_number_ends_is_refused() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let buffer = buffer([0; 2]);
    stream
        .scope(|stream| {
            let number = buffer.slice::<u32>(..1)?;
            let errors = [
                stream.wait_value(number, WaitValue::And, 0),
                stream.wait_value(number, WaitValue::Nor, u32::MAX),
                stream.wait_value(buffer.slice::<u64>(..)?, WaitValue::Nor, u64::MAX),
            ];
            for (error, (wait, value)) in
                errors.into_iter().zip([("And", "0x0"), ("Nor", "0xffffffff"), ("Nor", "0xffffffffffffffff")])
            {
                let error = error.unwrap_err();
                assert!(error.to_string().contains(&format!("{wait} {value} would never end")), "{error}");
            }
            // These are met at once.
            stream.wait_value(number, WaitValue::GreaterOrEqual, 0)?;
            stream.wait_value(buffer.slice::<u64>(..)?, WaitValue::Nor, u64::MAX - 1)
        })
        .unwrap();
}

#[test]
fn numbers_need_access_to_their_memory() {
    let _alone = alone();
    let stream = Stream::non_blocking(&context()).unwrap();
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.fill(0).unwrap();
    mapping.set_access(device(), Access::Read).unwrap();
    let number = mapping.slice::<u32>(..1).unwrap();
    stream.scope(|stream| stream.wait_value(number, WaitValue::Equal, 0)).unwrap();
    let written = stream.scope(|stream| stream.write_value(number, 1));
    let found = matches!(written, Err(Error::NoAccess { found: Access::Read, wanted: Access::ReadWrite, .. }));
    assert!(found, "{written:?}");
    mapping.set_access(device(), Access::None).unwrap();
    let awaited = stream.scope(|stream| stream.wait_value(number, WaitValue::Equal, 0));
    assert!(matches!(awaited, Err(Error::NoAccess { found: Access::None, .. })), "{awaited:?}");
}

#[test]
fn the_default_stream_is_a_stream_like_any_other() {
    let _alone = alone();
    let context = context();
    let (default, free) = (Stream::default_of(&context), Stream::non_blocking(&context).unwrap());
    let (gate, buffer) = (Gate::closed(&context), buffer([0; 2]));
    let other = Stream::default_of(&context);
    stream::scope(|scope| {
        let _opens = gate.opens_on_failure();
        let (default, again, free) = (scope.on(&default), scope.on(&other), scope.on(&free));
        assert!(format!("{scope:?}").matches("Default").count() == 1, "the stream is used once: {scope:?}");
        default.wait_value(gate.number(), WaitValue::Equal, 1)?;
        default.fill(buffer.slice(..1)?, 1_u32)?;
        again.fill(buffer.slice(1..)?, 2_u32)?;
        assert!(!default.stream().query()?);
        free.write_value(gate.number(), 1)
    })
    .unwrap();
    assert_eq!(words(&buffer), [1, 2]);
}

#[test]
fn memory_of_another_context_is_reached() {
    let _alone = alone();
    let other = cuda_ipc::Context::new(device()).unwrap();
    let stream = Stream::non_blocking(&other).unwrap();
    let (here, there) = (buffer([5; 2]), DeviceBuffer::new(&other, 8).unwrap());
    stream.scope(|stream| stream.copy(there.slice::<u32>(..)?, here.slice(..)?)).unwrap();
    assert_eq!(words(&there), [5; 2]);
}

/// An H200 crashes in such a wait.
#[test]
fn a_stream_does_not_wait_for_an_event_of_another_context() {
    let _alone = alone();
    let other = cuda_ipc::Context::new(device()).unwrap();
    let stream = Stream::non_blocking(&context()).unwrap();
    let event = InterprocessEvent::new(&other).unwrap();
    let refused = stream.scope(|stream| stream.wait(&event));
    assert!(matches!(refused, Err(Error::EventOfAnotherContext)), "{refused:?}");
    let refused = stream.wait(&event);
    assert!(matches!(refused, Err(Error::EventOfAnotherContext)), "{refused:?}");
}

/// The contexts of a device reach each other's memory.
#[test]
fn memory_of_another_context_is_filled() {
    let _alone = alone();
    let other = cuda_ipc::Context::new(context().device()).unwrap();
    let (stream, memory) = (Stream::non_blocking(&other).unwrap(), buffer([1; 2]));
    stream.scope(|stream| stream.fill(memory.slice(..)?, 7_u32)).unwrap();
    assert_eq!(words(&memory), [7; 2]);
}
