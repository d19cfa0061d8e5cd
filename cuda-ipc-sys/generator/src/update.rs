//! Adds the header set of a CUDA release to headers.toml.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::headers::{HeaderSet, Wheel, sets};

/// headers.toml in this checkout.
pub const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/headers.toml");

/// Downloads the wheels of a release, such as `13.5.37`, or the newest one of `13.5`, and returns the set with its hashes.
///
/// # Errors
/// If the version is not one, or pip does not find the wheels.
pub fn find(version: &str) -> Result<HeaderSet> {
    let (major, minor) = release(version)?;
    let package = match major {
        0..11 => bail!("there are no wheels of CUDA {version}; the first are of CUDA 11"),
        11 | 12 => format!("nvidia-cuda-runtime-cu{major}"),
        _ => "nvidia-cuda-runtime".to_owned(),
    };
    let is_exact = version.split('.').count() > 2;
    let runtime = Wheel::find(&package, &if is_exact { version.to_owned() } else { format!("{version}.*") })?;
    let crt = match major {
        // These releases have no such wheel. The oldest set says which one stands in.
        11 | 12 => sets()?.into_iter().next().context("headers.toml lists no set")?.crt,
        // Its third number can differ from the runtime's.
        _ => Wheel::find("nvidia-cuda-crt", &format!("{major}.{minor}.*"))?,
    };
    Ok(HeaderSet { version: runtime.version.clone(), runtime, crt })
}

/// Returns headers.toml with a set, in the order of the versions.
///
/// # Errors
/// If the text already lists the version.
pub fn insert(text: &str, set: &HeaderSet) -> Result<String> {
    const BEGIN: &str = "[[set]]\nversion = \"";
    let new = numbers(&set.version)?;
    let mut place = text.len();
    for (begin, _) in text.match_indices(BEGIN) {
        let version = text[begin + BEGIN.len()..].split('"').next().unwrap_or_default();
        if version == set.version {
            bail!("headers.toml already lists CUDA {version}");
        }
        if numbers(version)? > new {
            place = begin;
            break;
        }
    }
    let wheel = |Wheel { package, version, sha256 }: &Wheel| {
        format!("{{ package = \"{package}\", version = \"{version}\", sha256 = \"{sha256}\" }}")
    };
    let (runtime, crt) = (wheel(&set.runtime), wheel(&set.crt));
    let block = format!("{BEGIN}{}\"\nruntime = {runtime}\ncrt = {crt}\n", set.version);
    let (before, after) = text.split_at(place);
    Ok(if after.is_empty() { format!("{before}\n{block}") } else { format!("{before}{block}\n{after}") })
}

/// Whether headers.toml has a set of this version.
#[must_use]
pub fn lists(text: &str, set: &HeaderSet) -> bool {
    text.contains(&format!("\nversion = \"{}\"", set.version))
}

/// Whether a set is the last one of headers.toml, from which the bindings are generated.
#[must_use]
pub fn is_last(text: &str, set: &HeaderSet) -> bool {
    text.rfind("[[set]]").is_some_and(|begin| text[begin..].contains(&format!("\nversion = \"{}\"", set.version)))
}

/// Returns the first two numbers of a version.
fn release(version: &str) -> Result<(u32, u32)> {
    match numbers(version)?[..] {
        [major, minor, ..] => Ok((major, minor)),
        _ => bail!("{version} is not a CUDA version such as 13.5 or 13.5.37"),
    }
}

fn numbers(version: &str) -> Result<Vec<u32>> {
    let numbers: Result<Vec<_>, _> = version.split('.').map(str::parse).collect();
    numbers.with_context(|| format!("{version} is not a CUDA version such as 13.5 or 13.5.37"))
}

/// Returns the folder of this checkout's workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("../headers.toml");

    /// headers.toml without a set.
    fn without(version: &str) -> String {
        let begin = TEXT.find(&format!("[[set]]\nversion = \"{version}\"")).expect("a set of the list");
        let rest = &TEXT[begin + 1..];
        match rest.find("[[set]]") {
            Some(next) => format!("{}{}", &TEXT[..begin], &rest[next..]),
            None => TEXT[..begin].trim_end().to_owned() + "\n",
        }
    }

    #[test]
    fn a_set_that_is_added_again_is_where_and_as_it_was() {
        for set in sets().expect("headers.toml is valid") {
            let without = without(&set.version);
            assert!(lists(TEXT, &set) && !lists(&without, &set));
            assert!(!without.contains(&format!("[[set]]\nversion = \"{}", set.version)));
            assert_eq!(insert(&without, &set).expect("the set is not in the list"), TEXT);
            let twice = insert(TEXT, &set).expect_err("the set is in the list");
            assert!(twice.to_string().contains(&set.version), "{twice}");
        }
    }

    #[test]
    fn the_bindings_are_written_from_the_last_set() {
        let sets = sets().expect("headers.toml is valid");
        let (newest, older) = sets.split_last().expect("there are sets");
        assert!(is_last(TEXT, newest));
        assert!(older.iter().all(|set| !is_last(TEXT, set)));
        // A set of a release in between does not become the last one.
        let text = without(&newest.version);
        assert!(older.last().is_some_and(|set| is_last(&text, set)) && !is_last(&text, newest));
        assert!(!is_last("", newest));
    }

    #[test]
    fn what_is_no_version_of_the_wheels_is_refused() {
        for (version, reason) in [
            ("13", "not a CUDA version"),
            ("thirteen", "not a CUDA version"),
            ("13.5.x", "not a CUDA version"),
            ("10.2", "no wheels"),
        ] {
            let error = find(version).expect_err("there is no such release");
            assert!(error.to_string().contains(reason), "{error}");
        }
    }
}
