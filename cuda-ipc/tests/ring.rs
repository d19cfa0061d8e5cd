//! The example `ring`: if one side is killed, the other ends with an error, and claims nothing.

mod common;
#[path = "common/peer.rs"]
mod peer;

mod death {
    use std::os::fd::{AsFd as _, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use cuda_ipc::transport::Connection;
    use cuda_ipc::{DeviceMemory, Parcel, SharedBuffer};
    use rstest::rstest;

    use crate::common::{context, device};
    use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};

    // Of the example: the words of a slot, the number of slots, and the places of the counters.
    const SLOT: usize = 16 << 10;
    const SLOTS: usize = 4;
    const FILLED: usize = 0;
    const FREED: usize = 32;

    #[rstest]
    #[case::of_the_consumer("import", "role_takes_nothing", "full")]
    #[case::of_the_producer("export", "role_puts_one", "taken")]
    fn a_death_ends_the_other_side(#[case] side: &str, #[case] role: &str, #[case] last_word: &str) {
        let (theirs, rings) = UnixStream::pair().unwrap();
        let mut other = Peer::start(module_path!(), role);
        other.connection.send(b"the ring", &[theirs.as_fd()]).unwrap();
        drop(theirs);
        let test = std::env::current_exe().expect("a test executable has a path");
        let profile = test.parent().and_then(|folder| folder.parent()).expect("the test is in target/<profile>/deps");
        let mut ring = Command::new(profile.join("examples/ring"));
        ring.arg(side).env("CUDA_IPC_DRIVER", device().driver().path()).stdin(OwnedFd::from(rings));
        let ring = ring.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let ring = ring.expect("`cargo test -p cuda-ipc` builds the examples");
        assert_eq!(other.process.hear(), last_word);
        other.process.kill();
        let ended = ring.wait_with_output().unwrap();
        let [said, errors] = [ended.stdout, ended.stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!(ended.status.code(), Some(1), "{said}{errors}");
        assert!(errors.contains("the other process died") && !said.contains("arrived"), "{said}{errors}");
    }

    fn ring(connection: &Connection) -> Connection {
        let [descriptor] = <[OwnedFd; 1]>::try_from(connection.receive().unwrap().descriptors).unwrap();
        Connection::from(UnixStream::from(descriptor))
    }

    fn wait_until(memory: &DeviceMemory, counter: usize, value: u32) {
        let (begin, mut found) = (Instant::now(), [0]);
        while found != [value] {
            assert!(begin.elapsed() < LONG, "counter {counter} is {found:?}");
            memory.read(counter * size_of::<u32>(), &mut found).unwrap();
        }
    }

    roles! {
        fn role_takes_nothing(connection) {
            let ring = ring(&connection);
            let memory = SharedBuffer::new(&context(), (SLOTS + 1) * SLOT * size_of::<u32>()).unwrap();
            memory.fill(0).unwrap();
            memory.share().unwrap().send(&ring).unwrap();
            wait_until(&memory, FILLED, SLOTS as u32);
            say("full");
            wait_for_the_end();
        }

        fn role_puts_one(connection) {
            let ring = ring(&connection);
            let memory = Parcel::receive(&ring).unwrap().map(&context()).unwrap();
            memory.write(FILLED * size_of::<u32>(), &[1_u32]).unwrap();
            wait_until(&memory, FREED, 1);
            say("taken");
            wait_for_the_end();
        }
    }
}
