//! A server that owns a shared buffer and serves many clients, which are `client.rs`. It survives clients that are
//! killed. They survive this server, too: they wait for the next one.
//!
//! ```text
//! cargo run -p cuda-ipc --example server -- /tmp/numbers.socket
//! cargo run -p cuda-ipc --example client -- /tmp/numbers.socket
//! ```
//!
//! The server ends when its standard input ends (Ctrl-D). Without a GPU, use the reference driver as `share_buffer`
//! shows.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::transport::{Address, Connection, Listener, TransportError};
use cuda_ipc::{Context, Driver, Error, Parcel, SharedBuffer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

/// The first number of the buffer is the server's process ID. Each other one is a client's.
const NUMBERS: usize = 1024;
/// How long the server waits for the rest of a message, and at the end for a client to finish.
const PATIENCE: Duration = Duration::from_secs(5);

struct Client {
    connection: Connection,
    /// The index of the client's number in the buffer.
    slot: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("pass the path of a socket")?;
    let context = Context::primary(Driver::get()?.device(0)?)?;
    let buffer = SharedBuffer::new(&context, NUMBERS * size_of::<u32>())?;
    buffer.fill(0)?;
    buffer.write(0, &[std::process::id()])?;
    let parcel = buffer.share()?;
    // From here on, clients connect. If a killed server left its file at the path, the new one replaces it.
    let listener = Listener::bind(&Address::Path(path.into()))?;
    println!("server {} listens", std::process::id());

    let (mut clients, mut input) = (Vec::new(), io::stdin());
    loop {
        let others = [input.as_fd(), listener.as_fd()];
        let ready = readable(others.into_iter().chain(descriptors(&clients)), None)?;
        clients = serve(clients, &ready[others.len()..], |client| answer(client, &buffer))?;
        if ready[1] {
            clients.extend(admit(listener.accept(Some(PATIENCE))?, &clients, &buffer, &parcel)?);
        }
        if ready[0] && input.read(&mut [0; 100])? == 0 {
            break;
        }
    }

    // An orderly end: new clients wait for the next server, and the others receive everything that was sent to them.
    drop(listener);
    clients.retain(|client| client.connection.finish().is_ok());
    while !clients.is_empty() {
        let ready = readable(descriptors(&clients), Some(PATIENCE))?;
        if !ready.contains(&true) {
            return Err(format!("{} clients did not finish", clients.len()).into());
        }
        clients = serve(clients, &ready, |client| Ok(client.connection.receive().map(drop)?))?;
    }
    println!("server {} has ended", std::process::id());
    Ok(())
}

/// Sends the buffer to a new client, with the client's slot. Returns nothing if the client is gone already.
fn admit(
    mut connection: Connection,
    clients: &[Client],
    buffer: &SharedBuffer,
    parcel: &Parcel,
) -> Result<Option<Client>, Error> {
    connection.set_timeout(Some(PATIENCE));
    let is_free = |slot: &usize| clients.iter().all(|client| client.slot != *slot);
    let Some(slot) = (1..NUMBERS).find(is_free) else {
        println!("a client is refused, because there are {} already", clients.len());
        // Not just a hang-up, after which the client would connect again.
        let _ = connection.finish();
        return Ok(None);
    };
    buffer.write(slot * size_of::<u32>(), &[0_u32])?;
    let client = Client { connection, slot };
    let sent = parcel.send_with(&client.connection, &(slot as u32).to_le_bytes());
    Ok(stays(&client, sent)?.then_some(client))
}

/// Replies to a message with the number that the client has written into the buffer.
fn answer(client: &Client, buffer: &SharedBuffer) -> Result<(), Error> {
    client.connection.receive()?;
    let mut number = [0_u32];
    buffer.read(client.slot * size_of::<u32>(), &mut number)?;
    Ok(client.connection.send(&number[0].to_le_bytes(), &[])?)
}

/// Serves the clients that are ready, and returns those that stay.
fn serve(
    clients: Vec<Client>,
    ready: &[bool],
    mut serve: impl FnMut(&Client) -> Result<(), Error>,
) -> Result<Vec<Client>, Error> {
    let mut rest = Vec::new();
    for (client, is_ready) in clients.into_iter().zip(ready) {
        if !is_ready || stays(&client, serve(&client))? {
            rest.push(client);
        }
    }
    Ok(rest)
}

/// Returns whether a client stays. An error of one client's connection does not end the server; another error does.
fn stays(Client { slot, .. }: &Client, result: Result<(), Error>) -> Result<bool, Error> {
    match result {
        Ok(()) => return Ok(true),
        Err(Error::Transport(TransportError::Finished { .. })) => println!("client {slot} has finished"),
        Err(error) if error.is_disconnected() => println!("client {slot} is gone"),
        Err(Error::Transport(error)) => println!("client {slot} is dropped: {error}"),
        Err(error) => return Err(error),
    }
    Ok(false)
}

fn descriptors(clients: &[Client]) -> impl Iterator<Item = BorrowedFd<'_>> {
    clients.iter().map(|client| client.connection.as_fd())
}

/// Waits until one of the descriptors can be read, and returns which of them can.
fn readable<'fd>(
    descriptors: impl Iterator<Item = BorrowedFd<'fd>>,
    timeout: Option<Duration>,
) -> io::Result<Vec<bool>> {
    let mut polled: Vec<_> =
        descriptors.map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN)).collect();
    let timeout = timeout.map(|timeout| Timespec { tv_sec: timeout.as_secs().cast_signed(), tv_nsec: 0 });
    retry_on_intr(|| poll(&mut polled, timeout.as_ref()))?;
    Ok(polled.iter().map(|polled| !polled.revents().is_empty()).collect())
}
