//! Adds what CUDA's headers mean to a C compiler for Windows, where `long` has 32 bits.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use quote::ToTokens;
use syn::{Fields, Item};

use crate::bindings::Bindings;
use crate::merge::{key, text};

pub(crate) const TARGET: &str = "x86_64-pc-windows-msvc";

/// Adds each layout that differs on Windows beside the one of the bindings.
///
/// # Errors
/// If a type or a signature differs in more than its layout, because one set of bindings would then not fit both.
pub(crate) fn add(bindings: &mut Bindings, windows: &Bindings) -> Result<()> {
    for (name, ours) in &bindings.signatures {
        if windows.signatures.get(name).is_none_or(|theirs| shape(ours) != shape(theirs)) {
            bail!("the headers declare {name} differently on Windows");
        }
    }
    for (interface, items) in &mut bindings.items {
        let theirs = windows.items.get(interface).map(Vec::as_slice).unwrap_or_default();
        let theirs: HashMap<_, _> = theirs.iter().filter_map(|item| Some((key(item)?, item))).collect();
        let mut adapted = Vec::new();
        for item in items.drain(..) {
            let Some(key) = key(&item) else {
                adapted.push(item);
                continue;
            };
            let theirs = *theirs.get(&key).with_context(|| format!("the headers lack {key} on Windows"))?;
            match (item, theirs) {
                (Item::Const(mut ours), Item::Const(theirs)) if ours.ident == "_" && text(&ours) != text(theirs) => {
                    let mut theirs = theirs.clone();
                    ours.attrs.insert(0, syn::parse_quote!(#[cfg(not(windows))]));
                    theirs.attrs.insert(0, syn::parse_quote!(#[cfg(windows)]));
                    adapted.extend([Item::Const(ours), Item::Const(theirs)]);
                }
                (item, theirs) => {
                    if is_type(&item) && shape(&item) != shape(theirs) {
                        bail!("the headers define {key} differently on Windows");
                    }
                    adapted.push(item);
                }
            }
        }
        *items = adapted;
    }
    Ok(())
}

/// Whether an item has members or a meaning to compare. An enumeration, which is a tuple structure, has 32 bits on both
/// systems, but C's enumerations are signed on Windows.
fn is_type(item: &Item) -> bool {
    match item {
        Item::Struct(item) => matches!(item.fields, Fields::Named(_)),
        Item::Union(_) | Item::Type(_) => true,
        _ => false,
    }
}

/// Returns the text of a type with one name for each width: for Windows, the headers use the compiler's own types.
fn shape(item: &impl ToTokens) -> String {
    text(item).replace(":: core :: ffi :: c_uint", "u32").replace(":: core :: ffi :: c_ulonglong", "u64")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_items(source: &str) -> Bindings {
        let mut bindings = Bindings::default();
        bindings.items.insert("Driver", syn::parse_file(source).expect("valid Rust").items);
        bindings
    }

    fn with_signature(signature: &str) -> Bindings {
        let mut bindings = Bindings::default();
        bindings.signatures.insert("cuX".to_owned(), syn::parse_str(signature).expect("valid Rust"));
        bindings
    }

    fn added(linux: &str, windows: &str) -> Result<String> {
        let mut bindings = with_items(linux);
        add(&mut bindings, &with_items(windows))?;
        Ok(bindings.items["Driver"].iter().map(text).collect())
    }

    #[test]
    fn a_layout_that_differs_is_stated_twice() {
        let layout = |size| format!(r#"const _: () = {{ ["Size of CUx"][size_of::<CUx>() - {size}usize]; }};"#);
        let both = added(&layout(8), &layout(4)).expect("only the layout differs");
        let expected = format!("#[cfg(not(windows))] {} #[cfg(windows)] {}", layout(8), layout(4));
        assert_eq!(both.replace(' ', ""), expected.replace(' ', ""));
        assert!(!added(&layout(8), &layout(8)).expect("nothing differs").contains("cfg"));
    }

    #[test]
    fn types_of_equal_width_are_equal() {
        for (linux, windows) in [
            ("pub struct CUkind(pub ::core::ffi::c_uint);", "pub struct CUkind(pub ::core::ffi::c_int);"),
            ("pub type cuuint64_t = u64;", "pub type cuuint64_t = ::core::ffi::c_ulonglong;"),
        ] {
            assert_eq!(added(linux, windows).ok(), added(linux, linux).ok());
        }
    }

    #[test]
    fn another_difference_is_an_error() {
        for (linux, windows) in [
            ("pub struct CUx { pub a: u32 }", "pub struct CUx { pub a: u64 }"),
            ("pub union CUx { pub a: u32 }", "pub union CUx { pub a: u32, pub b: u32 }"),
            ("pub type CUx = u32;", ""),
        ] {
            let error = added(linux, windows).expect_err("one set of bindings does not fit both");
            assert!(error.to_string().contains("CUx"), "{error}");
        }
        let mut ours = with_signature(r#"unsafe extern "C" fn(u32)"#);
        let error = add(&mut ours, &with_signature(r#"unsafe extern "C" fn(u64)"#)).expect_err("another parameter");
        assert!(error.to_string().contains("cuX"), "{error}");
    }
}
