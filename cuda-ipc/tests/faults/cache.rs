//! `ALREADY_MAPPED`: the exporter reuses an address that is still mapped in the importer.

use cuda_ipc::cache::{Cache, CachedMemory};
use cuda_ipc::sys::CUresult;
use cuda_ipc::{DeviceBuffer, Error, Parcel};
use rstest::rstest;

use crate::peer::{Peer, roles};
use crate::{SIZE, alone, context};

fn open(cache: &Cache, parcel: &Parcel) -> Result<CachedMemory, Error> {
    // SAFETY: the exporter keeps the memory that it shares as long as this process runs.
    unsafe { cache.open(&context(), parcel) }
}

#[rstest]
fn what_is_idle_makes_room_where_the_driver_says_already_mapped(#[values(false, true)] of_another_program: bool) {
    let _alone = alone();
    let exporter = Peer::start(module_path!(), "role_shares_two");
    let [one, mut other] = [(); 2].map(|()| Parcel::receive(&exporter.connection).unwrap());
    if of_another_program {
        // Addresses belong to a process, whichever program it runs.
        let mut contents = other.ticket.into_contents();
        contents.exporter.nonce[0] ^= 1;
        other.ticket = contents.try_into().unwrap();
    }
    let cache = Cache::new(usize::MAX);
    let used = open(&cache, &one).unwrap();
    assert_eq!(open(&cache, &other).unwrap_err().code(), Some(CUresult::CUDA_ERROR_ALREADY_MAPPED));
    assert_eq!(cache.bytes(), SIZE, "an import in use stays open");
    drop(used);
    let memory = open(&cache, &other).unwrap();
    assert_eq!((memory.size(), cache.bytes()), (SIZE, SIZE));
    assert!(!cache.forget(&one.ticket) && cache.forget(&other.ticket));
}

roles! {
    fn role_shares_two(connection) {
        let buffers = [(); 2].map(|()| DeviceBuffer::new(&context(), SIZE).unwrap());
        buffers.iter().for_each(|buffer| buffer.share(..).unwrap().send(&connection).unwrap());
        connection.receive().unwrap_err();
    }
}
