//! Host memory that two devices use.

use std::sync::atomic::Ordering;

use cuda_ipc::host::{PinnedBuffer, SharedPages};
use cuda_ipc::{Context, DeviceBuffer, Stream, stream};

use crate::common::{context, driver};
use crate::{alone, answer, is_done, see};

fn other_context() -> Context {
    Context::primary(driver().device(1).expect("a second device")).unwrap()
}

#[test]
fn streams_of_both_devices_use_the_pages() {
    let _alone = alone();
    let pages = SharedPages::new(&context(), 3).unwrap();
    let streams = [context(), other_context()].map(|context| Stream::non_blocking(&context).unwrap());
    stream::scope(|scope| {
        let [one, other] = [scope.on(&streams[0]), scope.on(&streams[1])];
        answer(other, &pages, (0, 1), (1, 1));
        answer(one, &pages, (1, 1), (2, 1));
        assert!(!is_done(one));
        pages.numbers()[0].store(1, Ordering::Release);
        see(&pages.numbers()[2], 1);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_buffer_is_pinned_for_both_devices() {
    let _alone = alone();
    let mut buffer = PinnedBuffer::copy_of(&context(), &[5_u8, 6]).unwrap();
    let memory = DeviceBuffer::new(&other_context(), 2).unwrap();
    memory.write(0, &buffer).unwrap();
    buffer.fill(0);
    memory.read(0, &mut buffer).unwrap();
    assert_eq!(*buffer, [5, 6]);
}
