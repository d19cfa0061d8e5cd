//! The examples that show one idea each: what they print, and their exit codes.

mod common;
#[path = "common/peer.rs"]
mod peer;
#[path = "common/program.rs"]
mod program;

#[path = "programs/by_file.rs"]
mod by_file;
#[path = "programs/pool_share.rs"]
mod pool_share;

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

mod events {
    use crate::program::{Ended, Program};

    #[test]
    fn a_wait_for_a_recorded_event_orders_the_reads() {
        let Ended { code, said, errors } = Program::new("events").run();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains("complete before the wait: false, after: true; waited "), "{said}");
        assert!(said.ends_with("words of the kernel: all arrived\n"), "{said}");
    }

    #[test]
    fn a_wait_before_the_record_returns_at_once() {
        let Ended { code, said, errors } = Program::new("events").arguments(&["--racy"]).run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(said.contains("complete before the wait: true, after: true; waited "), "{said}");
        assert!(errors.contains("words are old") && !said.contains("arrived"), "{said}{errors}");
    }

    /// The refusal comes when the exporter's stream already waits for the importer, which waits for the exporter.
    #[test]
    fn a_device_without_ipc_ends_both_sides() {
        let program = Program::on_reference_driver("events").variable("REFERENCE_DRIVER_PROFILE", "no-ipc");
        let Ended { code, said, errors } = program.run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains("cuIpcGetEventHandle") && !said.contains("arrived"), "{said}{errors}");
    }
}

/// These tests set the state of the reference driver's fabric, so they run on no other driver.
mod fabric {
    use std::os::unix::net::UnixStream;

    use rstest::rstest;

    use crate::program::{Ended, Program};

    const STATE: &str = "REFERENCE_DRIVER_FABRIC";

    #[rstest]
    #[case::no_support("absent", ": 1. no support")]
    #[case::no_channel("no-channel", ": 2. support, and no IMEX channel")]
    #[case::not_ready("not-ready", ": 3. support, but no memory can be exported")]
    #[case::works("channel", ": 4. another process imported")]
    fn each_state_is_told(#[case] state: &str, #[case] told: &str) {
        let Ended { code, said, errors } = Program::on_reference_driver("fabric").variable(STATE, state).run();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert_eq!(said.lines().filter(|line| line.contains(told)).count(), 2, "one line for each device: {said}");
    }

    #[test]
    fn an_import_from_another_channel_is_told() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let side = |side, channel| Program::on_reference_driver("fabric").arguments(&[side]).variable(STATE, channel);
        let importer = side("import", "channel:8").start_with(theirs);
        let Ended { code, said, errors } = side("export", "channel:7").start_with(ours).end();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains(": 3. a channel and an export, but another process cannot import it"), "{said}");
        assert_eq!(importer.end().code, Some(0));
    }
}

mod p2p_ring {
    use cuda_ipc::peer::can_access;
    use rstest::rstest;

    use crate::common::driver;
    use crate::program::{Ended, Program};

    #[test]
    fn each_edge_with_peer_access_is_written_and_verified() {
        let devices = driver().devices().unwrap();
        let next = devices.iter().cycle().skip(1);
        let edges = devices.iter().zip(next).filter(|(from, to)| can_access(**from, **to).unwrap()).count();
        let Ended { code, said, errors } = Program::new("p2p_ring").arguments(&["1", "2"]).run();
        assert_eq!(code, Some(if edges > 0 { 0 } else { 2 }), "{said}{errors}");
        assert!(
            edges == 0
                || said.ends_with(&format!("GB/s over each edge, all edges at once\nedges: {edges}, all arrived\n")),
            "{said}"
        );
        assert_eq!(said.matches("native atomics").count(), devices.len() * (devices.len() - 1), "{said}");
    }

    #[rstest]
    #[case::one_device("1", "", &["edge 0 → 0 skipped: a device is not its own peer", "no edge"], 2)]
    #[case::no_peers("2", "all:none", &["edge 0 → 1 skipped", "edge 1 → 0 skipped", "no edge"], 2)]
    #[case::one_edge_is_missing("3", "1-2:none", &["edge 1 → 2 skipped: cuDeviceCanAccessPeer", "edges: 2, all arrived"], 0)]
    fn a_missing_edge_is_skipped_with_its_reason(
        #[case] devices: &str,
        #[case] topology: &str,
        #[case] told: &[&str],
        #[case] expected: i32,
    ) {
        let program = Program::on_reference_driver("p2p_ring").variable("REFERENCE_DRIVER_DEVICES", devices);
        let ended = program.variable("REFERENCE_DRIVER_TOPOLOGY", topology).arguments(&["1"]).run();
        let Ended { code, said, errors } = ended;
        assert_eq!(code, Some(expected), "{said}{errors}");
        assert!(told.iter().all(|told| said.contains(told)), "{said}");
    }
}

mod vmm_peers {
    use cuda_ipc::peer::can_access;
    use rstest::rstest;

    use crate::common::{device, driver};
    use crate::program::{Ended, Program};

    #[test]
    fn each_device_can_do_what_its_access_permits() {
        let Ended { code, said, errors } = Program::new("vmm_peers").run();
        assert_eq!(code, Some(0), "{said}{errors}");
        let peers = driver().devices().unwrap().into_iter().filter(|peer| can_access(*peer, device()).unwrap()).count();
        for told in ["ReadWrite: reads, writes\n", "Read: reads, write refused", "None: read refused"] {
            assert_eq!(said.matches(told).count(), peers + 1, "{told}: {said}");
        }
        assert!(said.ends_with("what was allowed arrived\n"), "{said}");
    }

    #[rstest]
    #[case::a_forbidden_read_is_skipped("a-kernel-without-access-is-skipped", "the device permitted it")]
    #[case::a_forbidden_write_arrives("a-kernel-stores-before-it-fails", "words were wrong")]
    fn a_driver_that_breaks_the_rule_is_noticed(#[case] fault: &str, #[case] told: &str) {
        let Ended { code, said, errors } =
            Program::on_reference_driver("vmm_peers").variable("REFERENCE_DRIVER_FAULT", fault).run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains(told) && !said.contains("arrived"), "{said}{errors}");
    }

    #[test]
    fn a_device_without_peer_access_is_skipped_with_its_reason() {
        let program = Program::on_reference_driver("vmm_peers").variable("REFERENCE_DRIVER_TOPOLOGY", "all:none");
        let Ended { code, said, errors } = program.run();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains("device 1 skipped: cuDeviceCanAccessPeer") && said.contains("device 0, None"), "{said}");
    }
}

mod stream {
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    use cuda_ipc::ring::{Consumer, Options};
    use cuda_ipc::transport::Connection;
    use rstest::rstest;
    use serde_json::Value;

    use crate::common::{context, driver};
    use crate::peer::{LONG, Peer, roles, say, wait_for_the_end};
    use crate::program::{Ended, Program, Running};

    #[rstest]
    #[case::values(&[])]
    #[case::events(&["--order", "events", "--placement", "producer"])]
    #[case::one_slot_and_stream(&["--slots", "1", "--streams", "1", "--verify-every", "3"])]
    #[case::to_the_last_device(&["--verify-every", "2", "--consumer-device", "last"])]
    #[case::from_the_last_device(&["--placement", "producer", "--verify-every", "2", "--producer-device", "last"])]
    fn all_messages_arrive(#[case] arguments: &[&str]) {
        // The other device is the first one too, if there is no second.
        let last = (driver().device_count().unwrap() - 1).to_string();
        let arguments: Vec<_> = arguments.iter().map(|word| if *word == "last" { &last } else { *word }).collect();
        let program = Program::new("stream").arguments(&["--messages", "300", "--slot-size", "16K"]);
        let Ended { code, said, errors } = program.arguments(&arguments).run();
        assert_eq!(code, Some(0), "{said}{errors}");
        assert!(said.contains("message 0 of 300\n") && said.contains(" GB/s; slots at the "), "{said}");
        assert!(said.contains("latency from the commit to the consumer's host: median "), "{said}");
        assert!(said.ends_with("slots: all arrived\n"), "{said}");
    }

    #[test]
    fn the_report_is_json() {
        let program = Program::new("stream").arguments(&["--messages", "100", "--slot-size", "4K", "--json"]);
        let Ended { code, said, errors } = program.run();
        assert_eq!(code, Some(0), "{said}{errors}");
        let report: Value = serde_json::from_str(&said).unwrap();
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{said}"));
        assert!(number(&report["gb_per_s"]) > 0.0);
        assert_eq!((report["messages"].as_u64(), report["slot_size"].as_u64()), (Some(100), Some(4096)));
        assert_eq!((&report["placement"], &report["order"]), (&"consumer".into(), &"values".into()));
        let latencies = ["p50", "p90", "p99", "max"].map(|name| number(&report["latency_us"][name]));
        assert!(latencies[0] > 0.0 && latencies.is_sorted(), "{latencies:?}");
    }

    #[rstest]
    #[case::unknown(&["--fast"], "--fast")]
    #[case::no_slots(&["--slots", "0"], "at least 1")]
    #[case::half_a_word(&["--slot-size", "10"], "multiple of 4")]
    #[case::no_such_side(&["--placement", "here"], "expected consumer or producer")]
    fn bad_arguments_are_refused(#[case] arguments: &[&str], #[case] told: &str) {
        let Ended { code, said, errors } = Program::new("stream").arguments(arguments).run();
        assert_eq!((code, &*said), (Some(2), ""), "{errors}");
        assert!(errors.contains(told), "{errors}");
    }

    /// An option that the usage lists is known: it is refused only for its value.
    #[test]
    fn the_usage_lists_every_option() {
        let Ended { code, said, errors } = Program::new("stream").arguments(&["--slots", "2", "--help"]).run();
        assert_eq!((code, &*errors), (Some(0), ""), "{said}");
        let listed: Vec<&str> = said.lines().filter_map(|line| line.trim_start().split(' ').next()).collect();
        let listed: Vec<&str> = listed.into_iter().filter(|word| word.starts_with("--")).collect();
        let source = include_str!("../examples/stream/options.rs");
        let known = source.lines().filter_map(|line| line.trim_start().strip_prefix("\"--")?.split_once("\" => "));
        let known: Vec<String> = known.map(|(name, _)| format!("--{name}")).collect();
        let others = ["--json".to_owned(), "--help".to_owned()];
        assert_eq!(listed, known.into_iter().chain(others).collect::<Vec<_>>());
    }

    /// The two sides, in the middle of a stream that would not end.
    fn running(order: &str) -> (Running, Running) {
        let (one, other) = UnixStream::pair().unwrap();
        let start = |side: &str, socket: UnixStream| {
            let program = Program::new("stream").arguments(&[side, "--messages", "1000000000000", "--slot-size", "4K"]);
            program.arguments(&["--order", order]).start_with(socket)
        };
        let (mut consumer, producer) = (start("export", one), start("import", other));
        consumer.hear("message 0");
        (consumer, producer)
    }

    #[rstest]
    fn a_killed_producer_is_named(#[values("values", "events")] order: &str) {
        let (consumer, mut producer) = running(order);
        producer.kill();
        let Ended { code, said, errors } = consumer.end();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.starts_with("the producer died") && errors.contains("after message "), "{errors}");
        assert!(!said.contains("arrived"), "{said}");
    }

    #[rstest]
    fn a_killed_consumer_is_named(#[values("values", "events")] order: &str) {
        let (mut consumer, producer) = running(order);
        consumer.kill();
        let Ended { code, said, errors } = producer.end();
        assert_eq!((code, &*said), (Some(1), ""), "{errors}");
        assert!(errors.starts_with("the consumer died"), "{errors}");
    }

    /// The producer has sent everything and waits for the consumer.
    #[test]
    fn a_consumer_that_is_killed_at_the_end_is_named() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut consumer = Peer::start(module_path!(), "role_receives_nothing");
        let producer = Program::new("stream").arguments(&["import", "--messages", "2", "--slot-size", "4K"]);
        let producer = producer.start_with(ours);
        consumer.connection.send(b"the producer", &[theirs.as_fd()]).unwrap();
        drop(theirs);
        assert_eq!(consumer.process.hear(), "closed");
        consumer.process.kill();
        let Ended { code, said, errors } = producer.end();
        assert_eq!((code, &*said), (Some(1), ""), "{errors}");
        assert!(errors.starts_with("the consumer died"), "{errors}");
    }

    #[test]
    fn a_producer_that_fails_makes_the_program_fail() {
        let Ended { code, said, errors } = Program::new("stream").arguments(&["--producer-device", "99"]).run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains("cuDeviceGet") && !said.contains("arrived"), "{said}{errors}");
    }

    roles! {
        fn role_receives_nothing(connection) {
            let [descriptor] = <[_; 1]>::try_from(connection.receive().unwrap().descriptors).unwrap();
            let producer = Connection::from(UnixStream::from(descriptor));
            let ring = Consumer::create(&producer, &context(), Options::new(4096)).unwrap();
            let _messages = [(); 2].map(|()| ring.next(LONG).unwrap().expect("a message"));
            assert!(ring.next(LONG).unwrap().is_none());
            say("closed");
            wait_for_the_end();
        }
    }

    /// What the producer writes stays with it, and the kernel that compares the words notices it.
    #[test]
    fn wrong_words_are_noticed() {
        const FAULT: &str = "import-on-the-second-gpu-keeps-its-writes";
        let program = Program::on_reference_driver("stream").variable("REFERENCE_DRIVER_FAULT", FAULT);
        let program = program.arguments(&["--messages", "20", "--slot-size", "4K", "--consumer-device", "1"]);
        let Ended { code, said, errors } = program.run();
        assert_eq!(code, Some(1), "{said}{errors}");
        assert!(errors.contains("20 of 20 messages arrived, with ") && !said.contains("all arrived"), "{said}{errors}");
    }
}
