//! A forked child cannot use the driver, and the values that it inherits still belong to its parent.

use std::sync::atomic::{AtomicBool, Ordering};

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::foreign::ForeignMemory;
use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{DeviceBuffer, Driver, Error, Stream, set_drop_hook};

use crate::common::{context, device};
use crate::forked::holds_in_a_child;

#[test]
fn a_child_is_refused_before_the_driver_is_asked() {
    let context = context();
    let stream = Stream::new(&context).unwrap();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    buffer.fill(3).unwrap();
    let refused = |error: Option<Error>| matches!(error, Some(Error::Forked));
    assert!(holds_in_a_child(|| refused(Driver::get().err())));
    assert!(holds_in_a_child(|| refused(context.driver().device_count().err())));
    assert!(holds_in_a_child(|| refused(device_uuid().err())));
    assert!(holds_in_a_child(|| refused(buffer.write(0, &[1_u8]).err())));
    assert!(holds_in_a_child(|| refused(stream.synchronize().err())));
    assert!(holds_in_a_child(|| refused(buffer.ipc_handle().err())));
    let mut bytes = [0_u8; 1];
    buffer.read(0, &mut bytes).unwrap();
    assert_eq!(bytes, [3]);
}

fn device_uuid() -> Result<[u8; 16], Error> {
    // The parent found the device before the fork; the child asks for its UUID after it.
    context().device().uuid()
}

/// A driver may keep the memory from the child, so the child finds none.
#[test]
fn a_child_has_no_host_memory_of_the_driver() {
    let context = context();
    let (mut pinned, mut pages) = (
        Some(PinnedBuffer::copy_of(&context, &[1_u8, 2]).unwrap()),
        Some(SharedPages::<u32>::new(&context, 2).unwrap()),
    );
    assert!(holds_in_a_child(|| {
        let (mut pinned, pages) = (pinned.take().unwrap(), pages.take().unwrap());
        let is_empty = pinned.is_empty() && pinned.iter_mut().next().is_none() && pages.numbers().is_empty();
        let is_refused = [
            pages.load(0, &mut [0]),
            pages.store(0, &[7]),
            SharedPages::<u32>::new(&context, 1).map(drop),
            PinnedBuffer::<u8>::new(&context, 0).map(drop),
            pages.unmap(),
        ];
        drop(pinned);
        is_empty && is_refused.into_iter().all(|result| matches!(result, Err(Error::Forked)))
    }));
    let (pinned, pages) = (pinned.take().unwrap(), pages.take().unwrap());
    let mut seen = [9; 2];
    pages.load(0, &mut seen).unwrap();
    assert_eq!((&*pinned, seen), (&[1, 2][..], [0; 2]));
    pinned.free().unwrap();
    pages.unmap().unwrap();
}

#[test]
fn a_child_that_is_forked_within_a_context_leaves_it_without_the_driver() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    let fork = || {
        // SAFETY: the child only sets a hook, leaves the context and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            set_drop_hook(|_| TOLD.store(true, Ordering::Relaxed));
        }
        child
    };
    let child = context().within(fork).unwrap();
    if child == 0 {
        // SAFETY: this ends the process without running the parent's handlers.
        unsafe { libc::_exit(i32::from(TOLD.load(Ordering::Relaxed))) }
    }
    let mut status = 0;
    // SAFETY: the child is ours, and the output is a local.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "the driver was called in the child");
}

#[test]
fn what_keeps_foreign_memory_alive_stays_its_parents() {
    static DROPPED: AtomicBool = AtomicBool::new(false);
    struct Owner;
    impl Drop for Owner {
        fn drop(&mut self) {
            DROPPED.store(true, Ordering::Relaxed);
        }
    }
    let buffer = DeviceBuffer::new(&context(), 4096).unwrap();
    // SAFETY: the buffer outlives the value.
    let borrowed = unsafe { ForeignMemory::borrow_raw(&context(), buffer.pointer(), 4096, Owner) };
    let mut borrowed = Some(borrowed);
    assert!(holds_in_a_child(|| {
        borrowed.take();
        !DROPPED.load(Ordering::Relaxed)
    }));
    drop(borrowed);
    assert!(DROPPED.load(Ordering::Relaxed));
}

#[cfg(feature = "dlpack")]
#[test]
fn a_tensor_of_other_code_stays_its_parents() {
    use std::ptr;

    use cuda_ipc::foreign::dlpack::{DataType, Device, Managed, RawTensor, Tensor};

    static RELEASED: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn release(_: *mut Managed) {
        RELEASED.store(true, Ordering::Relaxed);
    }
    let mut managed = Managed {
        tensor: RawTensor {
            data: ptr::null_mut(),
            device: Device { kind: Device::CUDA, ordinal: device().raw() },
            dimensions: 0,
            data_type: DataType { code: 1, bits: 8, lanes: 1 },
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        },
        context: ptr::null_mut(),
        deleter: Some(release),
    };
    // SAFETY: the structure outlives the tensor, and the deleter may be called anywhere.
    let mut tensor = Some(unsafe { Tensor::from_raw(&raw mut managed) }.unwrap());
    assert!(holds_in_a_child(|| {
        drop(tensor.take());
        !RELEASED.load(Ordering::Relaxed)
    }));
    drop(tensor);
    assert!(RELEASED.load(Ordering::Relaxed));
}

#[test]
fn a_child_that_is_forked_in_a_scope_does_not_wait() {
    let context = context();
    let [waiting, opening] = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
    let memory = DeviceBuffer::new(&context, 4).unwrap();
    memory.fill(0).unwrap();
    let (number, mut child) = (memory.slice::<u32>(..).unwrap(), 0);
    let ended = waiting.scope(|stream| {
        stream.wait_value(number, WaitValue::Equal, 1)?;
        // SAFETY: the child only leaves the scope and exits.
        child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the call has no preconditions. A child that waits is killed, which the parent sees.
            unsafe { libc::alarm(30) };
            return Ok(());
        }
        let mut status = 0;
        // SAFETY: the child is ours, and the output is a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        // The parent's stream still waits, and its scope does.
        let is_waiting = !waiting.query()?;
        opening.scope(|stream| stream.write_value(number, 1))?;
        assert!(is_waiting && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
        Ok(())
    });
    if child == 0 {
        // SAFETY: this ends the process without running the parent's handlers.
        unsafe { libc::_exit(i32::from(!matches!(ended, Err(Error::Forked)))) }
    }
    ended.unwrap();
}

#[test]
fn what_a_child_drops_stays_its_parents() {
    let context = context();
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap();
    let buffer = DeviceBuffer::new(&context, 4096).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    mapping.fill(5).unwrap();
    buffer.fill(6).unwrap();
    let (mut mapping, mut buffer, mut event) = (Some(mapping), Some(buffer), Some(event));
    // In the child, closing a value returns an error, and dropping a value reports nothing.
    let child = || {
        static TOLD: AtomicBool = AtomicBool::new(false);
        set_drop_hook(|_| TOLD.store(true, Ordering::Relaxed));
        drop((mapping.take(), buffer.take()));
        let destroyed = event.take().map(InterprocessEvent::destroy);
        matches!(destroyed, Some(Err(Error::Forked))) && !TOLD.load(Ordering::Relaxed)
    };
    assert!(holds_in_a_child(child));
    let (mapping, buffer, event) = (mapping.take().unwrap(), buffer.take().unwrap(), event.take().unwrap());
    let mut bytes = [0_u8; 2];
    mapping.read(0, &mut bytes[..1]).unwrap();
    buffer.read(0, &mut bytes[1..]).unwrap();
    assert_eq!(bytes, [5, 6]);
    mapping.unmap().unwrap();
    buffer.free().unwrap();
    event.destroy().unwrap();
}
