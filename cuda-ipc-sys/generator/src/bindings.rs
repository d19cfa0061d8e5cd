//! Runs bindgen over the headers: types, constants, and the signature of every function of the tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use bindgen::callbacks::{ItemInfo, ParseCallbacks};
use quote::{ToTokens, format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{ForeignItem, GenericArgument, Item, PathArguments, Token, Type, TypeBareFn};

use crate::documentation::{self, Documentation};
use crate::functions::{self, Interface};
use crate::{HEADER, Source};

/// Types that no signature mentions, because the functions take a plain integer or a void pointer.
const TYPES: &[&str] = &[
    "CUctx_flags",
    "CUdevice_P2PAttribute",
    "CUdriverProcAddress_flags",
    "CUdriverProcAddressQueryResult",
    "CUevent_(record_|wait_)?flags",
    "CUgraphInstantiate_flags",
    "CUipcMem_flags",
    "CUmemAllocationHandleType",
    "CUmemAttach_flags",
    "CUmemFabricHandle",
    "CUmemPool_attribute",
    "CUmemRangeFlags",
    "CUmemRangeHandleType",
    "CUmemorytype",
    "CUstream_flags",
    "CUstream(Wait|Write)Value_flags",
    "cudaMemAllocationHandleType",
    "cudaMemFabricHandle_t",
];

const CONSTANTS: &[&str] = &[
    "CU_IPC_HANDLE_SIZE",
    "CU_MEMHOSTALLOC_.*",
    "CU_MEMHOSTREGISTER_.*",
    "CU_MEM_CREATE_USAGE_.*",
    "CUDA_IPC_HANDLE_SIZE",
    "cudaIpcMemLazyEnablePeerAccess",
    "cudaEvent(Default|BlockingSync|DisableTiming|Interprocess|RecordDefault|RecordExternal)",
    "cudaEventWait.*",
    "cudaHostAlloc.*",
    "cudaHostRegister.*",
    "cudaMemAttach.*",
    "cudaStream(Default|NonBlocking)",
];

/// Enumerations whose values can be combined.
const FLAGS: &[&str] =
    &["CU.*_flags(_enum)?", "CUmemAllocationHandleType(_enum)?", "cudaMemAllocationHandleType", "cudaMemAccessFlags"];

/// Types whose `Debug` is written by hand: a code prints its name, a handle prints hexadecimal digits.
const HAND_WRITTEN_DEBUG: &[&str] = &[
    "CUresult",
    "CUipcMemHandle",
    "CUipcEventHandle",
    "CUmemPoolPtrExportData",
    "CUmemFabricHandle",
    "cudaError",
    "cudaIpcMemHandle_t",
    "cudaIpcEventHandle_t",
    "cudaMemPoolPtrExportData",
    "cudaMemFabricHandle_t",
];

/// Stand-ins for the headers of the C library and of the compiler, with what CUDA's headers need from them. The bindings
/// therefore suit any platform, and libclang is enough: pip's package of it lacks the compiler's headers.
const STAND_INS: [(&str, &str); 4] = [
    ("stand-in/stddef.h", "#pragma once\ntypedef __SIZE_TYPE__ size_t;\n"),
    ("stand-in/stdlib.h", "#include <stddef.h>\n"),
    (
        "stand-in/stdint.h",
        "#pragma once
        typedef __INT32_TYPE__ int32_t;
        typedef __INT64_TYPE__ int64_t;
        typedef __UINT32_TYPE__ uint32_t;
        typedef __UINT64_TYPE__ uint64_t;\n",
    ),
    ("stand-in/limits.h", "#define INT_MAX __INT_MAX__\n#define UINT_MAX (INT_MAX * 2U + 1U)\n"),
];

/// The output of bindgen for a header set.
#[derive(Default)]
pub(crate) struct Bindings {
    /// Types and constants, by interface.
    pub(crate) items: BTreeMap<&'static str, Vec<Item>>,
    /// The signature of each function that the headers declare, by name.
    pub(crate) signatures: BTreeMap<String, TypeBareFn>,
    documentation: HashMap<String, Documentation>,
}

/// Reduces the names of a type to one. CUDA declares a type as `X_st` or `X_enum`, as `X_v1` and as `X`.
///
/// The bindings keep the last name, `X`. If `X` is a pointer to `X_st`, they keep both, because both are types. For a
/// structure of the runtime, the last name is `X_t`.
#[derive(Debug)]
struct OneName {
    opaque: HashSet<String>,
}

impl OneName {
    fn of(include: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(include.join("cuda.h"))?;
        let words = text.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.split_once(" *"));
        Ok(Self { opaque: words.map(|(name, _)| name.to_owned()).collect() })
    }
}

impl ParseCallbacks for OneName {
    fn item_name(&self, item: ItemInfo<'_>) -> Option<String> {
        let mut name = item.name;
        if name.starts_with("PFN_") || self.opaque.contains(name) {
            return None;
        }
        if name == "cudaError_enum" {
            return Some("CUresult".to_owned());
        }
        if name.starts_with("cuda") {
            return Some(format!("{}_t", name.strip_suffix("_st")?));
        }
        // The suffix of the tag follows that of the version.
        for suffix in ["_st", "_enum", "_union", "_v1", "_v2", "_v3"] {
            name = name.strip_suffix(suffix).unwrap_or(name);
        }
        (name != item.name).then(|| name.to_owned())
    }
}

pub(crate) fn read(include: &Path, target: &str) -> Result<Bindings> {
    let interfaces = functions::interfaces()?;
    // The folder need not exist: libclang gets the contents of its files below.
    let stand_in = std::env::current_dir()?.join("stand-in");
    let mut builder = bindgen::builder()
        .header_contents("cuda_ipc.h", "#include <cuda.h>\n#include <cudaTypedefs.h>\n#include <cuda_runtime_api.h>\n")
        .clang_args(["-ffreestanding", "-nostdinc", "-isystem"])
        .clang_arg(stand_in.display().to_string())
        .clang_arg(format!("-I{}", include.display()))
        .clang_arg(format!("--target={target}"))
        .with_codegen_config(
            bindgen::CodegenConfig::TYPES | bindgen::CodegenConfig::VARS | bindgen::CodegenConfig::FUNCTIONS,
        )
        .rust_target(bindgen::RustTarget::stable(88, 0).map_err(|error| anyhow::anyhow!("{error}"))?)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .use_core()
        .generate_comments(false)
        .layout_tests(true)
        .derive_default(true)
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: false })
        // bindgen compares with C's names. `CUresult` is an enumeration with this tag.
        .must_use_type("cudaError_enum")
        .must_use_type("cudaError")
        .formatter(bindgen::Formatter::None)
        .parse_callbacks(Box::new(OneName::of(include)?));
    for (path, text) in STAND_INS {
        builder = builder.header_contents(path, text);
    }
    for flags in FLAGS {
        builder = builder.bitfield_enum(flags);
    }
    for types in TYPES {
        builder = builder.allowlist_type(types);
    }
    for constant in CONSTANTS {
        builder = builder.allowlist_var(constant);
    }
    for interface in &interfaces {
        for function in &interface.functions {
            builder = match interface.typedef(function) {
                Some(typedef) => builder.allowlist_type(typedef),
                None => builder.allowlist_function(&function.name),
            };
        }
    }
    let generated = builder.generate().context("bindgen could not read the headers")?.to_string();
    Bindings::split(&generated, &interfaces, documentation::read(include)?)
}

impl Bindings {
    /// Extracts the signatures, drops the aliases that became `type X = X`, and separates the interfaces.
    fn split(generated: &str, interfaces: &[Interface], documentation: HashMap<String, Documentation>) -> Result<Self> {
        let file = syn::parse_file(generated).context("syn cannot parse the output of bindgen")?;
        let typedefs: HashMap<_, _> = interfaces
            .iter()
            .flat_map(|interface| interface.functions.iter().map(move |function| (interface, function)))
            .filter_map(|(interface, function)| Some((interface.typedef(function)?, function.name.clone())))
            .collect();
        let mut found = Self { items: BTreeMap::new(), signatures: BTreeMap::new(), documentation };
        let mut names = HashSet::new();
        for item in file.items {
            match item {
                Item::ForeignMod(block) => {
                    for item in block.items {
                        let ForeignItem::Fn(function) = item else {
                            bail!("bindgen wrote an extern item that is not a function")
                        };
                        let (inputs, output) = (&function.sig.inputs, &function.sig.output);
                        let signature = syn::parse_quote!(unsafe extern "C" fn(#inputs) #output);
                        found.signatures.insert(function.sig.ident.to_string(), signature);
                    }
                }
                Item::Type(alias) if typedefs.contains_key(&alias.ident.to_string()) => {
                    let name = typedefs[&alias.ident.to_string()].clone();
                    found.signatures.insert(name, bare_function(&alias.ty)?);
                }
                Item::Type(alias) if is_named(&alias.ty, &alias.ident.to_string()) => {}
                item => {
                    if let Item::Type(alias) = &item
                        && !names.insert(alias.ident.to_string())
                    {
                        bail!("two C types became the Rust type {}", alias.ident);
                    }
                    found.items.entry(interface_of(&item)).or_default().push(without_debug(item));
                }
            }
        }
        Ok(found)
    }

    pub(crate) fn check_complete(&self) -> Result<()> {
        for interface in functions::interfaces()? {
            for function in &interface.functions {
                if !self.signatures.contains_key(&function.name) {
                    let declaration = interface.typedef(function).unwrap_or_else(|| function.name.clone());
                    bail!("the headers do not declare {declaration}");
                }
            }
        }
        Ok(())
    }

    /// Returns all four generated files.
    pub(crate) fn write(&self) -> Result<Vec<Source>> {
        let mut sources = self.write_types()?;
        for interface in functions::interfaces()? {
            let items = self.items.get(interface.name).map(Vec::as_slice).unwrap_or_default();
            let codes = enumerators(items, interface.result).map(|constant| constant.ident.to_string()).collect();
            let text = functions::generate(&interface, &self.signatures, &self.documentation, &codes)?;
            sources.push(Source { path: interface.functions_path, text });
        }
        Ok(sources)
    }

    /// Returns bindings.rs of both interfaces.
    pub(crate) fn write_types(&self) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        for interface in functions::interfaces()? {
            let items = self.items.get(interface.name).map(Vec::as_slice).unwrap_or_default();
            let names = result_names(items, interface.result)?;
            let imports: Vec<Item> = if interface.name == "Runtime" {
                vec![syn::parse_quote!(
                    #[allow(unused_imports)]
                    use crate::driver::bindings::*;
                )]
            } else {
                Vec::new()
            };
            let file = syn::File { shebang: None, attrs: Vec::new(), items: [imports, items.to_vec()].concat() };
            let text = format!("{HEADER}\n{}\n{}", prettyplease::unparse(&file), prettyplease::unparse(&names));
            sources.push(Source { path: interface.bindings_path, text });
        }
        Ok(sources)
    }
}

/// Returns the interface of an item. The runtime's names begin with `cuda` or `CUDA_IPC`; all others are the driver's.
fn interface_of(item: &Item) -> &'static str {
    let mut first = None;
    find_name(item.to_token_stream(), &mut first);
    if first.is_some_and(|name| name.starts_with("cuda") || name.starts_with("CUDA_IPC")) {
        "Runtime"
    } else {
        "Driver"
    }
}

/// Finds the first CUDA name in an item, which is the item's own name.
fn find_name(tokens: proc_macro2::TokenStream, first: &mut Option<String>) {
    for token in tokens {
        match token {
            _ if first.is_some() => return,
            proc_macro2::TokenTree::Ident(ident) if ident.to_string().to_lowercase().starts_with("cu") => {
                *first = Some(ident.to_string());
            }
            proc_macro2::TokenTree::Group(group) => find_name(group.stream(), first),
            _ => {}
        }
    }
}

/// Removes the derived `Debug` of HAND_WRITTEN_DEBUG. bindgen has no option for the derives of a newtype enumeration.
fn without_debug(mut item: Item) -> Item {
    if let Item::Struct(structure) = &mut item
        && HAND_WRITTEN_DEBUG.iter().any(|name| structure.ident == name)
    {
        for attribute in &mut structure.attrs {
            if attribute.path().is_ident("derive")
                && let Ok(list) = attribute.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
            {
                let kept = list.iter().filter(|path| !path.is_ident("Debug"));
                *attribute = syn::parse_quote!(#[derive(#(#kept),*)]);
            }
        }
    }
    item
}

/// Returns the function type in `Option<unsafe extern "C" fn(…)>`.
fn bare_function(ty: &Type) -> Result<TypeBareFn> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(Type::BareFn(function))) = arguments.args.first()
    {
        return Ok(function.clone());
    }
    bail!("a typedef is not a function pointer: {}", quote!(#ty))
}

pub(crate) fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// Returns the associated constants of a type.
fn enumerators<'items>(items: &'items [Item], name: &'items str) -> impl Iterator<Item = &'items syn::ImplItemConst> {
    let is_its = move |block: &&syn::ItemImpl| is_named(&block.self_ty, name) && block.trait_.is_none();
    let blocks = items.iter().filter_map(|item| if let Item::Impl(block) = item { Some(block) } else { None });
    let items = blocks.filter(is_its).flat_map(|block| &block.items);
    items.filter_map(|item| if let syn::ImplItem::Const(constant) = item { Some(constant) } else { None })
}

/// Generates `CUresult::name` from the enumerators, so that the name of a code is known without a driver.
fn result_names(items: &[Item], result: &str) -> Result<syn::File> {
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
