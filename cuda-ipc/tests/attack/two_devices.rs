//! Attempts that need two GPUs with peer access.

use std::ptr;

use cuda_ipc::module::{LaunchShape, Module};
use cuda_ipc::peer::PeerAccess;
use cuda_ipc::{Context, DeviceBuffer, Stream};

use crate::common::{device, driver};
use crate::peer::{Peer, roles};
use crate::{alone, start};

const COUNT: u64 = 1024;

#[test]
fn a_dropped_value_leaves_the_access_of_another() {
    let _alone = alone();
    // If the access were lost, the kernel would end all device work of its process.
    let peer = Peer::start(module_path!(), "role_writes_to_the_peer");
    peer.finish();
}

roles! {
    fn role_writes_to_the_peer(_connection) {
        start();
        let [one, other] = [device(), driver().device(1).expect("a second device")].map(|device| Context::new(device).unwrap());
        let buffer = DeviceBuffer::new(&other, 4 * COUNT as usize).unwrap();
        let stream = Stream::non_blocking(&one).unwrap();
        // SAFETY: the text is a kernel of this workspace.
        let module = unsafe { Module::from_ptx(&one, kernels::FILL.ptx) }.unwrap();
        let function = module.function(kernels::FILL.entry).unwrap();
        let (mut words, mut count, mut seed) = (buffer.pointer(), COUNT, 5_u32);
        let mut parameters =
            [ptr::from_mut(&mut words).cast(), ptr::from_mut(&mut count).cast(), ptr::from_mut(&mut seed).cast()];
        let [first, second] = [(); 2].map(|()| PeerAccess::enable(&one, &other).unwrap());
        drop(first);
        // SAFETY: the kernel takes these three, and the buffer of `COUNT` words lives until the stream is done.
        unsafe { function.launch(LaunchShape::linear(4, 64), &stream, &mut parameters) }.unwrap();
        stream.synchronize().unwrap();
        let mut filled = vec![0_u32; COUNT as usize];
        buffer.read(0, &mut filled).unwrap();
        assert!(filled.iter().enumerate().all(|(index, word)| *word == kernels::pattern(seed, index as u64)));
        second.disable().unwrap();
    }
}
