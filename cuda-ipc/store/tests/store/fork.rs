//! A forked child shares the connection, and does not speak for its parent.

use cuda_ipc_store::Error;

use crate::common::context;
use crate::forked::holds_in_a_child;
use crate::server::Server;
use crate::{SIZE, contents, pattern, sealed};

#[test]
fn what_a_child_drops_stays_its_parents() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    let (object, draft) = (store.get(&context(), id).unwrap(), store.create(&context(), SIZE).unwrap());
    let before = store.status().unwrap();
    let forked = |error: Option<Error>| matches!(error, Some(Error::Cuda(cuda_ipc::Error::Forked)));
    let mine = Some((store.clone(), object, draft));
    // The parent's values, which the child has a copy of.
    let (mut of_child, context) = (mine, context());
    assert!(holds_in_a_child(|| {
        let (store, object, draft) = of_child.take().unwrap();
        let refused = forked(store.get(&context, id).err()) && forked(store.status().err());
        store.release(id);
        drop((draft, object, store));
        refused
    }));
    let (store, object, draft) = of_child.unwrap();
    let after = store.status().unwrap();
    assert_eq!((after.sealed, after.unsealed, after.holders), (before.sealed, before.unsealed, before.holders));
    // Nothing but this request has reached the daemon.
    assert_eq!(after.received, before.received + 1);
    assert_eq!(contents(&object), pattern(1));
    assert_eq!(contents(&store.get(&context, id).unwrap()), pattern(1));
    draft.seal().unwrap();
}
