//! Names of objects.

use cuda_ipc_store::{Counted, Error, LONGEST_NAME, Refusal};

use crate::common::context;
use crate::server::Server;
use crate::{SIZE, contents, pattern, refusal, sealed};

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

#[test]
fn an_object_is_sealed_with_its_name_or_not_at_all() {
    let server = Server::with(&["--limit-objects-per-user", "2"]);
    let store = server.client();
    let first = store.create(&context(), SIZE).unwrap().seal_as("weights").unwrap();
    let draft = store.create(&context(), SIZE).unwrap();
    draft.write(0, &pattern(2)).unwrap();
    let (id, too_long) = (draft.id(), "x".repeat(LONGEST_NAME + 1));
    let error = draft.seal_as("weights").unwrap_err();
    assert_eq!(error.error.refusal(), Some(&Refusal::NameTaken { name: "weights".to_owned() }));
    assert_eq!(refusal(store.get(&context(), id)), Refusal::NotSealed { id });
    assert_eq!([format!("{error}"), format!("{error:?}")], [0; 2].map(|_| error.error.to_string()));
    let error = error.draft.seal_as(&too_long).unwrap_err();
    assert!(matches!(error.error, Error::BadName { length: 256, .. }), "{error}");
    store.bind("also", first).unwrap();
    let error = error.draft.seal_as("more").unwrap_err();
    let full = Refusal::Limit { counted: Counted::Names, limit: 2, used: 2, wanted: 1 };
    assert_eq!(error.error.refusal(), Some(&full));
    store.unbind("also").unwrap();
    // The draft is as it was.
    let draft = error.draft;
    assert_eq!(contents(&draft), pattern(2));
    draft.write(0, &pattern(3)).unwrap();
    assert_eq!(draft.seal_as("more").unwrap(), id);
    assert_eq!((store.lookup("weights").unwrap(), store.lookup("more").unwrap()), (first, id));
    assert_eq!(contents(&store.get(&context(), id).unwrap()), pattern(3));
    let status = store.status().unwrap();
    assert_eq!((status.sealed, status.unsealed, status.names, status.holders), (2, 0, 2, 1));
}

/// `?` drops the draft of the error.
#[test]
fn an_object_whose_name_is_taken_ends_with_its_draft() {
    let server = Server::start();
    let store = server.client();
    store.bind("name", sealed(&store, 1)).unwrap();
    let publish = || -> Result<_, Error> { Ok(store.create(&context(), SIZE)?.seal_as("name")?) };
    assert_eq!(refusal(publish()), Refusal::NameTaken { name: "name".to_owned() });
    let status = store.status().unwrap();
    assert_eq!((status.sealed, status.unsealed), (1, 0));
}

#[test]
fn a_name_goes_from_one_object_to_the_next() {
    let server = Server::with(&["--limit-objects-per-user", "2"]);
    let store = server.client();
    let (first, second) = (sealed(&store, 1), sealed(&store, 2));
    assert_eq!(store.bind_or_replace("weights", first).unwrap(), None);
    // It is not an object that the name was taken from.
    assert_eq!(store.bind_or_replace("weights", first).unwrap(), None);
    store.bind("also", first).unwrap();
    // No name more than before, so the limit does not matter.
    assert_eq!(store.bind_or_replace("weights", second).unwrap(), Some(first));
    assert_eq!((store.lookup("weights").unwrap(), store.lookup("also").unwrap()), (second, first));
    assert_eq!(store.status().unwrap().names, 2);
    // Its old object does not take it along.
    store.delete(first).unwrap();
    assert_eq!((store.lookup("weights").unwrap(), store.status().unwrap().names), (second, 1));
    store.delete(second).unwrap();
    assert_eq!(store.status().unwrap().users[0].names, 0);
    let draft = store.create(&context(), SIZE).unwrap();
    let id = draft.id();
    assert_eq!(refusal(store.bind_or_replace("weights", id)), Refusal::NotSealed { id });
}

/// The names come in pages of their own.
#[test]
fn the_list_has_all_names() {
    let server = Server::start();
    let store = server.client();
    let ids = [sealed(&store, 1), sealed(&store, 2), sealed(&store, 3)];
    let names =
        |object: usize| (0..150).map(move |number| format!("{:0>200}", 2 * number + object)).collect::<Vec<_>>();
    for object in [0, 1] {
        names(object).iter().for_each(|name| store.bind(name, ids[object]).unwrap());
    }
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 3);
    for object in listed {
        let place = ids.iter().position(|id| *id == object.id).unwrap();
        assert_eq!(object.names, if place < 2 { names(place) } else { Vec::new() });
    }
}
