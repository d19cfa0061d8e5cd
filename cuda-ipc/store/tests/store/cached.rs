//! What a client keeps mapped, and what makes it let go.

use std::time::{Duration, Instant};

use cuda_ipc::Context;
use cuda_ipc::transport::Connection;
use cuda_ipc_store::{Client, Refusal};

use crate::common::{context, device};
use crate::hostile::welcomed;
use crate::peer::LONG;
use crate::server::Server;
use crate::{contents, pattern, refusal, sealed};

/// More objects than small messages fit in the sockets of both directions: about 280 each.
const MANY: u64 = 600;

/// The messages that the daemon has received while something was done.
fn messages(store: &Client, action: impl FnOnce()) -> u64 {
    let before = store.status().unwrap().received;
    action();
    // Without the request of the second status.
    store.status().unwrap().received - before - 1
}

#[test]
fn a_second_get_asks_nobody() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    let object = store.get(&context(), id).unwrap();
    let pointer = object.pointer();
    // In use or not.
    assert_eq!(messages(&store, || assert_eq!(store.get(&context(), id).unwrap().pointer(), pointer)), 0);
    drop(object);
    let again = messages(&store, || {
        for _ in 0..100 {
            assert_eq!(contents(&store.get(&context(), id).unwrap()), pattern(1));
        }
    });
    assert_eq!(again, 0);
    assert!(store.mapped_bytes() > 0);
}

#[test]
fn objects_that_are_kept_are_not_mixed_up() {
    let server = Server::start();
    let store = server.client();
    let ids = [1, 2, 3].map(|seed| (seed, sealed(&store, seed)));
    for _ in 0..2 {
        for (seed, id) in ids {
            assert_eq!(contents(&store.get(&context(), id).unwrap()), pattern(seed));
        }
    }
    // One that was deleted takes none of the others with it.
    store.delete(ids[1].1).unwrap();
    assert_eq!(messages(&store, || assert_eq!(contents(&store.get(&context(), ids[2].1).unwrap()), pattern(3))), 0);
}

#[test]
fn what_was_released_is_got_again() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    let object = store.get(&context(), id).unwrap();
    assert_eq!(store.status().unwrap().holders, 1);
    // The release is sent when the last use ends.
    assert_eq!(messages(&store, || store.release(id)), 0);
    assert_eq!(contents(&object), pattern(1));
    assert_eq!(messages(&store, || drop(object)), 1);
    assert_eq!((store.status().unwrap().holders, store.mapped_bytes()), (0, 0));
    assert_eq!(messages(&store, || drop(store.get(&context(), id).unwrap())), 1);
    // Of an object that is kept and not used, it is sent at once.
    assert_eq!(messages(&store, || store.release(id)), 1);
    assert_eq!(messages(&store, || store.release(id)), 0);
    assert_eq!((store.status().unwrap().holders, store.mapped_bytes()), (0, 0));
}

#[test]
fn what_was_trimmed_is_got_again_and_each_reply_is_released() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    drop(store.get(&context(), id).unwrap());
    store.trim_to(0);
    assert_eq!(store.mapped_bytes(), 0);
    assert_eq!(messages(&store, || drop(store.get(&context(), id).unwrap())), 1);
    // Another context has an import of its own.
    let second = Context::new(device()).unwrap();
    assert_eq!(messages(&store, || assert_eq!(contents(&store.get(&second, id).unwrap()), pattern(1))), 1);
    assert_eq!(store.status().unwrap().holders, 1);
    assert_eq!(messages(&store, || store.release(id)), 1);
    assert_eq!((store.status().unwrap().holders, store.mapped_bytes()), (0, 0));
}

/// The client asks nobody, so it must be told.
#[test]
fn a_deleted_object_is_forgotten_by_every_client_that_keeps_it() {
    let server = Server::start();
    let (owner, idle, user) = (server.client(), server.client(), server.client());
    let id = sealed(&owner, 1);
    for client in [&owner, &idle, &user] {
        drop(client.get(&context(), id).unwrap());
    }
    let object = user.get(&context(), id).unwrap();
    owner.delete(id).unwrap();
    // The owner has received it before the reply.
    assert_eq!(owner.mapped_bytes(), 0);
    // An idle client lets go without a call.
    let begin = Instant::now();
    while owner.status().unwrap().holders > 1 {
        assert!(begin.elapsed() < LONG, "a client that keeps the object was not told");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(idle.mapped_bytes(), 0);
    assert_eq!(contents(&object), pattern(1));
    // The revocation comes before this reply.
    user.status().unwrap();
    assert_eq!(refusal(user.get(&context(), id)), Refusal::NoObject { id });
    drop(object);
    user.status().unwrap();
    let status = owner.status().unwrap();
    assert_eq!((status.holders, status.bytes), (0, 0));
}

/// The messages that tell a client to forget do not fit in its socket, and neither do its releases. It releases each
/// object before it receives the next message, as the clients of this crate do, and the connection goes on.
#[test]
fn a_client_that_is_told_to_forget_many_objects_releases_them() {
    let server = Server::start();
    let (store, owner, holder) = (server.client(), welcomed(&server), welcomed(&server));
    // Nothing is mapped, so that this is fast.
    let ask = |connection: &Connection, kind: u16, fields: &[u8]| {
        connection.send(&[&kind.to_le_bytes(), fields].concat(), &[]).unwrap();
        connection.receive().unwrap().bytes
    };
    let ids: Vec<_> = (0..MANY).map(|_| ask(&owner, 2, &1_u64.to_le_bytes())[2..18].to_vec()).collect();
    for id in &ids {
        assert_eq!(ask(&owner, 3, id), 129_u16.to_le_bytes());
        ask(&holder, 4, id);
    }
    ids.iter().for_each(|id| assert_eq!(ask(&owner, 6, id), 129_u16.to_le_bytes()));
    assert_eq!(store.status().unwrap().deleted, MANY);
    // Another request is under way too.
    holder.send(&10_u16.to_le_bytes(), &[]).unwrap();
    for id in &ids {
        assert_eq!(holder.receive().unwrap().bytes, [&136_u16.to_le_bytes(), &id[..]].concat());
        holder.send(&[&5_u16.to_le_bytes(), &id[..], &1_u64.to_le_bytes()].concat(), &[]).unwrap();
    }
    assert_eq!(holder.receive().unwrap().bytes[..2], 133_u16.to_le_bytes());
    assert_eq!(ask(&holder, 10, &[])[..2], 133_u16.to_le_bytes());
    assert_eq!(store.status().unwrap().deleted, 0);
}

#[test]
fn threads_that_get_release_and_delete_leave_nothing_behind() {
    let server = Server::start();
    let (store, owner) = (server.client(), server.client());
    for seed in 0..20 {
        let id = sealed(&owner, seed);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let store = &store;
                scope.spawn(move || {
                    for _ in 0..20 {
                        match store.get(&context(), id) {
                            Ok(object) => assert_eq!(contents(&object), pattern(seed)),
                            Err(error) => assert_eq!(error.refusal(), Some(&Refusal::NoObject { id })),
                        }
                        if thread == 0 {
                            store.release(id);
                        }
                    }
                });
            }
            scope.spawn(|| owner.delete(id).unwrap());
        });
        // A revocation that came before this reply was obeyed.
        store.status().unwrap();
        assert_eq!(store.mapped_bytes(), 0);
        let status = store.status().unwrap();
        assert_eq!((status.holders, status.deleted, status.bytes), (0, 0, 0));
    }
}
