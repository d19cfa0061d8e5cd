//! One hundred clients, and clients that are killed at random steps of the protocol. Afterwards the daemon has the
//! descriptors that it had before, and the device its free memory.
//!
//! `CUDA_IPC_STORE_TEST_KILLS` is the number of killed clients.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod random;
#[path = "../common/server.rs"]
mod server;

use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, io::Write as _, thread};

use cuda_ipc::Context;
use cuda_ipc::transport::{Address, Connection};
use cuda_ipc_store::{Client, Object, ObjectId, Refusal, VERSION};
use rustix::process::{Signal, getpid, kill_process};

use random::Random;
use server::Server;

/// Longer than any step that works takes. All clients wait for one daemon, and on a busy machine the reference driver
/// needs up to 0.1 s to create memory.
const LONG: Duration = Duration::from_secs(120);

const CLIENTS: usize = 100;
const DEFAULT_KILLS: usize = 1000;

const PATH: &str = "CUDA_IPC_STORE_TEST_PATH";
const SEED: &str = "CUDA_IPC_STORE_TEST_SEED";

/// The kinds and sizes of requests that a killed client sends without the crate's client.
const CREATE: u16 = 2;
const WAIT: u16 = 15;
const KINDS_WITH_ID: [u16; 7] = [3, 4, 5, 6, BIND, SEAL_AS, REBIND];
const BIND: u16 = 7;
const SEAL_AS: u16 = 12;
const REBIND: u16 = 13;
const NAMES: [&str; 3] = ["a", "b", "c"];

/// Gives this run a device of its own on the reference driver: others would change its free memory. The killed clients
/// inherit it.
fn prepare() {
    // SAFETY: no other thread uses the environment now: this is the only test, and it begins with this call.
    unsafe { env::set_var("REFERENCE_DRIVER_MACHINE", format!("cuda-ipc-store-many-{}", std::process::id())) };
    common::driver();
}

fn free_memory(context: &Context) -> usize {
    context.memory_info().unwrap().0
}

#[test]
fn many_clients_and_many_deaths_leave_nothing_behind() {
    prepare();
    let kills = env::var("CUDA_IPC_STORE_TEST_KILLS").map_or(DEFAULT_KILLS, |kills| kills.parse().unwrap());
    let server = Server::start();
    let context = common::context();
    // Everything has been used by as many clients at once, so that what a driver keeps for ever is there.
    storm(&server, &context, kills.min(CLIENTS));
    let before = (server.settled_descriptors(), free_memory(&context));
    storm(&server, &context, kills);
    assert_eq!((server.settled_descriptors(), free_memory(&context)), before);
}

/// Many clients live, and beside them `kills` others die. Afterwards the store is empty.
fn storm(server: &Server, context: &Context, kills: usize) {
    let (next, all_connected) = (AtomicUsize::new(0), Barrier::new(CLIENTS));
    thread::scope(|scope| {
        for slot in 0..CLIENTS {
            let (next, all_connected) = (&next, &all_connected);
            scope.spawn(move || {
                let store = Client::connect(&server.address(), LONG).unwrap();
                all_connected.wait();
                let own = one_round(&store, context, slot);
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= kills {
                        break;
                    }
                    killed_client(server, seed);
                    read_again(&store, context, own, slot);
                }
            });
        }
    });
    // Until the daemon has seen that all of them are gone.
    server.settled_descriptors();
    // What was sealed outlives its creator, by design. The list is how to find it.
    let store = server.client();
    let left = store.list().unwrap();
    assert!(left.iter().all(|object| object.is_sealed && object.holders == 0), "{left:?}");
    left.iter().for_each(|object| store.delete(object.id).unwrap());
    let status = store.status().unwrap();
    let counts = [status.sealed, status.unsealed, status.deleted, status.bytes, status.names, status.holders];
    assert_eq!(counts, [0; 6]);
    assert!(status.users.iter().all(|user| user.waits == 0), "{:?}", status.users);
}

/// A client that lives: it creates, seals and reads an object of its own.
fn one_round(store: &Client, context: &Context, slot: usize) -> ObjectId {
    let draft = store.create(context, 4096).unwrap();
    draft.write(0, &[slot as u64; 512]).unwrap();
    let id = draft.seal().unwrap();
    read_again(store, context, id, slot);
    id
}

/// Reads an object that a killed client may have deleted, and lets it go, so that the next time is a request.
fn read_again(store: &Client, context: &Context, id: ObjectId, slot: usize) {
    let mut words = [0_u64; 512];
    match store.get(context, id) {
        Ok(object) => {
            object.read(0, &mut words).unwrap();
            assert_eq!(words, [slot as u64; 512]);
        }
        Err(error) => assert_eq!(error.refusal(), Some(&Refusal::NoObject { id }), "{error}"),
    }
    store.release(id);
}

/// Starts a client that kills itself, and waits until it has.
fn killed_client(server: &Server, seed: usize) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "role_dies", "--ignored", "--nocapture"]).stdout(Stdio::null());
    let mut child = command.env(PATH, server.path()).env(SEED, seed.to_string()).spawn().unwrap();
    let status = child.wait().unwrap();
    ::peer::remove_driver_files(child.id());
    assert_eq!(status.signal(), Some(Signal::KILL.as_raw()), "seed {seed}: {status}");
}

#[test]
#[ignore = "a role, which the test starts in processes of their own"]
fn role_dies() {
    let (Ok(path), Ok(seed)) = (env::var(PATH), env::var(SEED)) else { return };
    let (address, seed) = (Address::Path(path.into()), seed.parse().unwrap());
    let mut random = Random::new(seed);
    // Most deaths need no driver, which takes long to load on a machine with a GPU.
    if seed % 4 == 0 {
        use_memory_and_die(&address, &mut random);
    }
    send_requests_and_die(&address, &mut random);
}

fn die() -> ! {
    kill_process(getpid(), Signal::KILL).unwrap();
    unreachable!("the signal cannot be blocked")
}

/// Uses the crate's client for some steps, and dies with drafts, objects and idle imports.
fn use_memory_and_die(address: &Address, random: &mut Random) -> ! {
    let store = Client::connect(address, LONG).unwrap();
    let context = common::context();
    let (mut drafts, mut objects): (Vec<_>, Vec<Object>) = (Vec::new(), Vec::new());
    for _ in 0..random.below(12) {
        match random.below(6) {
            0 | 1 => {
                let draft = store.create(&context, 1 + random.below(5 << 20)).unwrap();
                draft.write(0, &[1_u8]).unwrap();
                drafts.push(draft);
            }
            2 => {
                // Somebody else may have deleted it, or given the name.
                match (drafts.pop(), random.below(2)) {
                    (None, _) => {}
                    (Some(draft), 0) => drop(draft.seal()),
                    (Some(draft), _) => drop(draft.seal_as(NAMES[random.below(3)])),
                }
            }
            3 => objects.extend(any_id(&store, random).and_then(|id| store.get(&context, id).ok())),
            4 => {
                objects.pop();
            }
            _ => {
                any_id(&store, random).map(|id| store.delete(id).ok());
            }
        }
    }
    die()
}

fn any_id(store: &Client, random: &mut Random) -> Option<ObjectId> {
    let sealed: Vec<_> = store.list().unwrap().into_iter().filter(|object| object.is_sealed).collect();
    (!sealed.is_empty()).then(|| sealed[random.below(sealed.len())].id)
}

/// Sends requests without the crate's client, and dies before a reply, after it, or within a message.
fn send_requests_and_die(address: &Address, random: &mut Random) -> ! {
    let mut connection = Connection::connect_when_listening(address, Some(LONG)).unwrap();
    connection.set_timeout(Some(LONG));
    if random.below(10) == 0 {
        die();
    }
    let hello = [&1_u16.to_le_bytes()[..], b"BUFSTORE", &VERSION.to_le_bytes()].concat();
    connection.send(&hello, &[]).unwrap();
    if random.below(10) == 0 {
        die();
    }
    connection.receive().unwrap();
    // The objects that this client has created. Their descriptors stay open until it dies.
    let (mut ids, mut received) = (vec![[0_u8; 16]], Vec::new());
    for _ in 0..random.below(8) {
        let name = NAMES[random.below(NAMES.len())].as_bytes();
        let request = match random.below(5) {
            0 => [&CREATE.to_le_bytes()[..], &(1 + random.below(5 << 20) as u64).to_le_bytes()].concat(),
            1 => [&WAIT.to_le_bytes()[..], &(random.below(3) as u64).to_le_bytes(), name].concat(),
            _ => {
                let kind = KINDS_WITH_ID[random.below(KINDS_WITH_ID.len())];
                let rest = match kind {
                    5 => &[1, 0, 0, 0, 0, 0, 0, 0][..],
                    BIND | SEAL_AS | REBIND => name,
                    _ => &[],
                };
                [&kind.to_le_bytes()[..], &ids[random.below(ids.len())], rest].concat()
            }
        };
        connection.send(&request, &[]).unwrap();
        if random.below(6) == 0 {
            // The reply is on its way, perhaps with a descriptor.
            die();
        }
        // A release has no reply.
        if request[0] != 5 {
            received.push(connection.receive().unwrap());
            let reply = &received.last().unwrap().bytes;
            if let (Some(130), Some(id)) = (reply.first(), reply.get(2..18)) {
                ids.push(id.try_into().unwrap());
            }
        }
    }
    // Within a message.
    let mut socket = UnixStream::from(connection);
    socket.write_all(&b"CIM\x01\0\0\0\0\x12\0\0\0\0\0\0\0\x06\0abcdefghijklmnop"[..random.below(33)]).unwrap();
    die()
}
