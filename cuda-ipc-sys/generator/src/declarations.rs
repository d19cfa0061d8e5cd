//! Reads from the headers' text what bindgen does not report: which functions they declare, under which names a library
//! exports the functions for the per-thread default stream, and which typedef gives a type its last name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};

/// The headers whose functions are bound or refused, and the interface that each belongs to.
const HEADERS: [(&str, &str); 2] = [("cuda.h", "Driver"), ("cuda_runtime_api.h", "Runtime")];

/// What cudaProfiler.h declares and CUDA still has. The header sets lack that header.
pub const PROFILER: &str = "
    CUresult CUDAAPI cuProfilerStart(void);
    CUresult CUDAAPI cuProfilerStop(void);
    typedef CUresult (CUDAAPI *PFN_cuProfilerStart_v4000)(void);
    typedef CUresult (CUDAAPI *PFN_cuProfilerStop_v4000)(void);
";

/// The headers that declare types.
const TYPES: [&str; 4] = ["cuda.h", "driver_types.h", "texture_types.h", "surface_types.h"];

/// Names that were the same as the name without the version, and no longer are.
const OUTDATED: [&str; 1] = ["CUDA_KERNEL_NODE_PARAMS_v1"];

/// The facts of one header set.
#[derive(Debug, Default)]
pub struct Declarations {
    functions: Vec<(&'static str, BTreeSet<String>)>,
    versions: BTreeMap<String, BTreeSet<u32>>,
    per_thread: HashMap<String, String>,
    pub(crate) names: HashMap<String, String>,
    pub(crate) opaque: HashSet<String>,
    /// Macros that are not plain numbers, in the headers' order.
    pub(crate) macros: Vec<(String, String)>,
}

impl Declarations {
    /// Reads the headers in a folder.
    ///
    /// # Errors
    /// If a header cannot be read.
    pub fn read(include: &Path) -> Result<Self> {
        let mut found = Self::default();
        for (file, interface) in HEADERS {
            let text = without_comments(&read(include, file)?);
            found.per_thread(&text);
            let mut functions = functions(&text);
            let renamed = renamed(&text, &functions);
            functions.extend(renamed);
            if interface == "Driver" {
                functions.extend(self::functions(PROFILER));
            }
            found.functions.push((interface, functions));
        }
        found.versions = versions(&(read(include, "cudaTypedefs.h")? + PROFILER));
        for file in TYPES {
            let text = with_joined_names(&without_comments(&read(include, file)?));
            found.typedefs(&text);
            found.macros.extend(macros(&text));
        }
        Ok(found)
    }

    /// Returns the functions of an interface, without those for the per-thread default stream.
    #[must_use]
    pub fn functions(&self, interface: &str) -> &BTreeSet<String> {
        static NONE: BTreeSet<String> = BTreeSet::new();
        self.functions.iter().find(|(name, _)| *name == interface).map_or(&NONE, |(_, functions)| functions)
    }

    /// Returns the CUDA version of the headers.
    pub(crate) fn cuda_version(&self) -> Option<u32> {
        self.macros.iter().find(|(name, _)| name == "CUDA_VERSION")?.1.parse().ok()
    }

    /// Returns the name of C that keeps its meaning in all releases: `X_v2` of `typedef X_v2 X;`.
    #[must_use]
    pub fn versioned_name<'names>(&'names self, name: &'names str) -> &'names str {
        let versions = self.names.iter().filter(|(version, last)| *last == name && is_version_of(version, last));
        versions.map(|(version, _)| version.as_str()).next().unwrap_or(name)
    }

    /// Returns the versions of each function in cudaTypedefs.h.
    #[must_use]
    pub const fn typedefs_of_functions(&self) -> &BTreeMap<String, BTreeSet<u32>> {
        &self.versions
    }

    /// Returns the name of an exported function for the per-thread default stream.
    pub(crate) fn exported_per_thread(&self, exported: &str) -> Option<&str> {
        self.per_thread.get(exported).map(String::as_str)
    }

    /// Returns the last name of a type: that of `typedef struct X_st { … } X_v1;` and `typedef X_v1 X;` is `X`.
    pub(crate) fn last_name<'names>(&'names self, mut name: &'names str) -> &'names str {
        while let Some(next) = self.names.get(name) {
            name = next;
        }
        name
    }

    /// Finds `__CUDA_API_PTSZ(cuX)`, which is the name `cuX_ptsz`, and functions that are declared under such a name.
    fn per_thread(&mut self, text: &str) {
        for (opening, suffix) in [("_API_PTSZ(", "_ptsz"), ("_API_PTDS(", "_ptds")] {
            let names = text.split(opening).skip(1).filter_map(|rest| rest.split(')').next());
            self.per_thread.extend(names.map(|name| (name.trim().to_owned(), format!("{}{suffix}", name.trim()))));
            for word in words(text) {
                if let Some(name) = word.strip_suffix(suffix).filter(|name| name.starts_with("cu")) {
                    self.per_thread.insert(name.to_owned(), word.to_owned());
                }
            }
        }
    }

    /// Reads typedefs of one name to another.
    fn typedefs(&mut self, text: &str) {
        for definition in text.split("typedef ").skip(1) {
            let Some((head, last, is_pointer)) = typedef(definition) else { continue };
            match head.as_slice() {
                ["struct" | "union" | "enum", tag, ..] if is_pointer => {
                    self.opaque.insert((*tag).to_owned());
                }
                // The runtime's own tags without a suffix are the names in its functions.
                ["struct" | "union" | "enum", tag, ..]
                    if !tag.starts_with("cuda") || tag.ends_with("_st") || tag.ends_with("_enum") =>
                {
                    self.rename(tag, last);
                }
                [name] if !is_pointer && is_version_of(name, last) => self.rename(name, last),
                _ => {}
            }
        }
        for tag in &self.opaque {
            self.names.remove(tag);
        }
    }

    fn rename(&mut self, from: &str, to: &str) {
        if from != to && !from.starts_with("PFN_") && !OUTDATED.contains(&from) {
            self.names.entry(from.to_owned()).or_insert_with(|| to.to_owned());
        }
    }
}

fn read(include: &Path, file: &str) -> Result<String> {
    let path = include.join(file);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the functions that a header declares, including those that it declares for the library alone.
fn functions(text: &str) -> BTreeSet<String> {
    let declarations = ["CUDAAPI ", "CUDARTAPI ", "CUDARTAPI_CDECL "].iter().flat_map(|word| text.split(word).skip(1));
    let names = declarations.filter_map(|rest| Some(rest.split_once('(')?.0.trim()));
    let is_function = |name: &&str| {
        name.starts_with("cu") && words(name).count() == 1 && !name.ends_with("_ptsz") && !name.ends_with("_ptds")
    };
    names.filter(is_function).map(str::to_owned).collect()
}

/// Returns the names that macros give to declared functions: `#define cuX cuX_v2`.
fn renamed(text: &str, functions: &BTreeSet<String>) -> BTreeSet<String> {
    let definition = |line: &str| {
        let mut words = line.trim().strip_prefix('#')?.trim_start().strip_prefix("define")?.split_whitespace();
        let (name, value) = (words.next()?, words.next()?);
        // `__CUDART_API_PTSZ(cudaX_v2)`
        let value = value.rsplit('(').next()?.trim_end_matches(')');
        let is_version = value.strip_prefix(name)?.starts_with("_v");
        (is_version && functions.contains(name)).then(|| value.to_owned())
    };
    text.lines().filter_map(definition).collect()
}

/// Returns the versions of each function pointer type, without those for the per-thread default stream: a flag selects
/// these.
fn versions(text: &str) -> BTreeMap<String, BTreeSet<u32>> {
    let mut versions = BTreeMap::<_, BTreeSet<_>>::new();
    for typedef in text.split("(CUDAAPI *PFN_").skip(1) {
        let name = typedef.split(')').next().unwrap_or_default();
        if let Some((name, version)) = name.rsplit_once("_v")
            && let Ok(version) = version.parse()
        {
            versions.entry(name.to_owned()).or_default().insert(version);
        }
    }
    versions
}

/// Returns the words before the braces of a typedef, the name that it defines, and whether that is a pointer's.
fn typedef(text: &str) -> Option<(Vec<&str>, &str, bool)> {
    let mut depth = 0_i32;
    let end = text.char_indices().find_map(|(place, letter)| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        (letter == ';' && depth == 0).then_some(place)
    })?;
    let (head, tail) = match (text[..end].find('{'), text[..end].rfind('}')) {
        (Some(open), Some(close)) => (&text[..open], &text[close + 1..end]),
        _ => {
            let last = text[..end].trim_end().rfind(|letter: char| !is_part_of_a_name(letter))?;
            (&text[..=last], &text[last + 1..end])
        }
    };
    let last = words(tail).last()?;
    if text[..end].contains('(') && !text[..end].contains('{') {
        return None;
    }
    let attributes = ["__device_builtin__", "const", "__builtin_align__"];
    let words = words(head).filter(|word| !attributes.contains(word)).collect();
    Some((words, last, head.contains('*') || tail.contains('*')))
}

/// Whether a name is another one with `_v1` or `_V1` after it.
fn is_version_of(name: &str, last: &str) -> bool {
    let version = name.strip_prefix(last).and_then(|rest| rest.strip_prefix("_v").or_else(|| rest.strip_prefix("_V")));
    version.is_some_and(|version| version.parse::<u32>().is_ok())
}

/// Returns the names and values of macros without parameters.
fn macros(text: &str) -> impl Iterator<Item = (String, String)> {
    let definitions =
        text.lines().filter_map(|line| line.trim_start().strip_prefix('#')?.trim().strip_prefix("define "));
    definitions.filter_map(|definition| {
        let (name, value) = definition.trim().split_once(char::is_whitespace)?;
        (!name.contains('(')).then(|| (name.to_owned(), value.trim().to_owned()))
    })
}

/// Replaces `_CONCAT_OUTER(CUdevResource_v, RESOURCE_ABI_VERSION)`, the one name that the preprocessor joins.
fn with_joined_names(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("_CONCAT_OUTER(CU") {
        let Some((arguments, after)) = after.split_once(')') else { break };
        let (start, name) = arguments.split_once(',').unwrap_or((arguments, ""));
        let end = macros(text).find(|(known, _)| known == name.trim()).map(|(_, value)| value);
        joined.push_str(&format!("{before}CU{start}{}", end.unwrap_or_default()));
        rest = after;
    }
    joined + rest
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_part_of_a_name(letter)).filter(|word| !word.is_empty())
}

fn is_part_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((code, comment)) = rest.split_once("/*") {
        kept.push_str(code);
        rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_the_last_of_its_names() {
        let mut found = Declarations::default();
        found.typedefs(&without_comments(
            "typedef struct X_st { /* typedef */ struct { int y; } z; } X_v1;\n typedef X_v1 X; /* why */\n\
             typedef struct N_v1_st { int a; } N_v1; typedef struct N_v2_st { int a; } N_v2; typedef N_v2 N;\n\
             typedef struct O_st *O; typedef int I_v1; typedef I_v1 I; typedef enum cudaKind { A } cudaKind_t;",
        ));
        for (name, last) in [
            ("X_st", "X"),
            ("N_v1_st", "N_v1"),
            ("N_v2_st", "N"),
            ("O_st", "O_st"),
            ("I_v1", "I"),
            ("cudaKind", "cudaKind"),
        ] {
            assert_eq!(found.last_name(name), last);
        }
        assert!(found.opaque.contains("O_st"));
    }

    #[test]
    fn a_joined_name_is_one_name() {
        let text = "#define ABI 1\ntypedef struct A_st { int b; } _CONCAT_OUTER(CUa_v, ABI);";
        assert!(with_joined_names(text).ends_with("} CUa_v1;"));
    }

    #[test]
    fn a_function_for_the_per_thread_default_stream_is_found_in_a_macro_and_in_a_declaration() {
        let mut found = Declarations::default();
        found.per_thread("#define cuA __CUDA_API_PTSZ(cuA_v2)\n CUresult CUDAAPI cuB_ptds(int);");
        assert_eq!(found.exported_per_thread("cuA_v2"), Some("cuA_v2_ptsz"));
        assert_eq!(found.exported_per_thread("cuB"), Some("cuB_ptds"));
        assert_eq!(found.exported_per_thread("cuA"), None);
    }

    #[test]
    fn a_macro_that_renames_a_function_adds_a_name() {
        let text = "#define cuA cuA_v2\n# define cuB  __CUDART_API_PTSZ(cuB_v3)\n#define cuC cuD_v2\n#define cuE 1\n
            CUresult CUDAAPI cuA(int); CUresult CUDAAPI cuB(int); CUresult CUDAAPI cuC(int); CUresult CUDAAPI cuE(int);";
        let names = renamed(text, &functions(text));
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["cuA_v2", "cuB_v3"]);
    }
}
