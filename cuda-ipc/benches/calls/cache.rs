//! The cost of a cache hit. The exporter is this executable, started again.

use std::env;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use cuda_ipc::cache::Cache;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, DeviceBuffer, Parcel};

use crate::SIZE;
use crate::measure::{self, Figures, HIT, Rounds};

/// The environment variable that is set for the exporter.
const EXPORTER: &str = "CUDA_IPC_BENCH_EXPORTER";

pub(crate) fn is_exporter() -> bool {
    env::var_os(EXPORTER).is_some()
}

/// Shares a buffer over the standard input, and keeps it until the other end hangs up.
pub(crate) fn export(context: &Context) {
    let socket = std::io::stdin().as_fd().try_clone_to_owned().expect("a descriptor is left");
    let connection = Connection::from(UnixStream::from(socket));
    let buffer = DeviceBuffer::new(context, SIZE).unwrap();
    buffer.share(..).unwrap().send(&connection).unwrap();
    connection.receive().expect_err("the importer sends nothing and hangs up");
}

/// Measures what it costs to open memory that is open already, and to drop it.
pub(crate) fn hit(context: &Context) -> Figures {
    let (ours, theirs) = Connection::pair().unwrap();
    let mut exporter = Command::new(env::current_exe().expect("this executable has a path"));
    exporter.env(EXPORTER, "").stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
    let mut running = exporter.spawn().expect("this executable runs again");
    // The command also holds the other end, which would hide that the exporter has ended.
    drop(exporter);
    let parcel = Parcel::receive(&ours).expect("the exporter shares a buffer");
    let cache = Cache::new(SIZE);
    // SAFETY: the exporter keeps the buffer until it is hung up on, below.
    let open = || unsafe { cache.open(context, &parcel) }.unwrap();
    drop(open());
    let rounds = Rounds { calls: 20_000, before: &|| {}, after: &|| {} };
    let figures = measure::alone("cache: open and drop of a hit", &rounds, HIT, &|| drop(open()));
    cache.trim_to(0);
    drop(ours);
    assert!(running.wait().expect("our child").success());
    figures
}
