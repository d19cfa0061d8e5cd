//! The function table: which functions, at which version, and the Rust that resolves and calls them.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde::Deserialize;
use syn::{Ident, LitCStr, TypeBareFn};

pub(crate) const HEADER: &str = "// Written by cuda-ipc-sys/generator: change that, then run it.\n";

#[derive(Deserialize)]
struct Functions {
    function: Vec<Function>,
}

/// One function of functions.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Function {
    pub(crate) name: String,
    since: u32,
    symbol: Option<String>,
    summary: String,
}

impl Function {
    /// The function pointer type of cudaTypedefs.h that this function is bound as.
    pub(crate) fn typedef(&self) -> String {
        format!("PFN_{}_v{}", self.name, self.since)
    }

    fn symbol(&self) -> &str {
        self.symbol.as_deref().unwrap_or(&self.name)
    }
}

pub(crate) fn read() -> Result<Vec<Function>> {
    let functions: Functions = toml::from_str(include_str!("../functions.toml")).context("functions.toml")?;
    Ok(functions.function)
}

/// The text of functions.rs.
pub(crate) fn generate(functions: &[Function], signatures: &BTreeMap<String, TypeBareFn>) -> Result<String> {
    let mut pointers = Vec::new();
    let mut fields = Vec::new();
    let mut resolved = Vec::new();
    let mut symbols = Vec::new();
    let mut methods = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        let signature = signatures.get(&function.name).context("a function without a signature")?;
        let name = format_ident!("{}", function.name);
        let pointer = format_ident!("PFN_{}", function.name);
        let summary = &function.summary;
        pointers.push(quote!(#[doc = #summary] pub type #pointer = #signature;));
        fields.push(quote!(#[doc = #summary] pub #name: Option<#pointer>,));
        resolved.push(quote! {
            // SAFETY: as this function's caller promises, and a null pointer is `None`.
            #name: unsafe { core::mem::transmute::<*const c_void, Option<#pointer>>(find(&SYMBOLS[#index])) },
        });
        symbols.push(symbol(function)?);
        methods.push(method(&name, index, function, signature));
    }
    let count = functions.len();
    let file: syn::File = syn::parse_quote! {
        use core::ffi::c_void;

        use crate::bindings::*;
        use crate::{CudaVersion, Driver, MissingSymbol, Symbol};

        #(#pointers)*

        /// Every function that these bindings know: its name, its version and what the library exports it as.
        pub const SYMBOLS: [Symbol; #count] = [#(#symbols)*];

        /// The functions of one driver; `None` where it does not have one.
        #[derive(Clone, Copy, Debug)]
        #[allow(non_snake_case)]
        pub struct Functions {
            #(#fields)*
        }

        impl Functions {
            /// Fill the table from a function that finds an address, or null.
            ///
            /// # Safety
            /// Each address must be null or a function with the signature of that symbol's version.
            pub unsafe fn resolve(mut find: impl FnMut(&'static Symbol) -> *const c_void) -> Self {
                Self { #(#resolved)* }
            }
        }

        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl Driver {
            #(#methods)*
        }
    };
    Ok(format!("{HEADER}\n{}", prettyplease::unparse(&file)))
}

fn symbol(function: &Function) -> Result<TokenStream> {
    let literal = |text: &str| -> Result<LitCStr> {
        let text = std::ffi::CString::new(text).context("a name with a NUL")?;
        Ok(LitCStr::new(&text, proc_macro2::Span::call_site()))
    };
    let (name, exported, since) = (literal(&function.name)?, literal(function.symbol())?, function.since);
    Ok(quote!(Symbol { name: #name, exported: #exported, since: CudaVersion(#since) },))
}

fn method(name: &Ident, index: usize, function: &Function, signature: &TypeBareFn) -> TokenStream {
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
    let summary = &function.summary;
    let version = format!("Bound as of CUDA {}.{}.", function.since / 1000, function.since % 1000 / 10);
    quote! {
        #[doc = #summary]
        #[doc = ""]
        #[doc = #version]
        ///
        /// # Errors
        /// [`MissingSymbol`] where this driver does not have the function.
        ///
        /// # Safety
        /// Pointers must be valid for what the call reads and writes, and handles live, as CUDA's documentation asks.
        #[inline]
        pub unsafe fn #name(&self, #(#parameters),*) -> Result<CUresult, MissingSymbol> {
            match self.functions().#name {
                // SAFETY: the caller keeps the function's contract.
                Some(function) => Ok(unsafe { function(#(#arguments),*) }),
                None => Err(self.missing(&SYMBOLS[#index])),
            }
        }
    }
}
