//! Clients of another user. The kernel takes the credentials of the thread that connects.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::thread;
use std::time::Duration;

use cuda_ipc::transport::{Address, Connection};
use cuda_ipc_store::{Client, Counted, Error, ObjectId, Refusal, VERSION};
use rustix::process::Uid;

use crate::common::context;
use crate::server::Server;

/// A user that owns nothing.
const OTHER: u32 = 64_999;

/// Runs something as another user, who can reach the socket.
fn as_other<T: Send>(server: &Server, run: impl FnOnce(&Address) -> T + Send) -> T {
    let folder = fs::Permissions::from_mode(0o711);
    fs::set_permissions(server.folder().path(), folder).unwrap();
    let address = server.address();
    let run = || {
        let uid = Uid::from_raw(OTHER);
        rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
        run(&address)
    };
    thread::scope(|scope| scope.spawn(run).join()).unwrap()
}

fn connect(address: &Address) -> Result<Client, Error> {
    Client::connect(address, Duration::from_secs(30))
}

fn sealed(store: &Client) -> ObjectId {
    let draft = store.create(&context(), 3).unwrap();
    draft.write(0, b"abc").unwrap();
    draft.seal().unwrap()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Refusal {
    result.unwrap_err().refusal().expect("the store refused").clone()
}

pub(crate) fn another_user_is_refused() {
    // The file lets them connect, so that the daemon has to refuse them.
    let server = Server::with(&["--allow-user", "64998"]);
    let refused = as_other(&server, |address| refusal(connect(address)));
    assert_eq!(refused, Refusal::OtherUser { uid: OTHER });
    // Without such an option, not even the file lets them.
    let server = Server::start();
    let error = as_other(&server, |address| connect(address).unwrap_err());
    assert!(matches!(error, Error::Cuda(_)), "{error}");
    assert_eq!(server.client().status().unwrap().users.len(), 1);
}

pub(crate) fn an_allowed_user_reads() {
    for admission in [&["--allow-user", "64999"][..], &["--allow-everyone"]] {
        let server = Server::with(admission);
        let (store, context) = (server.client(), context());
        let id = sealed(&store);
        store.bind("name", id).unwrap();
        as_other(&server, |address| {
            let other = connect(address).unwrap();
            assert_eq!(other.lookup("name").unwrap(), id);
            let object = other.get(&context, id).unwrap();
            let mut bytes = [0_u8; 3];
            object.read(0, &mut bytes).unwrap();
            assert_eq!(&bytes, b"abc");
            let not_theirs = Refusal::NotTheOwner { id };
            for result in [other.delete(id), other.bind("mine", id), other.unbind("name")] {
                assert_eq!(refusal(result), not_theirs);
            }
            // Not even the names of what they do not own.
            assert_eq!(other.list().unwrap(), []);
            assert_eq!(refusal(other.bind_or_replace("name", sealed(&other))), not_theirs);
            other.list().unwrap().iter().for_each(|object| other.delete(object.id).unwrap());
            let own = sealed(&other);
            assert_eq!(other.list().unwrap().iter().map(|object| object.id).collect::<Vec<_>>(), [own]);
            // The user of the daemon sees and deletes everything.
            assert_eq!(store.list().unwrap().len(), 2);
            store.delete(own).unwrap();
        });
        assert_eq!(store.list().unwrap().len(), 1);
    }
}

pub(crate) fn each_user_has_a_limit() {
    let server = Server::with(&["--allow-everyone", "--limit-objects-per-user", "1"]);
    let (store, context) = (server.client(), context());
    sealed(&store);
    let full = Refusal::Limit { counted: Counted::Objects, limit: 1, used: 1, wanted: 1 };
    assert_eq!(refusal(store.create(&context, 1)), full);
    as_other(&server, |address| {
        let other = connect(address).unwrap();
        sealed(&other);
        assert_eq!(refusal(other.create(&context, 1)), full);
    });
    let users: Vec<_> = store.status().unwrap().users.iter().map(|user| (user.uid, user.objects)).collect();
    assert_eq!(users, [(0, 1), (OTHER, 1)]);
}

/// The user of the daemon in [`no_memory_can_be_sent`]. No other test sends descriptors as this user.
const DAEMON: u32 = 64_997;

/// The kernel limits how many descriptors a user who is not root has in messages that nobody has received yet. A client
/// that does not receive uses them up. The others are refused, not hung up on, and nothing of their requests is left.
pub(crate) fn no_memory_can_be_sent() {
    let folder = Server::new_folder();
    std::os::unix::fs::chown(folder.path(), Some(DAEMON), None).unwrap();
    let program = Server::command();
    let mut command = Command::new("sh");
    command.uid(DAEMON).args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""]).arg(program.get_program());
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let server = Server::by(command, folder, &["--allow-user", "0", "--patience", "2"]);
    let (store, context) = (server.client(), context());
    let id = sealed(&store);
    let greedy = Connection::connect(&server.address(), Some(Duration::from_secs(30))).unwrap();
    greedy.send(&[&1_u16.to_le_bytes()[..], b"BUFSTORE", &VERSION.to_le_bytes()].concat(), &[]).unwrap();
    for _ in 0..100 {
        greedy.send(&[&4_u16.to_le_bytes()[..], &id.to_bytes()].concat(), &[]).unwrap();
    }
    let reader = server.client();
    let error = loop {
        match reader.get(&context, id) {
            // The daemon has not sent enough yet. The next request is not answered from what is kept.
            Ok(_) => reader.release(id),
            Err(error) => break error,
        }
    };
    assert_eq!(error.refusal(), Some(&Refusal::Busy), "{error}");
    assert_eq!(refusal(reader.create(&context, 1)), Refusal::Busy);
    let status = reader.status().unwrap();
    assert_eq!((status.sealed, status.unsealed, status.holders), (1, 0, 1), "the greedy client holds the object");
    drop(greedy);
    let object = reader.get(&context, id).unwrap();
    let mut bytes = [0_u8; 3];
    object.read(0, &mut bytes).unwrap();
    assert_eq!(&bytes, b"abc");
}

/// Nobody can take memory from a process that has mapped it. So it counts for the user who created it until that process
/// releases it or ends.
pub(crate) fn held_by_another() {
    let server = Server::with(&["--allow-everyone", "--limit-objects-per-user", "1"]);
    let (store, context) = (server.client(), context());
    let id = sealed(&store);
    as_other(&server, |address| {
        let other = connect(address).unwrap();
        let object = other.get(&context, id).unwrap();
        store.delete(id).unwrap();
        let full = Refusal::Limit { counted: Counted::Objects, limit: 1, used: 1, wanted: 1 };
        assert_eq!(refusal(store.create(&context, 1)), full);
        // It does not count for the holder.
        sealed(&other);
        drop(object);
        // The daemon has received the release before this request.
        other.status().unwrap();
        store.create(&context, 1).unwrap();
    });
}
