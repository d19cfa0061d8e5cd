//! The start of a role's process.

use super::child::{self, CHILD_ARGUMENT};
use super::session::{Perform, Session};
use super::user::become_user;
use crate::message::{Greeting, ROLE_ARGUMENT, UNINITIALISED_ARGUMENT, USER_ARGUMENT};
use peer::wire::ReceiveError;

/// If this process is a role, or a program that a role started, serves as that and does not return.
///
/// `perform` decodes and performs the calls, so that this module does not depend on them.
pub(crate) fn serve_if_role(perform: Perform) {
    // The path of the program and the arguments of a run may not be UTF-8.
    let mut arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match arguments.next().as_deref() {
        Some(ROLE_ARGUMENT) => {}
        Some(CHILD_ARGUMENT) => std::process::exit(i32::from(child::serve(arguments).is_err())),
        _ => return,
    }
    let device = arguments.next().and_then(|device| device.parse().ok()).unwrap_or(0);
    let runner = arguments.next().and_then(|runner| runner.parse().ok());
    let (mut initialised, mut user) = (true, None);
    for argument in arguments {
        initialised &= argument != UNINITIALISED_ARGUMENT;
        user = user.or_else(|| argument.strip_prefix(USER_ARGUMENT)?.parse().ok());
    }
    std::process::exit(match serve(device, runner, initialised, user, perform) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("role: {error}");
            1
        }
    });
}

fn serve(
    device: i32,
    runner: Option<i32>,
    initialised: bool,
    user: Option<u32>,
    perform: Perform,
) -> Result<(), ReceiveError> {
    let channel = peer::inherited().map_err(ReceiveError::Io)?;
    // Another user may be unable to open the trace.
    crate::trace::is_on();
    let became = user.map_or(Ok(()), become_user);
    // The runner may have died before the death signal was set.
    if !peer::die_with(runner).map_err(ReceiveError::Io)? {
        return Ok(());
    }
    let greeted = match became {
        Ok(()) => Session::start(device, initialised),
        Err(error) => Err(Greeting::NoDevice(format!("the role cannot become the user: {error}"))),
    };
    let greeting = match &greeted {
        Ok(_) => Greeting::Ready,
        Err(greeting) => greeting.clone(),
    };
    let bytes = postcard::to_stdvec(&greeting).map_err(|error| ReceiveError::Io(std::io::Error::other(error)))?;
    channel.send(&bytes, &[], None).map_err(ReceiveError::Io)?;
    let Ok(mut session) = greeted else { return Ok(()) };
    session.answer_calls(channel, perform)
}
