//! The state of a role's process, and the release of its resources.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;
use std::sync::{Barrier, PoisonError, RwLock};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use cuda_ipc_sys::{CUevent_flags, Driver, LoadError};

use super::descriptor::close;
use super::ledger::{Cleanness, Ledger, Problem, Resource};
use crate::message::{Envelope, Greeting, Refused};
use crate::{Pointer, log, message, trace};
use peer::wire::{Channel, Frame, ReceiveError};

/// A function that performs an encoded call and returns the encoded answer.
pub(crate) type Perform = fn(&[u8], &mut Session) -> Vec<u8>;

/// The state of a role's process.
pub(crate) struct Session {
    pub(crate) driver: &'static Driver,
    pub(crate) device: i32,
    pub(crate) ledger: Ledger,
    pub(crate) functions: HashMap<(u64, &'static CStr), u64>,
    context: u64,
    received: Vec<OwnedFd>,
    /// The descriptors to send to the runner with the next answer.
    sent: Vec<OwnedFd>,
    host_memory: Vec<Vec<u64>>,
    /// The programs that this role started to hold a descriptor.
    pub(crate) holders: Vec<std::process::Child>,
    spoiled: Vec<String>,
    descriptors_before: Vec<String>,
    channel: Option<Channel>,
    /// The number of the call that is performed.
    number: u64,
}

/// Whether the process can open some more files. A driver that cannot reports any error.
fn has_descriptors() -> bool {
    const SOME: usize = 8;
    let files: Result<Vec<_>, _> = (0..SOME).map(|_| std::fs::File::open("/dev/null")).collect();
    files.is_ok()
}

impl Session {
    pub(super) fn start(device: i32, initialised: bool) -> Result<Self, Greeting> {
        let driver = Driver::get().map_err(|error| {
            let why = match &error {
                // The runner names the library in this variable, and the user may have done so in another way.
                LoadError::BadVariable { error, .. } => error.as_ref(),
                _ => &error,
            };
            Greeting::NoDriver(why.to_string())
        })?;
        let mut session = Self {
            driver,
            device,
            ledger: Ledger::default(),
            functions: HashMap::new(),
            context: 0,
            received: Vec::new(),
            sent: Vec::new(),
            host_memory: Vec::new(),
            holders: Vec::new(),
            spoiled: Vec::new(),
            descriptors_before: Vec::new(),
            channel: None,
            number: 0,
        };
        if !initialised {
            return Ok(session);
        }
        session.initialise().map_err(|refused| match refused {
            Refused::Driver { function, code, .. } => {
                let code = cuda_ipc_sys::CUresult(code);
                if code == cuda_ipc_sys::CUresult::CUDA_ERROR_NO_DEVICE {
                    Greeting::NoDevice(format!("{function} returned {code}"))
                } else {
                    Greeting::NoDriver(format!("{function} returned {code}"))
                }
            }
            Refused::Missing(message)
            | Refused::Unsupported(message)
            | Refused::Unusable(message)
            | Refused::Role(message) => Greeting::NoDriver(message),
        })?;
        let count = session.device_count().unwrap_or(0);
        if device >= count {
            return Err(Greeting::NoDevice(format!("device {device} does not exist: the driver has {count}")));
        }
        session.ready().map_err(|refused| match refused {
            // The role failed, for example because it has no descriptor left: that says nothing about the device.
            Refused::Role(message) => Greeting::NoDriver(format!("device {device} was not tried: {message}")),
            refused if !has_descriptors() => Greeting::NoDriver(format!(
                "device {device} was not tried: {refused}, and the process can hardly have more open files: raise its limit \
                 (ulimit -n)"
            )),
            refused => Greeting::NoDevice(format!("device {device} cannot be used: {refused}")),
        })?;
        Ok(session)
    }

    fn initialise(&mut self) -> Result<(), Refused> {
        let session = self;
        cuda!(session.cuInit(0));
        Ok(())
    }

    pub(crate) fn device_count(&mut self) -> Result<i32, Refused> {
        let session = self;
        let mut count = 0;
        cuda!(session.cuDeviceGetCount(&mut count));
        Ok(count)
    }

    /// Makes the primary context current, and uses the features for which a driver allocates resources at first use.
    fn ready(&mut self) -> Result<(), Refused> {
        let session = self;
        let mut context = ptr::null_mut();
        let device = session.device;
        cuda!(session.cuDevicePrimaryCtxRetain(&mut context, device));
        cuda!(session.cuCtxSetCurrent(context));
        session.context = context as u64;
        for size in [512, 4 << 20] {
            let mut pointer = 0;
            cuda!(session.cuMemAlloc(&mut pointer, size));
            cuda!(session.cuMemsetD8(pointer, 0, size));
            cuda!(session.cuMemFree(pointer));
        }
        // If interprocess events are not supported, the cases that need them report it.
        let _ = session.use_an_interprocess_event();
        session.load_kernels()?;
        log::listen(session.driver);
        cuda!(session.cuCtxSynchronize());
        session.descriptors_before = descriptors()?;
        Ok(())
    }

    fn use_an_interprocess_event(&mut self) -> Result<(), Refused> {
        let session = self;
        let mut event = ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
        let blocking = flags | CUevent_flags::CU_EVENT_BLOCKING_SYNC;
        // A driver may support only one of these two kinds.
        let mut create = |flags: u32| -> Result<(), Refused> {
            cuda!(session.cuEventCreate(&mut event, flags));
            Ok(())
        };
        create(flags.0).or_else(|_| create(blocking.0))?;
        cuda!(session.cuEventDestroy(event));
        Ok(())
    }

    /// Performs calls and sends their answers until the runner has ended. `perform` decodes a call, performs it and
    /// encodes its answer.
    pub(super) fn answer_calls(&mut self, channel: Channel, perform: Perform) -> Result<(), ReceiveError> {
        self.channel = Some(channel);
        while let Some(channel) = &self.channel {
            let Frame { bytes, descriptors } = match channel.receive(None) {
                Ok(frame) => frame,
                Err(ReceiveError::Closed) => break,
                Err(error) => return Err(error),
            };
            self.received = descriptors;
            let undecodable = |error| ReceiveError::Io(std::io::Error::other(error));
            let (number, call) = message::number(&bytes).map_err(undecodable)?;
            self.number = number;
            let began = Instant::now();
            let answer = perform(call, self);
            self.answer(&answer, began.elapsed()).map_err(ReceiveError::Io)?;
        }
        Ok(())
    }

    /// Sends the answer to the call that is performed, with the descriptors that belong to it.
    pub(crate) fn answer(&mut self, answer: &[u8], took: Duration) -> std::io::Result<()> {
        let sealed = Envelope { number: self.number, took }.seal(answer);
        self.send_frame(&sealed)
    }

    /// Sends bytes to the runner, whatever they are.
    pub(crate) fn send_frame(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let sent = std::mem::take(&mut self.sent);
        let Some(channel) = &self.channel else { return Ok(()) };
        let descriptors: Vec<_> = sent.iter().map(AsFd::as_fd).collect();
        channel.send(bytes, &descriptors, None)
    }

    /// Allocates zeroed memory of the process that lives until the case ends.
    pub(crate) fn host_memory(&mut self, size: usize) -> Pointer {
        let mut words = vec![0_u64; size.div_ceil(8)];
        let pointer = Pointer(words.as_mut_ptr() as u64);
        self.host_memory.push(words);
        pointer
    }

    /// Takes the descriptor that came with this call.
    pub(crate) fn received_descriptor(&mut self) -> Result<OwnedFd, Refused> {
        let received = self.received.pop();
        let received = received.ok_or_else(|| Refused::Role("the call came without a descriptor".to_owned()))?;
        trace::descriptor(received.as_fd());
        Ok(received)
    }

    /// Sends a descriptor with the answer to this call.
    pub(crate) fn send(&mut self, descriptor: OwnedFd) {
        self.sent.push(descriptor);
    }

    /// Marks the role as unable to serve another case.
    pub(crate) fn spoil(&mut self, reason: &str) {
        self.spoiled.push(reason.to_owned());
    }

    /// Performs a call on several threads at once, all with this thread's context. Returns one result per thread,
    /// because resources of the threads that succeeded must be released even if others failed. If the system has not
    /// enough threads, none performs the call.
    pub(crate) fn on_threads<T: Send>(
        &mut self,
        threads: usize,
        call: impl Fn(&ThreadSession) -> Result<T, Refused> + Sync,
    ) -> Result<Vec<Result<T, Refused>>, Refused> {
        let session = self;
        let mut context = ptr::null_mut();
        cuda!(session.cuCtxGetCurrent(&mut context));
        let shared = ThreadSession { driver: session.driver };
        let (call, shared, context) = (&call, &shared, context as u64);
        let (start, all_exist) = (&Barrier::new(threads), &RwLock::new(false));
        thread::scope(|scope| {
            let one = move || {
                let session = shared;
                // At the barrier, a thread would wait for ever for one that does not exist.
                if !*all_exist.read().unwrap_or_else(PoisonError::into_inner) {
                    return Err(Refused::Role("another thread does not exist".to_owned()));
                }
                start.wait();
                cuda!(session.cuCtxSetCurrent(context as _));
                call(shared)
            };
            let mut exist = all_exist.write().unwrap_or_else(PoisonError::into_inner);
            let running = (0..threads).map(|_| thread::Builder::new().spawn_scoped(scope, one));
            let running: std::io::Result<Vec<_>> = running.collect();
            *exist = running.is_ok();
            drop(exist);
            let running = running.map_err(|error| Refused::Role(format!("cannot start a thread: {error}")))?;
            let join = |thread: ScopedJoinHandle<'_, Result<T, Refused>>| {
                thread.join().unwrap_or_else(|_| Err(Refused::Role("a thread panicked".to_owned())))
            };
            Ok(running.into_iter().map(join).collect())
        })
    }

    pub(crate) fn give_back_imports(&mut self) -> Vec<Problem> {
        self.give_back(Resource::is_import)
    }

    pub(crate) fn give_back_and_prove(&mut self) -> Cleanness {
        let mut problems = self.give_back(|_| true);
        self.host_memory.clear();
        self.received.clear();
        self.end_holders(&mut problems);
        // The other contexts are destroyed, and the driver may reuse their handles.
        let own = self.context;
        self.functions.retain(|(context, _), _| *context == own);
        let session = &mut *self;
        let proof = (|| {
            let mut current = ptr::null_mut();
            cuda!(session.cuCtxGetCurrent(&mut current));
            cuda!(session.cuCtxSetCurrent(session.context as _));
            cuda!(session.cuCtxSynchronize());
            Ok::<_, Refused>(descriptors()?)
        })();
        let mut spoiled = std::mem::take(&mut self.spoiled);
        match proof {
            Err(refused) => {
                // A role without initialisation has no context, and one that reset its context broke it on purpose.
                if own != 0 && spoiled.is_empty() {
                    // No single call is to blame: the code is that of an earlier one.
                    problems.push(Problem::new(format!("the context no longer works: {refused}"), None));
                } else {
                    spoiled.push("it has no context".to_owned());
                }
                Cleanness { problems, spoiled, ..Cleanness::default() }
            }
            Ok(mut left) => {
                for descriptor in &self.descriptors_before {
                    if let Some(index) = left.iter().position(|other| other == descriptor) {
                        left.remove(index);
                    }
                }
                Cleanness { problems, spoiled, descriptors_left: left }
            }
        }
    }

    fn end_holders(&mut self, problems: &mut Vec<Problem>) {
        for mut holder in self.holders.drain(..) {
            drop(holder.stdin.take());
            if let Err(error) = holder.wait() {
                let what = format!("cannot wait for a program that the role started: {error}");
                problems.push(Problem::new(what, None));
            }
        }
    }

    /// Releases the resources that qualify, newest first. Returns a problem for each resource that the driver refuses
    /// to release.
    fn give_back(&mut self, qualifies: impl Fn(&Resource) -> bool) -> Vec<Problem> {
        let mut problems = Vec::new();
        let session = self;
        let primary = session.context;
        // A role without a context of the harness has none to return to. An error shows in the calls that follow.
        let _ = (|| {
            if primary != 0 {
                cuda!(session.cuCtxSetCurrent(primary as _));
            }
            Ok::<_, Refused>(())
        })();
        while let Some(resource) = session.ledger.take_newest(&qualifies) {
            if let Err(refused) = session.give_back_one(&resource) {
                problems.push(Problem::kept(&resource, refused));
            }
        }
        problems
    }

    fn give_back_one(&mut self, resource: &Resource) -> Result<(), Refused> {
        let session = self;
        match *resource {
            Resource::Allocation(pointer) => cuda!(session.cuMemFree(pointer)),
            Resource::StreamOrdered(pointer) => {
                cuda!(session.cuMemFreeAsync(pointer, ptr::null_mut()));
                cuda!(session.cuStreamSynchronize(ptr::null_mut()));
                let mut pool = ptr::null_mut();
                let device = session.device;
                cuda!(session.cuDeviceGetDefaultMemPool(&mut pool, device));
                cuda!(session.cuMemPoolTrimTo(pool, 0));
            }
            Resource::PinnedHost(pointer) => cuda!(session.cuMemFreeHost(pointer as _)),
            Resource::RegisteredHost(pointer) => cuda!(session.cuMemHostUnregister(pointer as _)),
            Resource::Import(pointer) => cuda!(session.cuIpcCloseMemHandle(pointer)),
            Resource::Event(event) | Resource::ImportedEvent(event) => cuda!(session.cuEventDestroy(event as _)),
            Resource::Stream(stream) => cuda!(session.cuStreamDestroy(stream as _)),
            Resource::Context(context) => cuda!(session.cuCtxDestroy(context as _)),
            Resource::PrimaryContext(device) => cuda!(session.cuDevicePrimaryCtxRelease(device)),
            Resource::PeerAccess(peer) => cuda!(session.cuCtxDisablePeerAccess(peer as _)),
            Resource::ImportedPointer(pointer) => {
                cuda!(session.cuMemFreeAsync(pointer, ptr::null_mut()));
                cuda!(session.cuStreamSynchronize(ptr::null_mut()));
            }
            Resource::Pool(pool) | Resource::ImportedPool(pool) => cuda!(session.cuMemPoolDestroy(pool as _)),
            Resource::Physical(handle) => cuda!(session.cuMemRelease(handle)),
            Resource::Reservation(address, size) => cuda!(session.cuMemAddressFree(address, size)),
            Resource::Mapping(address, size) => cuda!(session.cuMemUnmap(address, size)),
            Resource::Module(module) => cuda!(session.cuModuleUnload(module as _)),
            Resource::Graph(graph) => cuda!(session.cuGraphDestroy(graph as _)),
            Resource::GraphExec(executable) => cuda!(session.cuGraphExecDestroy(executable as _)),
            Resource::Descriptor(descriptor) => close(descriptor)?,
        }
        Ok(())
    }

    /// Replaces this program by itself. The runner's socket becomes standard input again, where the new program looks
    /// for it. Returns why that failed.
    pub(crate) fn exec_itself(&mut self) -> Refused {
        use std::os::unix::process::CommandExt as _;
        let Some(channel) = self.channel.take() else { return Refused::Role("the role has no socket".to_owned()) };
        let socket = channel.into_socket();
        let inherited = match rustix::stdio::dup2_stdin(&socket) {
            Ok(()) => {
                let arguments = std::env::args_os().skip(1);
                std::process::Command::new("/proc/self/exe").args(arguments).exec()
            }
            Err(error) => error.into(),
        };
        self.channel = Some(Channel::from_socket(socket));
        Refused::Role(format!("cannot start again: {inherited}"))
    }

    /// Sends empty frames for ever, many at a time, so that the runner cannot read them as fast. For a check of the harness.
    pub(crate) fn flood(&mut self) -> ! {
        use std::io::Write as _;
        if let Some(channel) = self.channel.take() {
            let mut socket = std::fs::File::from(channel.into_socket());
            while socket.write_all(&[0; 1 << 16]).is_ok() {}
        }
        std::process::exit(0);
    }

    /// Sends half an answer and exits, for a check of the harness.
    pub(crate) fn announce_and_exit(&mut self) {
        use std::io::Write as _;
        if let Some(channel) = self.channel.take() {
            let mut socket = std::fs::File::from(channel.into_socket());
            let _ = socket.write_all(&100_u32.to_le_bytes()).and_then(|()| socket.write_all(b"half"));
        }
        std::process::exit(0);
    }
}

/// Returns the target of each open descriptor of the process.
fn descriptors() -> std::io::Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        // A descriptor may be closed before its link is read. The descriptor of this listing is removed below.
        if let Ok(target) = std::fs::read_link(entry?.path()) {
            targets.push(target.to_string_lossy().into_owned());
        }
    }
    targets.retain(|target| !target.ends_with("/fd"));
    Ok(targets)
}

/// The state that a thread of a role needs to perform calls.
pub(crate) struct ThreadSession {
    pub(crate) driver: &'static Driver,
}
