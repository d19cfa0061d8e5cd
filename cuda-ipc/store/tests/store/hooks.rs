//! A drop hook that uses the store.

use std::sync::OnceLock;
use std::sync::mpsc::{self, Sender};

use cuda_ipc::sys::CUresult;
use cuda_ipc_store::Client;

use crate::common::{context, driver};
use crate::peer::{LONG, Peer, roles, say};
use crate::server::Server;
use crate::{sealed, versions};

/// What the hook asks, and whom it tells.
static ASKED: OnceLock<(Client, Sender<(&str, bool)>)> = OnceLock::new();

/// In a process of its own, because a process has one drop hook.
#[test]
fn a_hook_may_ask_the_store() {
    let server = Server::start();
    let id = sealed(&server.client(), 1);
    let mut client = Peer::start(module_path!(), "role_has_a_hook");
    client.connection.send(server.path().as_os_str().as_encoded_bytes(), &[]).unwrap();
    client.connection.send(id.to_string().as_bytes(), &[]).unwrap();
    assert_eq!(client.process.hear(), "mapped");
    // The client's thread receives the revocation, and cannot close the memory.
    server.client().delete(id).unwrap();
    client.finish();
}

roles! {
    fn role_has_a_hook(connection) {
        let text = || String::from_utf8(connection.receive().unwrap().bytes).unwrap();
        let (path, id): (String, _) = (text(), text().parse().unwrap());
        let store = versions::client_at(&path);
        let context = context();
        let (told, telling) = mpsc::channel();
        assert!(ASKED.set((store.clone(), told)).is_ok());
        cuda_ipc::set_drop_hook(|error| {
            let (store, told) = ASKED.get().unwrap();
            told.send((error.resource, store.status().is_ok())).unwrap();
        });
        let object = store.get(&context, id).unwrap();
        let (pointer, size) = (object.pointer(), store.mapped_bytes());
        drop(object);
        // SAFETY: nothing uses the memory any more, and the cache finds that it cannot unmap it.
        let gone = unsafe { [driver().raw().cuMemUnmap(pointer, size), driver().raw().cuMemAddressFree(pointer, size)] };
        assert_eq!(gone, [Ok(CUresult::CUDA_SUCCESS); 2]);
        say("mapped");
        let (resource, could_ask) = telling.recv_timeout(LONG).expect("the hook returned");
        assert!(could_ask, "{resource}");
    }
}
