//! A reproducible archive: the same files always give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::output::Failure;

/// The modification time of every file: 1 January 2000. A fixed time makes the archive reproducible; tar warns about
/// the time 0.
const MODIFIED: u64 = 946_684_800;

#[derive(Clone, Copy)]
pub(super) enum Mode {
    Program,
    Text,
}

/// Files in one folder, sorted by name.
pub(super) struct Archive {
    folder: &'static str,
    files: BTreeMap<String, (Mode, Vec<u8>)>,
}

impl Archive {
    pub(super) const fn new(folder: &'static str) -> Self {
        Self { folder, files: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, name: impl Into<String>, mode: Mode, bytes: Vec<u8>) {
        self.files.insert(name.into(), (mode, bytes));
    }

    /// Adds the files of a folder, without its subfolders.
    pub(super) fn add_folder(&mut self, name: &str, folder: &Path) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::new(format_args!("cannot read {}: {error}", folder.display()));
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_file() {
                let file = entry.file_name();
                let bytes = fs::read(entry.path()).map_err(failed)?;
                self.add(format!("{name}/{}", file.to_string_lossy()), Mode::Text, bytes);
            }
        }
        Ok(())
    }

    pub(super) fn packed(&self) -> Result<Vec<u8>, Failure> {
        let failed = |error: io::Error| Failure::new(format_args!("cannot pack the archive: {error}"));
        let mut tar = Builder::new(GzBuilder::new().write(Vec::new(), Compression::default()));
        for (name, (mode, bytes)) in &self.files {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(match mode {
                Mode::Program => 0o755,
                Mode::Text => 0o644,
            });
            header.set_mtime(MODIFIED);
            header.set_size(bytes.len() as u64);
            tar.append_data(&mut header, format!("{}/{name}", self.folder), bytes.as_slice()).map_err(failed)?;
        }
        tar.into_inner().and_then(|gzip| gzip.finish()).map_err(failed)
    }
}
