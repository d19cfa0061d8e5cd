//! bindgen over cuda.h and cudaTypedefs.h: types and constants, and the signature of every function that we bind.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use bindgen::callbacks::{ItemInfo, ParseCallbacks};
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{GenericArgument, Item, PathArguments, Token, Type, TypeBareFn};

use crate::functions::Function;

/// Types that no signature mentions, because the call takes a plain integer or a void pointer.
const TYPES: &[&str] = &[
    "CU.*_flags",
    "CUdevice_P2PAttribute",
    "CUdriverProcAddress_flags",
    "CUdriverProcAddressQueryResult",
    "CUgraphInstantiate_flags",
    "CUmemAllocationHandleType",
    "CUmemFabricHandle",
    "CUmemPool_attribute",
    "CUmemRangeFlags",
    "CUmemRangeHandleType",
    "CUmemorytype",
];

const CONSTANTS: &[&str] =
    &["CU_IPC_HANDLE_SIZE", "CU_MEMHOSTALLOC_.*", "CU_MEMHOSTREGISTER_.*", "CU_MEM_CREATE_USAGE_.*"];

/// Enumerations whose values are combined.
const FLAGS: &[&str] = &["CU.*_flags(_enum)?", "CUmemAllocationHandleType(_enum)?"];

/// Types whose `Debug` is written by hand: the code by name, a handle as hexadecimal digits.
const HAND_WRITTEN_DEBUG: &[&str] =
    &["CUresult", "CUipcMemHandle", "CUipcEventHandle", "CUmemPoolPtrExportData", "CUmemFabricHandle"];

/// What bindgen made of the headers.
pub(crate) struct Bindings {
    /// The text of bindings.rs.
    pub(crate) types: String,
    /// The signature of each function, by name.
    pub(crate) signatures: BTreeMap<String, TypeBareFn>,
}

/// CUDA names a type several times: `X_st` or `X_enum`, `X_v1` and `X`. One name is enough, and it is the last; but
/// where `X` is a pointer to `X_st`, both are types.
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
        for suffix in ["_v1", "_v2", "_v3", "_st", "_enum", "_union"] {
            name = name.strip_suffix(suffix).unwrap_or(name);
        }
        (name != item.name).then(|| name.to_owned())
    }
}

pub(crate) fn generate(include: &Path, functions: &[Function]) -> Result<Bindings> {
    let mut builder = bindgen::builder()
        .header_contents("cuda_ipc.h", "#include <cuda.h>\n#include <cudaTypedefs.h>\n")
        .clang_arg(format!("-I{}", include.display()))
        .clang_arg("--target=x86_64-unknown-linux-gnu")
        .with_codegen_config(bindgen::CodegenConfig::TYPES | bindgen::CodegenConfig::VARS)
        .rust_target(bindgen::RustTarget::stable(88, 0).map_err(|error| anyhow::anyhow!("{error}"))?)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .use_core()
        .generate_comments(false)
        .layout_tests(true)
        .derive_default(true)
        .default_enum_style(bindgen::EnumVariation::NewType { is_bitfield: false, is_global: false })
        .must_use_type("CUresult")
        .formatter(bindgen::Formatter::None)
        .parse_callbacks(Box::new(OneName::of(include)?));
    for flags in FLAGS {
        builder = builder.bitfield_enum(flags);
    }
    for types in TYPES {
        builder = builder.allowlist_type(types);
    }
    for constant in CONSTANTS {
        builder = builder.allowlist_var(constant);
    }
    for function in functions {
        builder = builder.allowlist_type(function.typedef());
    }
    let generated = builder.generate().context("bindgen could not read the headers")?.to_string();
    split(&generated, functions)
}

/// Take the signatures out and drop the aliases that became `type X = X`.
fn split(generated: &str, functions: &[Function]) -> Result<Bindings> {
    let file = syn::parse_file(generated).context("bindgen wrote what syn cannot read")?;
    let mut signatures = BTreeMap::new();
    let mut items = Vec::new();
    let mut names = HashSet::new();
    for item in file.items {
        let Item::Type(alias) = &item else {
            items.push(without_debug(item));
            continue;
        };
        if let Some(function) = functions.iter().find(|function| alias.ident == function.typedef()) {
            signatures.insert(function.name.clone(), bare_function(&alias.ty)?);
        } else if !is_named(&alias.ty, &alias.ident.to_string()) {
            if !names.insert(alias.ident.to_string()) {
                bail!("two types became {}", alias.ident);
            }
            items.push(item);
        }
    }
    for function in functions {
        if !signatures.contains_key(&function.name) {
            bail!("cudaTypedefs.h has no {}", function.typedef());
        }
    }
    let names = result_names(&items)?;
    let file = syn::File { shebang: None, attrs: Vec::new(), items };
    let types =
        format!("{}\n{}\n{}", crate::functions::HEADER, prettyplease::unparse(&file), prettyplease::unparse(&names));
    Ok(Bindings { types, signatures })
}

/// The types of HAND_WRITTEN_DEBUG print themselves; bindgen has no say over what a newtype enumeration derives.
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

/// The function in `Option<unsafe extern "C" fn(…)>`.
fn bare_function(ty: &Type) -> Result<TypeBareFn> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(Type::BareFn(function))) = arguments.args.first()
    {
        return Ok(function.clone());
    }
    bail!("a typedef is no function pointer: {}", quote!(#ty))
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// `CUresult::name`, from its enumerators, so that a code names itself without a driver.
fn result_names(items: &[Item]) -> Result<syn::File> {
    let mut arms = Vec::new();
    let mut seen = HashSet::new();
    for item in items {
        let Item::Impl(block) = item else { continue };
        if !is_named(&block.self_ty, "CUresult") || block.trait_.is_some() {
            continue;
        }
        for constant in &block.items {
            let syn::ImplItem::Const(constant) = constant else { continue };
            let value = &constant.expr;
            if seen.insert(quote!(#value).to_string()) {
                let variant = &constant.ident;
                let name = syn::LitStr::new(&variant.to_string(), variant.span());
                arms.push(quote!(Self::#variant => #name,));
            }
        }
    }
    if arms.is_empty() {
        bail!("bindgen wrote no enumerators of CUresult");
    }
    let result = format_ident!("CUresult");
    Ok(syn::parse_quote! {
        impl #result {
            /// The enumerator's name, or `None` for a code that is newer than these bindings.
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
