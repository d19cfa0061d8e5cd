//! Clients and daemons of different versions, and what is no store at all.

use cuda_ipc::transport::{Address, Connection, Listener, TransportError};
use cuda_ipc_store::{Client, Error, Refusal, VERSION};

use crate::peer::{LONG, with_timeout};
use crate::refusal;
use crate::server::Server;

pub(crate) fn client_at(path: &str) -> Client {
    Client::connect(&Address::Path(path.into()), LONG).unwrap()
}

/// The hello of a version, which may have more than this version knows.
pub(crate) fn hello(version: u16, rest: &[u8]) -> Vec<u8> {
    [&1_u16.to_le_bytes()[..], b"BUFSTORE", &version.to_le_bytes(), rest].concat()
}

fn raw(server: &Server) -> Connection {
    with_timeout(Connection::connect(&server.address(), Some(LONG)).unwrap())
}

#[test]
fn a_client_of_another_version_is_told_the_daemons() {
    let server = Server::start();
    for (version, rest) in [(0, &[][..]), (VERSION + 1, &[1, 2, 3]), (u16::MAX, &[])] {
        let connection = raw(&server);
        connection.send(&hello(version, rest), &[]).unwrap();
        let reply = connection.receive().unwrap().bytes;
        assert_eq!(reply, [&135_u16.to_le_bytes()[..], &1_u16.to_le_bytes(), &VERSION.to_le_bytes()].concat());
        assert!(connection.receive().unwrap_err().is_disconnected());
    }
    assert_eq!(server.client().status().unwrap().users[0].clients, 1);
}

/// Runs something against a program that replies to a hello with these bytes.
fn against(reply: &[u8]) -> Error {
    let folder = tempfile::Builder::new().prefix("cuda-ipc-store-test").tempdir().unwrap();
    let address = Address::Path(folder.path().join("socket"));
    let listener = Listener::bind(&address).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let connection = listener.accept(Some(LONG)).unwrap();
            assert_eq!(connection.receive().unwrap().bytes, hello(VERSION, &[]));
            connection.send(reply, &[]).unwrap();
        });
        Client::connect(&address, LONG).unwrap_err()
    })
}

#[test]
fn a_daemon_of_another_version_is_named() {
    let error = against(&[135, 0, 1, 0, 7, 0, b'm', b'o', b'r', b'e']);
    assert_eq!(error.refusal(), Some(&Refusal::OtherVersion { store: 7 }), "{error}");
}

#[test]
fn what_is_no_store_is_not_taken_for_one() {
    for reply in [&[][..], &[128], &[128, 0, 0], &[129, 0], &[135, 0, 99, 0]] {
        let error = against(reply);
        assert!(matches!(error, Error::BadReply), "{reply:?}: {error}");
    }
}

#[test]
fn nobody_listens() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Path(folder.path().join("socket"));
    let at_once = Client::connect(&address, LONG).unwrap_err();
    let later = Client::connect_when_listening(&address, std::time::Duration::from_millis(1)).unwrap_err();
    for error in [at_once, later] {
        let is_right = matches!(&error, Error::Cuda(cuda_ipc::Error::Transport(TransportError::NobodyListens { .. })));
        assert!(is_right, "{error}");
    }
}

#[test]
fn an_object_that_never_was_is_refused() {
    let (server, id) = (Server::start(), cuda_ipc_store::ObjectId::from_bytes([5; 16]));
    let store = server.client();
    assert_eq!(refusal(store.get(&crate::common::context(), id)), Refusal::NoObject { id });
    assert_eq!(refusal(store.delete(id)), Refusal::NoObject { id });
}
