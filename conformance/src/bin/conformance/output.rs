//! Where results go: the terminal, or a file that is whole or not there.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::{fmt, fs};

/// Why a command could not do what it was asked to.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Print a text, with its colours on a terminal only. A reader such as `head` that has seen enough is no failure.
pub(crate) fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(harmless(text).as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot print: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Colours are all that a text may do to a terminal: reports come from other machines.
fn harmless(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) {
        let (before, control) = rest.split_at(place);
        kept.push_str(before);
        let parameters = control.strip_prefix("\u{1b}[").unwrap_or_default();
        rest = match parameters.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix('m') {
            Some(after) => {
                kept.push_str(control.strip_suffix(after).unwrap_or_default());
                after
            }
            None => {
                kept.push(char::REPLACEMENT_CHARACTER);
                control.trim_start_matches(|c: char| c.is_control())
            }
        };
    }
    kept + rest
}

/// Write a file without colours, or print where there is none. What was there before stays until the new one is whole;
/// what is no file, such as a pipe, is written to.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<ExitCode, Failure> {
    let Some(path) = path else { return print(text) };
    let text = anstream::adapter::strip_str(text).to_string();
    let done = match fs::metadata(path) {
        Ok(found) if !found.is_file() => fs::write(path, text),
        _ => replace(path, text),
    };
    done.map_err(|error| Failure::new(format_args!("cannot write {}: {error}", path.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// Write a file. What was there before stays until the new one is whole.
pub(crate) fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    const AS_THE_UMASK_SAYS: u32 = 0o666;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let permissions = fs::Permissions::from_mode(AS_THE_UMASK_SAYS);
    let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
    file.write_all(bytes.as_ref())?;
    file.persist(path)?;
    Ok(())
}
