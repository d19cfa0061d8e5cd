//! The program's commands.

use std::process::Output;

use crate::common::context;
use crate::sealed;
use crate::server::Server;

fn run(arguments: &[&std::ffi::OsStr]) -> Output {
    Server::command().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_status_counts_what_the_store_has() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    store.bind("name", id).unwrap();
    let _object = store.get(&context(), id).unwrap();
    let _draft = store.create(&context(), 1).unwrap();
    let output = run(&["status".as_ref(), server.path().as_os_str()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    let number = |name: &str| lines.iter().find(|line| line[0] == name).unwrap()[1].to_owned();
    let status = store.status().unwrap();
    for (name, expected) in [("sealed", 1), ("unsealed", 1), ("deleted", 0), ("names", 1), ("holders", 2)] {
        assert_eq!(number(name), expected.to_string(), "{name}");
    }
    assert_eq!(number("bytes"), status.bytes.to_string());
    let uid = rustix::process::geteuid().as_raw();
    let user = format!("user {uid:<7}2 clients, 2 objects, {} bytes, 1 name, 0 waits", status.bytes);
    assert_eq!(said.lines().last(), Some(&*user));
}

#[test]
fn an_object_is_listed_and_deleted() {
    let server = Server::start();
    let store = server.client();
    let id = sealed(&store, 1);
    store.bind("two\nlines", id).unwrap();
    store.bind("a", id).unwrap();
    let listed = run(&["list".as_ref(), server.path().as_os_str()]);
    let uid = rustix::process::geteuid().as_raw();
    assert_eq!(
        text(&listed.stdout),
        format!("{id}  {} bytes, sealed, held by 0, of user {uid}, \"a\", \"two\\nlines\"\n", crate::SIZE)
    );
    let deleted = run(&["delete".as_ref(), server.path().as_os_str(), id.to_string().as_ref()]);
    assert!(deleted.status.success());
    assert_eq!(store.status().unwrap().sealed, 0);
    let again = run(&["delete".as_ref(), server.path().as_os_str(), id.to_string().as_ref()]);
    assert_eq!(
        (again.status.code(), text(&again.stderr)),
        (
            Some(1),
            format!(
                "buffer-store: the store has no object {id}, because it was deleted, never sealed, or never existed: see \
                 `buffer-store list`\n"
            )
        )
    );
}

#[test]
fn a_second_daemon_does_not_take_the_path() {
    let server = Server::start();
    let second = run(&["serve".as_ref(), server.path().as_os_str()]);
    assert_eq!(second.status.code(), Some(1));
    assert!(text(&second.stderr).contains("another listener has this address"), "{}", text(&second.stderr));
    server.client().status().unwrap();
}
