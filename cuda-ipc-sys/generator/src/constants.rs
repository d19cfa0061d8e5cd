//! Constants and types that are macros which bindgen does not evaluate: a number with a cast, or the name of an enumerator
//! or of a type.

use std::collections::{HashMap, HashSet};

use quote::format_ident;
use syn::{ImplItem, Item};

use crate::bindings::is_named;
use crate::shape::name_of_type;

/// A value that bindgen misreads.
const ALL_BITS: &str = "(~0u)";

/// Returns an item for each such macro, if the bindings have its type and lack its name.
pub(crate) fn of_macros(macros: &[(String, String)], items: &[Item]) -> Vec<Item> {
    let known: HashMap<String, &Item> = items
        .iter()
        .filter_map(|item| match item {
            Item::Const(constant) => Some((constant.ident.to_string(), item)),
            Item::Type(alias) => Some((alias.ident.to_string(), item)),
            _ => None,
        })
        .collect();
    let owners = owners(items);
    let types: HashSet<_> = items.iter().filter_map(name_of_type).collect();
    let mut found = Vec::new();
    for (name, value) in macros {
        if !is_public(name) || known.contains_key(name) {
            continue;
        }
        let ident = format_ident!("{name}");
        if let Some(owner) = owners.get(value) {
            let (owner, value) = (format_ident!("{owner}"), format_ident!("{value}"));
            found.push(syn::parse_quote!(pub const #ident: #owner = #owner::#value;));
        } else if types.contains(value) {
            let value = format_ident!("{value}");
            found.push(syn::parse_quote!(pub type #ident = #value;));
        } else if value == ALL_BITS {
            found.push(syn::parse_quote!(pub const #ident: u32 = 4294967295;));
        } else if let Some((ty, number)) = cast(value, &known) {
            let ty: syn::Type = match ty.as_str() {
                "int" => syn::parse_quote!(::core::ffi::c_int),
                "void*" => syn::parse_quote!(*mut ::core::ffi::c_void),
                name if known.contains_key(name) => {
                    let name = format_ident!("{name}");
                    syn::parse_quote!(#name)
                }
                _ => continue,
            };
            let number = literal(number);
            found.push(syn::parse_quote!(pub const #ident: #ty = #number as #ty;));
        }
    }
    found
}

/// Whether bindgen reads a constant as another number than C does: it ignores the suffix of `~0u`.
pub(crate) fn is_misread(item: &Item, macros: &[(String, String)]) -> bool {
    matches!(item, Item::Const(constant)
        if macros.iter().any(|(name, value)| value == ALL_BITS && constant.ident == name.as_str()))
}

fn is_public(name: &str) -> bool {
    ["CU_", "CUDA_", "cuda"].iter().any(|start| name.starts_with(start))
}

/// Returns the type that each enumerator belongs to.
fn owners(items: &[Item]) -> HashMap<String, String> {
    let mut owners = HashMap::new();
    for item in items {
        if let Item::Impl(block) = item
            && block.trait_.is_none()
            && let syn::Type::Path(path) = &*block.self_ty
            && let Some(owner) = path.path.get_ident()
        {
            for item in &block.items {
                if let ImplItem::Const(constant) = item
                    && is_named(&constant.ty, &owner.to_string())
                {
                    owners.insert(constant.ident.to_string(), owner.to_string());
                }
            }
        }
    }
    owners
}

/// Returns the type and the number of `((X)1)`, `((X)-1)` or `((X)NAME)`.
fn cast(value: &str, known: &HashMap<String, &Item>) -> Option<(String, i64)> {
    let (ty, number) = value.strip_prefix("((")?.strip_suffix(')')?.split_once(')')?;
    let digits = match known.get(number) {
        Some(Item::Const(constant)) => {
            let value = &constant.expr;
            quote::quote!(#value).to_string()
        }
        _ => number.to_owned(),
    };
    let (sign, digits) = digits.strip_prefix('-').map_or((1, digits.as_str()), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some((ty.to_owned(), sign * number.ok()?))
}

fn literal(number: i64) -> syn::Expr {
    let digits = proc_macro2::Literal::u64_unsuffixed(number.unsigned_abs());
    if number < 0 { syn::parse_quote!(-#digits) } else { syn::parse_quote!(#digits) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::text;

    fn items() -> Vec<Item> {
        let source = "
            pub type CUdevice = ::core::ffi::c_int;
            pub struct CUkind(pub u32);
            impl CUkind { pub const CU_KIND_A: CUkind = CUkind(1); }
            pub const CU_KNOWN: u32 = 7;
            pub const CU_HEX: u32 = 0x10;
        ";
        syn::parse_file(source).expect("valid Rust").items
    }

    #[test]
    fn macros_become_constants_and_types() {
        for (value, expected) in [
            ("CU_KIND_A", "pub const CU_NEW: CUkind = CUkind::CU_KIND_A;"),
            ("CUkind", "pub type CU_NEW = CUkind;"),
            ("(~0u)", "pub const CU_NEW: u32 = 4294967295;"),
            ("((CUdevice)-2)", "pub const CU_NEW: CUdevice = -2 as CUdevice;"),
            ("((int)0x1F)", "pub const CU_NEW: ::core::ffi::c_int = 31 as ::core::ffi::c_int;"),
            ("((void*)CU_KNOWN)", "pub const CU_NEW: *mut ::core::ffi::c_void = 7 as *mut ::core::ffi::c_void;"),
        ] {
            let found = of_macros(&[("CU_NEW".to_owned(), value.to_owned())], &items());
            let expected: Item = syn::parse_str(expected).expect("valid Rust");
            assert_eq!(found.iter().map(text).collect::<Vec<_>>(), [text(&expected)], "{value}");
        }
    }

    #[test]
    fn other_macros_are_left_out() {
        for (name, value) in [
            ("CU_KNOWN", "((int)1)"),
            ("__CU_PRIVATE", "((int)1)"),
            ("CU_NEW", "cuMemAlloc_v2"),
            ("CU_NEW", "((CUunknown)1)"),
            ("CU_NEW", "1 + 1"),
        ] {
            let found = of_macros(&[(name.to_owned(), value.to_owned())], &items());
            assert!(found.is_empty(), "{name} is {value}");
        }
    }
}
