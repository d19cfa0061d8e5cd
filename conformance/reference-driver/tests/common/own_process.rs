//! Runs each test in a process of its own.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::turn::my_turn;

/// Defines tests that each run in a process of their own.
macro_rules! tests {
    ($($(#[$attribute:meta])* fn $name:ident() $body:block)*) => {$(
        #[test]
        $(#[$attribute])*
        fn $name() {
            $crate::own_process::run(concat!(module_path!(), "::", stringify!($name)), &[], || $body);
        }
    )*};
}

/// The time after which a test is aborted as hanging. It is far more than any test takes.
const DEADLINE: Duration = Duration::from_secs(60);

/// Runs a test in a new process of this program, on a machine of its own with two devices, unless `environment` says
/// otherwise. `path` is the path of the test, with its crate.
pub(crate) fn run(path: &str, environment: &[(&str, &str)], test: impl FnOnce()) {
    const INSIDE: &str = "TEST_IN_ITS_OWN_PROCESS";
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    if std::env::var_os(INSIDE).is_some() {
        let name = name.to_owned();
        std::thread::spawn(move || {
            std::thread::sleep(DEADLINE);
            eprintln!("{name} hangs: it has not ended after {DEADLINE:?}");
            std::process::abort();
        });
        return test();
    }
    let mut command = Command::new(std::env::current_exe().expect("a test executable has a path"));
    command.args(["--exact", name, "--nocapture"]).env(INSIDE, "1");
    command.env("REFERENCE_DRIVER_MACHINE", format!("{name}-{}", std::process::id()));
    command.env("REFERENCE_DRIVER_DEVICES", "2").env_remove("CUDA_VISIBLE_DEVICES").envs(environment.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let turn = my_turn();
    let child = command.spawn().expect("the test executable starts");
    drop(turn);
    let output = child.wait_with_output().expect("its output can be read");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "no test is called {name}: {text}");
}
