//! What one user may have.

use cuda_ipc::vmm::{HandleTypes, granularity};
use cuda_ipc_store::{Client, Counted, Refusal};
use std::time::Duration;

use crate::common::{context, device};
use crate::server::Server;
use crate::{refusal, sealed};

fn unit() -> usize {
    granularity(device(), HandleTypes::POSIX_FILE_DESCRIPTOR).unwrap()
}

#[test]
fn bytes_are_limited_and_whole_granules_count() {
    let unit = unit() as u64;
    let server = Server::with(&["--limit-bytes-per-user", &(2 * unit).to_string()]);
    let store = server.client();
    let first = store.create(&context(), 1).unwrap();
    let second = store.create(&context(), 1).unwrap();
    let full = Refusal::Limit { counted: Counted::Bytes, limit: 2 * unit, used: 2 * unit, wanted: unit };
    assert_eq!(refusal(store.create(&context(), 1)), full);
    // All clients of a user share the limit.
    assert_eq!(refusal(server.client().create(&context(), 1)), full);
    drop(first);
    let third = store.create(&context(), 1).unwrap();
    drop((second, third));
    store.create(&context(), 2 * unit as usize).unwrap();
}

/// A user cannot get around the limit by deleting what their clients still hold.
#[test]
fn deleted_objects_count_until_the_last_holder_has_released_them() {
    let server = Server::with(&["--limit-objects-per-user", "1"]);
    let (store, holder) = (server.client(), server.client());
    let id = sealed(&store, 1);
    let object = holder.get(&context(), id).unwrap();
    store.delete(id).unwrap();
    let full = Refusal::Limit { counted: Counted::Objects, limit: 1, used: 1, wanted: 1 };
    assert_eq!(refusal(store.create(&context(), 1)), full);
    drop(object);
    server.await_no_holders();
    store.create(&context(), 1).unwrap();
}

#[test]
fn names_are_limited_like_objects() {
    let server = Server::with(&["--limit-objects-per-user", "2"]);
    let store = server.client();
    let id = sealed(&store, 1);
    store.bind("a", id).unwrap();
    store.bind("b", id).unwrap();
    let full = Refusal::Limit { counted: Counted::Names, limit: 2, used: 2, wanted: 1 };
    assert_eq!(refusal(store.bind("c", id)), full);
    store.unbind("a").unwrap();
    store.bind("c", id).unwrap();
}

#[test]
fn clients_are_limited() {
    let server = Server::with(&["--limit-clients-per-user", "2"]);
    let (first, second) = (server.client(), server.client());
    let third = || Client::connect(&server.address(), Duration::from_secs(30));
    let full = Refusal::Limit { counted: Counted::Clients, limit: 2, used: 2, wanted: 1 };
    assert_eq!(refusal(third()), full);
    drop(first);
    // The daemon may see the next connection before the end of the last one.
    while let Err(error) = third() {
        assert_eq!(error.refusal(), Some(&full));
    }
    assert_eq!(second.status().unwrap().users.len(), 1);
}
