//! The bindings with what a user's own headers add to them.
//!
//! The result has every name of the checked-in bindings with its meaning, whatever the age of the headers, so that
//! one crate of a build can ask for its headers without taking anything from another. Headers that contradict the
//! bindings are an error that names the contradiction.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, bail};
use quote::ToTokens as _;
use syn::{ImplItem, Item};

use crate::Source;
use crate::bindings::Bindings;
use crate::functions::interfaces;

/// The checked-in `bindings.rs` files with what the headers in a folder add.
///
/// # Errors
/// Where the headers cannot be read, or say something else of a name that the bindings have.
pub fn merge(include: &Path, target: &str, checked_in: &[Source]) -> Result<Vec<Source>> {
    let found = crate::read(include, target)?;
    let mut merged = Bindings::default();
    for interface in interfaces()? {
        let ours = |path: &str| -> Result<Vec<Item>> {
            let source = checked_in.iter().find(|source| source.path == path);
            let source = source.with_context(|| format!("{path} is not among the checked-in sources"))?;
            Ok(syn::parse_file(&source.text).with_context(|| format!("cannot parse {path}"))?.items)
        };
        check_signatures(&ours(interface.functions_path)?, &found)?;
        let mut items: Vec<_> =
            ours(interface.bindings_path)?.into_iter().filter(|item| !is_written_anew(item)).collect();
        add(&mut items, found.items.get(interface.name).map(Vec::as_slice).unwrap_or_default())?;
        merged.items.insert(interface.name, items);
    }
    merged.write_types()
}

/// The imports, and the function that names the codes.
fn is_written_anew(item: &Item) -> bool {
    let names = |item: &ImplItem| matches!(item, ImplItem::Fn(function) if function.sig.ident == "name");
    matches!(item, Item::Use(_)) || matches!(item, Item::Impl(block) if block.items.iter().any(names))
}

fn check_signatures(functions: &[Item], found: &Bindings) -> Result<()> {
    for item in functions {
        let Item::Type(alias) = item else { continue };
        let name = alias.ident.to_string();
        let Some(theirs) = name.strip_prefix("PFN_").and_then(|name| found.signatures.get(name)) else { continue };
        let (ours, theirs) = (alias.ty.to_token_stream().to_string(), theirs.to_token_stream().to_string());
        if ours != theirs {
            bail!("{name} is {ours} in these bindings and {theirs} in the headers");
        }
    }
    Ok(())
}

/// What makes an item the same item in another header set.
fn key(item: &Item) -> Option<String> {
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

/// The figures of `["Size of X"][size_of::<X>() - 4usize];` and its like, by their text.
fn layout(item: &syn::ItemConst) -> BTreeMap<String, String> {
    let syn::Expr::Block(block) = &*item.expr else { return BTreeMap::new() };
    let statements = block.block.stmts.iter();
    statements
        .filter_map(|statement| {
            let syn::Stmt::Expr(syn::Expr::Index(index), _) = statement else { return None };
            let syn::Expr::Binary(difference) = &*index.index else { return None };
            Some((index.expr.to_token_stream().to_string(), difference.right.to_token_stream().to_string()))
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
                {
                    bail!("{what} is {ours} in these bindings and {theirs} in the headers");
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
        // A structure stays as it is here: its layout was compared, and which reserved bytes have a name is no matter.
        _ => {}
    }
    Ok(())
}

fn same(name: &str, ours: &impl quote::ToTokens, theirs: &impl quote::ToTokens) -> Result<()> {
    let (ours, theirs) = (ours.to_token_stream().to_string(), theirs.to_token_stream().to_string());
    // The last attribute's number: it counts what the headers have.
    if ours != theirs && !name.ends_with("_MAX") {
        bail!("{name} is {ours} in these bindings and {theirs} in the headers");
    }
    Ok(())
}
