//! Pools: one import serves many pointers, and a pointer is imported once.

use cuda_ipc::pool::{Pool, PoolBuffer};
use cuda_ipc::vmm::HandleTypes;
use cuda_ipc::{Error, Parcel, Stream};

use crate::common::{context, device};
use crate::peer::{Peer, roles};
use crate::{SIZE, contents};

#[test]
fn pointers_of_one_pool_are_shared() {
    let pool = Pool::new(device(), HandleTypes::POSIX_FILE_DESCRIPTOR, None).unwrap();
    let stream = Stream::new(&context()).unwrap();
    let (one, other) = (PoolBuffer::new(&pool, SIZE, &stream).unwrap(), PoolBuffer::new(&pool, SIZE, &stream).unwrap());
    one.fill(1).unwrap();
    other.fill(2).unwrap();
    let importer = Peer::start(module_path!(), "role_opens_pointers");
    let send = |parcel: Result<Parcel, Error>| parcel.unwrap().send(&importer.connection).unwrap();
    send(one.share(..));
    send(one.share(..));
    send(other.share_without_pool(SIZE / 2..));
    importer.finish();
    // The importer has closed its imports, which did not free the buffers.
    assert!(contents(&one).iter().all(|byte| *byte == 3));
    assert!(contents(&other)[..SIZE / 2].iter().all(|byte| *byte == 2));
    one.free().unwrap();
    other.free().unwrap();
    pool.destroy().unwrap();
}

roles! {
    fn role_opens_pointers(connection) {
        let context = context();
        let receive = || Parcel::receive(&connection).unwrap();
        let (first, again, of_the_other) = (receive(), receive(), receive());
        // SAFETY: the parcels came from a process that keeps the memory as long as this one runs.
        let open = |parcel: &Parcel| unsafe { parcel.open(&context) };
        // The parcel was sent without its pool.
        assert!(matches!(open(&of_the_other), Err(Error::UnknownPool { .. })));
        assert!(matches!(first.map(&context), Err(Error::OtherTicket { found: "memory of a pool", .. })));
        let (one, same) = (open(&first).unwrap(), open(&again).unwrap());
        assert_eq!(one.pointer(), same.pointer());
        let other = open(&of_the_other).unwrap();
        assert_eq!(other.size(), SIZE / 2);
        assert!(contents(&other).iter().all(|byte| *byte == 2));
        // Without the layer, the driver would unmap both.
        one.close().unwrap();
        assert!(contents(&same).iter().all(|byte| *byte == 1));
        same.fill(3).unwrap();
        drop(same);
        other.close().unwrap();
        // The imported pool was closed with its last pointer.
        assert!(matches!(open(&of_the_other), Err(Error::UnknownPool { .. })));
        assert!(contents(&open(&first).unwrap()).iter().all(|byte| *byte == 3));
    }
}
