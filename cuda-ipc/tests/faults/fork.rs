//! A child that is forked while another thread loads the driver.

use std::io::{Read as _, Write as _, pipe};
use std::os::fd::AsRawFd as _;

use cuda_ipc::{Driver, Error};

use crate::driver;
use crate::peer::{Peer, roles};

#[test]
fn a_child_that_is_forked_during_the_initialization_is_refused() {
    Peer::start(module_path!(), "role_forks_during_the_initialization").finish();
}

roles! {
    fn role_forks_during_the_initialization(_connection) {
        let ((mut hearing, telling), (waiting, mut letting)) = (pipe().unwrap(), pipe().unwrap());
        let variable = format!("{},{}", telling.as_raw_fd(), waiting.as_raw_fd());
        // SAFETY: no other thread uses the environment yet.
        unsafe { std::env::set_var("INITIALIZING_WAITS", variable) };
        let loading = std::thread::spawn(driver);
        hearing.read_exact(&mut [0]).unwrap();
        // SAFETY: the child only asks for the driver and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the calls have no preconditions. A child that waits for the lock is killed, which the parent sees.
            unsafe {
                libc::alarm(10);
                libc::_exit(i32::from(!matches!(Driver::get(), Err(Error::Forked))))
            }
        }
        let mut status = 0;
        // SAFETY: the child is ours, and the output is a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        letting.write_all(&[0]).unwrap();
        loading.join().unwrap();
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
        assert!(Driver::get().is_ok());
    }
}
