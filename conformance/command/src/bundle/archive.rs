//! An archive that is the same, byte by byte, whenever the same files are packed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::output::Failure;

/// 1 January 2000: no clock, and no date that tar takes for a broken one.
const MODIFIED: u64 = 946_684_800;

#[derive(Clone, Copy)]
pub(super) enum Mode {
    Program,
    Text,
}

/// Files below one folder, by name.
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

    /// The files in a folder.
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
