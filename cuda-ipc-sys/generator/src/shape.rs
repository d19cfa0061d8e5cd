//! Changes bindgen's output into the form of these bindings: unnamed types are named after the member that has them, the
//! enumerators of a type are in one block, and `Debug` prints names.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use quote::{ToTokens as _, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{Fields, ImplItem, Item, Token};

use crate::bindings::is_named;
use crate::declarations::Declarations;

/// Types whose `Debug` is written by hand: a code prints its name, a handle prints hexadecimal digits.
const HAND_WRITTEN_DEBUG: &[&str] = &[
    "CUresult",
    "CUipcMemHandle",
    "CUipcEventHandle",
    "CUmemPoolPtrExportData",
    "CUmemFabricHandle",
    "CUmemLocation",
    "cudaError",
    "cudaIpcMemHandle_t",
    "cudaIpcEventHandle_t",
    "cudaMemPoolPtrExportData",
    "cudaMemFabricHandle_t",
    "cudaMemLocation",
];

/// Structures for which bindgen derives no `Debug` because they contain a location, whose `Debug` is written by hand.
const DERIVED_DEBUG: &[&str] = &[
    "CUmemAllocationProp",
    "CUmemAccessDesc",
    "CUmemPoolProps",
    "CUDA_MEM_ALLOC_NODE_PARAMS",
    "cudaMemAccessDesc",
    "cudaMemPoolProps",
    "cudaMemAllocNodeParams",
];

/// Unions that safe code reads, each with the member that covers all of its bytes. A union that is made with a smaller
/// member lacks some of them, so the other members are not public. `location.rs` gives access to them.
const READ_BY_SAFE_CODE: &[(&str, &str)] = &[("CUmemLocation_anonymous", "id"), ("cudaMemLocation_anonymous", "id")];

/// Renames types such as `X__bindgen_ty_1` after the member of `X` that has the type: `X_member`. The number would change
/// if a release added a member before it. A member without a name becomes `anonymous`. The same goes for types that C names
/// inside of another type, and that bindgen calls after the tags of both.
pub(crate) fn with_names_of_members(text: &str, file: syn::File, declarations: &Declarations) -> Result<syn::File> {
    let mut names = HashMap::<String, String>::new();
    let mut owners = HashMap::new();
    for item in &file.items {
        let (owner, fields): (_, Vec<_>) = match item {
            Item::Struct(item) => (item.ident.to_string(), item.fields.iter().collect()),
            Item::Union(item) => (item.ident.to_string(), item.fields.named.iter().collect()),
            _ => continue,
        };
        for field in fields {
            let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
            let member = match ident.strip_prefix("__bindgen_anon_") {
                None => ident.clone(),
                Some("1") => "anonymous".to_owned(),
                Some(_) => bail!("{owner} has a second member without a name: choose a name for it here"),
            };
            if member != ident {
                names.insert(ident, member.clone());
            }
            for word in words(&field.ty.to_token_stream().to_string()) {
                let is_inside = |tag: &String| {
                    let is_of_tag = word.strip_prefix(tag).is_some_and(|rest| rest.starts_with('_'));
                    is_of_tag && declarations.last_name(tag) == owner
                };
                if word.contains("__bindgen_ty") || declarations.names.keys().any(is_inside) {
                    owners.insert(word.to_owned(), (owner.clone(), member.trim_end_matches('_').to_owned()));
                }
            }
        }
    }
    let full = |name: &str| {
        let (mut root, mut members) = (name.to_owned(), Vec::new());
        while let Some((owner, member)) = owners.get(&root) {
            members.insert(0, member.clone());
            root.clone_from(owner);
        }
        [vec![root], members].concat().join("_")
    };
    names.extend(owners.keys().map(|name| (name.clone(), full(name))));
    if names.is_empty() {
        return Ok(file);
    }
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part_of_a_name) {
        let end = rest[start..].find(|letter| !is_part_of_a_name(letter)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        renamed.push_str(&rest[..start]);
        renamed.push_str(names.get(word).map_or(word, String::as_str));
        rest = &rest[end..];
    }
    renamed.push_str(rest);
    if let Some((_, rest)) = renamed.split_once("__bindgen_ty") {
        bail!("an unnamed type belongs to no member: {}", &rest[..rest.len().min(80)]);
    }
    syn::parse_file(&renamed).context("the output of bindgen with other names is not valid")
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !is_part_of_a_name(letter))
}

fn is_part_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the owner and the member of each type that is named after a member.
#[must_use]
pub fn members(items: &[Item]) -> HashMap<String, (String, String)> {
    let mut members = HashMap::new();
    for item in items {
        let (owner, fields): (_, Vec<_>) = match item {
            Item::Struct(item) => (item.ident.to_string(), item.fields.iter().collect()),
            Item::Union(item) => (item.ident.to_string(), item.fields.named.iter().collect()),
            _ => continue,
        };
        for field in fields {
            let Some(ident) = &field.ident else { continue };
            let member = ident.to_string();
            let name = format!("{owner}_{}", member.trim_end_matches('_'));
            if words(&field.ty.to_token_stream().to_string()).any(|word| word == name) {
                members.insert(name, (owner.clone(), member));
            }
        }
    }
    members
}

/// Joins the blocks of each type, of which bindgen writes one for each enumerator.
pub(crate) fn with_one_block_each(items: Vec<Item>) -> Vec<Item> {
    let mut joined = Vec::<Item>::new();
    let mut places = HashMap::new();
    for item in items {
        if let Item::Impl(block) = &item
            && block.trait_.is_none()
        {
            let place = *places.entry(block.self_ty.to_token_stream().to_string()).or_insert(joined.len());
            if let Some(Item::Impl(first)) = joined.get_mut(place) {
                first.items.extend(block.items.clone());
                continue;
            }
        }
        joined.push(item);
    }
    joined
}

/// Returns the name of the type that an item defines.
pub(crate) fn name_of_type(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Union(item) => Some(item.ident.to_string()),
        Item::Type(item) => Some(item.ident.to_string()),
        // `pub use self::X as Y;` is what bindgen writes for a second name of an enumeration.
        Item::Use(item) => match &item.tree {
            syn::UseTree::Path(path) => match &*path.tree {
                syn::UseTree::Rename(rename) => Some(rename.rename.to_string()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type is an enumeration: `struct X(pub c_uint)`.
pub(crate) fn is_enumeration(fields: &Fields) -> bool {
    matches!(fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1)
}

/// Makes an item cheap to compile: an enumeration derives only what it must, defaults are zeros, and the layout is
/// asserted in tests. The members of a union that safe code reads cannot leave a byte of it out.
pub(crate) fn lean(mut item: Item) -> Item {
    match &mut item {
        Item::Union(union) => {
            let whole = READ_BY_SAFE_CODE.iter().find(|(name, _)| union.ident == name).map(|(_, member)| *member);
            for field in &mut union.fields.named {
                if whole.is_some_and(|whole| field.ident.as_ref().is_some_and(|ident| ident != whole)) {
                    field.vis = syn::parse_quote!(pub(crate));
                }
            }
        }
        Item::Struct(structure) => {
            let is_in = |names: &[&str]| names.iter().any(|name| structure.ident == name);
            let unwanted: &[&str] = match () {
                // A derived `PartialEq` is what patterns need. `names.rs` has the others.
                () if is_enumeration(&structure.fields) => &["Debug", "Eq", "Hash"],
                () if is_in(HAND_WRITTEN_DEBUG) => &["Debug"],
                () => &[],
            };
            let is_derived = is_in(DERIVED_DEBUG);
            for attribute in &mut structure.attrs {
                if attribute.path().is_ident("derive")
                    && let Ok(list) = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
                {
                    let has_debug = list.iter().any(|path| path.is_ident("Debug"));
                    let added = (is_derived && !has_debug).then(|| quote!(Debug,));
                    let kept = list.iter().filter(|path| !unwanted.iter().any(|name| path.is_ident(name)));
                    *attribute = syn::parse_quote!(#[derive(#added #(#kept),*)]);
                }
            }
        }
        Item::Impl(block) if block.trait_.as_ref().is_some_and(|(_, path, _)| path.is_ident("Default")) => {
            let owner = &block.self_ty;
            // All types are made of numbers and pointers, for which zero is valid.
            return syn::parse_quote! {
                impl Default for #owner {
                    #[inline]
                    fn default() -> Self {
                        unsafe { ::core::mem::zeroed() }
                    }
                }
            };
        }
        Item::Const(constant) if constant.ident == "_" => constant.attrs = vec![syn::parse_quote!(#[cfg(test)])],
        _ => {}
    }
    item
}

/// Returns the associated constants of a type.
pub(crate) fn enumerators<'items>(
    items: &'items [Item],
    name: &'items str,
) -> impl Iterator<Item = &'items syn::ImplItemConst> {
    let is_its = move |block: &&syn::ItemImpl| is_named(&block.self_ty, name) && block.trait_.is_none();
    let blocks = items.iter().filter_map(|item| if let Item::Impl(block) = item { Some(block) } else { None });
    let items = blocks.filter(is_its).flat_map(|block| &block.items);
    items.filter_map(|item| if let ImplItem::Const(constant) = item { Some(constant) } else { None })
}

/// Generates `Debug` of each enumeration, and `name` of the type of result codes.
pub(crate) fn names(items: &[Item], result: &str) -> Result<Vec<Item>> {
    let combinable: HashSet<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Impl(block) if block.trait_.as_ref()?.1.segments.last()?.ident == "BitOr" => {
                Some(block.self_ty.to_token_stream().to_string())
            }
            _ => None,
        })
        .collect();
    let mut kinds = [Vec::new(), Vec::new()];
    let mut found = vec![result_names(items, result)?];
    for item in items {
        let Item::Struct(structure) = item else { continue };
        if !is_enumeration(&structure.fields) {
            continue;
        }
        let name = structure.ident.to_string();
        let mut seen = HashSet::new();
        let constants =
            enumerators(items, &name).filter(|constant| seen.insert(constant.expr.to_token_stream().to_string()));
        let variants = constants.map(|constant| &constant.ident);
        let ident = format_ident!("{name}");
        if structure.ident == result {
            found.push(syn::parse_quote!(number! { #ident }));
            continue;
        }
        kinds[usize::from(combinable.contains(&name))].push(quote!(#ident { #(#variants)* }));
    }
    for (kind, types) in ["enumeration", "flags"].into_iter().zip(&kinds) {
        let kind = format_ident!("{kind}");
        found.push(syn::parse_quote!(#kind! { #(#types)* }));
    }
    Ok(found)
}

/// Generates `CUresult::name` from the enumerators, so that the name of a code is known without a driver.
fn result_names(items: &[Item], result: &str) -> Result<Item> {
    let mut arms = Vec::new();
    let mut seen = HashSet::new();
    for constant in enumerators(items, result) {
        let (variant, value) = (&constant.ident, &constant.expr);
        if seen.insert(quote!(#value).to_string()) {
            let name = syn::LitStr::new(&variant.to_string(), variant.span());
            arms.push(quote!(Self::#variant => #name,));
        }
    }
    if arms.is_empty() {
        bail!("bindgen wrote no enumerators of {result}");
    }
    let result = format_ident!("{result}");
    Ok(syn::parse_quote! {
        impl #result {
            /// Returns the enumerator's name, or `None` for a code that is newer than these bindings.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                Some(match self {
                    #(#arms)*
                    _ => return None,
                })
            }
        }
    })
}
