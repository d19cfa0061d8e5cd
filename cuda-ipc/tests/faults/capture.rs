//! A borrowed stream that other code is capturing. A graph would run the work of a scope after the scope.

use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::foreign::ForeignError;
use cuda_ipc::module::LaunchShape;
use cuda_ipc::stream::WaitValue;
use cuda_ipc::{DeviceBuffer, Error, Stream};

use crate::peer::{Peer, roles};
use crate::{alone, context};

#[allow(dead_code, reason = "only one kernel is launched")]
#[path = "../common/kernels.rs"]
mod kernel;

#[test]
fn nothing_is_enqueued_in_a_borrowed_stream_that_is_captured() {
    let _alone = alone();
    Peer::start(module_path!(), "role_borrows_a_captured_stream").finish();
}

roles! {
    fn role_borrows_a_captured_stream(_connection) {
        let context = context();
        let (own, event) = (Stream::non_blocking(&context).unwrap(), InterprocessEvent::new(&context).unwrap());
        // SAFETY: the stream outlives the value.
        let borrowed = unsafe { Stream::borrow_raw(&context, own.raw(), ()) }.unwrap();
        let (memory, mut read) = (DeviceBuffer::new(&context, 8).unwrap(), [9_u32; 1]);
        memory.fill(0).unwrap();
        let ([one, other], spin) = ([0, 1].map(|at| memory.slice::<u32>(at..=at).unwrap()), kernel::spin(&context));
        // SAFETY: only this thread uses the environment, which the driver reads in its calls.
        unsafe { std::env::set_var("STREAMS_ARE_CAPTURED", "1") };
        borrowed.scope(|stream| {
            let refused = [
                stream.write(one, &[1]),
                stream.read(one, &mut read),
                stream.copy(one, other),
                stream.fill(one, 1),
                stream.write_value(one, 1),
                stream.wait_value(one, WaitValue::Equal, 1),
                stream.record(&event),
                stream.wait(&event),
                stream.launch(&spin, LaunchShape::linear(1, 1), (1,)),
                event.record(&borrowed),
            ];
            for (number, result) in refused.into_iter().enumerate() {
                assert!(matches!(result, Err(Error::Foreign(ForeignError::Capturing))), "{number}: {result:?}");
            }
            Ok(())
        })
        .unwrap();
        // Nobody else has the handle of a stream of our own.
        own.scope(|stream| stream.fill(one, 7)).unwrap();
        assert_eq!((memory.snapshot::<u32>(..).unwrap()[..].to_vec(), read), (vec![7, 0], [9]));
    }
}
