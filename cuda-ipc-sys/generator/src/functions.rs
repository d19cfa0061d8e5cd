//! Generates the function tables: the functions, their versions, and the Rust code that calls them.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Context, Result, bail};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde::Deserialize;
use syn::{Ident, LitCStr, TypeBareFn};

use crate::HEADER;
use crate::documentation::Documentation;

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
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Functions {
    function: Vec<Function>,
}

/// One function of functions.toml or runtime.toml.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The name in the documentation.
    pub name: String,
    /// The CUDA version whose signature is bound.
    pub since: u32,
    symbol: Option<String>,
    summary: String,
    /// What the caller must ensure.
    safety: String,
}

/// Returns the driver's table and the runtime's.
pub(crate) fn interfaces() -> Result<[Interface; 2]> {
    let read = |file: &'static str, text: &str| -> Result<Vec<Function>> {
        let functions: Functions = toml::from_str(text).context(file)?;
        for Function { name, summary, safety, .. } in &functions.function {
            if summary.trim().is_empty() || safety.trim().is_empty() {
                bail!("{file}: {name} has no summary or no safety text");
            }
        }
        Ok(functions.function)
    };
    Ok([
        Interface {
            name: "Driver",
            result: "CUresult",
            bindings_path: "driver/bindings.rs",
            functions_path: "driver/functions.rs",
            functions: read("functions.toml", include_str!("../functions.toml"))?,
        },
        Interface {
            name: "Runtime",
            result: "cudaError",
            bindings_path: "runtime/bindings.rs",
            functions_path: "runtime/functions.rs",
            functions: read("runtime.toml", include_str!("../runtime.toml"))?,
        },
    ])
}

impl Interface {
    /// Returns the driver's table and the runtime's.
    ///
    /// # Errors
    /// If functions.toml or runtime.toml is invalid.
    pub fn all() -> Result<[Self; 2]> {
        interfaces()
    }

    /// Returns the function pointer type of cudaTypedefs.h that a function is bound as. Functions of the runtime have
    /// none, because a function of the runtime that changes gets another name.
    #[must_use]
    pub fn typedef(&self, function: &Function) -> Option<String> {
        (self.name == "Driver").then(|| format!("PFN_{}_v{}", function.name, function.since))
    }

    fn library(&self) -> &'static str {
        if self.name == "Driver" { "driver" } else { "runtime" }
    }

    fn imports(&self) -> Vec<syn::Item> {
        let mut imports = vec![
            syn::parse_quote!(
                #[allow(unused_imports)]
                use crate::driver::bindings::*;
            ),
            syn::parse_quote!(
                use crate::{CudaVersion, MissingSymbol, Symbol};
            ),
        ];
        imports.push(match self.name {
            "Driver" => syn::parse_quote!(
                use crate::driver::Driver;
            ),
            _ => syn::parse_quote!(
                use crate::runtime::{Runtime, bindings::*};
            ),
        });
        imports
    }
}

impl Function {
    /// Returns the name that the library exports for the function.
    #[must_use]
    pub fn symbol(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.name)
    }

    /// Returns the documentation in two parts: the text before the errors, and the text from the errors on.
    fn documentation(&self, facts: &Documentation, result: &str, known: &HashSet<String>) -> (String, String) {
        let (name, summary) = (&self.name, self.summary.trim());
        let exported = match self.symbol.as_deref() {
            Some(symbol) => format!(", exported as `{symbol}`"),
            None => String::new(),
        };
        let version = format!("{}.{}", self.since / 1000, self.since % 1000 / 10);
        let head = format!(
            "{summary}\n\nC function [`{name}`]({}){exported}. Binds the signature of CUDA {version}.",
            facts.page()
        );
        // Some comments name codes that no header defines.
        let link = |code: &String| {
            if known.contains(code) { format!("[`{code}`]({result}::{code})") } else { format!("`{code}`") }
        };
        let codes: Vec<_> = facts.errors.iter().map(link).collect();
        let errors = if codes.is_empty() { "none".to_owned() } else { codes.join(", ") };
        (head, format!("Documented codes: {errors}.\n\n# Safety\n{}", self.safety.trim()))
    }
}

/// The text of functions.rs.
pub(crate) fn generate(
    interface: &Interface,
    signatures: &BTreeMap<String, TypeBareFn>,
    documentation: &HashMap<String, Documentation>,
    codes: &HashSet<String>,
) -> Result<String> {
    let (library, result) = (interface.library(), interface.result);
    let mut pointers = Vec::new();
    let mut fields = Vec::new();
    let mut symbols = Vec::new();
    let mut methods = Vec::new();
    for (index, function) in interface.functions.iter().enumerate() {
        let signature = signatures.get(&function.name).context("the headers do not declare a function of the table")?;
        let facts = documentation
            .get(&function.name)
            .with_context(|| format!("the headers have no comment on {}", function.name))?;
        let (head, errors) = function.documentation(facts, result, codes);
        let name = format_ident!("{}", function.name);
        let pointer = format_ident!("PFN_{}", function.name);
        let page = format!("{head}\n\n# Errors\n{errors}");
        let method_page =
            format!("{head}\n\n# Errors\n[`MissingSymbol`] if this {library} does not have the function. {errors}");
        let field = format!("See [`{}::{name}`].", interface.name);
        pointers.push(quote!(#[doc = #page] pub type #pointer = #signature;));
        fields.push(quote!(#[doc = #field] pub #name: Option<#pointer>,));
        symbols.push(symbol(function)?);
        methods.push(method(&name, index, &method_page, function, signature));
    }
    let count = interface.functions.len();
    let table = format_ident!("{}", interface.name);
    let imports = interface.imports();
    let symbols_line = format!(
        "Every function of the {library} that these bindings know: its name, its version and its exported name."
    );
    let table_line = format!("The function pointers of one {library}; `None` for each function that it does not have.");
    let file: syn::File = syn::parse_quote! {
        use core::ffi::c_void;

        #(#imports)*

        #(#pointers)*

        #[doc = #symbols_line]
        pub const SYMBOLS: [Symbol; #count] = [#(#symbols)*];

        #[doc = #table_line]
        // All fields are pointers, in the order of SYMBOLS: a table has the layout of an array of addresses.
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(non_snake_case)]
        pub struct Functions {
            #(#fields)*
        }

        impl Functions {
            /// Creates a table from the address of each function, in the order of [`SYMBOLS`].
            ///
            /// # Safety
            /// Each address must be null or that of a function with the signature of its symbol's version.
            #[must_use]
            pub const unsafe fn from_addresses(addresses: &[*const c_void; #count]) -> &Self {
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

fn symbol(function: &Function) -> Result<TokenStream> {
    let literal = |text: &str| -> Result<LitCStr> {
        let text = std::ffi::CString::new(text).context("a name of a function contains a NUL")?;
        Ok(LitCStr::new(&text, proc_macro2::Span::call_site()))
    };
    let (name, exported, since) = (literal(&function.name)?, literal(function.symbol())?, function.since);
    Ok(quote!(Symbol { name: #name, exported: #exported, since: CudaVersion(#since) },))
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
    let alias = function.symbol.as_deref().map(|symbol| quote!(#[doc(alias = #symbol)]));
    quote! {
        #[doc = #page]
        #alias
        #[inline]
        pub unsafe fn #name(&self, #(#parameters),*) -> Result<#output, MissingSymbol> {
            match self.functions().#name {
                // SAFETY: the caller upholds the function's contract.
                Some(function) => Ok(unsafe { function(#(#arguments),*) }),
                None => Err(self.missing(&SYMBOLS[#index])),
            }
        }
    }
}
