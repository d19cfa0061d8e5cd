//! The example `pool_share`: its output and its exit codes.

use cuda_ipc::peer::can_access;

use crate::common::{device, driver};
use crate::program::{Ended, Program};

const ARRIVED: &str = "4 buffers of one pool went there and back: all words arrived\n";

#[test]
fn every_device_that_reaches_the_pool_reads_and_writes() {
    let Ended { code, said, errors } = Program::new("pool_share").run();
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(said.ends_with(ARRIVED), "{said}");
    let devices = driver().devices().unwrap().into_iter().enumerate();
    let near: Vec<_> =
        devices.filter(|(_, other)| *other == device() || can_access(*other, device()).unwrap()).collect();
    for number in 0..4 {
        let told = format!("buffer {number}: read and written by device {}\n", near[number % near.len()].0);
        assert!(said.contains(&told), "{told}: {said}");
    }
}

#[test]
fn a_device_that_does_not_reach_the_pool_is_left_out() {
    let program = Program::on_reference_driver("pool_share").variable("REFERENCE_DRIVER_TOPOLOGY", "all:none");
    let Ended { code, said, errors } = program.run();
    assert_eq!(code, Some(0), "{said}{errors}");
    assert!(said.matches("read and written by device 0\n").count() == 4 && said.ends_with(ARRIVED), "{said}");
}

#[test]
fn an_importer_that_fails_makes_the_exporter_fail() {
    let Ended { code, said, errors } = Program::new("pool_share").arguments(&["--fail"]).run();
    assert_eq!(code, Some(1), "{said}{errors}");
    assert!(errors.contains("the importer ends") && errors.contains("words are not the importer's"), "{errors}");
    assert!(!said.contains("arrived"), "{said}");
}
