//! Reads what the checked-in bindings state, from their source. rustc checks the same statements.

use std::collections::{BTreeMap, HashMap};
use std::mem::offset_of;
use std::path::Path;

use anyhow::{Context, Result, bail};
use cuda_ipc_sys_generator::{Declarations, Earlier, Interface, members};
use quote::ToTokens as _;
use syn::{Expr, Fields, ImplItem, Item, Stmt, Type};

use crate::HOLDS;
use crate::c::c_type;
use crate::probe::{Answer, Probe};

/// Every statement, and the types that C may know by a tag only.
pub(crate) struct Bindings {
    pub(crate) probes: Vec<Probe>,
    /// The names of structures, unions and enumerations.
    pub(crate) tags: Vec<String>,
    aliases: Vec<String>,
    /// The newest headers.
    newest: Declarations,
}

/// The place of a Rust type in C. An unnamed type has no C name, only a place in another type.
#[derive(Clone)]
struct Place {
    root: String,
    /// The members that lead there.
    path: Vec<String>,
    /// The offset of the unnamed members that lead there from the last of `path`, or from the root.
    offset: Answer,
    /// Whether C has no expression for a value of the type, because the member that has the type is unnamed.
    is_unnamed: bool,
}

impl Bindings {
    pub(crate) fn read(newest: Declarations) -> Result<Self> {
        let mut found = Self { probes: Vec::new(), tags: Vec::new(), aliases: Vec::new(), newest };
        for interface in Interface::all()? {
            found.types(&parse(interface.bindings_path)?)?;
            let functions: Result<Vec<_>> = interface.functions_paths().iter().map(|path| parse(path)).collect();
            found.functions(&interface, &functions?.concat())?;
        }
        Ok(found)
    }

    /// Returns the names of types and the names of C that keep their meaning in all releases.
    pub(crate) fn versioned(&self) -> Vec<(String, String)> {
        let types = self.tags.iter().chain(&self.aliases);
        let versioned = types.map(|name| (name.clone(), self.newest.versioned_name(name).to_owned()));
        versioned.filter(|(name, versioned)| name != versioned).collect()
    }

    fn types(&mut self, items: &[Item]) -> Result<()> {
        let places = places(items)?;
        let mut values = HashMap::new();
        for item in items {
            match item {
                Item::Struct(item) if is_enumeration(&item.fields) => {
                    let name = item.ident.to_string();
                    let representation = item.fields.iter().next().map(|field| c_type(&field.ty)).transpose()?;
                    let representation = representation.unwrap_or_default();
                    let is_signed =
                        Answer::from(representation.contains("int") && !representation.contains("unsigned"));
                    self.probes.push(Probe::new(&name, "sign", format!("((__typeof__({name}))-1 < 0)"), is_signed));
                    let size = format!("sizeof({name}) == sizeof({representation})");
                    self.probes.push(Probe::new(&name, "size", size, HOLDS));
                    self.tags.push(name);
                }
                Item::Struct(item) => self.fields(&item.ident.to_string(), &item.fields, &places)?,
                Item::Union(item) => {
                    self.fields(&item.ident.to_string(), &Fields::Named(item.fields.clone()), &places)?;
                }
                Item::Type(alias) => {
                    let (name, ty) = (alias.ident.to_string(), c_type(&alias.ty)?);
                    self.probes.push(Probe::new(&name, "type", same_type(&name, &ty), HOLDS));
                    self.aliases.push(name);
                }
                // The C compiler that this program asks is not one for Windows.
                Item::Const(constant) if is_for_windows(constant) => {}
                Item::Const(constant) if constant.ident == "_" => self.layout(&statements(constant)?, &places),
                Item::Const(constant) => {
                    self.constant(&constant.ident.to_string(), &constant.expr, &mut values)?;
                }
                Item::Impl(block) if block.trait_.is_none() => {
                    for item in &block.items {
                        if let ImplItem::Const(constant) = item {
                            self.constant(&constant.ident.to_string(), &constant.expr, &mut values)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn constant(&mut self, name: &str, value: &Expr, values: &mut HashMap<String, Answer>) -> Result<()> {
        // A constant can be the name of another one.
        let of_other = match value {
            Expr::Path(path) => path.path.segments.last().and_then(|last| values.get(&last.ident.to_string())).copied(),
            _ => None,
        };
        let value = of_other.or_else(|| number(value));
        let value = value.with_context(|| format!("the value of {name} is not a number"))?;
        values.insert(name.to_owned(), value);
        self.probes.push(Probe::new(name, "value", name.to_owned(), value));
        Ok(())
    }

    /// Adds a statement for the type of each field.
    fn fields(&mut self, name: &str, fields: &Fields, places: &HashMap<String, Place>) -> Result<()> {
        let place = &places[name];
        if place.path.is_empty() && place.root == name {
            self.tags.push(name.to_owned());
        }
        if is_opaque(fields) {
            return Ok(());
        }
        for field in fields {
            let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
            let ty = field.ty.to_token_stream().to_string();
            if words(&ty).any(|word| places.get(word).is_some_and(|place| place.root != word)) {
                continue;
            }
            let path = place.member(&ident);
            let expression = same_type(&format!("((__typeof__({})*)0)->{path}", place.root), &c_type(&field.ty)?);
            self.probes.push(Probe::new(&place.root, "type", expression, HOLDS).member(&path));
        }
        Ok(())
    }

    /// Adds statements for sizes, alignments and offsets.
    fn layout(&mut self, statements: &[(String, Answer)], places: &HashMap<String, Place>) {
        for (text, value) in statements {
            let (what, subject) = match text.split_once(" of ") {
                Some(("Offset", subject)) => ("offset", subject.trim_start_matches("field: ")),
                Some(("Size", subject)) => ("size", subject),
                Some(("Alignment", subject)) => ("alignment", subject),
                _ => continue,
            };
            let (owner, field) = subject.split_once("::").unwrap_or((subject, ""));
            let Some(place) = places.get(owner) else { continue };
            let (root, value) = (&place.root, *value);
            let is_unnamed = field == ANONYMOUS;
            let probe = match what {
                "offset" if !is_unnamed => {
                    let path = place.member(field);
                    let expected = place.offset + value;
                    let expression = match place.path.as_slice() {
                        [] => format!("__builtin_offsetof({root}, {path})"),
                        outer => {
                            let outer = outer.join(".");
                            format!("__builtin_offsetof({root}, {path}) - __builtin_offsetof({root}, {outer})")
                        }
                    };
                    Probe::new(root, what, expression, expected).member(&path)
                }
                "size" | "alignment" if place.path.is_empty() && owner == root => {
                    let operator = if what == "size" { "sizeof" } else { "_Alignof" };
                    Probe::new(root, what, format!("{operator}({root})"), value)
                }
                "size" if !place.path.is_empty() && !place.is_unnamed => {
                    let path = place.path.join(".");
                    Probe::new(root, what, format!("sizeof((({root}*)0)->{path})"), value).member(&path)
                }
                // C cannot name an unnamed structure in an unnamed member; the offsets of its members are checked.
                _ => continue,
            };
            self.probes.push(probe);
        }
    }

    fn functions(&mut self, interface: &Interface, items: &[Item]) -> Result<()> {
        let mut signatures = BTreeMap::new();
        for item in items {
            if let Item::Type(alias) = item {
                let name = alias.ident.to_string().trim_start_matches("PFN_").to_owned();
                signatures.insert(name, c_type(&alias.ty)?);
            }
        }
        for function in interface.functions() {
            let name = &function.name;
            let ours = signatures.get(name).with_context(|| format!("the bindings have no PFN_{name}"))?;
            if let Some(typedef) = interface.typedef(function) {
                let signature = Probe::new(name, "signature", same_type(&typedef, ours), HOLDS);
                self.probes.push(signature.function(&[&typedef], function.since));
                let exported = same_type(&format!("&{}", function.symbol()), &typedef);
                let exported = Probe::new(name, "exported signature", exported, HOLDS);
                self.probes.push(exported.function(&[function.symbol(), &typedef], function.since).exported());
            } else {
                let signature =
                    Probe::new(name, "signature", same_type(&format!("&{}", function.symbol()), ours), HOLDS);
                self.probes.push(signature.function(&[function.symbol()], function.since));
                if let Some(Earlier { symbol, since }) = &function.earlier {
                    let signature =
                        Probe::new(name, "earlier signature", same_type(&format!("&{symbol}"), ours), HOLDS);
                    self.probes.push(signature.function(&[symbol], *since).until(function.since));
                }
            }
        }
        Ok(())
    }
}

impl Place {
    fn member(&self, field: &str) -> String {
        let mut path = self.path.clone();
        // bindgen appends an underscore to names that are keywords of Rust.
        let is_keyword = ["type_", "fn_", "in_", "ref_"].contains(&field);
        path.push(if is_keyword { field.trim_end_matches('_').to_owned() } else { field.to_owned() });
        path.join(".")
    }
}

fn parse(path: &str) -> Result<Vec<Item>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src").join(path);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?.items)
}

fn same_type(left: &str, right: &str) -> String {
    format!("__builtin_types_compatible_p(__typeof__({left}), {right})")
}

/// Whether a structure is an enumeration: `struct X(pub c_uint)`.
fn is_enumeration(fields: &Fields) -> bool {
    matches!(fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1)
}

/// Whether C declares a structure without defining it.
fn is_opaque(fields: &Fields) -> bool {
    fields.iter().any(|field| field.ident.as_ref().is_some_and(|ident| ident == "_unused"))
}

/// The name of members that have none in C.
const ANONYMOUS: &str = "anonymous";

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
}

/// Returns the place of each structure and union.
fn places(items: &[Item]) -> Result<HashMap<String, Place>> {
    let owners = members(items);
    let mut places = HashMap::new();
    for item in items {
        let name = match item {
            Item::Struct(item) => item.ident.to_string(),
            Item::Union(item) => item.ident.to_string(),
            _ => continue,
        };
        let (mut root, mut path, mut offset) = (name.clone(), Vec::new(), 0);
        let is_unnamed = owners.get(&root).is_some_and(|(_, member)| member == ANONYMOUS);
        while let Some((owner, member)) = owners.get(&root) {
            if member != ANONYMOUS {
                path.insert(0, member.clone());
            } else if path.is_empty() {
                offset += unnamed(owner)?;
            }
            root.clone_from(owner);
        }
        places.insert(name, Place { root, path, offset, is_unnamed });
    }
    Ok(places)
}

/// Returns the offset of the unnamed member of a type. bindgen generates no assertions for these.
fn unnamed(owner: &str) -> Result<Answer> {
    macro_rules! offsets {
        ($($type:ident)*) => {
            match owner {
                $(stringify!($type) => offset_of!($type, anonymous),)*
                other => bail!("{other} has an unnamed member: add the type to `unnamed` in bindings.rs"),
            }
        };
    }
    use cuda_ipc_sys::runtime::*;
    use cuda_ipc_sys::*;
    let offset = offsets!(
        CUstreamBatchMemOpParams_waitValue CUstreamBatchMemOpParams_writeValue CUDA_HOST_NODE_PARAMS_v2
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 CUmemLocation
        CUDA_EVENT_RECORD_NODE_PARAMS CUDA_MEMCPY_BATCH_NODE_PARAMS CUDA_FABRIC_CPY_BATCH_NODE_PARAMS
        CUgraphNodeParams CUlogicalEndpointProp CUdevResource cudaPointerAttributes cudaMemLocation cudaDevResource
        cudaKernelNodeParamsV2 cudaGraphNodeParams
    );
    Ok(offset.try_into()?)
}

/// Returns the texts and numbers of assertions such as `["Size of X"][size_of::<X>() - 4usize];`.
fn statements(constant: &syn::ItemConst) -> Result<Vec<(String, Answer)>> {
    let Expr::Block(block) = &*constant.expr else { bail!("a layout assertion has an unknown form") };
    let mut found = Vec::new();
    for statement in &block.block.stmts {
        let Stmt::Expr(Expr::Index(index), _) = statement else { bail!("a layout assertion has an unknown form") };
        let Expr::Binary(difference) = &*index.index else { bail!("a layout assertion has an unknown form") };
        let Expr::Array(array) = &*index.expr else { bail!("a layout assertion has an unknown form") };
        let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) = array.elems.first() else {
            bail!("a layout assertion has no text")
        };
        found.push((text.value(), number(&difference.right).context("a layout assertion has no number")?));
    }
    Ok(found)
}

/// Returns the number in `5`, `-5`, `5usize` or `X(5)`.
fn number(expression: &Expr) -> Option<Answer> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) => Some(-number(&unary.expr)?),
        Expr::Call(call) => number(call.args.first()?),
        Expr::Cast(cast) => number(&cast.expr),
        _ => None,
    }
}

/// Returns the type in `Option<unsafe extern "C" fn(…)>`, or the type itself if it is not an `Option`.
pub(crate) fn inner(ty: &Type) -> &Type {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
    {
        return inner;
    }
    ty
}

fn is_for_windows(constant: &syn::ItemConst) -> bool {
    let is = |attribute: &syn::Attribute| attribute.to_token_stream().to_string() == "# [cfg (windows)]";
    constant.attrs.iter().any(is)
}
