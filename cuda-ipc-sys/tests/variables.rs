//! The environment variables that name a library. Each case starts this executable again, because the environment and
//! the loaded libraries belong to a whole process.
//!
//! A case that this user or file system cannot run is listed as ignored, with the reason.

mod stand_in;

use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cuda_ipc_sys::runtime::Runtime;
use cuda_ipc_sys::{Cause, CudaLibrary, CudaVersion, DRIVER_VARIABLE, Driver, LoadError, RUNTIME_VARIABLE};
use libtest_mimic::{Arguments, Trial};
use stand_in::{StandIn, library};
use tempfile::TempDir;

const ROLE: &str = "CUDA_IPC_TEST_ROLE";

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let outcome = match env::var(ROLE).as_deref() {
        Err(_) => return run_cases(),
        Ok("loads") => loads(),
        Ok("loads again") => loads_again(),
        Ok("sets the variables itself") => sets_the_variables_itself(),
        Ok("prints its groups") => prints_its_groups(),
        Ok(role) => Err(format!("unknown role {role:?}").into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run_cases() -> ExitCode {
    let no_second_group = other_group().and_then(|group| Privileged::new(group)?.check()).err();
    let case =
        |name: &str, run: fn() -> Outcome| Trial::test(name, move || run().map_err(|error| error.to_string().into()));
    let cases = vec![
        case("the_named_library_is_loaded", the_named_library_is_loaded),
        case("loading_is_tried_again_after_a_failure", loading_is_tried_again_after_a_failure),
        case("an_error_names_the_variable_that_is_wrong", an_error_names_the_variable_that_is_wrong),
        case("an_empty_variable_is_unset", an_empty_variable_is_unset),
        case("a_program_does_not_name_a_library_itself", a_program_does_not_name_a_library_itself),
        case("a_privileged_program_ignores_the_variables", a_privileged_program_ignores_the_variables)
            .with_kind(no_second_group.as_ref().map(ToString::to_string).unwrap_or_default())
            .with_ignored_flag(no_second_group.is_some()),
    ];
    libtest_mimic::run(&Arguments::from_args(), cases).exit_code()
}

/// A driver and a runtime.
struct Libraries {
    driver: StandIn,
    runtime: StandIn,
}

impl Libraries {
    fn new() -> Self {
        Self {
            driver: library("int cuDriverGetVersion(int *version) { *version = 13000; return 0; }"),
            runtime: library("int cudaRuntimeGetVersion(int *version) { *version = 12040; return 0; }"),
        }
    }

    fn paths(&self) -> [&Path; 2] {
        [&self.driver.path, &self.runtime.path]
    }
}

/// Runs a role of a program with the two variables and with arguments, and returns what it printed.
fn run(
    program: &Path,
    name: &str,
    [driver, runtime]: [&Path; 2],
    arguments: &[&Path],
) -> Result<String, Box<dyn Error>> {
    let mut role = Command::new(program);
    role.args(arguments).env(ROLE, name).env(DRIVER_VARIABLE, driver).env(RUNTIME_VARIABLE, runtime);
    let output = role.output()?;
    if !output.status.success() {
        return Err(format!("a process that {name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn this_program() -> io::Result<PathBuf> {
    env::current_exe()
}

/// The role that prints which libraries it gets, or why it gets none.
fn loads() -> Outcome {
    let print = |wanted: CudaLibrary, loaded: Result<&Path, LoadError>| match loaded {
        Ok(path) => println!("{wanted}: loaded {}", path.display()),
        Err(error) => println!("{wanted}: {error}"),
    };
    print(CudaLibrary::Driver, Driver::get().map(Driver::path));
    print(CudaLibrary::Runtime, Runtime::get().map(Runtime::path));
    Ok(())
}

fn the_named_library_is_loaded() -> Outcome {
    let libraries = Libraries::new();
    let [driver, runtime] = libraries.paths();
    let said = run(&this_program()?, "loads", [driver, runtime], &[])?;
    assert_eq!(said, format!("driver: loaded {}\nruntime: loaded {}\n", driver.display(), runtime.display()));
    Ok(())
}

/// Whatever is wrong with the library, the error begins with the variable and ends with what to do about it.
fn an_error_names_the_variable_that_is_wrong() -> Outcome {
    let nothing = library("int something_else(void) { return 0; }");
    let unfit =
        library("int cuDriverGetVersion(int *v) { return 34; } int cudaRuntimeGetVersion(int *v) { return 34; }");
    for (path, problem) in [
        (Path::new("/nowhere/library.so"), "/nowhere/library.so was not found ("),
        (Path::new("/proc/self/status"), "/proc/self/status is not a shared library ("),
        (&nothing.path, "Version"),
        (&unfit.path, "stub"),
    ] {
        let said = run(&this_program()?, "loads", [path, path], &[])?;
        for (line, wanted) in said.lines().zip(["driver", "runtime"]) {
            let variable = format!("CUDA_IPC_{}", wanted.to_uppercase());
            let begin = format!("{wanted}: {variable} names a library that cannot be used: ");
            let end = format!(". Set {variable} to the path of a CUDA {wanted}, or unset it");
            assert!(line.starts_with(&begin) && line.contains(problem) && line.ends_with(&end), "{line}");
        }
    }
    Ok(())
}

fn an_empty_variable_is_unset() -> Outcome {
    let said = run(&this_program()?, "loads", [Path::new(""); 2], &[])?;
    assert_usual_names(&said);
    Ok(())
}

/// Checks that only the usual names were tried. Whether they are found depends on the machine.
fn assert_usual_names(said: &str) {
    let (driver, runtime) = said.split_once('\n').expect("a line for each library");
    assert!(driver.contains("libcuda.so") && runtime.contains("libcudart.so."), "{said}");
    assert!(!said.contains("libdriver.so"), "{said}");
}

/// The libraries are not there at first.
fn loading_is_tried_again_after_a_failure() -> Outcome {
    let libraries = Libraries::new();
    for path in libraries.paths() {
        fs::rename(path, path.with_extension("hidden"))?;
    }
    run(&this_program()?, "loads again", libraries.paths(), &[]).map(drop)
}

fn loads_again() -> Outcome {
    for (wanted, variable) in [(CudaLibrary::Driver, DRIVER_VARIABLE), (CudaLibrary::Runtime, RUNTIME_VARIABLE)] {
        let error = if wanted == CudaLibrary::Driver { Driver::get().err() } else { Runtime::get().err() };
        // Only the path in the variable is tried.
        let Some(LoadError::BadVariable { error, .. }) = &error else { panic!("{error:?}") };
        let LoadError::NotLoaded { attempts, .. } = &**error else { panic!("{error:?}") };
        assert_eq!((attempts.len(), &attempts[0].cause), (1, &Cause::NotFound));
        let path = PathBuf::from(env::var(variable)?);
        fs::rename(path.with_extension("hidden"), path)?;
    }
    let (found, again) = (Driver::get()?, Driver::get()?);
    assert_eq!((found.path(), found.version()), (Path::new(&env::var(DRIVER_VARIABLE)?), CudaVersion(13_000)));
    assert!(std::ptr::eq(found, again), "a driver is loaded once");
    assert_eq!(Runtime::get()?.version(), CudaVersion(12_040));
    Ok(())
}

fn a_program_does_not_name_a_library_itself() -> Outcome {
    let libraries = Libraries::new();
    let [driver, runtime] = libraries.paths();
    // The process is started without the variables, or with other values.
    for start in ["", "/nowhere/library.so"] {
        let said = run(&this_program()?, "sets the variables itself", [Path::new(start); 2], &[driver, runtime])?;
        for (wanted, path) in [("Driver", driver), ("Runtime", runtime)] {
            let error = format!(
                "{}: CUDA_IPC_{} is set to {}, but /proc/self/environ does not show that this process was started with \
                 it: the program has set or changed it, has overwritten its title and environment, or cannot read that \
                 file. Set it before the program starts, or call {wanted}::load_from\n",
                wanted.to_lowercase(),
                wanted.to_uppercase(),
                path.display()
            );
            assert!(said.contains(&error), "{said}");
        }
    }
    Ok(())
}

/// The role does what a program of edition 2021 does without `unsafe`.
fn sets_the_variables_itself() -> Outcome {
    for (variable, path) in [DRIVER_VARIABLE, RUNTIME_VARIABLE].into_iter().zip(env::args_os().skip(1)) {
        // SAFETY: this process has one thread.
        unsafe { env::set_var(variable, path) };
    }
    loads()
}

/// An attacker starts a program that has more rights than the attacker: here, those of another group.
fn a_privileged_program_ignores_the_variables() -> Outcome {
    let (libraries, privileged) = (Libraries::new(), Privileged::new(other_group()?)?);
    let said = run(&privileged.path, "loads", libraries.paths(), &[])?;
    assert_usual_names(&said);
    Ok(())
}

/// A copy of this executable that belongs to another group and is set-group-ID.
struct Privileged {
    path: PathBuf,
    _folder: TempDir,
}

impl Privileged {
    fn new(group: u32) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("program");
        // Another process writes the file: a child that another test starts meanwhile would inherit a descriptor of this
        // one, and no file runs while somebody can write to it.
        if !Command::new("cp").arg(this_program()?).arg(&path).status()?.success() {
            return Err("cp failed".into());
        }
        chown(&path, None, Some(group)).map_err(|error| format!("chown to group {group}: {error}"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o2755))?;
        Ok(Self { path, _folder: folder })
    }

    /// Fails if the program does not get the rights of its group.
    fn check(&self) -> Outcome {
        let groups = run(&self.path, "prints its groups", [Path::new(""); 2], &[])?;
        match groups.split_whitespace().collect::<Vec<_>>()[..] {
            [real, effective, ..] if real != effective => Ok(()),
            _ => Err(format!("set-group-ID has no effect in {}", env::temp_dir().display()).into()),
        }
    }
}

/// The role that prints its real and its effective group.
fn prints_its_groups() -> Outcome {
    println!("{}", status("Gid")?);
    Ok(())
}

/// Returns a group that this user may give to a file, but that is not the group of this process.
fn other_group() -> Result<u32, Box<dyn Error>> {
    let own = fs::metadata("/proc/self")?;
    if own.uid() == 0 {
        return Ok(own.gid() + 1);
    }
    let groups = status("Groups")?;
    let mut groups = groups.split_whitespace().filter_map(|group| group.parse().ok());
    groups.find(|group| *group != own.gid()).ok_or_else(|| "this user belongs to one group only".into())
}

/// Returns a line of `/proc/self/status`.
fn status(name: &str) -> Result<String, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    Ok(line.ok_or("an unexpected format")?.trim().to_owned())
}
