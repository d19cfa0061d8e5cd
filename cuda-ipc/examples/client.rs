//! A client of `server.rs`: it writes numbers into the server's buffer, and the server replies with what it finds.
//! If the server is killed, the client waits for the next one, and goes on with the memory of that one.
//!
//! ```text
//! cargo run -p cuda-ipc --example client -- /tmp/numbers.socket 1000
//! ```
//!
//! The last argument is how many numbers to write. Without it, the client goes on until the server ends.

use std::process::ExitCode;
use std::time::Duration;

use cuda_ipc::transport::{Address, Connection, TransportError};
use cuda_ipc::{Error, Parcel};

/// How long the client waits for a server to be started, and for each reply.
const PATIENCE: Duration = Duration::from_secs(10);

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
    let mut arguments = std::env::args().skip(1);
    let address = Address::Path(arguments.next().ok_or("pass the path of a socket")?.into());
    let count = arguments.next().map_or(Ok(u32::MAX), |count| count.parse())?;
    let mut next = 0;
    loop {
        let mut server = Connection::connect_when_listening(&address, Some(PATIENCE))?;
        server.set_timeout(Some(PATIENCE));
        match write_numbers(&server, &mut next, count) {
            Ok(()) => println!("all {count} numbers arrived"),
            Err(Error::Transport(TransportError::Finished { .. })) => println!("the server has finished after {next}"),
            Err(error) if error.is_disconnected() => {
                println!("the server is gone after {next}");
                continue;
            }
            Err(error) => return Err(error.into()),
        }
        // The server learns that this client did not die.
        return Ok(server.finish()?);
    }
}

/// Writes numbers until the last one. At the end, also after an error, the memory is unmapped.
fn write_numbers(server: &Connection, next: &mut u32, count: u32) -> Result<(), Error> {
    let (parcel, message) = Parcel::receive_with(server)?;
    let memory = parcel.map(&parcel.context()?)?;
    drop(parcel);
    let mut process = [0_u32];
    memory.read(0, &mut process)?;
    let slot = number_in(&message);
    println!("slot {slot} of server {}", process[0]);
    while *next < count {
        memory.write(slot as usize * size_of::<u32>(), &[*next])?;
        server.send(b"written", &[])?;
        let found = number_in(&server.receive()?.bytes);
        assert_eq!(found, *next, "the server found another number in the shared memory");
        *next += 1;
    }
    memory.close()
}

/// Returns the number in a message of the server.
fn number_in(message: &[u8]) -> u32 {
    u32::from_le_bytes(message.try_into().expect("the server sends numbers of four bytes"))
}
