//! The examples that show one idea each: what they print, and their exit codes.

mod common;
#[path = "common/peer.rs"]
mod peer;
#[path = "common/program.rs"]
mod program;

mod transform {
    use std::os::unix::net::UnixStream;

    use cuda_ipc::Parcel;
    use cuda_ipc::transport::Connection;

    use crate::common::{context, device};
    use crate::peer::{Peer, roles, say, wait_for_the_end};
    use crate::program::{Ended, Program};

    #[test]
    fn the_childs_kernel_changes_the_parents_memory() {
        let Ended { code, said, errors } = Program::new("transform").run();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains(&device().name().unwrap()) && said.ends_with("child's kernel: all arrived\n"), "{said}");
    }

    #[test]
    fn a_child_that_fails_makes_the_parent_fail() {
        let Ended { code, said, errors } = Program::new("transform").arguments(&["--fail"]).run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains("as it was told") && errors.contains("no child changed it"), "{errors}");
        assert!(!said.contains("arrived"), "{said}");
    }

    #[test]
    fn a_child_that_is_killed_makes_the_parent_fail() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut child = Peer::start(module_path!(), "role_maps_the_memory");
        let parent = Program::new("transform").arguments(&["export"]).start_with(ours);
        child.connection.send(b"the parent", &[std::os::fd::AsFd::as_fd(&theirs)]).unwrap();
        drop(theirs);
        assert_eq!(child.process.hear(), "mapped");
        child.process.kill();
        let Ended { code, said, errors } = parent.end();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains("no child changed it") && !said.contains("arrived"), "{said}{errors}");
    }

    roles! {
        fn role_maps_the_memory(connection) {
            let [descriptor] = <[_; 1]>::try_from(connection.receive().unwrap().descriptors).unwrap();
            let parent = Connection::from(UnixStream::from(descriptor));
            let memory = Parcel::receive(&parent).unwrap().map(&context()).unwrap();
            assert_eq!(memory.size(), 4 << 20);
            say("mapped");
            wait_for_the_end();
        }
    }
}
