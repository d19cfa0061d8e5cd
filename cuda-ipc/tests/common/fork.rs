//! A forked child.

/// Runs a check in a forked child and returns whether it held there.
pub(crate) fn holds_in_a_child(check: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs only the check, and ends without returning.
    match unsafe { libc::fork() } {
        -1 => panic!("{}", std::io::Error::last_os_error()),
        0 => {
            let holds = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or(false);
            // SAFETY: this ends the process without running the parent's handlers.
            unsafe { libc::_exit(i32::from(!holds)) }
        }
        child => {
            let mut status = 0;
            // SAFETY: the child is ours, and the output is a local.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}
