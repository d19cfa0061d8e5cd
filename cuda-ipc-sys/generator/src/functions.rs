//! Generates the function tables: the functions, their versions, and the Rust code that calls them.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, Result};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, LitCStr, TypeBareFn};

use crate::HEADER;
use crate::declarations::Declarations;
use crate::documentation::Documentation;
use crate::tables::{Function, Interface};

/// What the headers say about the functions.
pub(crate) struct Facts<'headers> {
    /// The signature of each function.
    pub(crate) signatures: &'headers BTreeMap<String, TypeBareFn>,
    /// The comments' facts, by the name in the header.
    pub(crate) documentation: &'headers HashMap<String, Documentation>,
    pub(crate) declarations: &'headers Declarations,
    /// The result codes.
    pub(crate) codes: HashSet<String>,
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
    let version = format!("{}.{}", function.since / 1000, function.since % 1000 / 10);
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
        "{summary}\n\nC function {c_function}{exported}. Binds the signature of CUDA {version}.\n\n\
         # Errors\n[`MissingSymbol`] if this {} does not have the function. Documented codes: {errors}.\n\n\
         # Safety\n{safety}",
        interface.library()
    )
}

/// The text of functions.rs.
pub(crate) fn generate(interface: &Interface, facts: &Facts<'_>) -> Result<String> {
    let library = interface.library();
    let mut pointers = Vec::new();
    let mut fields = Vec::new();
    let mut symbols = Vec::new();
    let mut methods = Vec::new();
    for (index, function) in interface.functions.iter().enumerate() {
        let signature = facts.signature(function)?;
        let name = format_ident!("{}", function.name);
        let pointer = format_ident!("PFN_{}", function.name);
        let link = format!("See [`{}::{name}`].", interface.name);
        pointers.push(quote!(#[doc = #link] pub type #pointer = #signature;));
        fields.push(quote!(#[doc = #link] pub #name: Option<#pointer>,));
        symbols.push(symbol(function, facts.declarations)?);
        methods.push(method(&name, index, &page(function, facts, interface), function, signature));
    }
    let count = interface.functions.len();
    let table = format_ident!("{}", interface.name);
    let imports = imports(interface);
    let symbols_line = format!(
        "Every function of the {library} that these bindings know: its name, its version and its exported name."
    );
    let table_line = format!("The function pointers of one {library}; `None` for each function that it does not have.");
    let file: syn::File = syn::parse_quote! {
        use core::ffi::c_void;

        #(#imports)*

        #(#pointers)*

        pub(crate) const COUNT: usize = #count;

        #[doc = #symbols_line]
        ///
        /// A later release can add functions at any place.
        pub const SYMBOLS: &[Symbol] = &[#(#symbols)*];

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

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl #table {
            #(#methods)*
        }
    };
    Ok(format!("{HEADER}\n{}", prettyplease::unparse(&file)))
}

fn imports(interface: &Interface) -> Vec<syn::Item> {
    let mut imports = vec![
        syn::parse_quote!(
            #[allow(unused_imports)]
            use crate::driver::bindings::*;
        ),
        syn::parse_quote!(
            use crate::{CudaVersion, MissingSymbol, Symbol};
        ),
    ];
    imports.push(match interface.name {
        "Driver" => syn::parse_quote!(
            use crate::driver::Driver;
        ),
        _ => syn::parse_quote!(
            use crate::runtime::{Runtime, bindings::*};
        ),
    });
    imports
}

fn symbol(function: &Function, declarations: &Declarations) -> Result<TokenStream> {
    let literal = |text: &str| -> Result<LitCStr> {
        let text = std::ffi::CString::new(text).context("a name of a function contains a NUL")?;
        Ok(LitCStr::new(&text, proc_macro2::Span::call_site()))
    };
    let (name, exported, since) = (literal(function.base())?, literal(function.symbol())?, function.since);
    let per_thread = match declarations.exported_per_thread(function.symbol()) {
        Some(name) => {
            let name = literal(name)?;
            quote!(Some(#name))
        }
        None => quote!(None),
    };
    Ok(quote!(Symbol { name: #name, exported: #exported, per_thread: #per_thread, since: CudaVersion(#since) },))
}

fn method(name: &Ident, index: usize, page: &str, function: &Function, signature: &TypeBareFn) -> TokenStream {
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
