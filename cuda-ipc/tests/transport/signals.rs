//! Signals that interrupt a call do not disturb it.

use std::os::unix::thread::JoinHandleExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cuda_ipc::transport::{Connection, Listener, TransportError};

use crate::peer::{Peer, roles, with_timeout};
use crate::raw::Traced;

#[test]
fn interrupted_calls_go_on() {
    Peer::start(module_path!(), "role_is_interrupted").finish();
}

static INTERRUPTIONS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count(_: libc::c_int) {
    INTERRUPTIONS.fetch_add(1, Ordering::Relaxed);
}

/// Installs a handler without `SA_RESTART`, so that the signal interrupts every blocking call.
fn count_interruptions() {
    // SAFETY: all zeros is a valid `sigaction`, and the handler only counts.
    let answer = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = count as *const () as usize;
        libc::sigaction(libc::SIGUSR1, &action, std::ptr::null_mut())
    };
    assert_eq!(answer, 0);
}

/// Interrupts threads until all have ended.
fn interrupt<const COUNT: usize>(threads: [JoinHandle<()>; COUNT]) {
    let before = INTERRUPTIONS.load(Ordering::Relaxed);
    while !threads.iter().all(JoinHandle::is_finished) {
        for thread in &threads {
            // SAFETY: the thread is not joined yet, so its handle is valid, even after its end.
            unsafe { libc::pthread_kill(thread.as_pthread_t(), libc::SIGUSR1) };
        }
        thread::yield_now();
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(INTERRUPTIONS.load(Ordering::Relaxed) > before);
}

roles! {
    fn role_is_interrupted(_) {
        count_interruptions();
        let (one, other) = Connection::pair().unwrap();
        let (one, other) = (with_timeout(one), with_timeout(other));
        interrupt([
            thread::spawn(move || {
                let traced = Traced::new();
                (0..20).for_each(|number| one.send(&vec![number; 1 << 20], &traced.times(300)).unwrap());
            }),
            thread::spawn(move || {
                for number in 0..20 {
                    let message = other.receive().unwrap();
                    assert!(message.bytes.len() == 1 << 20 && message.bytes.iter().all(|byte| *byte == number));
                    assert_eq!(message.descriptors.len(), 300);
                }
            }),
        ]);

        interrupt([thread::spawn(|| {
            let (listener, timeout) = (Listener::bind(&crate::addresses::unique_name()).unwrap(), Duration::from_millis(50));
            let begin = Instant::now();
            let error = listener.accept(Some(timeout)).unwrap_err();
            assert!(matches!(error, TransportError::TimedOut { .. }), "{error}");
            assert!(begin.elapsed() >= timeout);
        })]);
    }
}
