//! `with-reference-driver`, as a program meets it that links `libcuda`.

mod common;
#[path = "common/program.rs"]
mod program;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::{library, runtime_library};
use program::compiled_with;

const SCRIPT: &str = "with-reference-driver";

/// A folder as the archive has it: the script, and the library below it.
struct Archive(tempfile::TempDir);

impl Archive {
    fn new() -> Self {
        Self::named("with")
    }

    /// An archive in a folder whose name begins like this.
    fn named(prefix: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir().expect("a temporary folder");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::copy(here.join(SCRIPT), folder.path().join(SCRIPT)).expect("the script can be copied");
        fs::create_dir(folder.path().join("lib")).expect("the folder is new");
        symlink(library(), folder.path().join("lib/libcuda.so.1")).expect("the folder is empty");
        for name in ["libcudart.so.12", "libcudart.so.13"] {
            symlink(runtime_library(), folder.path().join("lib").join(name)).expect("the folder has no such file");
        }
        Self(folder)
    }

    fn script(&self) -> PathBuf {
        self.0.path().join(SCRIPT)
    }

    fn run(&self, arguments: &[&Path]) -> Output {
        let mut command = Command::new(self.script());
        command.args(arguments).env_remove("REFERENCE_DRIVER_MACHINE").env_remove("LD_LIBRARY_PATH");
        command.output().expect("the script starts")
    }
}

/// The program, which is compiled once.
fn linked() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled_with("linked", &[library().as_os_str()]))
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_program_that_links_libcuda_finds_the_driver_and_keeps_its_arguments_and_exit_code() {
    let archive = Archive::new();
    let output = archive.run(&[linked(), Path::new("two words"), Path::new("*")]);
    assert_eq!(output.status.code(), Some(42), "{output:?}");
    let said = lines(&output);
    assert!(said[0].contains("software") && said[0].contains("13.0"), "{said:?}");
    assert_eq!(said[2..], ["two words", "*"]);
}

#[test]
fn each_run_has_a_machine_of_its_own_unless_one_is_named() {
    let archive = Archive::new();
    let program = linked();
    let [one, other] = [(); 2].map(|()| lines(&archive.run(&[program]))[1].clone());
    assert_ne!(one, other);
    let mut named = Command::new(archive.script());
    let named = named.arg(program).env("REFERENCE_DRIVER_MACHINE", "ours").output().expect("the script starts");
    assert_eq!(lines(&named)[1], "ours");
}

#[test]
fn the_program_needs_the_script() {
    let output = Command::new(linked()).env_remove("LD_LIBRARY_PATH").output().expect("the program starts");
    // On a machine with a GPU it finds NVIDIA's driver.
    assert!(!String::from_utf8_lossy(&output.stdout).contains("software"), "it found the driver without the script");
}

#[test]
fn without_a_command_the_script_says_how_it_is_used() {
    let output = Archive::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("with-reference-driver COMMAND"), "{output:?}");
}

/// The loader would look in the parts of the path, and the program would find another driver or none.
#[test]
fn a_folder_that_the_loaders_path_cannot_name_is_refused() {
    for separator in [":", ";"] {
        let output = Archive::named(&format!("a{separator}b")).run(&[linked()]);
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{output:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(&format!("a{separator}b")) && errors.contains("move the folder"), "{errors}");
    }
}
