//! Pools that another process exports with a fabric handle.

use crate::*;

#[test]
fn growth_stays_accounted_for_after_the_exporter() {
    let name = concat!(module_path!(), "::growth_stays_accounted_for_after_the_exporter");
    own_process::run(name, &[("REFERENCE_DRIVER_FABRIC", "channel")], || {
        let _turn = turn();
        let [mut exporter, mut observer] = [(); 2].map(|()| Exporter::start(&machine(), "0"));
        let pool = import_fabric(exporter.fabric()).unwrap();
        let before = free_bytes();
        let data = exporter.allocate(6 * MIB, 7);
        assert_eq!((before - free_bytes(), before - observer.free_bytes()), (6 * MIB, 6 * MIB));
        exporter.kill();
        assert_eq!(
            (before - free_bytes(), before - observer.free_bytes()),
            (6 * MIB, 6 * MIB),
            "the pool is still open"
        );
        let pointer = import_pointer(pool, data).unwrap();
        assert_eq!((read(pointer), before - observer.free_bytes()), (Ok(7), 6 * MIB));
        call!(cuMemPoolDestroy(pool));
        free(pointer);
        assert_eq!((free_bytes(), observer.free_bytes()), (before, before));
    });
}
