//! Generates the function tables: the functions, their versions, and the Rust code that calls them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident, quote};
use syn::{Ident, LitCStr, TypeBareFn};

use crate::declarations::Declarations;
use crate::documentation::Documentation;
use crate::shape::words;
use crate::tables::{Area, Function, Interface};
use crate::{HEADER, Source};

/// What the headers say about the functions.
pub(crate) struct Facts<'headers> {
    /// The signature of each function.
    pub(crate) signatures: &'headers BTreeMap<String, TypeBareFn>,
    /// The comments' facts, by the name in the header.
    pub(crate) documentation: &'headers HashMap<String, Documentation>,
    pub(crate) declarations: &'headers Declarations,
    /// The result codes.
    pub(crate) codes: HashSet<String>,
    /// The types, each with the interface that defines it.
    pub(crate) types: BTreeMap<String, &'static str>,
}

impl Facts<'_> {
    fn signature(&self, function: &Function) -> Result<&TypeBareFn> {
        let signature = self.signatures.get(&function.name);
        signature.with_context(|| format!("the headers do not declare {}", function.name))
    }

    /// Returns the facts on a function. Only the newest version of a function has a comment, and cuGetExportTable none.
    fn comment(&self, function: &Function) -> Option<&Documentation> {
        let names = [function.name.as_str(), function.symbol(), function.base()];
        names.into_iter().find_map(|name| self.documentation.get(name))
    }
}

/// Returns the documentation of a method.
fn page(function: &Function, facts: &Facts<'_>, interface: &Interface) -> String {
    let comment = facts.comment(function);
    let (base, summary, safety) = (function.base(), function.summary.trim(), function.safety.trim());
    let exported =
        if function.symbol() == base { String::new() } else { format!(", exported as `{}`", function.symbol()) };
    let version = version(function.since);
    let earlier = function.earlier.as_ref().map_or_else(String::new, |earlier| {
        format!(". Runtimes of CUDA {} to 12.9 export it as `{}`", self::version(earlier.since), earlier.symbol)
    });
    // Some comments name codes that no header defines.
    let link = |code: &String| {
        if facts.codes.contains(code) { format!("[{code}]({}::{code})", interface.result) } else { code.clone() }
    };
    let codes: Vec<_> = comment.iter().flat_map(|comment| &comment.errors).map(link).collect();
    let errors = if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
    let c_function = match comment {
        Some(comment) => format!("[`{base}`]({})", comment.page()),
        None => format!("`{base}`"),
    };
    format!(
        "{summary}\n\nC function {c_function}{exported}. Binds the signature of CUDA {version}{earlier}.\n\n\
         # Errors\n[`MissingSymbol`] if this {} does not have the function. Documented codes: {errors}.\n\n\
         # Safety\n{safety}",
        interface.library()
    )
}

/// Returns a version as text: 13.0.
fn version(number: u32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Returns the file of the table, and that of each area.
pub(crate) fn generate(interface: &Interface, facts: &Facts<'_>) -> Result<Vec<Source>> {
    let mut files = vec![table(interface, facts)?];
    let mut index = 0;
    for area in &interface.areas {
        files.push(of_area(area, interface, facts, index)?);
        index += area.functions.len();
    }
    let files = interface.functions_paths().into_iter().zip(files);
    Ok(files.map(|(path, file)| Source { path, text: format!("{HEADER}\n{}", prettyplease::unparse(&file)) }).collect())
}

/// The names, versions and pointers of all functions.
fn table(interface: &Interface, facts: &Facts<'_>) -> Result<syn::File> {
    let library = interface.library();
    let areas: Vec<_> = interface.areas.iter().map(|area| format_ident!("{}", area.name)).collect();
    let mut fields = Vec::new();
    let mut symbols = Vec::new();
    for function in interface.functions() {
        let (name, pointer) = (format_ident!("{}", function.name), pointer(function));
        let link = link(interface, function);
        fields.push(quote!(#[doc = #link] pub #name: Option<#pointer>,));
        symbols.push(symbol(function, facts.declarations)?);
    }
    let count = symbols.len();
    let table = table_import(interface);
    let symbols_line = format!(
        "Every function of the {library} that these bindings know: its name, its version and its exported name."
    );
    let table_line = format!("The function pointers of one {library}; `None` for each function that it does not have.");
    Ok(syn::parse_quote! {
        #(mod #areas;)*

        use core::ffi::c_void;

        use crate::Symbol;
        // The documentation links to it.
        #[allow(unused_imports)]
        #table

        #(pub use #areas::*;)*

        pub(crate) const COUNT: usize = #count;

        #[doc = #symbols_line]
        ///
        /// A later release can add functions at any place.
        pub const SYMBOLS: &[Symbol] = &[#(#symbols,)*];

        #[doc = #table_line]
        // All fields are pointers, in the order of SYMBOLS: a table has the layout of an array of addresses.
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[non_exhaustive]
        #[allow(non_snake_case)]
        pub struct Functions {
            #(#fields)*
        }

        impl Functions {
            /// Creates a table from the address of each function, in the order of [`SYMBOLS`]. Returns `None` if there
            /// are fewer addresses than symbols.
            ///
            /// # Safety
            /// Each address must be null or that of a function with the signature of its symbol's version.
            #[inline]
            #[must_use]
            pub const unsafe fn from_addresses(addresses: &[*const c_void]) -> Option<&Self> {
                match addresses.first_chunk() {
                    // SAFETY: as the caller promises.
                    Some(addresses) => Some(unsafe { Self::of_all(addresses) }),
                    None => None,
                }
            }

            /// As [`Self::from_addresses`].
            #[inline]
            pub(crate) const unsafe fn of_all(addresses: &[*const c_void; COUNT]) -> &Self {
                // SAFETY: both have the same number of pointers, the caller guarantees each one, and null is `None`.
                unsafe { &*core::ptr::from_ref(addresses).cast() }
            }
        }
    })
}

/// The types and the methods of an area, whose first function has this index in the table.
fn of_area(area: &Area, interface: &Interface, facts: &Facts<'_>, first: usize) -> Result<syn::File> {
    let mut pointers = Vec::new();
    let mut methods = Vec::new();
    for (index, function) in (first..).zip(&area.functions) {
        let (signature, pointer) = (facts.signature(function)?, pointer(function));
        let link = link(interface, function);
        pointers.push(quote!(#[doc = #link] pub type #pointer = #signature;));
        methods.push(method(index, &page(function, facts, interface), function, signature));
    }
    let imports = imports(area, interface, facts)?;
    let (table, title) = (format_ident!("{}", interface.name), format!(" {}.", area.title));
    Ok(syn::parse_quote! {
        #(#imports)*

        #(#pointers)*

        #[doc = #title]
        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl #table {
            #(#methods)*
        }
    })
}

fn pointer(function: &Function) -> Ident {
    format_ident!("PFN_{}", function.name)
}

fn link(interface: &Interface, function: &Function) -> String {
    format!("See [`{}::{}`].", interface.name, function.name)
}

/// Imports the types that an area uses, by name: rustc stores every import of every module, so globs would enlarge the
/// library and its build by a sixth.
fn imports(area: &Area, interface: &Interface, facts: &Facts<'_>) -> Result<Vec<syn::Item>> {
    // Documentation links to the codes.
    let mut used = BTreeSet::from([interface.result.to_owned()]);
    for function in &area.functions {
        let signature = facts.signature(function)?.to_token_stream().to_string();
        used.extend(words(&signature).filter(|word| facts.types.contains_key(*word)).map(str::to_owned));
    }
    let of = |owner: &str| -> Vec<Ident> {
        let names = used.iter().filter(|name| facts.types.get(*name).is_some_and(|of| *of == owner));
        names.map(|name| format_ident!("{name}")).collect()
    };
    let (driver, runtime) = (of("Driver"), of("Runtime"));
    let mut imports = vec![syn::parse_quote!(
        use crate::MissingSymbol;
    )];
    if !driver.is_empty() {
        imports.push(syn::parse_quote!(#[allow(unused_imports)] use crate::driver::bindings::{#(#driver),*};));
    }
    imports.push(table_import(interface));
    if !runtime.is_empty() {
        imports.push(syn::parse_quote!(#[allow(unused_imports)] use crate::runtime::bindings::{#(#runtime),*};));
    }
    Ok(imports)
}

fn table_import(interface: &Interface) -> syn::Item {
    match interface.name {
        "Driver" => syn::parse_quote!(
            use crate::driver::Driver;
        ),
        _ => syn::parse_quote!(
            use crate::runtime::Runtime;
        ),
    }
}

fn symbol(function: &Function, declarations: &Declarations) -> Result<TokenStream> {
    let literal = |text: &str| -> Result<LitCStr> {
        let text = std::ffi::CString::new(text).context("a name of a function contains a NUL")?;
        Ok(LitCStr::new(&text, proc_macro2::Span::call_site()))
    };
    let (base, since) = (literal(function.base())?, proc_macro2::Literal::u32_unsuffixed(function.since));
    let mut symbol = quote!(Symbol::new(#base, #since));
    if function.symbol() != function.base() {
        let exported = literal(function.symbol())?;
        symbol.extend(quote!(.exported_as(#exported)));
    }
    if let Some(name) = declarations.exported_per_thread(function.symbol()) {
        let name = literal(name)?;
        symbol.extend(quote!(.per_thread_as(#name)));
    }
    if let Some(earlier) = &function.earlier {
        let (exported, since) = (literal(&earlier.symbol)?, proc_macro2::Literal::u32_unsuffixed(earlier.since));
        let suffix = declarations.exported_per_thread(function.symbol());
        let suffix = suffix.and_then(|name| name.strip_prefix(function.symbol()));
        let per_thread = match suffix {
            Some(suffix) => {
                let name = literal(&format!("{}{suffix}", earlier.symbol))?;
                quote!(Some(#name))
            }
            None => quote!(None),
        };
        symbol.extend(quote!(.earlier_as(#exported, #per_thread, #since)));
    }
    Ok(symbol)
}

fn method(index: usize, page: &str, function: &Function, signature: &TypeBareFn) -> TokenStream {
    let name = format_ident!("{}", function.name);
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (position, input) in signature.inputs.iter().enumerate() {
        let argument = match &input.name {
            Some((ident, _)) => ident.clone(),
            None => format_ident!("argument{position}"),
        };
        let ty = &input.ty;
        parameters.push(quote!(#argument: #ty));
        arguments.push(argument);
    }
    let output = match &signature.output {
        syn::ReturnType::Type(_, output) => quote!(#output),
        syn::ReturnType::Default => quote!(()),
    };
    let symbol = function.symbol();
    let alias = (symbol != function.name).then(|| quote!(#[doc(alias = #symbol)]));
    quote! {
        #[doc = #page]
        #alias
        #[inline]
        pub unsafe fn #name(&self, #(#parameters),*) -> Result<#output, MissingSymbol> {
            match self.functions().#name {
                // SAFETY: the caller upholds the function's contract.
                Some(function) => Ok(unsafe { function(#(#arguments),*) }),
                None => Err(self.missing(#index)),
            }
        }
    }
}
