//! The scripts of `docs/fleet`, with stand-ins for the programs that they start.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use conformance::{Outcome, Stop, check};
use rstest::rstest;

use crate::command::finish;
use crate::suite::harness;

/// Returns a script of `docs/fleet`, or nothing to check where the sources are not beside this program.
fn script(name: &str) -> Result<String, Stop> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fleet").join(name);
    match path.is_file() {
        true => Ok(path.to_string_lossy().into_owned()),
        false => Err(Stop::Unsupported("docs/fleet is not in this checkout".to_owned())),
    }
}

/// Writes an executable script.
fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(harness)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(harness)
}

/// `by-ssh` asks each host of the file once, whatever blanks, comments and line ends the file has, and a red host makes it
/// red.
#[rstest]
#[case::no_final_newline("good\nred", 1, &["good", "red"])]
#[case::blank_lines("\ngood\n\n  \nred\n\n", 1, &["good", "red"])]
#[case::blanks_around("good \n\tred\t\r\n", 1, &["good", "red"])]
#[case::comments("# rack 1\ngood # spare\nred\n", 1, &["good", "red"])]
#[case::twice("good\ngood\n", 0, &["good"])]
#[case::no_host("# rack 1\n", 2, &[])]
#[conformance::test()]
fn each_host_of_the_file_is_asked(#[case] hosts: &str, #[case] code: i32, #[case] asked: &[&str]) -> Outcome {
    const SSH: &str = "#!/bin/sh\nhost=$6\ncase $7 in *gate.sh) ;; *) exit 1 ;; esac\n\
                       echo \"$host\" >>\"$ASKED\"\necho told\n[ \"$host\" = good ]\n";
    let folder = tempfile::tempdir().map_err(harness)?;
    let path = |name: &str| folder.path().join(name);
    write(&path("ssh"), SSH)?;
    write(&path("conformance"), "#!/bin/sh\n")?;
    std::fs::write(path("hosts"), hosts).map_err(harness)?;
    let programs = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(script("by-ssh")?);
    command.arg(path("hosts")).env("PATH", programs).env("ASKED", path("asked")).current_dir(folder.path());
    let (found, printed, errors) = finish(command)?;
    let text = std::fs::read_to_string(path("asked")).unwrap_or_default();
    let mut told: Vec<_> = text.lines().collect();
    told.sort_unstable();
    check!(found == Some(code) && told == asked, "{found:?}, asked {told:?}: {printed}{errors}");
    check!(!errors.contains("No such file"), "{errors}");
    check!(asked.iter().all(|host| printed.contains(&format!("{host}: "))), "{printed}{errors}");
    Ok(())
}
