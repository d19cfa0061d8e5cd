//! Home folders in the texts of a report, which name a user.

use std::ffi::{CStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The home folders of the user who runs the suite, the longest first.
pub(super) struct Homes(Vec<String>);

impl Homes {
    /// Returns those of this process.
    pub(super) fn of_this_process() -> &'static Self {
        static HOMES: LazyLock<Homes> = LazyLock::new(|| Homes::of(found()));
        &HOMES
    }

    /// Takes folders and what they are links to, but not those in which every path or every home folder is.
    fn of(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let with_target = |folder: PathBuf| [fs::canonicalize(&folder).ok(), Some(folder)].into_iter().flatten();
        let text = |folder: PathBuf| Some(folder.to_str()?.trim_end_matches('/').to_owned());
        let mut all: Vec<_> = folders.into_iter().flat_map(with_target).filter_map(text).collect();
        all.retain(|folder| folder.starts_with('/') && folder != "/home");
        all.sort_by_key(|folder| usize::MAX - folder.len());
        Self(all)
    }

    /// Replaces home folders in a text by `~`: those of the user, and those of all others that have the usual place.
    pub(super) fn hide(&self, text: &mut String) {
        for home in &self.0 {
            if text.contains(home.as_str()) {
                *text = without(text, home, after_folder);
            }
        }
        if text.contains(HOME) {
            *text = without(text, HOME, after_name);
        }
        if text.contains(ROOT) {
            *text = without(text, ROOT, after_folder);
        }
    }
}

/// Where the home folders of users usually are, and that of the superuser.
const HOME: &str = "/home/";
const ROOT: &str = "/root";

/// Finds the home folder that `HOME` names, and those in the passwd database of the user and of whoever uses sudo.
/// `HOME` is another one, or unset, for a service or with sudo.
fn found() -> Vec<PathBuf> {
    let of_sudo = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
    let ids = [rustix::process::getuid().as_raw(), rustix::process::geteuid().as_raw()].into_iter().chain(of_sudo);
    std::env::var_os("HOME").map(PathBuf::from).into_iter().chain(ids.filter_map(of_user)).collect()
}

/// Returns the home folder of a user in the passwd database.
fn of_user(id: u32) -> Option<PathBuf> {
    const LONGEST: usize = 16 << 10;
    let mut buffer: Vec<libc::c_char> = vec![0; LONGEST];
    let mut found = std::ptr::null_mut();
    // SAFETY: all fields are numbers and pointers, for which zero is a value.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    // SAFETY: the entry, the buffer and the result live until the end of this function.
    let code = unsafe { libc::getpwuid_r(id, &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found) };
    if code != 0 || found.is_null() || entry.pw_dir.is_null() {
        return None;
    }
    // SAFETY: the folder is a text in the buffer.
    let folder = unsafe { CStr::from_ptr(entry.pw_dir) };
    Some(PathBuf::from(OsString::from_vec(folder.to_bytes().to_vec())))
}

/// Replaces a folder by `~` where a path begins with it. `end` returns what follows the home folder, or `None` if the text
/// does not go on as one.
fn without(text: &str, folder: &str, end: fn(&str) -> Option<&str>) -> String {
    let mut quiet = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(folder) {
        let (before, from) = rest.split_at(start);
        quiet.push_str(before);
        let after = &from[folder.len()..];
        let is_start = !quiet.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
        rest = match end(after) {
            Some(after) if is_start => {
                quiet.push('~');
                after
            }
            // A home folder on a disk that is mounted elsewhere, as in `/mnt/home/alice`.
            Some(after) if folder == HOME => {
                quiet.extend([HOME, "…"]);
                after
            }
            _ => {
                quiet.push_str(folder);
                after
            }
        };
    }
    quiet + rest
}

/// Returns what follows a whole folder: `/x/al` is not the beginning of `/x/alice`, but may end a sentence.
fn after_folder(after: &str) -> Option<&str> {
    let is_longer = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (!after.trim_start_matches('.').starts_with(is_longer)).then_some(after)
}

/// Returns what follows the name of a user.
fn after_name(after: &str) -> Option<&str> {
    let is_of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@');
    let name = &after[..after.find(|c| !is_of_a_name(c)).unwrap_or(after.len())];
    let name = name.trim_end_matches('.');
    (!name.is_empty()).then(|| &after[name.len()..])
}

/// Returns what a report that identifies no machine contains for a folder: the usual folder as it is, `…` for another.
pub(super) fn without_name(folder: &str, usual: &str) -> String {
    if Path::new(folder) == Path::new(usual) { usual.to_owned() } else { "…".to_owned() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use rstest::rstest;

    use super::{Homes, of_user};

    fn hidden(home: &str, text: &str) -> String {
        let mut text = text.to_owned();
        Homes::of([PathBuf::from(home)]).hide(&mut text);
        text
    }

    /// A home folder is `~` where a path begins with it, and nowhere else.
    #[rstest]
    #[case::own("/x/al", "/x/al/lib", "~/lib")]
    #[case::with_a_slash("/x/al/", "cannot open /x/al/lib: no", "cannot open ~/lib: no")]
    #[case::longer_name("/x/al", "/x/alice/lib and /x/al-1 and /x/al.so", "/x/alice/lib and /x/al-1 and /x/al.so")]
    #[case::alone("/x/al", "'/x/al', /x/al.", "'~', ~.")]
    #[case::inside_of_a_path("/x/al", "/mnt/x/al/lib", "/mnt/x/al/lib")]
    #[case::root_folder("/", "/usr/lib", "/usr/lib")]
    #[case::below_a_group("/home/users/al", "/home/users/al/lib", "~/lib")]
    #[case::no_name("/home", "/home/alice/lib", "~/lib")]
    #[case::of_another("/x/al", "/home/bob.b/lib in file:///home/carol", "~/lib in file://~")]
    #[case::elsewhere("/x/al", "/mnt/home/bob/lib", "/mnt/home/…/lib")]
    #[case::superuser("/x/al", "/root/lib, /root, /rooted, /proc/1/root/lib", "~/lib, ~, /rooted, /proc/1/root/lib")]
    fn only_home_folders_are_hidden(#[case] home: &str, #[case] text: &str, #[case] quiet: &str) {
        assert_eq!(hidden(home, text), quiet);
    }

    /// A home folder can be a link, and paths can have either name.
    #[test]
    fn the_target_of_a_link_is_a_home_folder_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let [target, link] = ["target", "link"].map(|name| folder.path().join(name));
        std::fs::create_dir(&target).expect("a folder");
        symlink(&target, &link).expect("a link");
        for path in [&target, &link] {
            assert_eq!(hidden(&link.to_string_lossy(), &format!("{}/lib", path.display())), "~/lib");
        }
    }

    /// The superuser has a home folder without `HOME`.
    #[test]
    fn the_passwd_database_has_home_folders() {
        let text = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let fields =
            text.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| fields.get(2) == Some(&"0"));
        // The database can have users that the file lacks.
        if let Some(home) = fields.and_then(|fields| fields.get(5).map(PathBuf::from)) {
            assert_eq!(of_user(0), Some(home));
        }
        assert_eq!(of_user(u32::MAX - 7), None);
    }
}
