//! The client in Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::context;
use crate::server::Server;

fn folder(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// Python with both modules, on the driver under test. `-B` leaves no compiled files.
fn python() -> Command {
    let mut command = Command::new("python3");
    let path = std::env::join_paths([folder("python"), folder("../python")]).unwrap();
    command.arg("-B").env("PYTHONPATH", path).env("CUDA_IPC_DRIVER", crate::common::driver().path());
    command.env("BUFFER_STORE", env!("CARGO_BIN_EXE_buffer-store"));
    command
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn client() {
    let output = python().args(["-m", "unittest", "discover", "-s"]).arg(folder("python")).output().unwrap();
    assert_success(&output);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("\nRan ") && !said.contains("\nRan 0 "), "{said}");
}

pub(crate) fn both_directions() {
    let server = Server::start();
    let store = server.client();
    let draft = store.create(&context(), 5000).unwrap();
    let bytes: Vec<u8> = (0..5000).map(|index| (index % 251) as u8).collect();
    draft.write(0, &bytes).unwrap();
    let id = draft.seal().unwrap();
    store.bind("from rust", id).unwrap();
    let program = "
import sys
from buffer_store import Store
with Store(sys.argv[1]) as store:
    with store.get(store.lookup('from rust')) as buffer:
        data = buffer.read()
    with store.create(len(data)) as draft:
        draft.write(0, data[::-1])
        store.bind('from python', draft.seal())
";
    let output = python().args(["-c", program]).arg(server.path()).output().unwrap();
    assert_success(&output);
    let object = store.get(&context(), store.lookup("from python").unwrap()).unwrap();
    let mut found = vec![0; 5000];
    object.read(0, &mut found).unwrap();
    found.reverse();
    assert_eq!(found, bytes);
}
