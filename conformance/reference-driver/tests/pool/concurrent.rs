//! Processes that allocate from their pools at the same time.

use crate::waiting::waits;
use crate::*;

#[test]
fn a_pool_does_not_grow_while_another_process_takes_memory() {
    let _turn = turn();
    let machine = format!("{}-concurrent", machine());
    let mut exporter = Exporter::start(&machine, "0");
    let (id, _pool) = (exporter.id(), exporter.pool());
    waits(&machine, 0, id, || exporter.allocate(2 * MIB, 7));
    assert_eq!(exporter.read(), 7);
}
