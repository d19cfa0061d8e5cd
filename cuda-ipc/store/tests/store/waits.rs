//! Waiting for a name.

use std::thread;
use std::time::{Duration, Instant};

use cuda_ipc::transport::Connection;
use cuda_ipc_store::{Client, Error, ObjectId};
use rstest::rstest;

use crate::common::context;
use crate::hostile::welcomed;
use crate::peer::LONG;
use crate::server::Server;
use crate::{SIZE, sealed};

/// Returns when the daemon knows of this number of waits.
fn until_there_are(store: &Client, waits: u64) {
    let begin = Instant::now();
    while store.status().unwrap().users.iter().map(|user| user.waits).sum::<u64>() != waits {
        assert!(begin.elapsed() < LONG, "there are not {waits} waits");
    }
}

/// Asks without a client to be told of a name, and returns the reply.
fn wait(connection: &Connection, number: u64, name: &str) -> Vec<u8> {
    connection.send(&[&[15, 0], &number.to_le_bytes()[..], name.as_bytes()].concat(), &[]).unwrap();
    connection.receive().unwrap().bytes
}

fn named(number: u64, id: ObjectId) -> Vec<u8> {
    [&[138, 0], &number.to_le_bytes()[..], &id.to_bytes()].concat()
}

const DONE: [u8; 2] = [129, 0];

/// Each way to give a name.
#[rstest]
#[case::bound(|store: &Client| {
    let id = sealed(store, 1);
    store.bind("name", id).map(|()| id)
})]
#[case::sealed_with_it(|store: &Client| Ok(store.create(&context(), SIZE)?.seal_as("name")?))]
#[case::bound_by_replacing(|store: &Client| {
    let id = sealed(store, 1);
    store.bind_or_replace("name", id).map(|_| id)
})]
fn a_name_is_told_to_who_waits_for_it(
    #[case] give: fn(&Client) -> Result<ObjectId, Error>,
    #[values(false, true)] by_the_waiting_client: bool,
) {
    let server = Server::start();
    let (store, reader) = (server.client(), server.client());
    let wait = || reader.wait_for("name", LONG).unwrap();
    thread::scope(|scope| {
        let waits = [scope.spawn(wait), scope.spawn(wait)];
        let other = scope.spawn(|| reader.wait_for("another name", LONG).unwrap());
        until_there_are(&store, 3);
        let id = give(if by_the_waiting_client { &reader } else { &store }).unwrap();
        for wait in waits {
            assert_eq!(wait.join().unwrap(), id);
        }
        until_there_are(&store, 1);
        store.bind("another name", id).unwrap();
        assert_eq!(other.join().unwrap(), id);
        // It has the name already.
        assert_eq!(reader.wait_for("name", Duration::ZERO).unwrap(), id);
    });
    until_there_are(&store, 0);
}

#[test]
fn a_wait_ends_at_its_limit() {
    let server = Server::start();
    let store = server.client();
    let limit = Duration::from_millis(20);
    let error = store.wait_for("name", limit).unwrap_err();
    assert!(matches!(&error, Error::NotNamed { name, waited, .. } if name == "name" && *waited == limit), "{error}");
    until_there_are(&store, 0);
    // Nothing comes for a wait that has ended.
    let id = sealed(&store, 1);
    store.bind("name", id).unwrap();
    assert_eq!(store.lookup("name").unwrap(), id);
    let error = store.wait_for("", limit).unwrap_err();
    assert!(matches!(error, Error::BadName { length: 0, .. }), "{error}");
}

#[test]
fn a_wait_ends_with_the_store() {
    let mut server = Server::start();
    let (store, reader) = (server.client(), server.client());
    let begin = Instant::now();
    let error = thread::scope(|scope| {
        let wait = scope.spawn(|| reader.wait_for("name", LONG).unwrap_err());
        until_there_are(&store, 1);
        server.kill();
        wait.join().unwrap()
    });
    assert!(matches!(error, Error::StoreGone), "{error}");
    assert!(begin.elapsed() < LONG, "only the limit has ended the wait");
    assert!(matches!(reader.wait_for("name", Duration::MAX), Err(Error::StoreGone)));
}

#[test]
fn the_waits_of_a_client_end_with_it() {
    let server = Server::start();
    let (store, waiting) = (server.client(), welcomed(&server));
    for (number, name) in [(1, "a"), (2, "a"), (3, "b")] {
        assert_eq!(wait(&waiting, number, name), DONE);
    }
    until_there_are(&store, 3);
    drop(waiting);
    until_there_are(&store, 0);
    store.bind("a", sealed(&store, 1)).unwrap();
}

/// The store tells each wait about a name once. It tells nothing to a wait that was given up.
#[test]
fn waits_are_named_by_their_numbers() {
    let server = Server::start();
    let (store, waiting) = (server.client(), welcomed(&server));
    for (number, name) in [(1, "a"), (2, "a"), (3, "a"), (3, "b"), (4, "a")] {
        assert_eq!(wait(&waiting, number, name), DONE);
    }
    until_there_are(&store, 4);
    for number in [4, 5] {
        waiting.send(&[&[16, 0], &u64::to_le_bytes(number)[..]].concat(), &[]).unwrap();
        assert_eq!(waiting.receive().unwrap().bytes, DONE);
    }
    let id = sealed(&store, 1);
    for name in ["a", "b"] {
        store.bind(name, id).unwrap();
        store.unbind(name).unwrap();
        store.bind(name, id).unwrap();
    }
    for number in [1, 2, 3] {
        assert_eq!(waiting.receive().unwrap().bytes, named(number, id));
    }
    // Nothing else comes before this reply.
    assert_eq!(wait(&waiting, 6, "a"), [&[132, 0], &id.to_bytes()[..]].concat());
    until_there_are(&store, 0);
}

/// The number then belongs to the last wait, even if that one is over at once.
#[test]
fn a_wait_with_the_number_of_another_replaces_it() {
    let server = Server::start();
    let (store, waiting) = (server.client(), welcomed(&server));
    let id = sealed(&store, 1);
    store.bind("b", id).unwrap();
    assert_eq!(wait(&waiting, 7, "a"), DONE);
    let found = [&[132, 0], &id.to_bytes()[..]].concat();
    assert_eq!(wait(&waiting, 7, "b"), found);
    until_there_are(&store, 0);
    store.bind("a", id).unwrap();
    // Nothing else comes before this reply.
    assert_eq!(wait(&waiting, 8, "a"), found);
}

#[test]
fn waits_are_limited_like_names() {
    let server = Server::with(&["--limit-objects-per-user", "2"]);
    let (store, waiting) = (server.client(), welcomed(&server));
    for number in [1, 2] {
        assert_eq!(wait(&waiting, number, "name"), DONE);
    }
    // Code 10, what is counted, the limit, what the user has, and what the request needs.
    let full = [&[135, 0, 10, 0, 5][..], &2_u64.to_le_bytes(), &2_u64.to_le_bytes(), &1_u64.to_le_bytes()].concat();
    assert_eq!(wait(&welcomed(&server), 1, "name"), full);
    let id = sealed(&store, 1);
    store.bind("name", id).unwrap();
    for number in [1, 2] {
        assert_eq!(waiting.receive().unwrap().bytes, named(number, id));
    }
    assert_eq!(wait(&waiting, 3, "other"), DONE);
}
