//! Checks that our texts name only what exists: the documentation of functions, types and constants is written by hand.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use quote::ToTokens as _;
use syn::{Fields, ImplItem, Item};

use crate::bindings::Bindings;
use crate::shape::{members, name_of_type, words};
use crate::tables::interfaces;
use crate::types::Texts;

/// What the texts quote that the headers of the driver and the runtime do not declare.
const FOREIGN: &[&str] = &[
    "int",
    "unsigned int",
    "float",
    "bool",
    "size_t",
    "char *",
    "const char **",
    "void *",
    "void **",
    "printf",
    "malloc",
    "mmap",
    "HANDLE",
    "D3DKMT_HANDLE",
    "SECURITY_ATTRIBUTES",
    "OBJECT_ATTRIBUTES",
    "nv-p2p.h",
    // A function of device code.
    "cudaGraphKernelNodeUpdatesApply",
];

/// Fails if a text names a function, a type, a constant, a parameter or a member that does not exist, or if a text is
/// about such a name.
pub(crate) fn check(bindings: &Bindings, texts: &Texts) -> Result<()> {
    let names = Names::read(bindings)?;
    let mut wrong = Vec::new();
    for interface in interfaces()? {
        for function in interface.functions() {
            let own = names.of_function(&function.name);
            for text in [&function.summary, &function.safety] {
                let found = names.unknown(text, &own);
                wrong.extend(found.into_iter().map(|name| format!("the text of {} names {name}", function.name)));
            }
        }
    }
    for (subject, owner, text) in texts.all() {
        let own = owner.and_then(|owner| names.inside.get(owner)).cloned().unwrap_or_default();
        let found = names.unknown(text, &own);
        wrong.extend(found.into_iter().map(|name| format!("the text of {subject} names {name}")));
        if !names.has(&subject, owner) {
            wrong.push(format!("there is a text of {subject}"));
        }
    }
    if !wrong.is_empty() {
        wrong.sort();
        bail!("these names do not exist:\n{}", wrong.join("\n"));
    }
    Ok(())
}

#[derive(Default)]
struct Names {
    /// Functions, types and constants.
    all: HashSet<String>,
    /// The parameters of a function and the members of a type, by its name.
    inside: HashMap<String, HashSet<String>>,
    /// The types in the signature of a function.
    types: HashMap<String, Vec<String>>,
}

impl Names {
    fn read(bindings: &Bindings) -> Result<Self> {
        let mut names = Self::default();
        for interface in interfaces()? {
            for function in interface.functions() {
                let all = [&*function.name, function.base(), function.symbol()];
                names.all.extend(all.map(str::to_owned));
                if let Some(signature) = bindings.signatures.get(&function.name) {
                    let parameters =
                        signature.inputs.iter().filter_map(|input| Some(input.name.as_ref()?.0.to_string()));
                    names.inside.insert(function.name.clone(), parameters.collect());
                    let signature = signature.to_token_stream().to_string();
                    names.types.insert(function.name.clone(), words(&signature).map(str::to_owned).collect());
                }
            }
            names.all.extend(interface.unbound.iter().map(|unbound| unbound.name.clone()));
        }
        for items in bindings.items.values() {
            names.add(items);
        }
        Ok(names)
    }

    fn add(&mut self, items: &[Item]) {
        let owners = members(items);
        for item in items {
            self.all.extend(name_of_type(item));
            let fields = match item {
                Item::Struct(structure) => &structure.fields,
                Item::Union(union) => &Fields::Named(union.fields.clone()),
                Item::Const(constant) => {
                    self.all.insert(constant.ident.to_string());
                    continue;
                }
                Item::Impl(block) => {
                    for item in &block.items {
                        if let ImplItem::Const(constant) = item {
                            self.all.insert(constant.ident.to_string());
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            // The members of an unnamed type belong to the type that has it.
            let mut root = name_of_type(item).unwrap_or_default();
            while let Some((owner, _)) = owners.get(&root) {
                root.clone_from(owner);
            }
            let fields = fields.iter().filter_map(|field| field.ident.as_ref()).map(ToString::to_string);
            // The lists of types have C's names. bindgen appends an underscore to keywords of Rust.
            let both = fields.flat_map(|name| [name.trim_end_matches('_').to_owned(), name]);
            self.inside.entry(root).or_default().extend(both);
        }
    }

    /// Returns the parameters of a function, and the members of their types.
    fn of_function(&self, name: &str) -> HashSet<String> {
        let types = self.types.get(name).into_iter().flatten();
        types.chain([&name.to_owned()]).filter_map(|name| self.inside.get(name)).flatten().cloned().collect()
    }

    /// Whether what a text is about exists.
    fn has(&self, subject: &str, owner: Option<&str>) -> bool {
        match (owner, subject.split_once('.')) {
            (Some(owner), Some((_, path))) => {
                let inside = self.inside.get(owner);
                path.split('.').all(|member| inside.is_some_and(|inside| inside.contains(member)))
            }
            _ => self.all.contains(subject),
        }
    }

    /// Returns the names in a text that do not exist. `own` are the parameters or members of what the text is about. A
    /// text can also name those of a function or a type that it names.
    fn unknown(&self, text: &str, own: &HashSet<String>) -> Vec<String> {
        let named: Vec<_> = words(text).filter_map(|word| self.inside.get(word)).collect();
        let is_known = |name: &str| {
            self.all.contains(name) || own.contains(name) || named.iter().any(|inside| inside.contains(name))
        };
        let is_beginning = |start: &str| self.all.iter().any(|name| name.starts_with(start));
        let mut unknown = Vec::new();
        for (index, part) in text.split('`').enumerate() {
            if index % 2 == 0 {
                let of_cuda = words(part).filter(|word| is_of_cuda(word));
                // `CU_X_*` are all constants that begin with CU_X_.
                let wrong = of_cuda.filter(|word| !(is_known(word) || word.ends_with('_') && is_beginning(word)));
                unknown.extend(wrong.map(str::to_owned));
                continue;
            }
            let name = part.strip_prefix('*').unwrap_or(part);
            let exists = FOREIGN.contains(&name)
                || name.split('.').all(is_known)
                || name.strip_suffix('*').is_some_and(is_beginning);
            if !exists {
                unknown.push(part.to_owned());
            }
        }
        unknown
    }
}

/// Whether a word looks like a name of CUDA: `cuX`, `cudaX`, `CUx`, `CU_X` or `CUDA_X`.
fn is_of_cuda(word: &str) -> bool {
    let after = ["cuda", "cu"].iter().find_map(|start| word.strip_prefix(start));
    after.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_uppercase()))
        || ["CUDA_", "CU_"].iter().any(|start| word.starts_with(start))
        || word.strip_prefix("CU").is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        names.add(
            &syn::parse_file(
                "pub struct CUx { pub size: u32, pub place: CUx_place } pub struct CUx_place { pub id: u32 }
                pub const CU_X_ONE: u32 = 1; pub struct CUkind(pub u32); impl CUkind { pub const CU_KIND: CUkind = CUkind(1); }",
            )
            .expect("valid Rust")
            .items,
        );
        names.all.insert("cuF".to_owned());
        names.inside.insert("cuF".to_owned(), HashSet::from(["pointer".to_owned()]));
        names.types.insert("cuF".to_owned(), vec!["CUx".to_owned()]);
        names
    }

    #[test]
    fn what_exists_is_known() {
        let names = names();
        let own = names.of_function("cuF");
        for text in [
            "`pointer` and `*pointer` of cuF, `CUx`, CUx, `CU_X_ONE`, `CU_X_*`, CU_X_*, CU_KIND and a `void *`",
            "members of a parameter: `size`, `place.id` and `id`",
            "no names: CUDA, cubes, NULL, 1 × CU",
        ] {
            assert_eq!(names.unknown(text, &own), Vec::<String>::new(), "{text}");
        }
        // Without a function of one's own, a text must name the function or the type.
        assert_eq!(names.unknown("`pointer` of cuF, `size` of `CUx`", &HashSet::new()), Vec::<String>::new());
        for (subject, owner) in [("CUx", None), ("CUx.place.id", Some("CUx")), ("CU_KIND", Some("CUkind"))] {
            assert!(names.has(subject, owner), "{subject}");
        }
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let names = names();
        let own = names.of_function("cuF");
        for (text, wrong) in [
            ("`pointers`", "pointers"),
            ("`*size_out`", "*size_out"),
            ("cuG", "cuG"),
            ("`cuG`", "cuG"),
            ("cudaF", "cudaF"),
            ("CUy", "CUy"),
            ("CU_X_TWO", "CU_X_TWO"),
            ("`CU_Y_*`", "CU_Y_*"),
            ("CUDA_Y_*", "CUDA_Y_"),
            ("`place.identifier`", "place.identifier"),
        ] {
            assert_eq!(names.unknown(text, &own), [wrong], "{text}");
        }
        assert_eq!(names.unknown("`pointer`", &HashSet::new()), ["pointer"]);
        for (subject, owner) in [("CUy", None), ("CUx.place.name", Some("CUx")), ("CU_KINDS", Some("CUkind"))] {
            assert!(!names.has(subject, owner), "{subject}");
        }
    }
}
