//! Measures what the layer adds to a call, in nanoseconds and allocations, and what a cache hit costs.
//!
//! `cargo bench -p cuda-ipc --bench calls` uses the driver that `CUDA_IPC_DRIVER` names, or else the reference driver.
//! After `--`, `--check` fails if a target is missed, and `--json FILE` writes the figures to a file.
//!
//! The raw call and the layer's call take turns, so that other load on the machine affects both. The figures are the
//! medians of both, and the median of their difference in a turn, with half of its 95% interval (±). If no context is
//! current, the raw call is made between a push and a pop, which a program without the layer would need.
//!
//! Calls that use a stream are compared in the same stream, because two streams of one process are up to 0.1 µs apart. Each
//! turn has a new stream, in which the layer goes first, and before that once unmeasured. The lines that begin with
//! *control* compare two raw calls in this order, to show that it costs nothing.
//!
//! The target of 50 ns is for a call that one operation makes, again and again: those that are listed here. A scope with one
//! piece of work makes two. Calls that set
//! something up do more than the C function, and may add more. On an H200 these add 0.1 to 0.8 µs, as the bench `paths`
//! measures: exporting an event, and opening and closing memory, a pool pointer or an event by a parcel. A wait for a number
//! in `scope_watching` remembers the wait in a list, which may allocate, and so does a scope from its fifth stream on.
//! In a stream whose raw handle other code has, each call of a scope also asks the driver whether the stream is being
//! captured, which takes 15 ns on an H100.

mod allocations;
mod cache;
#[path = "../common/driver.rs"]
mod driver;
mod measure;

use std::env;
use std::ffi::c_void;
use std::process::ExitCode;
use std::ptr;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::kernel::{Kernel, Write};
use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::stream::WaitValue;
use cuda_ipc::sys::{
    CUipcMemHandle, CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUpointer_attribute, CUresult, CUstream,
    MissingSymbol,
};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Driver, Stream};

use driver::{driver, ok};
use measure::{Expect, Figures, InStream, Repeat, Rounds};

const SIZE: usize = 2 << 20;
/// The size of the memory that an enqueued call works on. It is small, so the work is over before the queue is full.
const SMALL: usize = 64;

fn main() -> ExitCode {
    if cache::is_exporter() {
        cache::export(&context());
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let context = context();
    let (driver, device) = (context.driver(), context.device());
    println!("Driver: {}, CUDA {}, {}", driver.path().display(), driver.version(), device.name().expect("a name"));
    println!("{:34} {:>10} {:>10} {:>10} {:>8} {:>12}", "nanoseconds", "raw", "layer", "added", "±", "allocations");

    let mut figures = context.within(|| calls(&context, "current")).expect("the context can be made current");
    figures.extend(calls(&context, "not current"));
    figures.push(cache::hit(&context));

    let json = arguments.iter().skip_while(|argument| *argument != "--json").nth(1);
    if let Some(file) = json {
        let figures: Vec<_> = figures.iter().map(Figures::to_json).collect();
        let version = driver.version().to_string();
        let gpu = device.name().expect("a name");
        // A GPU's driver names its release here. There is no such file beside the reference driver.
        let release = std::fs::read_to_string("/sys/module/nvidia/version").ok().filter(|_| !is_reference(driver));
        let release = release.as_deref().map(str::trim);
        let report = serde_json::json!({
            "driver": driver.path(), "version": version, "release": release, "gpu": gpu, "figures": figures,
        });
        std::fs::write(file, format!("{report:#}\n")).expect("the file can be written");
    }
    let missed: Vec<_> = figures.iter().filter_map(Figures::missed).collect();
    missed.iter().for_each(|missed| println!("MISSED: {missed}"));
    if !missed.is_empty() && arguments.iter().any(|argument| argument == "--check") {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn is_reference(driver: Driver) -> bool {
    driver.path().ends_with("libreference_driver.so")
}

/// The primary context of the first device.
fn context() -> Context {
    Context::primary(driver().device(0).expect("a first device")).expect("a primary context")
}

/// Repeats a call in a scope of a stream. It is no function, because the compiler then cannot tell how long the slices live.
macro_rules! in_scope {
    (|$scoped:ident| $call:expr) => {
        &|stream, repeat| {
            let answer = stream.scope(|$scoped| Ok(repeat(&|| $call.unwrap())));
            answer.unwrap();
        }
    };
}

/// Measures each call through the raw interface and through the layer, with the context current or not.
fn calls(context: &Context, state: &str) -> Vec<Figures> {
    let driver = context.driver().raw();
    let event = InterprocessEvent::new(context).unwrap();
    let (buffer, other) = (DeviceBuffer::new(context, SIZE).unwrap(), DeviceBuffer::new(context, SMALL).unwrap());
    let small = DeviceBuffer::new(context, SMALL).unwrap();
    let size = granularity(context.device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(context.device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(context, &[&allocation], Access::ReadWrite).unwrap();
    let create = || Stream::non_blocking(context).unwrap();
    let stream = create();
    event.record(&stream).unwrap();
    stream.synchronize().unwrap();

    let is_current = state == "current";
    let raw = |call: &dyn Fn() -> Result<CUresult, MissingSymbol>| {
        if is_current {
            return ok(call());
        }
        // SAFETY: the context is live, and the pop removes the context that was pushed.
        unsafe {
            ok(driver.cuCtxPushCurrent(context.raw()));
            ok(call());
            ok(driver.cuCtxPopCurrent(&mut ptr::null_mut()));
        }
    };
    // The stream is held while calls are enqueued, because the work of the device would be measured as well.
    let gate = DeviceBuffer::new(context, SMALL).unwrap();
    let hold = |stream: &Stream| {
        gate.write(0, &[0_u32]).unwrap();
        // SAFETY: the gate lives until the stream is done.
        unsafe { stream.wait_value32(&gate, 0, WaitValue::Equal, 1) }.unwrap();
    };
    let finish = |stream: &Stream| {
        gate.write(0, &[1_u32]).unwrap();
        stream.synchronize().unwrap();
    };
    let enqueued = InStream { create: &create, calls: 100, before: &hold, after: &finish };
    let at_once = Rounds { calls: 2_000, before: &|| {}, after: &|| {} };
    let (device, location) = (context.device(), CUmemLocation::device(context.device().raw()));
    let access = CUmemAccessDesc { location, flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    let id = CUpointer_attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID;
    let output = |value: &mut u64| ptr::from_mut(value).cast::<c_void>();
    let named = |name: &str| format!("{name}, {state}");

    // SAFETY: the handles live until the end, and outputs are locals.
    let mut figures = unsafe {
        vec![
            measure::compare(named("event query"), &at_once, &|| raw(&|| driver.cuEventQuery(event.raw())), &|| {
                assert!(event.query().unwrap())
            }),
            measure::compare(
                named("get handle"),
                &at_once,
                &|| raw(&|| driver.cuIpcGetMemHandle(&mut CUipcMemHandle::default(), buffer.pointer())),
                &|| _ = buffer.ipc_handle().unwrap(),
            ),
            measure::compare(
                named("buffer id"),
                &at_once,
                &|| raw(&|| driver.cuPointerGetAttribute(output(&mut 0), id, buffer.pointer())),
                &|| _ = buffer.buffer_id().unwrap(),
            ),
            measure::compare(
                named("set access"),
                &at_once,
                // Neither call needs a context.
                &|| ok(driver.cuMemSetAccess(mapping.pointer(), size, &access, 1)),
                &|| mapping.set_access(device, Access::ReadWrite).unwrap(),
            ),
        ]
    };

    // SAFETY: the text is a kernel of this workspace with these parameters, which writes `count` words.
    let fill: Kernel<(Write<u32>, u32)> = unsafe {
        let module = Module::from_ptx(context, kernels::FILL.ptx).unwrap();
        Kernel::new(module.function(kernels::FILL.entry).unwrap())
    };
    let (mut words, mut count, mut seed) = (small.pointer(), SMALL as u64 / 4, 1_u32);
    let mut parameters = [output(&mut words), output(&mut count), ptr::from_mut(&mut seed).cast()];
    let parameters = parameters.as_mut_ptr();
    let (function, none) = (fill.function().raw(), ptr::null_mut());
    let (slice, from) = (small.slice::<u32>(..).unwrap(), other.slice::<u32>(..).unwrap());
    // SAFETY: handles and memory live until the end, and the end of each round waits for all enqueued work.
    unsafe {
        let write_raw = |stream| raw(&|| driver.cuStreamWriteValue32(stream, small.pointer(), 1, 0));
        let copy_raw = |stream| {
            let context = context.raw();
            raw(&|| driver.cuMemcpyPeerAsync(small.pointer(), context, other.pointer(), context, SMALL, stream));
        };
        let launch_raw =
            |stream| raw(&|| driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, none));
        let synchronize_raw = |stream| raw(&|| driver.cuStreamSynchronize(stream));
        let write_and_synchronize_raw = |stream| {
            raw(&|| {
                ok(driver.cuStreamWriteValue32(stream, small.pointer(), 1, 0));
                driver.cuStreamSynchronize(stream)
            });
        };
        let mut measure = |name, raw: &dyn Fn(CUstream), layer: &dyn Fn(&Stream, &mut Repeat<'_>)| {
            figures.push(measure::compare_in_stream(named(name), Expect::Calls(1), &enqueued, raw, layer));
        };
        measure("event record", &|stream| raw(&|| driver.cuEventRecord(event.raw(), stream)), &|stream, repeat| {
            repeat(&|| event.record(stream).unwrap());
        });
        measure(
            "memset async",
            &|stream| raw(&|| driver.cuMemsetD8Async(small.pointer(), 1, SMALL, stream)),
            &|stream, repeat| repeat(&|| small.fill_async(1, stream).unwrap()),
        );
        measure("write value", &write_raw, &|stream, repeat| {
            repeat(&|| stream.write_value32(&small, 0, 1).unwrap());
        });
        measure("memcpy async", &copy_raw, &|stream, repeat| {
            repeat(&|| small.copy_from_async(0, &other, 0, SMALL, stream).unwrap());
        });
        measure("scoped write value", &write_raw, in_scope!(|scoped| scoped.write_value(slice.value(0).unwrap(), 1)));
        measure(
            "scoped fill",
            &|stream| raw(&|| driver.cuMemsetD32Async(small.pointer(), 1, SMALL / 4, stream)),
            in_scope!(|scoped| scoped.fill(slice, 1)),
        );
        measure("scoped copy", &copy_raw, in_scope!(|scoped| scoped.copy(slice, from)));
        let shape = LaunchShape::linear(1, 1);
        measure("scoped launch", &launch_raw, in_scope!(|scoped| scoped.launch(&fill, shape, (slice, 1))));
        figures.push(measure::compare_in_stream(
            named("control: write value"),
            Expect::Control,
            &enqueued,
            &write_raw,
            &|stream, repeat| {
                let stream = stream.raw();
                repeat(&|| write_raw(stream));
            },
        ));
        let few = InStream { create: &create, calls: 50, before: &|_| {}, after: &|_| {} };
        let mut measure = |name, expect, raw: &dyn Fn(CUstream), layer: &dyn Fn(&Stream, &mut Repeat<'_>)| {
            figures.push(measure::compare_in_stream(named(name), expect, &few, raw, layer));
        };
        measure("scope without work", Expect::Calls(1), &synchronize_raw, &|stream, repeat| {
            repeat(&|| stream.scope(|_| Ok(())).unwrap());
        });
        measure("control: synchronize", Expect::Control, &synchronize_raw, &|stream, repeat| {
            let stream = stream.raw();
            repeat(&|| synchronize_raw(stream));
        });
        measure("scope of one write value", Expect::Calls(2), &write_and_synchronize_raw, &|stream, repeat| {
            repeat(&|| stream.scope(|scoped| scoped.write_value(slice.value(0)?, 1)).unwrap());
        });
        measure("control: write, synchronize", Expect::Control, &write_and_synchronize_raw, &|stream, repeat| {
            let stream = stream.raw();
            repeat(&|| write_and_synchronize_raw(stream));
        });
    }
    figures
}
