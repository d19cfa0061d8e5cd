//! One thread of tokio serves an importer: it waits for messages, for the end of a lease and for a timer at once.
//!
//! ```text
//! cargo run -p cuda-ipc --example event_loop
//! ```
//!
//! The program starts itself again as the importer, which waits for its parcel in the same way. It needs a GPU. Without
//! one, use the reference driver:
//!
//! ```text
//! cargo build -p reference-driver
//! CUDA_IPC_DRIVER=target/debug/libreference_driver.so cargo run -p cuda-ipc --example event_loop
//! ```

mod two_processes;

use std::future::Future;
use std::os::fd::AsFd as _;
use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::liveness::Lease;
use cuda_ipc::transport::{Connection, Message};
use cuda_ipc::{Parcel, SharedBuffer};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{MissedTickBehavior, interval, timeout};
use two_processes::{Outcome, first_device, run};

const SIZE: usize = 2 << 20;
const LONGEST: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    run(export, import)
}

fn export(importer: &Connection) -> Outcome {
    let buffer = SharedBuffer::new(&first_device()?, SIZE)?;
    buffer.fill(1)?;
    let ticks = block_on(async {
        let mut parcel = buffer.share()?;
        let lease = parcel.lease()?;
        parcel.send(importer)?;
        // The parcel holds a tenancy, which would keep the lease from ending.
        drop(parcel);
        // The timer of this thread runs meanwhile: the importer goes on only when it has ticked.
        let mut ticks = 0_u32;
        let mut timer = interval(Duration::from_millis(1));
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut done = std::pin::pin!(serve(importer, &lease));
        loop {
            tokio::select! {
                served = &mut done => return served.map(|()| ticks),
                _ = timer.tick() => {
                    ticks += 1;
                    if ticks == 3 {
                        importer.send(b"go on", &[])?;
                    }
                }
            }
        }
    })?;
    let mut bytes = vec![0_u8; SIZE];
    buffer.read(0, &mut bytes)?;
    if bytes.iter().any(|byte| *byte != 2) {
        return Err("the importer's bytes did not arrive".into());
    }
    println!("the timer ticked {ticks} times, and the importer's bytes arrived");
    Ok(())
}

/// Waits for the importer's message, and until it has closed the memory or has died.
async fn serve(importer: &Connection, lease: &Lease) -> Result<()> {
    let message = next_message(importer).await?;
    if message.bytes != b"changed" {
        return Err("the importer sent something else".into());
    }
    is_over(lease).await
}

fn import(exporter: &Connection) -> Outcome {
    block_on(async {
        let parcel = Parcel::try_from(next_message(exporter).await?)?;
        let memory = parcel.map(&parcel.context()?)?;
        drop(parcel);
        if next_message(exporter).await?.bytes != b"go on" {
            return Err("the exporter sent something else".into());
        }
        memory.fill(2)?;
        exporter.send(b"changed", &[])?;
        Ok(memory.close()?)
    })
}

/// Waits for a whole message. While it is incomplete, the thread does other work.
async fn next_message(connection: &Connection) -> Result<Message> {
    // SAFETY: the descriptor is borrowed, so it stays open as long as it is registered.
    let readable = unsafe { AsyncFd::register_with_interest(connection.as_fd(), Interest::READABLE) };
    let readable = readable.map_err(|error| error.into_parts().1)?;
    loop {
        let mut ready = readable.readable().await?;
        match connection.try_receive()? {
            Some(message) => return Ok(message),
            None => ready.clear_ready(),
        }
    }
}

/// Waits until the descriptor of a lease reports a hang-up.
async fn is_over(lease: &Lease) -> Result<()> {
    // SAFETY: the descriptor is borrowed, so it stays open as long as it is registered.
    let readable = unsafe { AsyncFd::register_with_interest(lease.as_fd(), Interest::READABLE) };
    let readable = readable.map_err(|error| error.into_parts().1)?;
    loop {
        let mut ready = readable.readable().await?;
        if lease.is_over()? {
            return Ok(());
        }
        ready.clear_ready();
    }
}

/// Runs a future in this thread, for a limited time.
fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async { timeout(LONGEST, future).await? })
}
