//! Clients of other users, and the client in Python. Cases that this machine cannot run are ignored, with the reason.

#[path = "../../../tests/common/mod.rs"]
mod common;
mod python;
#[path = "../common/server.rs"]
mod server;
mod users;

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let python = Command::new("python3")
        .args(["-c", "import sys; sys.exit(sys.version_info < (3, 9) and 'python3 is older than 3.9')"])
        .output();
    let python = match python {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()),
        Err(error) => Some(format!("python3: {error}")),
    };
    let is_root = rustix::process::geteuid().is_root();
    let other_user = (!is_root).then(|| "only root can become another user".to_owned());
    let case = |name: &str, reason: &Option<String>, run: fn()| {
        let case = Trial::test(name, move || {
            run();
            Ok(())
        });
        case.with_kind(reason.as_deref().unwrap_or_default()).with_ignored_flag(reason.is_some())
    };
    let cases = vec![
        case("another_user_is_refused", &other_user, users::another_user_is_refused),
        case("an_allowed_user_reads_and_does_not_delete", &other_user, users::an_allowed_user_reads),
        case("a_request_is_refused_while_no_memory_can_be_sent", &other_user, users::no_memory_can_be_sent),
        case("what_another_user_holds_counts_for_its_owner", &other_user, users::held_by_another),
        case("each_user_has_a_limit_of_their_own", &other_user, users::each_user_has_a_limit),
        case("the_client_in_python_passes_its_tests", &python, python::client),
        case("python_reads_what_rust_wrote_and_the_other_way_round", &python, python::both_directions),
    ];
    libtest_mimic::run(&Arguments::from_args(), cases).exit_code()
}
