//! What a new object contains.

use crate::common::context;
use crate::contents;
use crate::server::Server;

const SECRET: u64 = 0x5ec2_e77e_5ec2_e77e;
const WORDS: usize = (2 << 20) / size_of::<u64>();
const OBJECTS: usize = 16;

/// The daemon creates the memory of all clients in one process, and a driver need not clear what one process frees and
/// allocates again.
#[test]
fn a_new_object_contains_nothing_of_a_deleted_one() {
    let (server, context) = (Server::start(), context());
    let owner = server.client();
    for _ in 0..OBJECTS {
        let draft = owner.create(&context, WORDS * size_of::<u64>()).unwrap();
        draft.write(0, &vec![SECRET; WORDS]).unwrap();
        let id = draft.seal().unwrap();
        owner.delete(id).unwrap();
    }
    assert_eq!(owner.status().unwrap().bytes, 0);
    drop(owner);
    let other = server.client();
    let drafts: Vec<_> = (0..OBJECTS).map(|_| other.create(&context, WORDS * size_of::<u64>()).unwrap()).collect();
    for draft in &drafts {
        let secrets = contents(draft).chunks_exact(8).filter(|word| *word == SECRET.to_le_bytes()).count();
        assert_eq!(secrets, 0, "words of a deleted object in a new one");
    }
}
