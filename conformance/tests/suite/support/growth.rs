//! What a process or a device has, compared with what it had before. The trace of a run gets each comparison, so that the
//! C program of a report makes it too.

use conformance::{Outcome, Role, Stop, trace};

/// What a process has: a field of `Usage`, and the words for it in a message.
#[derive(Clone, Copy)]
pub(crate) struct Resource(pub(crate) &'static str, pub(crate) &'static str);

pub(crate) const DESCRIPTORS: Resource = Resource("descriptors", "open descriptors");
pub(crate) const CHILDREN: Resource = Resource("children", "child processes");
pub(crate) const MAPPINGS: Resource = Resource("mappings", "mappings");
pub(crate) const MAPPED: Resource = Resource("mapped", "mapped bytes");
pub(crate) const RESIDENT: Resource = Resource("resident", "bytes of resident memory");
pub(crate) const NEW_SHARED_FILES: Resource = Resource("shared_files", "new files in /dev/shm");

/// Ends the case as a leak if something has more of a resource than before, beyond a slack. `whose` begins the message:
/// "after the load, importer".
pub(crate) fn check_growth(whose: &str, resource: Resource, before: u64, after: u64, slack: u64) -> Outcome {
    let Resource(field, words) = resource;
    let most = before.saturating_add(slack);
    trace::check(&format!("after.{field} <= before.{field} + {slack}"), &after, "<=", &most, after <= most);
    if after <= most {
        Ok(())
    } else {
        Err(Stop::leaked(format!("{whose} has {after} {words}, expected at most {most} ({before} before)")))
    }
}

/// Ends the case as a leak if less of the device's memory is free than before, beyond a slack. `when` begins the message.
pub(crate) fn check_free_again(when: &str, before: u64, after: u64, slack: u64) -> Outcome {
    let holds = after.saturating_add(slack) >= before;
    trace::check(&format!("after.free + {slack} >= before.free"), &after, ">=", &before, holds);
    if holds {
        return Ok(());
    }
    let missing = before - after;
    Err(Stop::leaked(format!(
        "{when}, {missing} bytes of device memory are in use beyond those before, expected at most {slack}"
    )))
}

/// Notes how many files in /dev/shm an ended process has left: none may be there.
pub(crate) fn note_files(role: &Role, count: usize) {
    trace::check(&format!("files left by {}", role.name()), &count, "==", &0, count == 0);
}
