//! Proves that what the models print compiles: `printed` is a part of the suite, and contains what they print.

use std::fs;
use std::path::Path;

use conformance::{Outcome, Stop, check, models};

use super::run::script_of;
use super::step::Protocol;
use super::world::Machine;

/// The scripts of each file in `printed`, by their numbers with seed 0. Together they have nearly every line that a model
/// can print.
const PRINTED: [(&str, &str, &[Protocol], &[u32]); 4] = [
    ("legacy", include_str!("printed/legacy.rs"), &[Protocol::Legacy], &[129, 170, 335, 373]),
    ("events", include_str!("printed/events.rs"), &[Protocol::Events], &[36, 226, 243, 369]),
    (
        "virtual_memory",
        include_str!("printed/virtual_memory.rs"),
        &[Protocol::VirtualMemory],
        &[10, 203, 301, 342, 343, 371],
    ),
    ("pools", include_str!("printed/pools.rs"), &[Protocol::Pools], &[78, 134, 138, 215, 240, 371]),
];

/// If this variable is set, the files are written.
const WRITE: &str = "CONFORMANCE_WRITE_PRINTED_SCRIPTS";

/// Compares the files with what the models print for the reference driver.
pub(crate) fn scripts_are_those_of_the_files() -> Outcome {
    // Scripts avoid the listed bugs of the driver under test, and the reference driver has none.
    if !models().is_reference {
        return Err(Stop::Unsupported("the files have scripts for the reference driver".to_owned()));
    }
    let machine = Machine::without_bugs();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/model/printed");
    for (name, printed, protocols, numbers) in PRINTED {
        let mut text = "//! Scripts of a model, as it prints them.\n\nuse crate::model::prelude::*;\n".to_owned();
        for number in numbers {
            let script = script_of(&machine, protocols, 0, *number)?;
            text.push('\n');
            text.push_str(&script.as_function(&format!("script_{number}")));
        }
        if std::env::var_os(WRITE).is_some() {
            let path = folder.join(format!("{name}.rs"));
            fs::write(&path, &text).map_err(|error| Stop::Harness(format!("{}: {error}", path.display())))?;
        } else {
            check!(printed == text, "the model does not print printed/{name}.rs: run this case once with {WRITE}=1");
        }
    }
    Ok(())
}
