//! Any sequence of calls on values of every kind, dropped in any order, leaves nothing behind. In half of the runs, a
//! stream is busy meanwhile.

use std::cell::RefCell;
use std::collections::HashSet;
use std::mem::Discriminant;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::host::SharedPages;
use cuda_ipc::module::{Function, Module};
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::pool::{ImportedPool, ImportedPoolBuffer, Pool, PoolBuffer};
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::sys::{CUmemPool_attribute, CUmemoryPool, CUresult};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, ImportedAllocation, Mapping, Physical, Reservation, granularity};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, Error, Parcel, Stream};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

use crate::common::{device, driver};
use crate::peer::{Peer, roles};
use crate::{Alone, Holdings, SIZE, alone, context, is_reference, met, start};

const SLOTS: usize = 8;
/// The environment variable that a role sets for the program that it executes: how many descriptors the role began with.
const EXECUTED: &str = "CUDA_IPC_TEST_EXECUTED";
const DESCRIPTORS: HandleTypes = HandleTypes::POSIX_FILE_DESCRIPTOR;

/// A value of this process. If an `unsafe` call requires that another value lives as long, the variant holds that one
/// too.
enum Value {
    Context(Context),
    Stream(Stream),
    Event(InterprocessEvent),
    Buffer(DeviceBuffer),
    Allocation(Allocation),
    Descriptor(OwnedFd),
    Import(ImportedAllocation),
    Reservation(Reservation),
    Mapping(Mapping),
    Pool(Pool),
    PoolBuffer(Arc<PoolBuffer>),
    PoolImport(CUmemoryPool, ImportedPool),
    PoolPointer(ImportedPoolBuffer, Arc<PoolBuffer>),
    Function(Function),
    Parcel(Box<Parcel>),
    PeerAccess(PeerAccess),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    NewContext,
    PrimaryContext,
    NewStream,
    NewEvent,
    NewBuffer,
    NewAllocation,
    NewReservation,
    NewPool,
    LoadModule,
    /// The context of another device, if there is one.
    OtherContext,
    /// Lets a context reach the memory of the other device, or the other way round.
    EnablePeerAccess,
    MakePoolCurrent,
    /// Makes the most obvious value from another, such as a mapping from an allocation or an import from a descriptor.
    Derive,
    /// Makes a less obvious value, if there is one, such as a descriptor from an allocation.
    DeriveOtherwise,
    Clone,
    Share,
    Use,
    Close,
    Drop,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    const CREATE: [Step; 11] = [
        NewContext,
        PrimaryContext,
        NewStream,
        NewEvent,
        NewBuffer,
        NewAllocation,
        NewReservation,
        NewPool,
        LoadModule,
        OtherContext,
        EnablePeerAccess,
    ];
    prop_oneof![
        3 => prop::sample::select(CREATE.as_slice()),
        4 => prop::sample::select([Derive, DeriveOtherwise, Clone, Share, MakePoolCurrent].as_slice()),
        2 => Just(Use),
        2 => prop::sample::select([Close, Drop].as_slice()),
    ]
}

fn sequence() -> impl Strategy<Value = Vec<(Step, usize, usize)>> {
    let steps = vec((step(), 0..SLOTS, 0..SLOTS), 1..80);
    (prop::sample::select(&BEGINS[..]), steps).prop_map(|(begin, steps)| [begin, &steps].concat())
}

/// The most pools that are made current on a GPU. They are never destroyed, and an H200 keeps 32 MiB of a pool in which a
/// pointer was imported.
const CURRENT_ON_A_GPU: usize = 4;

/// Random steps rarely combine buffers of a pool, its import and pointers in it, or an allocation, its descriptor and its
/// import. So some sequences begin with them.
const BEGINS: [&[(Step, usize, usize)]; 3] = [
    &[],
    &[(Step::NewPool, 0, 0), (Step::Derive, 0, 1), (Step::Derive, 1, 2), (Step::Derive, 1, 3)],
    &[(Step::NewAllocation, 0, 0), (Step::DeriveOtherwise, 0, 1), (Step::Derive, 1, 2), (Step::Derive, 2, 3)],
];

thread_local! {
    /// The pools that were made current. They are never destroyed.
    static CURRENT: RefCell<HashSet<CUmemoryPool>> = RefCell::default();
}

struct Machine {
    slots: [Option<Value>; SLOTS],
    default: Context,
    /// The stream of the steps that find no other.
    stream: Stream,
    size: usize,
    /// Pools are shared over the fabric.
    fabric: bool,
}

impl Machine {
    /// Returns the first value that the predicate accepts, starting at a slot.
    fn near<'a, T>(&'a self, place: usize, is: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        (0..SLOTS).filter_map(|step| self.slots[(place + step) % SLOTS].as_ref()).find_map(is)
    }

    fn context(&self, place: usize) -> Context {
        self.near(place, |value| if let Value::Context(context) = value { Some(context.clone()) } else { None })
            .unwrap_or_else(|| self.default.clone())
    }

    fn stream(&self, place: usize) -> Stream {
        self.near(place, |value| if let Value::Stream(stream) = value { Some(stream.clone()) } else { None })
            .unwrap_or_else(|| self.stream.clone())
    }

    fn take(&mut self, step: Step, from: usize, to: usize) -> Result<(), Error> {
        let from =
            (from..from + SLOTS).map(|slot| slot % SLOTS).find(|slot| self.slots[*slot].is_some()).unwrap_or(from);
        let context = self.context(from);
        let made = match step {
            Step::NewContext => Value::Context(Context::new(device())?),
            Step::PrimaryContext => Value::Context(Context::primary(device())?),
            Step::NewStream => Value::Stream(Stream::non_blocking(&context)?),
            Step::NewEvent => Value::Event(InterprocessEvent::new(&context)?),
            Step::NewBuffer => Value::Buffer(DeviceBuffer::new(&context, SIZE)?),
            Step::NewAllocation => Value::Allocation(Allocation::new(device(), self.size, DESCRIPTORS)?),
            Step::NewReservation => Value::Reservation(Reservation::new(driver(), 2 * self.size, 0)?),
            Step::NewPool if self.fabric => {
                let pool = Pool::new(device(), HandleTypes::FABRIC, None)?;
                // Otherwise it could not be destroyed.
                pool.export_fabric()?;
                Value::Pool(pool)
            }
            Step::NewPool => Value::Pool(Pool::new(device(), DESCRIPTORS, None)?),
            Step::OtherContext => match other_context() {
                Some(context) => Value::Context(context?),
                None => return Ok(()),
            },
            Step::EnablePeerAccess => match other_context() {
                Some(other) if to.is_multiple_of(2) => Value::PeerAccess(PeerAccess::enable(&context, &other?)?),
                Some(other) => Value::PeerAccess(PeerAccess::enable(&other?, &context)?),
                None => return Ok(()),
            },
            Step::MakePoolCurrent => match &self.slots[from] {
                Some(Value::Pool(pool)) if is_reference() || CURRENT.with_borrow(HashSet::len) < CURRENT_ON_A_GPU => {
                    CURRENT.with_borrow_mut(|pools| pools.insert(pool.raw()));
                    return pool.make_current();
                }
                _ => return Ok(()),
            },
            Step::LoadModule => {
                // SAFETY: the text is a kernel of this workspace.
                let module = unsafe { Module::from_ptx(&context, kernels::FILL.ptx)? };
                Value::Function(module.function(kernels::FILL.entry)?)
            }
            Step::Derive => return self.derive(from, to, &context),
            Step::DeriveOtherwise => return self.derive_otherwise(from, to, &context),
            Step::Clone => match self.slots[from].as_ref().and_then(Value::duplicate) {
                Some(clone) => clone,
                None => return Ok(()),
            },
            Step::Share => match self.slots[from].as_ref().map(Value::share) {
                Some(Some(parcel)) => Value::Parcel(Box::new(parcel?)),
                _ => return Ok(()),
            },
            Step::Use => {
                let stream = self.stream(to);
                return self.slots[from].as_ref().map_or(Ok(()), |value| value.work(&stream));
            }
            Step::Close => return self.slots[from].take().map_or(Ok(()), Value::close),
            Step::Drop => {
                self.slots[from] = None;
                return Ok(());
            }
        };
        // This drops the value that was in the slot.
        self.slots[to] = Some(made);
        Ok(())
    }

    fn derive(&mut self, from: usize, to: usize, context: &Context) -> Result<(), Error> {
        let made = match &self.slots[from] {
            Some(Value::Allocation(memory)) => {
                Value::Mapping(Mapping::new(context, &[memory, memory], Access::ReadWrite)?)
            }
            Some(Value::Import(memory)) => Value::Mapping(Mapping::new(context, &[memory], Access::ReadWrite)?),
            Some(Value::Descriptor(memory)) => {
                Value::Import(ImportedAllocation::import(driver(), memory.as_fd(), self.size)?)
            }
            Some(Value::Pool(pool)) => Value::PoolBuffer(Arc::new(PoolBuffer::new(pool, SIZE, &self.stream(from))?)),
            Some(Value::PoolBuffer(buffer)) => {
                let import = self.near(from, |value| match value {
                    Value::PoolImport(pool, import) if *pool == buffer.pool().raw() => Some(import.clone()),
                    _ => None,
                });
                let Some(import) = import else { return self.import_pool(buffer.pool().clone(), to) };
                // SAFETY: the new value keeps the buffer alive, and each pool has at most one import here.
                let open = unsafe { import.open(context, &buffer.export()?)? };
                Value::PoolPointer(open, Arc::clone(buffer))
            }
            _ => return Ok(()),
        };
        self.slots[to] = Some(made);
        Ok(())
    }

    fn derive_otherwise(&mut self, from: usize, to: usize, context: &Context) -> Result<(), Error> {
        let made = match &self.slots[from] {
            Some(Value::Allocation(memory)) => Value::Descriptor(memory.export()?),
            Some(Value::Reservation(range)) => {
                let memory = self.near(to, |value| match value {
                    Value::Allocation(memory) => Some(Physical::clone(memory)),
                    Value::Import(memory) => Some(Physical::clone(memory)),
                    _ => None,
                });
                let Some(memory) = memory else { return Ok(()) };
                Value::Mapping(Mapping::in_range(context, range, self.size * (to % 2), &[&memory], Access::ReadWrite)?)
            }
            Some(Value::Mapping(mapping)) => Value::Reservation(mapping.reservation().clone()),
            Some(Value::Pool(pool)) => return self.import_pool(pool.clone(), to),
            _ => return Ok(()),
        };
        self.slots[to] = Some(made);
        Ok(())
    }

    /// Imports a pool, unless an import of the pool or of one of its pointers exists.
    fn import_pool(&mut self, pool: Pool, to: usize) -> Result<(), Error> {
        let raw = pool.raw();
        let is_of = |value: &Value| match value {
            Value::PoolImport(of, _) => *of == raw,
            Value::PoolPointer(_, buffer) => buffer.pool().raw() == raw,
            _ => false,
        };
        if !self.slots.iter().flatten().any(is_of) {
            let import = if self.fabric {
                // SAFETY: the bytes are those that the driver has just given.
                unsafe { ImportedPool::import_fabric(device(), &pool.export_fabric()?)? }
            } else {
                ImportedPool::import(device(), pool.export()?.as_fd())?
            };
            self.slots[to] = Some(Value::PoolImport(raw, import));
        }
        Ok(())
    }
}

/// Returns the primary context of the second device.
fn other_context() -> Option<Result<Context, Error>> {
    driver().device(1).ok().map(Context::primary)
}

impl Value {
    fn memory(&self) -> Option<&DeviceMemory> {
        Some(match self {
            Self::Buffer(memory) => memory,
            Self::Mapping(memory) => memory,
            Self::PoolBuffer(memory) => memory,
            Self::PoolPointer(memory, _) => memory,
            _ => return None,
        })
    }

    fn duplicate(&self) -> Option<Self> {
        Some(match self {
            Self::Context(value) => Self::Context(value.clone()),
            Self::Stream(value) => Self::Stream(value.clone()),
            Self::Allocation(value) => Self::Allocation(value.clone()),
            Self::Descriptor(value) => Self::Descriptor(value.try_clone().unwrap()),
            Self::Import(value) => Self::Import(value.clone()),
            Self::Reservation(value) => Self::Reservation(value.clone()),
            Self::Pool(value) => Self::Pool(value.clone()),
            Self::PoolBuffer(value) => Self::PoolBuffer(Arc::clone(value)),
            Self::PoolImport(raw, value) => Self::PoolImport(*raw, value.clone()),
            Self::PoolPointer(value, buffer) => Self::PoolPointer(value.clone(), Arc::clone(buffer)),
            Self::Function(value) => Self::Function(value.clone()),
            _ => return None,
        })
    }

    fn share(&self) -> Option<Result<Parcel, Error>> {
        Some(match self {
            Self::Event(value) => value.share(),
            Self::Buffer(value) => value.share(1..),
            Self::Mapping(value) => value.share(..=5, Access::Read),
            Self::PoolBuffer(value) => value.share(..),
            _ => return None,
        })
    }

    /// Uses a value. Live memory can be read and written, whatever happened before. The driver may refuse other calls.
    fn work(&self, stream: &Stream) -> Result<(), Error> {
        // The context of another device reaches no memory of the pools.
        let is_pooled = matches!(self, Self::PoolBuffer(_) | Self::PoolPointer(..));
        if let Some(memory) = self.memory().filter(|memory| !is_pooled || memory.context().device() == device()) {
            let end = memory.size() - 1;
            memory.write(end, &[7_u8]).unwrap();
            let mut mirror = memory.mirror::<u8>(end..memory.size()).unwrap();
            assert_eq!(*mirror, [7]);
            mirror[0] = 8;
            drop(mirror);
            memory.buffer_id().unwrap();
        }
        match self {
            Self::Context(value) => value.synchronize(),
            Self::Stream(value) => value.synchronize(),
            // The event and the stream may belong to different contexts.
            Self::Event(value) => {
                value.record(stream).and_then(|()| stream.wait(value)).and_then(|()| value.synchronize())
            }
            Self::Mapping(value) => value.set_access(device(), Access::ReadWrite),
            Self::Parcel(value) => {
                // SAFETY: the parcel is refused before the driver is called.
                let refused = unsafe { value.open(stream.context()) };
                assert!(matches!(refused, Err(Error::OwnTicket)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn close(self) -> Result<(), Error> {
        match self {
            Self::Context(value) => value.release(),
            Self::Stream(value) => value.destroy(),
            Self::Event(value) => value.destroy(),
            Self::Buffer(value) => value.free(),
            Self::Reservation(value) => value.free(),
            Self::Mapping(value) => value.unmap(),
            Self::Pool(value) => value.destroy(),
            Self::PoolBuffer(value) => Arc::into_inner(value).map_or(Ok(()), PoolBuffer::free),
            Self::PoolImport(_, value) => value.close(),
            Self::PoolPointer(value, _buffer) => value.close(),
            Self::Function(value) => value.module().clone().unload(),
            Self::PeerAccess(value) => value.disable(),
            Self::Allocation(_) | Self::Descriptor(_) | Self::Import(_) | Self::Parcel(_) => Ok(()),
        }
        .map_err(|error| panic!("cannot close a live value: {error}"))
    }
}

/// Returns a number of bytes of a pool that was made current.
fn attribute(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> u64 {
    let mut bytes = 0_u64;
    // SAFETY: the pool exists until the process ends, and the output is a local of the attribute's type.
    let answer = unsafe { driver().raw().cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast()) };
    assert_eq!(answer, Ok(CUresult::CUDA_SUCCESS));
    bytes
}

/// The kinds of values that existed after some step.
type Seen = HashSet<Discriminant<Value>>;

fn run(steps: &[(Step, usize, usize)], stream: Stream, fabric: bool, seen: &mut Seen) {
    drop(values_of(steps, stream, fabric, seen));
}

/// Takes steps, and returns the values that exist after the last one.
fn values_of(steps: &[(Step, usize, usize)], stream: Stream, fabric: bool, seen: &mut Seen) -> Machine {
    let size = granularity(device(), DESCRIPTORS).unwrap();
    let mut machine = Machine { slots: Default::default(), default: context(), stream, size, fabric };
    for (step, from, to) in steps {
        if let Err(error) = machine.take(*step, *from, *to) {
            // Expected: the range is taken or too small, the event is of another context, the memory is imported, or the
            // context's device has no access to the pool.
            let is_ours = matches!(error, Error::NotTheOwner | Error::OutOfBounds { .. } | Error::NoAccess { .. });
            assert!(is_ours || error.code().is_some(), "{step:?}: {error}");
        }
        seen.extend(machine.slots.iter().flatten().map(std::mem::discriminant));
    }
    machine
}

/// Runs steps while a stream is busy. The stream is also the one of the steps that find no other.
fn run_beside_work(steps: &[(Step, usize, usize)], fabric: bool, seen: &mut Seen) {
    const WAITS: u32 = 20;
    let context = context();
    let busy = Stream::non_blocking(&context).unwrap();
    let number = SharedPages::<u32>::new(&context, 1).unwrap();
    let memory = DeviceBuffer::new(&context, SIZE).unwrap();
    stream::scope(|scope| {
        let work = scope.on(&busy);
        for wait in 1..=WAITS {
            work.wait_value(number.memory().slice(..1)?, WaitValue::GreaterOrEqual, wait)?;
            work.fill(memory.slice(..)?, wait)?;
        }
        std::thread::scope(|threads| {
            // A CPU store: a call of the driver could wait for the call of a step, which waits for the stream.
            threads.spawn(|| {
                for wait in 1..=WAITS {
                    std::thread::sleep(Duration::from_micros(200));
                    number.numbers()[0].store(wait, Ordering::Release);
                }
            });
            run(steps, busy.clone(), fabric, seen);
        });
        Ok(())
    })
    .unwrap();
    assert!(memory.snapshot::<u32>(..).unwrap().iter().all(|word| *word == WAITS));
}

#[test]
fn any_sequence_of_calls_leaves_nothing() {
    let _alone: Alone = alone();
    has_every_kind(&leaves_nothing(false, 200));
}

/// On a GPU, the process finds the fabric as it is.
#[test]
fn any_sequence_of_calls_leaves_nothing_of_pools_for_the_fabric() {
    let _alone = alone();
    // Several processes, because a role ends after a minute, and two H200 took longer for 200 sequences.
    for _ in 0..4 {
        Peer::start(module_path!(), "role_has_a_fabric").finish();
    }
}

/// The program that is executed inherits no descriptor, and the driver frees what the program before it held.
#[test]
fn a_program_that_is_executed_amid_any_sequence_begins_anew() {
    let _alone = alone();
    let context = context();
    let before = Holdings::now(&context);
    for _ in 0..4 {
        Peer::start(module_path!(), "role_executes_itself_amid_a_sequence").finish();
        assert_eq!(Holdings::now(&context), before);
    }
}

/// Takes random sequences, each of which must leave nothing, and returns the kinds of values that they made.
fn leaves_nothing(fabric: bool, cases: u32) -> Seen {
    let context = context();
    let stream = || Stream::default_of(&context);
    // The driver creates some resources at their first use and keeps them. `before` includes them.
    let every = [Step::NewContext, Step::NewStream, Step::NewEvent, Step::NewBuffer, Step::NewPool, Step::LoadModule];
    let every: Vec<_> = every.iter().enumerate().map(|(slot, step)| (*step, slot, slot)).collect();
    run(&every, stream(), fabric, &mut Seen::new());
    run_beside_work(&every, fabric, &mut Seen::new());
    let before = Holdings::now(&context);
    let seen = RefCell::new(Seen::new());
    let config =
        Config { cases, failure_persistence: Some(Box::new(FileFailurePersistence::Off)), ..Config::default() };
    proptest!(config, |(is_busy: bool, steps in sequence())| {
        let seen = &mut seen.borrow_mut();
        if is_busy { run_beside_work(&steps, fabric, seen) } else { run(&steps, stream(), fabric, seen) }
        let errors = met();
        prop_assert!(errors.is_empty(), "{errors:?}");
        let mut expected = before.clone();
        CURRENT.with_borrow(|pools| {
            for pool in pools {
                assert_eq!(attribute(*pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
                let reserved = attribute(*pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
                expected.free_memory -= reserved as usize;
                // A pool of the reference driver has a descriptor.
                expected.descriptors.extend(is_reference().then(|| "a pool that was made current".to_owned()));
            }
        });
        prop_assert_eq!(Holdings::now(&context), expected);
    });
    Pool::default_of(device()).unwrap().make_current().unwrap();
    seen.into_inner()
}

fn has_every_kind(seen: &Seen) {
    let kinds = if other_context().is_some() { 16 } else { 15 };
    assert_eq!(seen.len(), kinds, "every kind of value was made");
}

roles! {
    fn role_has_a_fabric(_connection) {
        // SAFETY: the driver is not loaded yet, and no other thread of this process uses the environment.
        unsafe { std::env::set_var("REFERENCE_DRIVER_FABRIC", "channel") };
        start();
        has_every_kind(&leaves_nothing(is_reference(), 60));
    }

    fn role_executes_itself_amid_a_sequence(connection) {
        start();
        let descriptors = Holdings::descriptors();
        if let Ok(before) = std::env::var(EXECUTED) {
            assert_eq!(descriptors.len().to_string(), before, "{descriptors:?}");
            leaves_nothing(false, 10);
            return;
        }
        let steps = sequence().new_tree(&mut TestRunner::default()).unwrap().current();
        println!("before the program is executed: {steps:?}");
        let _values = values_of(&steps, Stream::default_of(&context()), false, &mut Seen::new());
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(std::env::args_os().skip(1)).env(EXECUTED, descriptors.len().to_string()).stdin(OwnedFd::from(connection));
        panic!("{}", program.exec());
    }
}
