//! Clients and daemons that are killed.

use std::time::Duration;

use cuda_ipc_store::{Client, Error, Refusal};

use crate::common::context;
use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
use crate::server::Server;
use crate::{SIZE, contents, pattern, refusal, sealed};

#[test]
fn an_unsealed_object_ends_with_its_killed_client_and_a_sealed_one_stays() {
    let server = Server::start();
    let store = server.client();
    let mut peer = Peer::start(module_path!(), "role_creates");
    peer.connection.send(server.path().as_os_str().as_encoded_bytes(), &[]).unwrap();
    let (sealed, unsealed) = (peer.process.hear().parse().unwrap(), peer.process.hear().parse().unwrap());
    assert_eq!(refusal(store.get(&context(), unsealed)), Refusal::NotSealed { id: unsealed });
    peer.process.kill();
    // The daemon sees the hang-up after a request that arrives first.
    while store.status().unwrap().users[0].clients > 1 {}
    assert_eq!(refusal(store.get(&context(), unsealed)), Refusal::NoObject { id: unsealed });
    assert_eq!(contents(&store.get(&context(), sealed).unwrap()), pattern(9));
    let status = store.status().unwrap();
    assert_eq!((status.sealed, status.unsealed, status.holders), (1, 0, 1));
}

/// What is held stays readable. Everything else fails, also what needs no reply.
#[test]
fn when_the_daemon_is_killed_holders_read_and_requests_fail() {
    let mut server = Server::start();
    let store = server.client();
    let (id, other) = (sealed(&store, 1), sealed(&store, 2));
    let object = store.get(&context(), id).unwrap();
    drop(store.get(&context(), other).unwrap());
    let draft = store.create(&context(), SIZE).unwrap();
    draft.write(0, &pattern(3)).unwrap();
    server.kill();
    assert_eq!(contents(&object), pattern(1));
    assert_gone(store.status());
    assert_gone(store.lookup("name"));
    assert_gone(store.list());
    assert_gone(store.create(&context(), SIZE));
    // This one needs no reply.
    assert_gone(store.get(&context(), other));
    assert_eq!(contents(&draft), pattern(3));
    assert_gone(draft.seal());
    assert_gone(store.delete(id));
    assert_eq!(contents(&object), pattern(1));
    // Letting go works, and reports nothing.
    store.release(id);
    drop(object);
    assert_eq!(contents_are_gone(&store), 0);
}

fn contents_are_gone(store: &Client) -> usize {
    store.trim_to(0);
    store.mapped_bytes()
}

fn assert_gone<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::StoreGone)), "{result:?}");
}

#[test]
fn an_orderly_end_of_the_daemon_is_an_end_too() {
    let mut server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    let object = store.get(&context(), id).unwrap();
    assert!(server.end().success());
    assert!(!server.path().exists());
    assert_gone(store.status());
    assert_eq!(contents(&object), pattern(1));
}

#[test]
fn the_next_daemon_takes_the_path_of_a_killed_one() {
    let mut first = Server::start();
    let store = first.client();
    let id = sealed(&store, 1);
    first.kill();
    assert!(first.path().exists());
    let mut command = Server::command();
    let mut second = command.arg("serve").arg(first.path()).stdout(std::process::Stdio::null()).spawn().unwrap();
    let next = Client::connect_when_listening(&first.address(), LONG).unwrap();
    assert_eq!(refusal(next.get(&context(), id)), Refusal::NoObject { id });
    second.kill().unwrap();
    second.wait().unwrap();
    ::peer::remove_driver_files(second.id());
}

/// A daemon that is stopped holds up a request only until the timeout, and its late reply is not taken for another.
#[test]
fn a_daemon_that_does_not_reply_is_given_up() {
    use cuda_ipc::transport::Listener;
    let folder = tempfile::Builder::new().prefix("cuda-ipc-store-test").tempdir().unwrap();
    let address = cuda_ipc::transport::Address::Path(folder.path().join("socket"));
    let listener = Listener::bind(&address).unwrap();
    let timeout = Duration::from_millis(50);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let connection = listener.accept(Some(LONG)).unwrap();
            connection.receive().unwrap();
            connection.send(&128_u16.to_le_bytes(), &[]).unwrap();
            connection.receive().unwrap();
            // The client hangs up.
            connection.receive().unwrap_err();
        });
        let store = Client::connect(&address, timeout).unwrap();
        let result = store.lookup("name");
        assert!(matches!(result, Err(Error::TimedOut { waited, .. }) if waited == timeout), "{result:?}");
        assert_gone(store.lookup("name"));
    });
}

roles! {
    fn role_creates(connection) {
        let store = crate::versions::client_at(&String::from_utf8(connection.receive().unwrap().bytes).unwrap());
        let id = sealed(&store, 9);
        say(&id.to_string());
        let draft = store.create(&context(), SIZE).unwrap();
        say(&draft.id().to_string());
        wait_for_the_end();
    }
}
