//! Names of objects.

use cuda_ipc_store::{Error, LONGEST_NAME, Refusal};

use crate::common::context;
use crate::server::Server;
use crate::{refusal, sealed};

#[test]
fn a_name_leads_to_its_object_until_it_is_unbound() {
    let server = Server::start();
    let (store, other) = (server.client(), server.client());
    let (first, second) = (sealed(&store, 1), sealed(&store, 2));
    store.bind("weights", first).unwrap();
    store.bind("also", first).unwrap();
    assert_eq!(other.lookup("weights").unwrap(), first);
    let taken = Refusal::NameTaken { name: "weights".to_owned() };
    assert_eq!(refusal(other.bind("weights", second)), taken);
    assert_eq!(other.status().unwrap().names, 2);
    other.unbind("weights").unwrap();
    let no_name = Refusal::NoName { name: "weights".to_owned() };
    assert_eq!(refusal(store.lookup("weights")), no_name);
    assert_eq!(refusal(store.unbind("weights")), no_name);
    // The object and its other name stay.
    assert_eq!(store.lookup("also").unwrap(), first);
    store.bind("weights", second).unwrap();
    assert_eq!(other.lookup("weights").unwrap(), second);
}

#[test]
fn the_names_go_with_their_object() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    store.bind("a", id).unwrap();
    store.bind("b", id).unwrap();
    // Somebody who holds the object does not hold its names.
    let object = store.get(&context(), id).unwrap();
    store.delete(id).unwrap();
    for name in ["a", "b"] {
        assert_eq!(refusal(store.lookup(name)), Refusal::NoName { name: name.to_owned() });
    }
    let status = store.status().unwrap();
    assert_eq!((status.names, status.users[0].names), (0, 0));
    drop(object);
}

#[test]
fn names_have_1_to_255_bytes() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    let longest = "é".repeat(LONGEST_NAME / 2) + "x";
    store.bind(&longest, id).unwrap();
    assert_eq!(store.lookup(&longest).unwrap(), id);
    for name in ["", &(longest + "x")] {
        for result in [store.bind(name, id), store.lookup(name).map(drop), store.unbind(name)] {
            assert!(matches!(result, Err(Error::BadName { length, .. }) if length == name.len()), "{result:?}");
        }
    }
}

#[test]
fn an_object_that_does_not_exist_gets_no_name() {
    let server = Server::start();
    let store = server.client();
    let id = cuda_ipc_store::ObjectId::from_bytes([1; 16]);
    assert_eq!(refusal(store.bind("name", id)), Refusal::NoObject { id });
}
