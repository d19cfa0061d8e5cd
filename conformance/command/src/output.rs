//! Writes results to the terminal or to a file. A file is written completely or not at all.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::{fmt, fs};

use conformance::report::Report;

/// The reason why a command failed.
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

/// Prints a text, with its colours only on a terminal. A closed pipe, as left by `head`, is not a failure.
pub(crate) fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(harmless(text).as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Prints a message to standard error. If standard error is closed, the message is lost, but the exit code is the same.
pub(crate) fn remark(message: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "conformance: {}", harmless(&message.to_string()));
}

/// Replaces control characters except those of colours: reports come from other machines and must not control the
/// terminal.
fn harmless(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(is_a_command) {
        let (before, control) = rest.split_at(place);
        kept.push_str(before);
        let parameters = control.strip_prefix("\u{1b}[").unwrap_or_default();
        rest = match parameters.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix('m') {
            Some(after) => {
                // To compare the text that follows each time would take quadratic time.
                kept.push_str(&control[..control.len() - after.len()]);
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

/// Returns whether a character controls the terminal or the direction of text. Direction can make one name look like
/// another.
pub(crate) fn is_a_command(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a file without colours, or prints if there is no path or it is `-`. An existing file stays until the new one
/// is complete. If the path is not a regular file but, for example, a pipe, the text is written into it.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<ExitCode, Failure> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return print(text) };
    let text = anstream::adapter::strip_str(text).to_string();
    let failed = |error: io::Error| Failure::new(format_args!("cannot write {}: {error}", path.display()));
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => fs::write(path, text),
        // A lost report cannot be recovered, and a single wrong argument can name one here.
        Ok(_) if !text.starts_with(A_REPORT) && Report::read_outline(path).is_ok() => {
            return Err(Failure::new(format_args!(
                "cannot write {}: it is a report; choose another file",
                path.display()
            )));
        }
        Ok(_) => replace(path, text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => replace(path, text),
        Err(error) => Err(error),
    }
    .map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// The beginning of a report's first line.
const A_REPORT: &str = r#"{"line":"run""#;

/// Replaces a file. An existing file stays until the new one is complete. Its permissions and symbolic links to it are
/// kept.
pub(crate) fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Created like any other file, so that the umask decides its permissions.
    let mut file = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
    file.as_file_mut().write_all(bytes.as_ref())?;
    if let Ok(found) = fs::metadata(path) {
        file.as_file().set_permissions(found.permissions())?;
    }
    file.persist(path)?;
    Ok(())
}
