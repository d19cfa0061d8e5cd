//! A process recognises the tickets that it exported itself.

use cuda_ipc::ticket::Ticket;
use cuda_ipc::{ExporterIdentity, ProcessIdentity};
use rstest::rstest;

use crate::golden::legacy_memory;

#[test]
fn the_exporter_recognises_its_ticket() {
    let sent = Ticket::new(legacy_memory()).unwrap().to_bytes();
    assert!(Ticket::from_bytes(&sent).unwrap().is_from(&exporter()));
}

fn exporter() -> ExporterIdentity {
    legacy_memory().exporter
}

fn process(change: impl FnOnce(&mut ProcessIdentity)) -> ExporterIdentity {
    let mut other = exporter();
    change(&mut other.process);
    other
}

#[rstest]
#[case::of_another_number(process(|process| process.pid += 1))]
#[case::in_another_container(process(|process| process.pid_namespace += 1))]
#[case::that_has_its_number_now(process(|process| process.start_time += 1))]
#[case::on_another_machine(process(|process| process.boot_id = [0; 16]))]
#[case::that_executes_another_program(ExporterIdentity { nonce: [0; 16], ..exporter() })]
fn a_process_is_not_taken_for_the_exporter(#[case] other: ExporterIdentity) {
    assert!(!Ticket::new(legacy_memory()).unwrap().is_from(&other));
}
