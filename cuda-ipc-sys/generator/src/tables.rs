//! Reads the lists of functions: `functions/AREA.toml` for the driver and `runtime/AREA.toml` for the runtime, and
//! `unbound.toml` for the functions that are not bound.

use std::iter;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::areas::{DRIVER, File, RUNTIME};
use crate::declarations::Declarations;

/// The functions of one library.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The Rust type whose methods they are.
    pub name: &'static str,
    /// The type of their result codes.
    pub result: &'static str,
    /// The file of its types and constants, below `src`.
    pub bindings_path: &'static str,
    /// The folder of its functions, below `src`: its table in `mod.rs`, and a file for each area.
    pub functions_folder: &'static str,
    pub(crate) areas: Vec<Area>,
    /// The functions of its header that are not bound.
    pub unbound: Vec<Unbound>,
}

/// Functions of one subject.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Area {
    /// The name of their files.
    #[serde(skip)]
    pub(crate) name: &'static str,
    /// What they are about.
    pub(crate) title: String,
    #[serde(rename = "function")]
    pub(crate) functions: Vec<Function>,
}

/// One function of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The name of the method.
    pub name: String,
    base: Option<String>,
    /// The CUDA version whose signature is bound.
    pub since: u32,
    symbol: Option<String>,
    /// What a runtime that is older than `since` calls the function, with the same signature.
    pub earlier: Option<Earlier>,
    pub(crate) summary: String,
    /// What the caller must ensure.
    pub(crate) safety: String,
}

/// The name of a function in older runtimes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// The name that they export.
    pub symbol: String,
    /// The first CUDA version with that name.
    pub since: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusals {
    #[serde(default)]
    unbound: Vec<Unbound>,
}

/// A function that the headers declare and the bindings leave out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unbound {
    /// The name in the headers.
    pub name: String,
    /// The version in cudaTypedefs.h, if another version of the name is bound.
    pub since: Option<u32>,
    /// For the runtime: only the signature that it had before this CUDA version is left out. The new one is bound.
    pub before: Option<u32>,
    /// `driver` or `runtime`.
    pub library: String,
    /// Why it is left out.
    pub reason: String,
}

/// Returns the driver's table and the runtime's.
pub(crate) fn interfaces() -> Result<[Interface; 2]> {
    let refusals: Refusals = toml::from_str(include_str!("../unbound.toml")).context("cannot parse unbound.toml")?;
    let unbound = |library: &str| {
        let of = refusals.unbound.iter().filter(|refusal| refusal.library == library);
        of.cloned().collect::<Vec<_>>()
    };
    let interfaces = [
        Interface {
            name: "Driver",
            result: "CUresult",
            bindings_path: "driver/bindings.rs",
            functions_folder: "driver/functions",
            areas: read(DRIVER)?,
            unbound: unbound("driver"),
        },
        Interface {
            name: "Runtime",
            result: "cudaError",
            bindings_path: "runtime/bindings.rs",
            functions_folder: "runtime/functions",
            areas: read(RUNTIME)?,
            unbound: unbound("runtime"),
        },
    ];
    if interfaces.iter().map(|interface| interface.unbound.len()).sum::<usize>() != refusals.unbound.len() {
        bail!("unbound.toml names a library other than `driver` and `runtime`");
    }
    for interface in &interfaces {
        interface.check()?;
    }
    Ok(interfaces)
}

fn read(files: &[File]) -> Result<Vec<Area>> {
    let mut areas = Vec::new();
    for File { area, path, text } in files {
        let read: Area = toml::from_str(text).context(*path)?;
        for Function { name, summary, safety, .. } in &read.functions {
            if summary.trim().is_empty() || safety.trim().is_empty() {
                bail!("{path}: {name} has no summary or no safety text");
            }
        }
        areas.push(Area { name: area, ..read });
    }
    Ok(areas)
}

impl Interface {
    /// Returns the driver's table and the runtime's.
    ///
    /// # Errors
    /// If one of the lists is invalid.
    pub fn all() -> Result<[Self; 2]> {
        interfaces()
    }

    /// Returns every function of the table, in its order.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.areas.iter().flat_map(|area| &area.functions)
    }

    /// Returns every generated file, below `src`.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        iter::once(self.bindings_path.to_owned()).chain(self.functions_paths()).collect()
    }

    /// Returns the files of the functions, below `src`: first that of the table, then that of each area.
    #[must_use]
    pub fn functions_paths(&self) -> Vec<String> {
        let names = iter::once("mod").chain(self.areas.iter().map(|area| area.name));
        names.map(|name| format!("{}/{name}.rs", self.functions_folder)).collect()
    }

    /// Returns the function pointer type of cudaTypedefs.h that a function is bound as. Functions of the runtime have
    /// none.
    #[must_use]
    pub fn typedef(&self, function: &Function) -> Option<String> {
        (self.name == "Driver").then(|| format!("PFN_{}_v{}", function.base(), function.since))
    }

    /// Returns whether a function of the headers is bound, or left out for a reason.
    fn knows(&self, name: &str) -> bool {
        let is_bound = |function: &Function| {
            [&function.name, function.base(), function.symbol()].contains(&name)
                || function.earlier_symbol() == Some(name)
        };
        self.functions().any(is_bound)
            || self.unbound.iter().any(|unbound| unbound.before.is_none() && unbound.name == name)
    }

    /// Returns the functions of the headers that are neither bound nor left out for a reason, with the version if that is
    /// what is missing.
    #[must_use]
    pub fn unknown(&self, declarations: &Declarations) -> Vec<String> {
        let names = declarations.functions(self.name).iter().filter(|name| !self.knows(name)).cloned();
        let of_driver = (self.name == "Driver").then(|| declarations.typedefs_of_functions());
        let versions = of_driver.into_iter().flatten().flat_map(|(name, versions)| {
            let unknown = versions.iter().filter(|version| !self.knows_version(name, **version));
            unknown.map(move |version| format!("{name} of version {version}"))
        });
        names.chain(versions).collect()
    }

    /// Returns the functions that are left out although none of these headers declares them, or although they are bound.
    #[must_use]
    pub fn unneeded(&self, headers: &[&Declarations]) -> Vec<String> {
        let is_bound = |name: &str, since: Option<u32>| match since {
            Some(since) => self.functions().any(|function| function.base() == name && function.since == since),
            None => self.functions().any(|function| {
                [&function.name, function.symbol()].contains(&name) || function.earlier_symbol() == Some(name)
            }),
        };
        let is_declared = |Unbound { name, since, .. }: &Unbound| {
            let versions = headers.iter().filter_map(|headers| headers.typedefs_of_functions().get(name));
            match since {
                Some(since) => versions.flatten().any(|version| version == since),
                None => headers.iter().any(|headers| headers.functions(self.name).contains(name)),
            }
        };
        // Headers do not tell whether a signature changed; the libraries of the sets do.
        let of_names = self.unbound.iter().filter(|unbound| unbound.before.is_none());
        let unneeded = of_names.filter(|unbound| is_bound(&unbound.name, unbound.since) || !is_declared(unbound));
        let name = |Unbound { name, since, .. }: &Unbound| match since {
            Some(since) => format!("{name} of version {since}"),
            None => name.clone(),
        };
        unneeded.map(name).collect()
    }

    /// Returns whether a version of a function is bound, or left out for a reason.
    fn knows_version(&self, base: &str, since: u32) -> bool {
        let is_left_out = |unbound: &Unbound| unbound.name == base && unbound.since.is_none_or(|left| left == since);
        self.functions().any(|function| function.base() == base && function.since == since)
            || self.unbound.iter().any(is_left_out)
    }

    pub(crate) fn library(&self) -> &'static str {
        if self.name == "Driver" { "driver" } else { "runtime" }
    }

    /// Fails if a name or a version is there twice, or is bound and refused.
    fn check(&self) -> Result<()> {
        let mut names: Vec<_> = self.functions().map(|function| function.name.as_str()).collect();
        let left_out = self.unbound.iter().filter(|unbound| unbound.since.is_none() && unbound.before.is_none());
        names.extend(left_out.map(|unbound| unbound.name.as_str()));
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("the {} has {} twice", self.library(), pair[0]);
        }
        if let Some(unbound) = self.unbound.iter().find(|unbound| unbound.reason.trim().is_empty()) {
            bail!("unbound.toml gives no reason for {}", unbound.name);
        }
        let mut versions: Vec<_> = self.functions().map(|function| (function.base(), function.since)).collect();
        versions.extend(self.unbound.iter().filter_map(|unbound| Some((unbound.name.as_str(), unbound.since?))));
        versions.sort_unstable();
        if let Some(pair) = versions.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("the {} has {} of {} twice", self.library(), pair[0].0, pair[0].1);
        }
        Ok(())
    }
}

impl Function {
    /// Returns the name in the documentation, which cuGetProcAddress is asked for.
    #[must_use]
    pub fn base(&self) -> &str {
        self.base.as_deref().unwrap_or(&self.name)
    }

    /// Returns the name that the library exports for the function.
    #[must_use]
    pub fn symbol(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.name)
    }

    fn earlier_symbol(&self) -> Option<&str> {
        self.earlier.as_ref().map(|earlier| earlier.symbol.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Coverage {
        user: Vec<User>,
        lacking: Vec<Lacking>,
    }

    /// What a project calls, and where its sources do so.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct User {
        name: String,
        source: String,
        place: String,
        functions: BTreeSet<String>,
    }

    /// Functions that the table need not have.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Lacking {
        functions: BTreeSet<String>,
        reason: String,
    }

    #[test]
    fn the_table_has_what_other_projects_call() {
        let coverage: Coverage = toml::from_str(include_str!("../coverage.toml")).expect("coverage.toml is valid");
        let [driver, _] = interfaces().expect("the lists are valid");
        let bound: BTreeSet<_> = driver.functions().flat_map(|function| [function.base(), function.symbol()]).collect();
        let mut lacking = BTreeSet::new();
        for User { name, source, place, functions } in &coverage.user {
            assert!(source.starts_with("https://") && !place.is_empty(), "{name} has no source");
            let called = functions.iter().map(String::as_str);
            let missing: BTreeSet<_> = called.filter(|function| !bound.contains(function)).collect();
            assert!(missing.len() < functions.len(), "{name} calls {functions:?}");
            lacking.extend(missing);
        }
        let excused: BTreeSet<_> =
            coverage.lacking.iter().flat_map(|lacking| &lacking.functions).map(String::as_str).collect();
        assert_eq!(lacking, excused, "what projects call and the table lacks, and what coverage.toml says of that");
        assert!(coverage.lacking.iter().all(|lacking| !lacking.reason.is_empty()));
    }

    /// A header with one function more is refused until the function is bound or left out for a reason.
    #[test]
    fn a_function_that_is_neither_bound_nor_left_out_is_named() {
        let folder = headers(
            "CUresult CUDAAPI cuInit(int); CUresult CUDAAPI cuNewThing(int);
            CUresult CUDAAPI cuInit_ptsz(int); CUresult CUDAAPI cuInit_ptds(int);",
            "cudaError_t CUDARTAPI cudaNewThing(int);",
            "typedef CUresult (CUDAAPI *PFN_cuInit_v2000)(int); typedef CUresult (CUDAAPI *PFN_cuInit_v99000)(int);",
        );
        let declarations = Declarations::read(folder.path()).expect("the headers are there");
        let [driver, runtime] = interfaces().expect("the lists are valid");
        assert_eq!(driver.unknown(&declarations), ["cuNewThing", "cuInit of version 99000"]);
        assert_eq!(runtime.unknown(&declarations), ["cudaNewThing"]);
    }

    /// What is left out must be there to be left out.
    #[test]
    fn a_function_that_is_left_out_for_nothing_is_named() {
        let folder = headers(
            "CUresult CUDAAPI cuOld(int); CUresult CUDAAPI cuInit(int);",
            "",
            "typedef CUresult (CUDAAPI *PFN_cuInit_v1000)(int); typedef CUresult (CUDAAPI *PFN_cuInit_v2000)(int);",
        );
        let declarations = Declarations::read(folder.path()).expect("the headers are there");
        let [mut driver, _] = interfaces().expect("the lists are valid");
        let unbound = |(name, since): (&str, Option<u32>)| Unbound {
            name: name.to_owned(),
            since,
            before: None,
            library: "driver".to_owned(),
            reason: "A reason.".to_owned(),
        };
        let needed = [("cuOld", None), ("cuInit", Some(1000))].map(unbound).to_vec();
        driver.unbound.clone_from(&needed);
        assert!(driver.unneeded(&[&declarations]).is_empty());
        for (name, since, text) in [
            ("cuGone", None, "cuGone"),
            ("cuInit", None, "cuInit"),
            ("cuInit", Some(1010), "cuInit of version 1010"),
            ("cuInit", Some(2000), "cuInit of version 2000"),
        ] {
            driver.unbound = [needed.clone(), vec![unbound((name, since))]].concat();
            assert_eq!(driver.unneeded(&[&declarations]), [text]);
        }
    }

    fn headers(driver: &str, runtime: &str, typedefs: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).expect("a file");
        write("cuda.h", driver);
        write("cuda_runtime_api.h", runtime);
        write("cudaTypedefs.h", typedefs);
        ["driver_types.h", "texture_types.h", "surface_types.h"].iter().for_each(|file| write(file, ""));
        folder
    }
}
