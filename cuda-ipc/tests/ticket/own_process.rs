//! A process recognises the tickets that it exported itself.

use cuda_ipc::ProcessIdentity;
use cuda_ipc::ticket::Ticket;
use rstest::rstest;

use crate::golden::legacy_memory;

#[test]
fn the_exporter_recognises_its_ticket() {
    let sent = Ticket::new(legacy_memory()).unwrap().to_bytes();
    assert!(Ticket::from_bytes(&sent).unwrap().is_from(&exporter()));
}

fn exporter() -> ProcessIdentity {
    legacy_memory().exporter
}

#[rstest]
#[case::of_another_number(ProcessIdentity { pid: 4712, ..exporter() })]
#[case::in_another_container(ProcessIdentity { pid_namespace: 4_026_531_837, ..exporter() })]
#[case::that_has_its_number_now(ProcessIdentity { start_time: 123_456_790, ..exporter() })]
#[case::on_another_machine(ProcessIdentity { boot_id: [0; 16], ..exporter() })]
fn a_process_is_not_taken_for_the_exporter(#[case] other: ProcessIdentity) {
    assert!(!Ticket::new(legacy_memory()).unwrap().is_from(&other));
}
