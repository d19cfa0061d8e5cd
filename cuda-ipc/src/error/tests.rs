//! Every variant of the errors: whether it means that the other side is gone, and what its message says to do.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use super::{Error, SystemError};
use crate::ProcessIdentity;
use crate::foreign::ForeignError;
use crate::host::PagesError;
use crate::liveness::LivenessError;
use crate::ring::RingError;
use crate::stream::WaitValue;
use crate::sys::{CUresult, CudaLibrary, LoadError};
use crate::ticket::{Ticket, TicketError};
use crate::transport::{Address, Direction, Missing, PeerCredentials, TransportError};
use crate::vmm::Access;

/// Lists one value of each variant, with what is expected of it. If a variant is not listed, this does not compile.
macro_rules! every {
    ($error:ident { $($(#[$attribute:meta])* $variant:ident $fields:tt => $expected:expr,)* } $(except $other:ident)?) => {{
        fn _every_variant_is_listed(error: &$error) {
            match error { $($(#[$attribute])* $error::$variant { .. } => {})* $($error::$other { .. } => {})? }
        }
        [$($(#[$attribute])* ($error::$variant $fields, $expected)),*]
    }};
}

const GONE: bool = true;
const NOT_GONE: bool = false;

fn address() -> Address {
    Address::Path("/run/gpu.socket".into())
}

fn no_descriptor_left() -> SystemError {
    SystemError::new("socket", rustix::io::Errno::MFILE)
}

fn transport_errors() -> Vec<(TransportError, bool)> {
    let direction = Direction::Receiving;
    every!(TransportError {
        BadAddress { address: address() } => NOT_GONE,
        InUse { address: address() } => NOT_GONE,
        NotASocket { address: address() } => NOT_GONE,
        NobodyListens { address: address(), missing: Missing::Process } => NOT_GONE,
        OtherUser { peer: PeerCredentials { pid: 1, uid: 2, gid: 3 }, required: 4 } => NOT_GONE,
        TimedOut { waiting_for: "a message" } => NOT_GONE,
        Finished { direction } => NOT_GONE,
        Closed { direction } => GONE,
        Interrupted { direction } => GONE,
        Unusable { direction, is_disconnected: true } => GONE,
        TooLong { direction, length: 2, limit: 1 } => NOT_GONE,
        TooManyDescriptors { direction, count: 2, limit: 1 } => NOT_GONE,
        DescriptorsLost { announced: 1 } => NOT_GONE,
        DescriptorsMissing { received: 0, announced: 1 } => NOT_GONE,
        OtherProtocol {} => NOT_GONE,
        BadRank { rank: 2, size: 2 } => NOT_GONE,
        GroupTooLarge { size: 5000, most: 4096 } => NOT_GONE,
        RankTaken { rank: 1, address: address() } => NOT_GONE,
        OtherSize { rank: 1, size: 2, expected: 3 } => NOT_GONE,
        RanksMissing { ranks: vec![1] } => NOT_GONE,
        RankDied { rank: 1 } => GONE,
        OutOfStep { rank: 1 } => NOT_GONE,
        System(no_descriptor_left()) => NOT_GONE,
    })
    .into_iter()
    .chain([
        (TransportError::Unusable { direction, is_disconnected: false }, NOT_GONE),
        (TransportError::Closed { direction: Direction::Sending }, GONE),
        (TransportError::Finished { direction: Direction::Sending }, NOT_GONE),
    ])
    .collect()
}

#[test]
fn a_transport_error_says_whether_the_peer_is_gone() {
    for (error, is_gone) in transport_errors() {
        assert_eq!(error.is_disconnected(), is_gone, "{error:?}");
        let message = error.to_string();
        assert!(message.ends_with(error.hint().unwrap_or_else(|| panic!("{error:?} has no hint"))), "{message}");
        // In the crate's error it is still the same error.
        let whole = Error::from(error.clone());
        assert_eq!((whole.is_disconnected(), whole.hint()), (is_gone, error.hint()));
        assert_eq!(whole.to_string(), message);
    }
}

#[test]
fn an_address_without_a_listener_says_what_to_do() {
    let every = every!(Missing {
        Folder {} => "/run/gpu.socket: no process listens here, because its folder does not exist: create the folder",
        File {} => "because the file does not exist: start the listener",
        Process {} => "because the process that made the file has ended: start the listener again",
        Listen {} => "because the process that has the socket does not listen yet: wait until it listens",
        Name {} => "because no process has the name: start the listener in the same network namespace",
    });
    for (missing, expected) in every {
        let message = TransportError::NobodyListens { address: address(), missing }.to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn memory_that_cannot_be_locked_names_the_limit() {
    for function in ["cuMemHostAlloc", "cuMemHostRegister"] {
        let hint = super::hint(function, CUresult::CUDA_ERROR_OUT_OF_MEMORY).unwrap();
        assert!(hint.contains("RLIMIT_MEMLOCK") && hint.contains("container"), "{hint}");
    }
}

/// Only the reference driver is known to return this code, so no test on a GPU expects it.
#[test]
fn a_refused_copy_names_the_access() {
    for function in ["cuMemcpyHtoD", "cuMemcpyHtoDAsync", "cuMemcpyPeerAsync", "cuMemsetD8", "cuMemsetD32Async"] {
        let hint = super::hint(function, CUresult::CUDA_ERROR_INVALID_VALUE).unwrap();
        assert!(hint.contains("may only read it"), "{function}: {hint}");
    }
    assert_eq!(super::hint("cuMemUnmap", CUresult::CUDA_ERROR_INVALID_VALUE), None);
}

#[test]
fn an_error_of_shared_pages_says_what_to_do() {
    let every = every!(PagesError {
        Empty {} => "0 numbers",
        OtherMessage { expected: "u32" } => "of u32",
        NotAMemfd {} => "not a memfd",
        Unsealed { seals: 1 } => "0x1",
        OtherSize { found: 1, expected: 2 } => "has 1 bytes; expected 2",
    });
    for (error, expected) in every {
        let (text, hint) = (error.to_string(), error.hint().unwrap());
        assert!(text.contains(expected) && text.ends_with(hint), "{text}");
        assert_eq!(Error::from(error).to_string(), text);
    }
}

#[test]
fn an_error_of_a_ring_says_what_happened_and_what_to_do() {
    let waited = Duration::from_millis(5);
    let every = every!(RingError {
        BadOptions { slots: 0, slot_size: 4, first: 0 } => (NOT_GONE, "0 slots of 4 bytes"),
        OtherMessage {} => (NOT_GONE, "not a part of making a ring"),
        SameRole { role: "producer" } => (NOT_GONE, "is the producer of the ring too"),
        NotMade { other: "consumer", waited } => (NOT_GONE, "as the consumer of the ring within 5ms"),
        TooMuchMemory { wanted: 2, allowed: 1 } => (NOT_GONE, "wants slots of 2 bytes in all on the producer's device"),
        OtherOrder { found: "events", expected: "stream values" } => (NOT_GONE, "by events; expected stream values"),
        TooSmall { found: 1, expected: 2 } => (NOT_GONE, "1 bytes for the slots; expected 2"),
        NoMessage { message: 3, waited } => (NOT_GONE, "message 3 did not come within 5ms"),
        NoFreeSlot { message: 3, waited } => (NOT_GONE, "for message 3 within 5ms"),
        ProducerDied { last_good: Some(3) } => (GONE, "the producer died, or dropped the ring without closing it, after message 3"),
        ConsumerDied { last_released: None } => (GONE, "after it had released no message"),
        ConsumerClosed { last_released: Some(3) } => (NOT_GONE, "after it had released message 3"),
        TooLong { length: 2, slot_size: 1 } => (NOT_GONE, "2 bytes is longer than a slot of 1 bytes"),
        AlreadyReserved {} => (NOT_GONE, "reserved already"),
        AllHeld { slots: 3 } => (NOT_GONE, "all 3 slots"),
        BadHeader { message: 1, found: 2, length: 3, slot_size: 4 } => (NOT_GONE, "message 2, of 3 bytes in a slot of 4"),
        OutOfSequence { message: 1, expected: 2, found: 3 } => (NOT_GONE, "is 0x3; expected 0x2"),
        Unfinished { message: 1 } => (NOT_GONE, "message 1 was committed"),
    });
    for (error, (is_gone, expected)) in every {
        let (text, hint) = (error.to_string(), error.hint().unwrap());
        assert!(text.contains(expected) && text.ends_with(hint), "{text}");
        assert_eq!(format!("{error:?}"), text);
        let whole = Error::from(error);
        assert_eq!((whole.to_string(), whole.is_disconnected(), whole.hint()), (text, is_gone, Some(hint)));
    }
}

#[test]
fn a_variable_that_is_set_too_late_needs_no_other_driver() {
    let too_late = LoadError::SetTooLate { wanted: CudaLibrary::Driver, library: "libcuda.so.1".into() };
    assert_eq!(Error::Load(too_late).hint(), Some("set the variable before the program starts"));
}

#[test]
fn a_variable_that_names_no_driver_is_to_be_corrected() {
    let error = Box::new(LoadError::Stub { library: "libcuda.so".into() });
    let bad = LoadError::BadVariable { wanted: CudaLibrary::Driver, error };
    assert_eq!(Error::Load(bad).hint(), Some("set the variable to the path of a CUDA driver, or unset it"));
}

#[test]
fn an_error_says_what_to_do() {
    let closed = TransportError::Closed { direction: Direction::Sending };
    let identity = ProcessIdentity::current().unwrap();
    let library = "libcuda.so.1".into();
    let code = CUresult::CUDA_ERROR_NO_DEVICE;
    // Only cuda-ipc-sys makes a `MissingSymbol`.
    let every = every!(Error {
        Load(LoadError::Stub { library }) => (NOT_GONE, Some("install the NVIDIA driver")),
        OtherDriver { loaded: "a".into(), wanted: "b".into() } => (NOT_GONE, Some("in another process")),
        Refused { function: "cuInit", code, passed: String::new(), hint: Some("x") } => (NOT_GONE, Some("x")),
        Forked {} => (NOT_GONE, Some("call exec")),
        System(no_descriptor_left()) => (NOT_GONE, Some("RLIMIT_NOFILE")),
        Ticket(TicketError::NoTicket) => (NOT_GONE, Some("in the order")),
        Transport(closed) => (GONE, Some("make a new connection")),
        Liveness(LivenessError::OtherBoot { identity }) => (NOT_GONE, Some("on its own machine")),
        Pages(PagesError::Empty) => (NOT_GONE, Some("number of values")),
        Ring(RingError::ProducerDied { last_good: None }) => (GONE, Some("make another one")),
        Foreign(ForeignError::NotPrimary) => (NOT_GONE, Some("Context::primary")),
        #[cfg(feature = "dlpack")]
        Tensor(crate::foreign::dlpack::TensorError::NotContiguous) => (NOT_GONE, Some("contiguous first")),
        OwnTicket {} => (NOT_GONE, Some("use the value")),
        OtherTicket { found: "a", wanted: "b" } => (NOT_GONE, Some("Parcel::open_event")),
        Descriptors { found: 1, wanted: 2 } => (NOT_GONE, Some("exactly its descriptors")),
        UnknownPool { pool: 1 } => (NOT_GONE, Some("keep an import")),
        DeviceNotVisible { uuid: [0; 16] } => (NOT_GONE, Some("CUDA_VISIBLE_DEVICES")),
        NotTheOwner {} => (NOT_GONE, Some("created it")),
        PeerDied {} => (GONE, Some("make a new connection")),
        TimedOut { waited: Duration::ZERO } => (NOT_GONE, Some("wait longer")),
        OutOfBounds { offset: 1, length: 2, size: 3 } => (NOT_GONE, Some("smaller range")),
        ReversedRange { start: 2, end: 1 } => (NOT_GONE, Some("smaller offset first")),
        Length { found: 2, expected: 1 } => (NOT_GONE, Some("take the part")),
        NoAccess { device: 0, pointer: 1, found: Access::None, wanted: Access::Read } => (NOT_GONE, Some("set_access")),
        OtherContext {} => (NOT_GONE, Some("in the stream's context")),
        EventOfAnotherContext {} => (NOT_GONE, Some("wait_value")),
        EndlessWait { wait: WaitValue::And, value: 0 } => (NOT_GONE, None),
        Overlap { to: 1, from: 2, length: 3 } => (NOT_GONE, Some("other memory first")),
        TooLarge { size: 2, largest: 1 } => (NOT_GONE, Some("virtual memory")),
        NeverExported {} => (NOT_GONE, Some("fabric::probe")),
        Misaligned { pointer: 1, alignment: 4 } => (NOT_GONE, Some("begin at a multiple")),
    } except Missing);
    for (error, (is_gone, expected)) in every {
        assert_eq!(error.is_disconnected(), is_gone, "{error:?}");
        assert_eq!(error.hint().is_some(), expected.is_some(), "{error:?}");
        assert!(error.hint().unwrap_or_default().contains(expected.unwrap_or_default()), "{error}");
    }
}

/// A `main` that returns an error prints it with `Debug`, which must say what to do.
#[test]
fn what_main_prints_is_the_message() {
    for (error, _) in transport_errors() {
        assert_eq!(format!("{error:?}"), error.to_string());
        assert_eq!(format!("{:?}", Error::from(error.clone())), error.to_string());
    }
    let error: Box<dyn std::error::Error> = no_descriptor_left().into();
    assert_eq!(format!("{error:?}"), error.to_string());
}

/// The message of a call that failed at a file names the file.
#[test]
fn the_message_names_the_file() {
    let error = SystemError::new("bind", rustix::io::Errno::ACCESS).at("/run/gpu.socket");
    let message = error.to_string();
    assert!(message.starts_with("bind (/run/gpu.socket): "), "{message}");
    assert!(message.ends_with("the folder must be writable for this user"), "{message}");
}

/// The chain of sources leads to the error of the system, from each type of error.
#[test]
fn the_error_of_a_system_call_is_the_source() {
    let errors: [Error; 3] = [
        no_descriptor_left().into(),
        TransportError::from(no_descriptor_left()).into(),
        LivenessError::from(no_descriptor_left()).into(),
    ];
    for error in errors {
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(source.and_then(io::Error::raw_os_error), Some(libc::EMFILE), "{error:?}");
        assert!(error.to_string().starts_with("socket: ") && error.to_string().contains("RLIMIT_NOFILE"), "{error}");
    }
}

/// `?` makes the crate's error of each other one, and an `io::Error` of that of a system call.
#[test]
fn errors_convert_into_those_of_their_callers() {
    fn of_a_ticket() -> Result<(), Error> {
        ProcessIdentity::current()?;
        Ticket::from_bytes(b"no ticket")?;
        Ok(())
    }
    fn io() -> io::Result<()> {
        Err(no_descriptor_left())?
    }
    assert!(matches!(of_a_ticket(), Err(Error::Ticket(TicketError::NoTicket))));
    let error = io().unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (no_descriptor_left().source.kind(), no_descriptor_left().to_string())
    );
    let gone = ProcessIdentity::of(u32::MAX).unwrap_err();
    assert_eq!(io::Error::from(gone).kind(), io::ErrorKind::NotFound);
}
