//! The role's side: a process that performs calls until its runner is gone.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, FromRawFd as _, OwnedFd};
use std::ptr;

use cuda_ipc_sys::{CUevent_flags, Driver};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};

use crate::Pointer;
use crate::calls::{AnyCall, Refused};
use crate::role::child::{self, CHILD_ARGUMENT};
use crate::role::ledger::{Cleanness, Ledger, Resource};
use crate::role::user::become_user;
use crate::wire::{Channel, Frame, ReceiveError};

/// The hidden first argument of a role's process.
pub(crate) const ROLE_ARGUMENT: &str = "--conformance-role";

/// The last argument of a role's process that does not call `cuInit`.
pub(crate) const UNINITIALISED_ARGUMENT: &str = "uninitialised";

/// What the number of a user follows, in an argument of a role that is to become that user.
pub(crate) const USER_ARGUMENT: &str = "user=";

/// What the runner is told first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    /// The driver is loaded and a context is current.
    Ready,
    /// There is no driver, or it does not start.
    NoDriver(String),
    /// The driver works, and there is no device for this role, or it cannot be what it should.
    NoDevice(String),
}

/// What a role's process holds.
pub(crate) struct Session {
    pub(crate) driver: &'static Driver,
    pub(crate) device: i32,
    pub(crate) ledger: Ledger,
    pub(crate) functions: HashMap<(u64, &'static CStr), u64>,
    context: u64,
    received: Vec<OwnedFd>,
    /// What goes to the runner with the next answer.
    sent: Vec<OwnedFd>,
    host_memory: Vec<Vec<u64>>,
    /// Programs that this role started and that hold a descriptor.
    pub(crate) holders: Vec<std::process::Child>,
    spoiled: Vec<String>,
    descriptors_before: Vec<String>,
    channel: Option<Channel>,
}

/// Where this process is a role, or a program that one started, be it, and do not return.
pub fn serve_if_role() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(ROLE_ARGUMENT) => {}
        Some(CHILD_ARGUMENT) => std::process::exit(i32::from(child::serve(arguments).is_err())),
        _ => return,
    }
    let device = arguments.next().and_then(|device| device.parse().ok()).unwrap_or(0);
    let runner = arguments.next().and_then(|runner| runner.parse().ok());
    let (mut initialised, mut user) = (true, None);
    for argument in arguments {
        initialised &= argument != UNINITIALISED_ARGUMENT;
        user = user.or_else(|| argument.strip_prefix(USER_ARGUMENT)?.parse().ok());
    }
    std::process::exit(match serve(device, runner, initialised, user) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("role: {error}");
            1
        }
    });
}

fn serve(device: i32, runner: Option<i32>, initialised: bool, user: Option<u32>) -> Result<(), ReceiveError> {
    // The runner's end of the connection is our standard input until here.
    let channel = connect().map_err(ReceiveError::Io)?;
    let became = user.map_or(Ok(()), become_user);
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| ReceiveError::Io(error.into()))?;
    // The runner may have died before the signal was asked for.
    if Some(rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get())) != runner {
        return Ok(());
    }
    let greeted = match became {
        Ok(()) => Session::start(device, initialised),
        Err(error) => Err(Greeting::NoDevice(format!("it cannot be another user: {error}"))),
    };
    let greeting = match &greeted {
        Ok(_) => Greeting::Ready,
        Err(greeting) => greeting.clone(),
    };
    let bytes = postcard::to_stdvec(&greeting).map_err(|error| ReceiveError::Io(std::io::Error::other(error)))?;
    channel.send(&bytes, &[]).map_err(ReceiveError::Io)?;
    let Ok(mut session) = greeted else { return Ok(()) };
    session.channel = Some(channel);
    session.answer_calls()
}

/// Take the connection off descriptor 0, which some cases want to be an ordinary standard input.
fn connect() -> std::io::Result<Channel> {
    // SAFETY: the runner passes the connection as descriptor 0, and nothing else in this process owns it.
    let inherited = unsafe { OwnedFd::from_raw_fd(0) };
    let socket = rustix::io::fcntl_dupfd_cloexec(&inherited, 3)?;
    let null = std::fs::File::open("/dev/null")?;
    // `dup2` closes what descriptor 0 was, so nobody owns that number but the process.
    rustix::stdio::dup2_stdin(&null)?;
    std::mem::forget(inherited);
    Ok(Channel::from_socket(socket))
}

impl Session {
    fn start(device: i32, initialised: bool) -> Result<Self, Greeting> {
        let driver = Driver::get().map_err(|error| Greeting::NoDriver(error.to_string()))?;
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
        };
        if !initialised {
            return Ok(session);
        }
        session.initialise().map_err(|refused| match refused {
            Refused::Driver { function, code } => {
                let code = cuda_ipc_sys::CUresult(code);
                if code == cuda_ipc_sys::CUresult::CUDA_ERROR_NO_DEVICE {
                    Greeting::NoDevice(format!("{function} answered {code}"))
                } else {
                    Greeting::NoDriver(format!("{function} answered {code}"))
                }
            }
            Refused::Missing(message) | Refused::Role(message) => Greeting::NoDriver(message),
        })?;
        let count = session.device_count().unwrap_or(0);
        if device >= count {
            return Err(Greeting::NoDevice(format!("device {device} of {count}")));
        }
        session
            .ready()
            .map_err(|refused| Greeting::NoDevice(format!("device {device} does not start: {refused:?}")))?;
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

    /// Make the primary context current, and use once what a driver sets up at first use.
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
        // Where there are no interprocess events, the cases that need them say so.
        let _ = session.use_an_interprocess_event();
        cuda!(session.cuCtxSynchronize());
        session.descriptors_before = descriptors()?;
        Ok(())
    }

    fn use_an_interprocess_event(&mut self) -> Result<(), Refused> {
        let session = self;
        let mut event = ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
        cuda!(session.cuEventCreate(&mut event, flags.0));
        cuda!(session.cuEventDestroy(event));
        Ok(())
    }

    fn answer_calls(&mut self) -> Result<(), ReceiveError> {
        loop {
            let Some(channel) = &self.channel else { return Ok(()) };
            let Frame { bytes, descriptors } = match channel.receive(None) {
                Ok(frame) => frame,
                Err(ReceiveError::Closed) => return Ok(()),
                Err(error) => return Err(error),
            };
            self.received = descriptors;
            let answer = match postcard::from_bytes::<AnyCall>(&bytes) {
                Ok(call) => call.perform(self),
                Err(error) => Err(Refused::Role(format!("cannot read a call: {error}"))),
            };
            let bytes = postcard::to_stdvec(&answer).map_err(|error| ReceiveError::Io(std::io::Error::other(error)))?;
            let sent = std::mem::take(&mut self.sent);
            if let Some(channel) = &self.channel {
                let descriptors: Vec<_> = sent.iter().map(AsFd::as_fd).collect();
                channel.send(&bytes, &descriptors).map_err(ReceiveError::Io)?;
            }
        }
    }

    /// Ordinary zeroed memory that stays until the case ends.
    pub(crate) fn host_memory(&mut self, size: usize) -> Pointer {
        let mut words = vec![0_u64; size.div_ceil(8)];
        let pointer = Pointer(words.as_mut_ptr() as u64);
        self.host_memory.push(words);
        pointer
    }

    /// The descriptor that came with this call.
    pub(crate) fn received_descriptor(&mut self) -> Result<OwnedFd, Refused> {
        self.received.pop().ok_or_else(|| Refused::Role("the call came without a descriptor".to_owned()))
    }

    /// Let a descriptor travel with the answer to this call.
    pub(crate) fn send(&mut self, descriptor: OwnedFd) {
        self.sent.push(descriptor);
    }

    /// The role must not serve another case.
    pub(crate) fn spoil(&mut self, reason: &str) {
        self.spoiled.push(reason.to_owned());
    }

    /// Perform calls on several threads at once, all with this thread's context. Each thread's answer stands for
    /// itself: what the others got has to be given back.
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
        let start = std::sync::Barrier::new(threads);
        let answers = std::thread::scope(|scope| {
            let start = &start;
            let one = move || {
                let session = shared;
                start.wait();
                cuda!(session.cuCtxSetCurrent(context as _));
                call(shared)
            };
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Result<T, Refused>>| {
                thread.join().unwrap_or_else(|_| Err(Refused::Role("a thread panicked".to_owned())))
            };
            running.into_iter().map(join).collect()
        });
        Ok(answers)
    }

    pub(crate) fn give_back_imports(&mut self) -> Vec<String> {
        self.give_back(Resource::is_import)
    }

    pub(crate) fn give_back_and_prove(&mut self) -> Cleanness {
        let mut problems = self.give_back(|_| true);
        self.host_memory.clear();
        self.received.clear();
        self.end_holders(&mut problems);
        // Every other context is gone, and a driver may give its number to the next one.
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
        problems.append(&mut self.spoiled);
        match proof {
            Err(refused) => {
                problems.push(format!("the context does not work any more: {refused:?}"));
                Cleanness { problems, ..Cleanness::default() }
            }
            Ok(mut left) => {
                for descriptor in &self.descriptors_before {
                    if let Some(index) = left.iter().position(|other| other == descriptor) {
                        left.remove(index);
                    }
                }
                Cleanness { problems, descriptors_left: left }
            }
        }
    }

    fn end_holders(&mut self, problems: &mut Vec<String>) {
        for mut holder in self.holders.drain(..) {
            drop(holder.stdin.take());
            if let Err(error) = holder.wait() {
                problems.push(format!("a program that the role started does not end: {error}"));
            }
        }
    }

    /// Give back what qualifies, newest first; what the driver refuses to take is a problem.
    fn give_back(&mut self, qualifies: impl Fn(&Resource) -> bool) -> Vec<String> {
        let mut problems = Vec::new();
        let session = self;
        let primary = session.context;
        // SAFETY: the role's own context, or none if the driver lost it; the answer shows in the calls that follow.
        let _ = unsafe { session.driver.cuCtxSetCurrent(primary as _) };
        while let Some(resource) = session.ledger.take_newest(&qualifies) {
            if let Err(refused) = session.give_back_one(&resource) {
                problems.push(format!("{resource:?} could not be given back: {refused:?}"));
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
            // SAFETY: the ledger holds descriptors of the role's own.
            Resource::Descriptor(descriptor) => drop(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        }
        Ok(())
    }

    /// For a check of the harness: half an answer, then the end.
    pub(crate) fn announce_and_exit(&mut self) {
        use std::io::Write as _;
        if let Some(channel) = self.channel.take() {
            let mut socket = std::fs::File::from(channel.into_socket());
            let _ = socket.write_all(&100_u32.to_le_bytes()).and_then(|()| socket.write_all(b"half"));
        }
        std::process::exit(0);
    }
}

/// What each open descriptor of the process refers to.
fn descriptors() -> std::io::Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in std::fs::read_dir("/proc/self/fd")? {
        // The descriptor of this listing is gone by the time it is looked at.
        if let Ok(target) = std::fs::read_link(entry?.path()) {
            targets.push(target.to_string_lossy().into_owned());
        }
    }
    targets.retain(|target| !target.ends_with("/fd"));
    Ok(targets)
}

/// What a thread of a role needs for calls.
pub(crate) struct ThreadSession {
    pub(crate) driver: &'static Driver,
}
