//! Creating, sealing, getting and deleting, by the bytes that another process finds.

use cuda_ipc::host::PinnedBuffer;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, Error as CudaError, Stream};
use cuda_ipc_store::{Error, ObjectId, Refusal};

use crate::common::{context, driver};
use crate::peer::{Peer, roles};
use crate::server::Server;
use crate::{SIZE, contents, kernels, pattern, refusal, sealed};

/// Asks another process what it finds in an object.
fn found_elsewhere(server: &Server, id: ObjectId) -> Vec<u8> {
    let peer = Peer::start(module_path!(), "role_reads");
    peer.connection.send(server.path().as_os_str().as_encoded_bytes(), &[]).unwrap();
    peer.connection.send(id.to_string().as_bytes(), &[]).unwrap();
    let found = peer.connection.receive().unwrap().bytes;
    peer.finish();
    found
}

fn text(connection: &Connection) -> String {
    String::from_utf8(connection.receive().unwrap().bytes).unwrap()
}

#[test]
fn another_process_finds_what_was_written_and_sealed() {
    let server = Server::start();
    let id = sealed(&server.client(), 1);
    // The creator has left meanwhile.
    assert_eq!(found_elsewhere(&server, id), pattern(1));
}

#[test]
fn a_reader_sees_what_a_kernel_wrote() {
    let (server, context) = (Server::start(), context());
    let store = server.client();
    let draft = store.create(&context, SIZE).unwrap();
    let (fill, stream) = (kernels::fill(&context), Stream::new(&context).unwrap());
    stream
        .scope(|scope| {
            scope.launch(&fill, LaunchShape::linear(4, 64), (draft.slice(..)?, 7))?;
            Ok(())
        })
        .unwrap();
    let expected = contents(&draft);
    let id = draft.seal().unwrap();
    assert_eq!(found_elsewhere(&server, id), expected);
    // A kernel reads it too.
    let (object, verify) = (store.get(&context, id).unwrap(), kernels::verify(&context));
    let wrong = cuda_ipc::DeviceBuffer::new(&context, 8).unwrap();
    wrong.write(0, &[0_u64]).unwrap();
    stream
        .scope(|scope| {
            let counter = wrong.slice::<u64>(..)?.value(0)?;
            scope.launch(&verify, LaunchShape::linear(4, 64), (object.slice(..)?, 7, counter))?;
            Ok(())
        })
        .unwrap();
    let mut count = [1_u64];
    wrong.read(0, &mut count).unwrap();
    assert_eq!(count, [0]);
}

/// The daemon's request to map for reading only is obeyed by this crate, and enforced by the driver.
#[test]
fn a_reader_does_not_write() {
    let (server, context) = (Server::start(), context());
    let store = server.client();
    let id = sealed(&store, 2);
    let object = store.get(&context, id).unwrap();
    assert_eq!(object.id(), id);
    object.write(0, &[9_u8]).expect_err("the driver refuses a copy");
    object.fill(9).expect_err("the driver refuses a fill");
    let error = object.mirror::<u8>(..).unwrap_err();
    assert!(matches!(error, CudaError::NoAccess { .. }), "{error}");
    let (fill, stream) = (kernels::fill(&context), Stream::new(&context).unwrap());
    let launched = stream.scope(|scope| scope.launch(&fill, LaunchShape::linear(1, 1), (object.slice(..)?, 7)));
    assert!(matches!(launched, Err(CudaError::NoAccess { .. })), "{launched:?}");
    assert_eq!(contents(&object), pattern(2));
}

#[test]
fn a_mirror_composes_an_object() {
    let (server, context) = (Server::start(), context());
    let store = server.client();
    let draft = store.create(&context, SIZE).unwrap();
    draft.fill(3).unwrap();
    // It begins with what is there, and writes back what was changed.
    draft.mirror::<u8>(..2).unwrap()[0] = 1;
    // It begins with the caller's values, in pinned memory, and reads nothing.
    let pinned = PinnedBuffer::new(&context, 2).unwrap();
    draft.slice::<u8>(4..6).unwrap().mirror_with(pinned).unwrap()[0] = 9;
    let id = draft.seal().unwrap();
    let object = store.get(&context, id).unwrap();
    let snapshot = object.snapshot::<u8>(..8).unwrap();
    assert_eq!(*snapshot, [1, 3, 3, 3, 9, 0, 3, 3]);
}

#[test]
fn what_is_not_sealed_cannot_be_got_or_named_and_its_creator_alone_seals_it() {
    let server = Server::start();
    let (creator, other) = (server.client(), server.client());
    let draft = creator.create(&context(), SIZE).unwrap();
    let id = draft.id();
    for client in [&creator, &other] {
        assert_eq!(refusal(client.get(&context(), id)), Refusal::NotSealed { id });
        assert_eq!(refusal(client.bind("early", id)), Refusal::NotSealed { id });
    }
    assert_eq!(draft.seal().unwrap(), id);
    assert_eq!(other.get(&context(), id).unwrap().size(), SIZE);
    let status = other.status().unwrap();
    assert_eq!((status.sealed, status.unsealed, status.holders), (1, 0, 1));
}

#[test]
fn an_object_that_was_not_sealed_ends_with_its_draft_and_with_its_client() {
    let server = Server::start();
    let (creator, other) = (server.client(), server.client());
    let dropped = creator.create(&context(), SIZE).unwrap();
    let (kept, ids) = (creator.create(&context(), SIZE).unwrap(), [dropped.id()]);
    assert_eq!(other.status().unwrap().unsealed, 2);
    drop(dropped);
    // The creator's messages arrive in their order.
    creator.status().unwrap();
    assert_eq!(refusal(other.get(&context(), ids[0])), Refusal::NoObject { id: ids[0] });
    let id = kept.id();
    // The draft holds the connection.
    drop(creator);
    assert_eq!(refusal(other.get(&context(), id)), Refusal::NotSealed { id });
    drop(kept);
    let gone = wait_for(|| other.status().unwrap().unsealed == 0);
    assert!(gone && other.status().unwrap().bytes == 0);
}

/// Waits until the daemon has seen that a connection is closed. It sees that after messages of other connections, if
/// those arrive first.
fn wait_for(mut condition: impl FnMut() -> bool) -> bool {
    let begin = std::time::Instant::now();
    while !condition() {
        if begin.elapsed() > crate::peer::LONG {
            return false;
        }
    }
    true
}

#[test]
fn a_deleted_object_is_gone_at_once_and_its_bytes_with_the_last_holder() {
    let server = Server::start();
    let (owner, holder) = (server.client(), server.client());
    let id = sealed(&owner, 4);
    let (first, second) = (holder.get(&context(), id).unwrap(), holder.get(&context(), id).unwrap());
    owner.delete(id).unwrap();
    // The revocation comes before this reply.
    holder.status().unwrap();
    for client in [&owner, &holder] {
        assert_eq!(refusal(client.get(&context(), id)), Refusal::NoObject { id });
    }
    assert_eq!(refusal(owner.delete(id)), Refusal::NoObject { id });
    assert_eq!(contents(&first), pattern(4));
    let charged = |client: &cuda_ipc_store::Client| {
        let status = client.status().unwrap();
        (status.sealed, status.deleted, status.holders, status.users[0].objects, status.bytes > 0)
    };
    assert_eq!(charged(&owner), (0, 1, 1, 1, true));
    drop(first);
    holder.status().unwrap();
    assert_eq!(charged(&owner), (0, 1, 1, 1, true));
    assert_eq!(contents(&second), pattern(4));
    drop(second);
    server.await_no_holders();
    assert_eq!(charged(&owner), (0, 0, 0, 0, false));
}

#[test]
fn a_draft_that_was_deleted_is_not_sealed() {
    let server = Server::start();
    let (creator, other) = (server.client(), server.client());
    let draft = creator.create(&context(), SIZE).unwrap();
    let id = draft.id();
    other.delete(id).unwrap();
    draft.write(0, &[1_u8]).unwrap();
    assert_eq!(refusal(draft.seal()), Refusal::NoObject { id });
    creator.status().unwrap();
    assert_eq!(other.status().unwrap().deleted, 0);
}

/// The buffer is on the first device, and a context of the second writes and reads it.
#[test]
fn two_devices_use_one_object() {
    let server = Server::start();
    let second = Context::primary(driver().device(1).unwrap()).unwrap();
    let store = server.client();
    let draft = store.create(&second, SIZE).unwrap();
    draft.write(0, &pattern(6)).unwrap();
    let id = draft.seal().unwrap();
    for context in [&second, &context()] {
        let object = store.get(context, id).unwrap();
        assert_eq!((object.context(), contents(&object)), (context, pattern(6)));
        object.write(0, &[9_u8]).expect_err("the driver refuses a copy");
    }
}

#[test]
fn sizes_without_memory_are_refused() {
    let server = Server::start();
    let store = server.client();
    for size in [0, usize::MAX, 1 << 50] {
        let error = store.create(&context(), size).unwrap_err();
        assert!(matches!(error, Error::Refused(Refusal::NoMemory { .. })), "{size}: {error}");
    }
    let status = store.status().unwrap();
    assert_eq!((status.unsealed, status.bytes, status.users[0].objects), (0, 0, 0));
}

#[test]
fn a_list_has_every_object_once() {
    let server = Server::start();
    let store = server.client();
    // More than one page has.
    let mut ids: Vec<_> = (0..150).map(|seed| sealed(&store, seed)).collect();
    let draft = store.create(&context(), 1).unwrap();
    ids.push(draft.id());
    ids.sort_unstable();
    let listed = store.list().unwrap();
    assert_eq!(listed.iter().map(|object| object.id).collect::<Vec<_>>(), ids);
    for object in listed {
        let is_draft = object.id == draft.id();
        assert_eq!((object.size, object.is_sealed), (if is_draft { 1 } else { SIZE as u64 }, !is_draft));
        assert_eq!(object.holders, u32::from(is_draft));
    }
}

roles! {
    fn role_reads(connection) {
        let store = crate::versions::client_at(&text(&connection));
        let object = store.get(&context(), text(&connection).parse().unwrap()).unwrap();
        connection.send(&contents(&object), &[]).unwrap();
    }
}
