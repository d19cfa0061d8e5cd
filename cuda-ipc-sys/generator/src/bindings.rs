//! Runs bindgen over the headers: types, constants, and the signature of every function of the tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use bindgen::callbacks::{ItemInfo, ItemKind, ParseCallbacks};
use quote::{ToTokens, quote};
use syn::{ForeignItem, GenericArgument, Item, PathArguments, Type, TypeBareFn};

use crate::declarations::{Declarations, PROFILER};
use crate::documentation::{self, Documentation};
use crate::tables::{self, Interface};
use crate::{HEADER, Source, constants, functions, shape, types};

/// The headers whose types and constants are all bound. The types of others are bound if one of these uses them.
const FILES: [&str; 5] =
    ["cuda\\.h", "driver_types\\.h", "cuda_runtime_api\\.h", "texture_types\\.h", "surface_types\\.h"];

const INCLUDES: &str = "#include <cuda.h>\n#include <cudaTypedefs.h>\n#include <cuda_runtime_api.h>\n";

/// Enumerations whose values can be combined.
const FLAGS: [&str; 5] = [
    "CU.*[fF]lags(_enum|_st)?",
    "CUmemAllocationHandleType(_enum)?",
    "cuda.*Flags(_enum|_st)?",
    "cudaMemAllocationHandleType",
    "CUlogicalEndpoint.*Flags",
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
    /// The signature of each function of the tables, by name.
    pub(crate) signatures: BTreeMap<String, TypeBareFn>,
    documentation: HashMap<String, Documentation>,
    pub(crate) declarations: Declarations,
}

/// Gives each type the last of its names. CUDA declares a type as `X_st` or `X_enum`, as `X_v1` and as `X`.
///
/// If `X` is a pointer to `X_st`, both names stay, because both are types.
#[derive(Debug)]
struct OneName {
    names: HashMap<String, String>,
}

impl OneName {
    fn of(declarations: &Declarations) -> Self {
        let last = |name: &String| (name.clone(), declarations.last_name(name).to_owned());
        Self { names: declarations.names.keys().map(last).collect() }
    }
}

impl ParseCallbacks for OneName {
    fn item_name(&self, item: ItemInfo<'_>) -> Option<String> {
        if matches!(item.kind, ItemKind::Function) {
            return None;
        }
        if item.name == "cudaError_enum" {
            return Some("CUresult".to_owned());
        }
        self.names.get(item.name).cloned()
    }
}

pub(crate) fn read(include: &Path, target: &str) -> Result<Bindings> {
    let interfaces = tables::interfaces()?;
    let declarations = Declarations::read(include)?;
    // The folder need not exist: libclang gets the contents of its files below.
    let stand_in = std::env::current_dir()?.join("stand-in");
    let mut builder = bindgen::builder()
        .header_contents("cuda_ipc.h", &format!("{INCLUDES}{PROFILER}"))
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
        .blocklist_item("__.*")
        // The header takes these macros back.
        .blocklist_item("RESOURCE_ABI_.*")
        // The signatures of the driver come from cudaTypedefs.h.
        .blocklist_function("cu[A-Z].*")
        .formatter(bindgen::Formatter::None)
        .parse_callbacks(Box::new(OneName::of(&declarations)));
    for (path, text) in STAND_INS {
        builder = builder.header_contents(path, text);
    }
    for file in FILES {
        builder = builder.allowlist_file(format!(".*/{file}"));
    }
    for flags in FLAGS {
        builder = builder.bitfield_enum(flags);
    }
    for interface in &interfaces {
        for function in interface.functions() {
            if let Some(typedef) = interface.typedef(function) {
                builder = builder.allowlist_type(typedef);
            }
        }
    }
    let generated = builder.generate().context("bindgen could not read the headers")?.to_string();
    Bindings::split(&generated, &interfaces, documentation::read(include)?, declarations)
}

impl Bindings {
    /// Extracts the signatures, drops the aliases that became `type X = X`, and separates the interfaces.
    fn split(
        generated: &str,
        interfaces: &[Interface],
        documentation: HashMap<String, Documentation>,
        declarations: Declarations,
    ) -> Result<Self> {
        let file = syn::parse_file(generated).context("syn cannot parse the output of bindgen")?;
        let file = shape::with_names_of_members(generated, file, &declarations)?;
        let mut typedefs = HashMap::<_, Vec<_>>::new();
        for interface in interfaces {
            for function in interface.functions() {
                let declared = interface.typedef(function).unwrap_or_else(|| function.symbol().to_owned());
                typedefs.entry(declared).or_default().push(function.name.clone());
            }
        }
        let mut found = Self { items: BTreeMap::new(), signatures: BTreeMap::new(), documentation, declarations };
        let mut names = HashSet::new();
        let mut sign = |declared: &str, signature: &TypeBareFn| {
            for name in typedefs.get(declared).into_iter().flatten() {
                found.signatures.insert(name.clone(), signature.clone());
            }
        };
        let mut items = Vec::new();
        for item in file.items {
            match item {
                Item::ForeignMod(block) => {
                    for item in block.items {
                        let ForeignItem::Fn(function) = item else {
                            bail!("bindgen wrote an extern item that is not a function")
                        };
                        let (inputs, output) = (&function.sig.inputs, &function.sig.output);
                        let signature = syn::parse_quote!(unsafe extern "C" fn(#inputs) #output);
                        sign(&function.sig.ident.to_string(), &signature);
                    }
                }
                Item::Type(alias) if alias.ident.to_string().starts_with("PFN_") => {
                    sign(&alias.ident.to_string(), &bare_function(&alias.ty)?);
                }
                Item::Type(alias) if is_named(&alias.ty, &alias.ident.to_string()) => {}
                item => {
                    if let Item::Type(alias) = &item
                        && !names.insert(alias.ident.to_string())
                    {
                        bail!("two C types became the Rust type {}", alias.ident);
                    }
                    items.push(item);
                }
            }
        }
        items.retain(|item| !constants::is_misread(item, &found.declarations.macros));
        items.extend(constants::of_macros(&found.declarations.macros, &items));
        for item in shape::with_one_block_each(items) {
            found.items.entry(interface_of(&item)).or_default().push(shape::lean(item));
        }
        Ok(found)
    }

    pub(crate) fn check_complete(&self) -> Result<()> {
        for interface in tables::interfaces()? {
            for function in interface.functions() {
                if !self.signatures.contains_key(&function.name) {
                    let declaration = interface.typedef(function).unwrap_or_else(|| function.symbol().to_owned());
                    bail!("the headers do not declare {declaration}");
                }
            }
            let unknown = interface.unknown(&self.declarations);
            if !unknown.is_empty() {
                bail!(
                    "the headers declare functions that are neither bound nor in unbound.toml: {}",
                    unknown.join(", ")
                );
            }
        }
        Ok(())
    }

    /// Returns all generated files.
    pub(crate) fn write(&self) -> Result<Vec<Source>> {
        let mut sources = self.write_types()?;
        let mut types = BTreeMap::new();
        for (interface, items) in &self.items {
            types.extend(items.iter().filter_map(|item| Some((shape::name_of_type(item)?, *interface))));
        }
        for interface in tables::interfaces()? {
            let items = self.items.get(interface.name).map(Vec::as_slice).unwrap_or_default();
            let codes = shape::enumerators(items, interface.result);
            let codes = codes.map(|constant| constant.ident.to_string()).collect();
            let facts = functions::Facts {
                signatures: &self.signatures,
                documentation: &self.documentation,
                declarations: &self.declarations,
                codes,
                types: types.clone(),
            };
            sources.extend(functions::generate(&interface, &facts)?);
        }
        Ok(sources)
    }

    /// Returns bindings.rs of both interfaces.
    pub(crate) fn write_types(&self) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        for interface in tables::interfaces()? {
            let items = self.items.get(interface.name).map(Vec::as_slice).unwrap_or_default();
            let mut imports: Vec<Item> = vec![syn::parse_quote!(
                use crate::names::{enumeration, flags, number};
            )];
            if interface.name == "Runtime" {
                imports.push(syn::parse_quote!(
                    #[allow(unused_imports)]
                    use crate::driver::bindings::*;
                ));
            }
            let names = shape::names(items, interface.result)?;
            let items = types::documented(items)?;
            let file = syn::File { shebang: None, attrs: Vec::new(), items: [imports, items, names].concat() };
            let text = format!("{HEADER}\n{}", prettyplease::unparse(&file));
            sources.push(Source { path: interface.bindings_path.to_owned(), text });
        }
        Ok(sources)
    }
}

/// Returns the interface of an item. The runtime's names begin with `cuda` or `CUDART`; all others are the driver's.
fn interface_of(item: &Item) -> &'static str {
    let mut first = None;
    find_name(item.to_token_stream(), &mut first);
    let of_runtime = ["cuda", "CUDART_", "CUDA_IPC_HANDLE_SIZE", "dim3", "surfaceReference", "textureReference"];
    let is_runtime = |name: String| of_runtime.iter().any(|start| name.starts_with(start));
    if first.is_some_and(is_runtime) { "Runtime" } else { "Driver" }
}

/// Finds the first CUDA name in an item, which is the item's own name.
fn find_name(tokens: proc_macro2::TokenStream, first: &mut Option<String>) {
    for token in tokens {
        match token {
            _ if first.is_some() => return,
            proc_macro2::TokenTree::Ident(ident) if is_of_cuda(&ident.to_string()) => {
                *first = Some(ident.to_string());
            }
            proc_macro2::TokenTree::Group(group) => find_name(group.stream(), first),
            _ => {}
        }
    }
}

fn is_of_cuda(name: &str) -> bool {
    name.to_lowercase().starts_with("cu") || ["dim3", "surfaceReference", "textureReference"].contains(&name)
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
