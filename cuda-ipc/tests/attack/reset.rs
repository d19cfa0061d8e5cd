//! The primary context is reset behind the layer's back. All values made in it are invalid, and their use gives errors.
//!
//! This runs on the reference driver only, which refuses handles of a destroyed context. NVIDIA's driver dereferences
//! them: on an H200 with driver 580.159.04, `cuMemsetD8Async` ended in SIGSEGV.

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ipc::MemHandle;
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Error, Parcel, Stream};

use crate::common::{device, driver};
use crate::peer::{Peer, roles};
use crate::{SIZE, alone, context, is_reference, met};

#[test]
fn what_was_in_a_context_that_was_reset_gives_errors() {
    assert!(is_reference(), "this needs the reference driver: --skip reset");
    let _alone = alone();
    let context = context();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    // Another process does the reset, because the reset ends the context of the process that calls it.
    let importer = Peer::start(module_path!(), "role_loses_its_context");
    buffer.share(..).unwrap().send(&importer.connection).unwrap();
    event.share().unwrap().send(&importer.connection).unwrap();
    importer.finish();
    // Only the other process lost its context.
    buffer.fill(1).unwrap();
    event.record(&Stream::default_of(&context)).unwrap();
}

/// Checks that the driver refused a call, with any code.
fn refused<T>(call: &str, result: Result<T, Error>) {
    let code = result.err().and_then(|error| error.code());
    assert!(code.is_some_and(|code| code != CUresult::CUDA_SUCCESS), "{call} succeeded");
}

fn reset() {
    // SAFETY: the test checks what the reset does to the values that were made in the context.
    assert_eq!(unsafe { driver().raw().cuDevicePrimaryCtxReset(0) }, Ok(CUresult::CUDA_SUCCESS));
}

roles! {
    fn role_loses_its_context(connection) {
        crate::start();
        let (memory, event) = (Parcel::receive(&connection).unwrap(), Parcel::receive(&connection).unwrap());
        let context = context();
        // SAFETY: the exporter keeps both as long as this process runs.
        let (import, imported_event) = unsafe { (memory.open(&context).unwrap(), event.open_event(&context).unwrap()) };
        let (stream, default) = (Stream::new(&context).unwrap(), Stream::default_of(&context));
        let event = InterprocessEvent::new(&context).unwrap();
        let (buffer, other) = (DeviceBuffer::new(&context, SIZE).unwrap(), DeviceBuffer::new(&context, SIZE).unwrap());
        let unit = granularity(device(), HandleTypes::NONE).unwrap();
        let mapping = {
            let allocation = Allocation::new(device(), unit, HandleTypes::NONE).unwrap();
            Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap()
        };
        let pool = Pool::new(device(), HandleTypes::NONE, None).unwrap();
        let pooled = PoolBuffer::new(&pool, SIZE, &stream).unwrap();
        // SAFETY: the text is a kernel of this workspace.
        let module = unsafe { Module::from_ptx(&context, kernels::FILL.ptx) }.unwrap();
        let function = module.function(kernels::FILL.entry).unwrap();
        let mut mirror = buffer.mirror::<u8>(0..4).unwrap();
        mirror[0] = 1;

        reset();

        refused("flush", mirror.flush());
        refused("refresh", mirror.refresh());
        drop(mirror);
        for memory in [&*buffer, &*import, &*mapping, &*pooled] {
            refused("read", memory.read(0, &mut [0_u8]));
            refused("write", memory.write(0, &[0_u8]));
            refused("fill", memory.fill(0));
            refused("copy", memory.copy_from(0, &other, 0, 1));
            refused("mirror", memory.mirror::<u8>(0..1));
            for stream in [&stream, &default] {
                // SAFETY: the calls are refused, so nothing is enqueued.
                unsafe {
                    refused("fill async", memory.fill_async(0, stream));
                    refused("write async", memory.write_async(0, &[0_u8], stream));
                    refused("read async", memory.read_async(0, &mut [0_u8], stream));
                    refused("copy async", memory.copy_from_async(0, &other, 0, 1, stream));
                    refused("write value", stream.write_value32(memory, 0, 1));
                    refused("wait value", stream.wait_value64(memory, 0, WaitValue::Equal, 1));
                }
            }
        }
        for stream in [&stream, &default] {
            refused("stream query", stream.query());
            refused("stream synchronize", stream.synchronize());
            for event in [&*event, &*imported_event] {
                refused("wait", stream.wait(event));
                refused("record", event.record(stream));
                refused("event query", event.query());
                refused("event synchronize", event.synchronize());
            }
            // SAFETY: the call is refused before any parameter is read.
            refused("launch", unsafe { function.launch(LaunchShape::linear(1, 1), stream, &mut [std::ptr::null_mut(); 3]) });
        }
        refused("share buffer", buffer.share(..));
        refused("share event", event.share());
        refused("handle", MemHandle::of_pointer(&context, buffer.pointer()));
        refused("function", module.function(kernels::FILL.entry));
        refused("synchronize", context.synchronize());
        refused("memory info", context.memory_info());
        refused("new stream", Stream::new(&context));
        refused("new event", InterprocessEvent::new(&context));
        refused("new buffer", DeviceBuffer::new(&context, SIZE));
        // SAFETY: as above.
        unsafe {
            refused("open", memory.open(&context));
            refused("load", Module::from_ptx(&context, kernels::FILL.ptx));
        }

        // Some of the values are closed and return the error. The others are dropped and report it to the hook.
        met();
        refused("free", buffer.free());
        refused("close", import.close());
        refused("destroy", event.destroy());
        assert!(met().is_empty());
        drop((other, imported_event, stream, pooled, default));
        drop((function, module));
        let told: Vec<_> = met().into_iter().map(|error| error.resource).collect();
        for resource in ["DeviceBuffer", "Event", "Stream", "PoolBuffer", "Module"] {
            assert!(told.contains(&resource), "{resource} is missing from {told:?}");
        }
        // Values that belong to no context are still valid.
        mapping.unmap().unwrap();
        pool.destroy().unwrap();
        assert!(met().is_empty());
        drop(context);
        met();

        // The process works in a new context.
        let context = Context::primary(device()).unwrap();
        let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
        buffer.fill(4).unwrap();
        buffer.free().unwrap();
        assert!(met().is_empty());
    }
}
