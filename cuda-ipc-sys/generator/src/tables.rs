//! Reads the lists of functions: `functions/AREA.toml` for the driver and `runtime/AREA.toml` for the runtime, and
//! `unbound.toml` for the functions that are not bound.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::areas::{Area, DRIVER, RUNTIME};
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
    /// The file of its table, below `src`.
    pub functions_path: &'static str,
    /// Every function of the table, in its order.
    pub functions: Vec<Function>,
    /// The functions of its header that are not bound.
    pub unbound: Vec<Unbound>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Functions {
    #[serde(default)]
    function: Vec<Function>,
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
    pub(crate) summary: String,
    /// What the caller must ensure.
    pub(crate) safety: String,
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
            functions_path: "driver/functions.rs",
            functions: read(DRIVER)?,
            unbound: unbound("driver"),
        },
        Interface {
            name: "Runtime",
            result: "cudaError",
            bindings_path: "runtime/bindings.rs",
            functions_path: "runtime/functions.rs",
            functions: read(RUNTIME)?,
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

fn read(areas: &[Area]) -> Result<Vec<Function>> {
    let mut all = Vec::new();
    for (file, text) in areas {
        let functions: Functions = toml::from_str(text).context(*file)?;
        for Function { name, summary, safety, .. } in &functions.function {
            if summary.trim().is_empty() || safety.trim().is_empty() {
                bail!("{file}: {name} has no summary or no safety text");
            }
        }
        all.extend(functions.function);
    }
    Ok(all)
}

impl Interface {
    /// Returns the driver's table and the runtime's.
    ///
    /// # Errors
    /// If one of the lists is invalid.
    pub fn all() -> Result<[Self; 2]> {
        interfaces()
    }

    /// Returns the function pointer type of cudaTypedefs.h that a function is bound as. Functions of the runtime have
    /// none.
    #[must_use]
    pub fn typedef(&self, function: &Function) -> Option<String> {
        (self.name == "Driver").then(|| format!("PFN_{}_v{}", function.base(), function.since))
    }

    /// Returns whether a function of the headers is bound, or left out for a reason.
    fn knows(&self, name: &str) -> bool {
        let is_bound = |function: &Function| [&function.name, function.base(), function.symbol()].contains(&name);
        self.functions.iter().any(is_bound) || self.unbound.iter().any(|unbound| unbound.name == name)
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

    /// Returns whether a version of a function is bound, or left out for a reason.
    fn knows_version(&self, base: &str, since: u32) -> bool {
        let is_left_out = |unbound: &Unbound| unbound.name == base && unbound.since.is_none_or(|left| left == since);
        self.functions.iter().any(|function| function.base() == base && function.since == since)
            || self.unbound.iter().any(is_left_out)
    }

    pub(crate) fn library(&self) -> &'static str {
        if self.name == "Driver" { "driver" } else { "runtime" }
    }

    /// Fails if a name or a version is there twice, or is bound and refused.
    fn check(&self) -> Result<()> {
        let mut names: Vec<_> = self.functions.iter().map(|function| function.name.as_str()).collect();
        let left_out = self.unbound.iter().filter(|unbound| unbound.since.is_none());
        names.extend(left_out.map(|unbound| unbound.name.as_str()));
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("the {} has {} twice", self.library(), pair[0]);
        }
        if let Some(unbound) = self.unbound.iter().find(|unbound| unbound.reason.trim().is_empty()) {
            bail!("unbound.toml gives no reason for {}", unbound.name);
        }
        let mut versions: Vec<_> = self.functions.iter().map(|function| (function.base(), function.since)).collect();
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
        let bound: BTreeSet<_> =
            driver.functions.iter().flat_map(|function| [function.base(), function.symbol()]).collect();
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
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).expect("a file");
        write("cuda.h", "CUresult CUDAAPI cuInit(int); CUresult CUDAAPI cuNewThing(int);");
        write("cuda_runtime_api.h", "cudaError_t CUDARTAPI cudaNewThing(int);");
        write(
            "cudaTypedefs.h",
            "typedef CUresult (CUDAAPI *PFN_cuInit_v2000)(int); typedef CUresult (CUDAAPI *PFN_cuInit_v99000)(int);",
        );
        ["driver_types.h", "texture_types.h", "surface_types.h"].iter().for_each(|file| write(file, ""));
        let declarations = Declarations::read(folder.path()).expect("the headers are there");
        let [driver, runtime] = interfaces().expect("the lists are valid");
        assert_eq!(driver.unknown(&declarations), ["cuNewThing", "cuInit of version 99000"]);
        assert_eq!(runtime.unknown(&declarations), ["cudaNewThing"]);
    }
}
