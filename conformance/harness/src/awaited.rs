//! Steps that a case repeats until another process has got somewhere.

use std::fmt;
use std::time::{Duration, Instant};

use crate::{Stop, trace};

/// How long a case repeats a step.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(1);

/// Repeats a step until its output is no longer this one, or until that has taken too long. Then it
/// fails the case with the text.
///
/// The trace has the condition, so that the C program of a report waits for it too.
///
/// # Errors
/// [`Stop`]: that of the step, or a failure if the output did not change.
pub fn until_changed<T: PartialEq + fmt::Debug>(
    text: &str,
    from: &T,
    mut step: impl FnMut() -> Result<T, Stop>,
) -> Result<T, Stop> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let output = step()?;
        let has_changed = output != *from;
        if has_changed || Instant::now() > deadline {
            trace::awaited_change(text, &output, from, has_changed);
            return if has_changed { Ok(output) } else { Err(Stop::failed(text)) };
        }
        // A kernel that writes to memory sends no signal.
        std::thread::sleep(PAUSE);
    }
}
