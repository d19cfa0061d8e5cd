//! Adds the items of a user's own headers to the bindings.
//!
//! The result has every name of the checked-in bindings with the same meaning, whatever the age of the headers. One
//! crate of a build can therefore use its own headers without removing names that another crate needs. If the headers
//! contradict the bindings, the error names the contradiction.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail};
use quote::ToTokens as _;
use syn::{ImplItem, Item};

use crate::Source;
use crate::bindings::Bindings;
use crate::exceptions::{Exception, exceptions};
use crate::tables::{Interface, interfaces};

/// Returns the checked-in `bindings.rs` files with the items that the headers in a folder add.
///
/// # Errors
/// If the headers cannot be read, or define a name of the bindings differently.
pub fn merge(include: &Path, target: &str, checked_in: &[Source]) -> Result<Vec<Source>> {
    let found = crate::read(include, target)?;
    let mut merged = Bindings::default();
    for interface in interfaces()? {
        let ours = |path: &str| -> Result<Vec<Item>> {
            let source = checked_in.iter().find(|source| source.path == path);
            let source = source.with_context(|| format!("{path} is not among the checked-in sources"))?;
            Ok(syn::parse_file(&source.text).with_context(|| format!("cannot parse {path}"))?.items)
        };
        let functions: Result<Vec<_>> = interface.functions_paths().iter().map(|path| ours(path)).collect();
        check_signatures(&interface, &functions?.concat(), &found)?;
        let mut items: Vec<_> =
            ours(interface.bindings_path)?.into_iter().filter(|item| !is_written_anew(item)).collect();
        add(&mut items, found.items.get(interface.name).map(Vec::as_slice).unwrap_or_default())?;
        merged.items.insert(interface.name, items);
    }
    merged.write_types()
}

/// Whether an item is generated again: an import, or the names of codes and of enumerators.
fn is_written_anew(item: &Item) -> bool {
    let names = |item: &ImplItem| matches!(item, ImplItem::Fn(function) if function.sig.ident == "name");
    let is_import = matches!(item, Item::Use(import) if text(&import.tree).starts_with("crate"));
    is_import || matches!(item, Item::Macro(_)) || matches!(item, Item::Impl(block) if block.items.iter().any(names))
}

fn check_signatures(interface: &Interface, functions: &[Item], found: &Bindings) -> Result<()> {
    // Older headers of the runtime declare some functions with another signature, and the table does not use these.
    let version = found.declarations.cuda_version().context("cuda.h does not define CUDA_VERSION")?;
    let later = interface.functions().filter(|function| function.since > version);
    let later: Vec<_> = later.map(|function| format!("PFN_{}", function.name)).collect();
    for item in functions {
        let Item::Type(alias) = item else { continue };
        let name = alias.ident.to_string();
        if later.contains(&name) {
            continue;
        }
        let Some(theirs) = name.strip_prefix("PFN_").and_then(|name| found.signatures.get(name)) else { continue };
        let syn::Type::BareFn(ours) = &*alias.ty else { continue };
        same(&name, &without_names(ours), &without_names(theirs))?;
    }
    Ok(())
}

/// Returns a signature without the names of its parameters, which differ between releases.
fn without_names(signature: &syn::TypeBareFn) -> syn::TypeBareFn {
    let mut signature = signature.clone();
    signature.inputs.iter_mut().for_each(|input| input.name = None);
    signature
}

/// Returns the key that identifies an item across header sets.
pub(crate) fn key(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(format!("type {}", item.ident)),
        Item::Union(item) => Some(format!("type {}", item.ident)),
        Item::Type(item) => Some(format!("type {}", item.ident)),
        Item::Const(item) if item.ident == "_" => layout(item).keys().next().cloned(),
        Item::Const(item) => Some(format!("const {}", item.ident)),
        Item::Impl(block) => {
            let of = block.self_ty.to_token_stream();
            let what = block.trait_.as_ref().map(|(_, path, _)| path.to_token_stream().to_string());
            Some(format!("impl {} for {of}", what.unwrap_or_default()))
        }
        _ => None,
    }
}

/// Returns the numbers of assertions such as `["Size of X"][size_of::<X>() - 4usize];`, by the text of each.
fn layout(item: &syn::ItemConst) -> BTreeMap<String, String> {
    let syn::Expr::Block(block) = &*item.expr else { return BTreeMap::new() };
    let statements = block.block.stmts.iter();
    statements
        .filter_map(|statement| {
            let syn::Stmt::Expr(syn::Expr::Index(index), _) = statement else { return None };
            let syn::Expr::Binary(difference) = &*index.index else { return None };
            let syn::Expr::Array(array) = &*index.expr else { return None };
            let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(what), .. })) = array.elems.first() else {
                return None;
            };
            Some((what.value(), difference.right.to_token_stream().to_string()))
        })
        .collect()
}

fn add(ours: &mut Vec<Item>, theirs: &[Item]) -> Result<()> {
    let mut places = HashMap::<String, Vec<usize>>::new();
    for (place, item) in ours.iter().enumerate() {
        if let Some(key) = key(item) {
            places.entry(key).or_default().push(place);
        }
    }
    for item in theirs {
        let Some(key) = key(item) else { continue };
        match places.get(&key) {
            None => ours.push(item.clone()),
            Some(places) => add_to(ours, places, item).with_context(|| key)?,
        }
    }
    Ok(())
}

fn add_to(ours: &mut [Item], places: &[usize], item: &Item) -> Result<()> {
    match item {
        Item::Const(theirs) if theirs.ident == "_" => {
            let Item::Const(ours) = &ours[places[0]] else { return Ok(()) };
            let (ours, theirs) = (layout(ours), layout(theirs));
            for (what, ours) in ours {
                if let Some(theirs) = theirs.get(&what)
                    && *theirs != ours
                    && !is_known(&what)?
                {
                    bail!("{what} is {ours} in these bindings but {theirs} in the headers");
                }
            }
        }
        Item::Impl(theirs) if theirs.trait_.is_none() => {
            let constants = |block: &syn::ItemImpl| -> Vec<syn::ImplItemConst> {
                let constant =
                    |item: &ImplItem| if let ImplItem::Const(item) = item { Some(item.clone()) } else { None };
                block.items.iter().filter_map(constant).collect()
            };
            let mut known = HashMap::new();
            for place in places {
                if let Item::Impl(block) = &ours[*place] {
                    known.extend(constants(block).into_iter().map(|constant| (constant.ident.to_string(), constant)));
                }
            }
            let Item::Impl(block) = &mut ours[places[0]] else { return Ok(()) };
            for theirs in constants(theirs) {
                match known.get(&theirs.ident.to_string()) {
                    None => block.items.push(ImplItem::Const(theirs)),
                    Some(ours) => same(&theirs.ident.to_string(), &ours.expr, &theirs.expr)?,
                }
            }
        }
        Item::Const(theirs) => {
            let Item::Const(ours) = &ours[places[0]] else { return Ok(()) };
            same(&theirs.ident.to_string(), &ours.expr, &theirs.expr)?;
        }
        Item::Type(theirs) => {
            let Item::Type(ours) = &ours[places[0]] else { return Ok(()) };
            same(&theirs.ident.to_string(), &ours.ty, &theirs.ty)?;
        }
        // A structure stays as it is here: its layout was compared, and names for reserved bytes do not matter.
        _ => {}
    }
    Ok(())
}

/// Whether an assertion such as `Offset of field: X::y` is about a name that is known to differ between releases, or such
/// as `Size of X_y` about the type of a member of a type that is known to differ.
fn is_known(what: &str) -> Result<bool> {
    let name = what.rsplit(' ').next().unwrap_or_default().replace("::", ".");
    let is_about = |exception: &Exception| {
        let (owner, _) = exception.name.split_once('.').unwrap_or((&exception.name, ""));
        let is_newer_itself = exception.since.is_some() && !exception.name.contains('.');
        let is_inside = name.strip_prefix(owner).is_some_and(|rest| {
            rest.starts_with('_') || rest.starts_with('.') && is_newer_itself || rest.is_empty() && is_newer_itself
        });
        exception.name == name || is_inside
    };
    Ok(exceptions()?.iter().any(is_about))
}

/// Fails if the bindings and the headers define a name differently, unless it is known to differ between releases.
fn same(name: &str, ours: &impl quote::ToTokens, theirs: &impl quote::ToTokens) -> Result<()> {
    let (ours, theirs) = (text(ours), text(theirs));
    if ours != theirs && !exceptions()?.iter().any(|exception| exception.name == name) {
        bail!("{name} is {ours} in these bindings but {theirs} in the headers");
    }
    Ok(())
}

/// Returns the text of an item without trailing commas: the checked-in files have them in lists of several lines, and
/// the generated text has none.
pub(crate) fn text(item: &impl quote::ToTokens) -> String {
    item.to_token_stream().to_string().replace(" ,)", ")").replace(", >", ">").replace(" >", ">")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(source: &str) -> Vec<Item> {
        syn::parse_file(source).expect("valid Rust").items
    }

    const OURS: &str = r#"
        pub struct CUkind(pub u32);
        impl CUkind { pub const CU_KIND_A: CUkind = CUkind(1); }
        pub struct CUplace { pub kind: CUkind, pub id: u32 }
        const _: () = { ["Size of CUplace"][size_of::<CUplace>() - 8usize]; };
        pub type CUnumber = u32;
    "#;

    fn added(theirs: &str) -> Result<String> {
        let mut ours = items(OURS);
        add(&mut ours, &items(theirs))?;
        Ok(ours.iter().map(text).collect())
    }

    #[test]
    fn what_headers_lack_stays() {
        let unchanged: String = items(OURS).iter().map(text).collect();
        assert_eq!(added("").expect("nothing to contradict"), unchanged);
        assert_eq!(added(OURS).expect("the same"), unchanged);
    }

    #[test]
    fn what_headers_add_is_added() {
        let more = "impl CUkind { pub const CU_KIND_B: CUkind = CUkind(2); } pub struct CUnew(pub u32);";
        let all = added(more).expect("nothing is contradicted");
        for name in ["CU_KIND_A", "CU_KIND_B", "CUnew"] {
            assert!(all.contains(name), "{all}");
        }
    }

    /// If headers name reserved bytes of a structure, the structure of these bindings stays.
    #[test]
    fn a_structure_of_the_same_layout_stays() {
        let all = added("pub struct CUplace { pub kind: CUkind, pub reserved: [u8; 4] }").expect("the same layout");
        assert!(all.contains("id") && !all.contains("reserved"), "{all}");
    }

    #[test]
    fn a_contradiction_is_named() {
        for (theirs, name) in [
            ("impl CUkind { pub const CU_KIND_A: CUkind = CUkind(3); }", "CU_KIND_A"),
            (r#"const _: () = { ["Size of CUplace"][size_of::<CUplace>() - 16usize]; };"#, "Size of CUplace"),
            ("pub type CUnumber = u64;", "CUnumber"),
        ] {
            let error = added(theirs).expect_err("another meaning");
            assert!(format!("{error:#}").contains(name), "{error:#}");
        }
    }
}
