//! Where results go: the terminal, or a file that is whole or not there.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::{fmt, fs};

use conformance::report::Report;

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

/// Say something beside the results. Where nobody listens it is lost, and the exit code stays what it is.
pub(crate) fn remark(message: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "conformance: {}", harmless(&message.to_string()));
}

/// Colours are all that a text may do to a terminal: reports come from other machines.
fn harmless(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(is_a_command) {
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
                control.strip_prefix(is_a_command).unwrap_or_default()
            }
        };
    }
    kept + rest
}

/// Control characters, and those that turn the direction of what follows: a name could read as another.
fn is_a_command(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Write a file without colours, or print where there is none or it is `-`. What was there before stays until the new
/// one is whole; what is no file, such as a pipe, is written to.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<ExitCode, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return print(text) };
    let text = anstream::adapter::strip_str(text).to_string();
    let failed = |error: io::Error| Failure::new(format_args!("cannot write {}: {error}", path.display()));
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => fs::write(path, text),
        // A report cannot be had again, and it takes one wrong flag to name it here.
        Ok(_) if !text.starts_with(A_REPORT) && Report::read_outline(path).is_ok() => {
            return Err(Failure::new(format_args!("cannot write {}: a report is there", path.display())));
        }
        Ok(_) => replace(path, text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(path, text),
        Err(error) => Err(error),
    }
    .map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// How the first line of a report begins.
const A_REPORT: &str = r#"{"line":"run""#;

/// Write a file. What was there before stays until the new one is whole; its permissions stay, and so do links to it.
pub(crate) fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Created as any file, so that its permissions are what the umask says.
    let mut file = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
    file.as_file_mut().write_all(bytes.as_ref())?;
    if let Ok(found) = fs::metadata(path) {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}
