//! `buffer-store`: a store of GPU buffers, and commands about a running one.
#![forbid(unsafe_code)]

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use cuda_ipc::transport::Address;
use cuda_ipc::{Driver, set_drop_hook};
use cuda_ipc_store::daemon::{Admission, Daemon, Settings};
use cuda_ipc_store::{Client, Limits, ObjectId};
use rustix::process::{Resource, getrlimit, setrlimit};
use signal_hook::consts::{SIGINT, SIGTERM};

/// How long a command waits for the store.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store of GPU buffers that processes share.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve clients until SIGTERM or SIGINT.
    Serve(Serve),
    /// Print what the store has.
    Status {
        /// The path of the store's socket.
        path: PathBuf,
    },
    /// Print the objects of this user and their names; for the user of the store, those of all users.
    List {
        /// The path of the store's socket.
        path: PathBuf,
    },
    /// Delete an object.
    Delete {
        /// The path of the store's socket.
        path: PathBuf,
        /// The object's id, as `list` prints it.
        id: ObjectId,
    },
}

#[derive(Args)]
struct Serve {
    /// The path of the socket to make.
    path: PathBuf,
    /// The device that the buffers are on.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// The most bytes of device memory that one user may have.
    #[arg(long)]
    limit_bytes_per_user: Option<u64>,
    /// The most objects that one user may have, the most names, and the most names that their clients wait for.
    #[arg(long)]
    limit_objects_per_user: Option<u64>,
    /// The most clients of one user.
    #[arg(long)]
    limit_clients_per_user: Option<u64>,
    /// Serve this user too, by number. May be given several times.
    #[arg(long, conflicts_with = "allow_everyone")]
    allow_user: Vec<u32>,
    /// Serve every user.
    #[arg(long)]
    allow_everyone: bool,
    /// How many seconds a client may be silent in the middle of something before it is hung up on.
    #[arg(long, default_value_t = 10)]
    patience: u64,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("buffer-store: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Box<dyn std::error::Error>> {
    let connect = |path: PathBuf| Client::connect(&Address::Path(path), PATIENCE);
    match command {
        Command::Serve(serve) => serve.run()?,
        Command::Status { path } => print_status(&connect(path)?)?,
        Command::List { path } => {
            for object in connect(path)?.list()? {
                let state = if object.is_sealed { "sealed" } else { "unsealed" };
                let (holders, owner) = (object.holders, object.owner);
                print!("{}  {} bytes, {state}, held by {holders}, of user {owner}", object.id, object.size);
                // Quoted, because a name may contain anything.
                object.names.iter().for_each(|name| print!(", {name:?}"));
                println!();
            }
        }
        Command::Delete { path, id } => connect(path)?.delete(id)?,
    }
    Ok(())
}

impl Serve {
    fn run(self) -> Result<(), Box<dyn std::error::Error>> {
        // Errors of freeing memory have no caller to return to.
        set_drop_hook(|error| eprintln!("buffer-store: {error}"));
        raise_limit_of_descriptors()?;
        let (stop, signalled) = UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT] {
            signal_hook::low_level::pipe::register(signal, signalled.try_clone()?)?;
        }
        let address = Address::Path(self.path.clone());
        let daemon = Daemon::bind(Driver::get()?.device(self.device)?, &address, self.settings())?;
        if self.allow_everyone || !self.allow_user.is_empty() {
            // To connect to a socket is to write to its file. The daemon checks who it is.
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            std::fs::set_permissions(&self.path, mode)?;
        }
        println!("serving {} on device {}", self.path.display(), self.device);
        Ok(daemon.run(Some(stop.as_fd()))?)
    }

    fn settings(&self) -> Settings {
        let mut limits = Limits::default();
        for (chosen, limit) in [
            (self.limit_bytes_per_user, &mut limits.bytes_per_user),
            (self.limit_objects_per_user, &mut limits.objects_per_user),
            (self.limit_clients_per_user, &mut limits.clients_per_user),
        ] {
            *limit = chosen.unwrap_or(*limit);
        }
        let admission = match &*self.allow_user {
            _ if self.allow_everyone => Admission::Everyone,
            [] => Admission::SameUser,
            users => Admission::Users(users.to_vec()),
        };
        let mut settings = Settings::default();
        (settings.limits, settings.admission) = (limits, admission);
        settings.patience = Duration::from_secs(self.patience);
        settings
    }
}

/// Each object and each client costs a descriptor.
fn raise_limit_of_descriptors() -> io::Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    Ok(setrlimit(Resource::Nofile, limit)?)
}

fn print_status(store: &Client) -> Result<(), cuda_ipc_store::Error> {
    let status = store.status()?;
    let device: String = status.device.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("device      {device}");
    for (name, number) in [
        ("sealed", status.sealed),
        ("unsealed", status.unsealed),
        ("deleted", status.deleted),
        ("bytes", status.bytes),
        ("names", status.names),
        ("holders", status.holders),
        ("received", status.received),
    ] {
        println!("{name:<12}{number}");
    }
    for user in status.users {
        let (clients, objects, bytes, names, waits) = (user.clients, user.objects, user.bytes, user.names, user.waits);
        let counts = [(clients, "client"), (objects, "object"), (bytes, "byte"), (names, "name"), (waits, "wait")];
        let counts = counts.map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }));
        println!("user {:<7}{}", user.uid, counts.join(", "));
    }
    Ok(())
}
