//! Documents the types, their fields and their enumerators: from `types/AREA.toml`, with the CUDA release that added
//! each name from `additions.toml`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, bail};
use quote::ToTokens as _;
use serde::Deserialize;
use syn::{Fields, ImplItem, Item};

use crate::areas::{File, TYPES};
use crate::shape::members;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Types {
    #[serde(default)]
    r#type: Vec<Type>,
}

/// The documentation of one type.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Type {
    name: String,
    summary: String,
    /// By the field's name in C. A field of an unnamed type has the path to it.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constants {
    constant: Vec<Constant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    name: String,
    summary: String,
}

/// The texts, and the release of each name.
pub(crate) struct Texts {
    types: HashMap<String, Type>,
    constants: HashMap<String, String>,
    /// A type, an enumerator, or a field as `Type.field`, with the release that added it.
    releases: HashMap<String, String>,
}

/// Returns the items with their documentation.
pub(crate) fn documented(items: &[Item]) -> Result<Vec<Item>> {
    let texts = Texts::read()?;
    let owners = members(items);
    let mut documented = Vec::new();
    for item in items {
        let mut item = item.clone();
        match &mut item {
            Item::Struct(structure) => {
                let name = structure.ident.to_string();
                structure.attrs.extend(texts.of_type(&name, &owners));
                texts.add_to_fields(&name, &mut structure.fields, &owners);
            }
            Item::Union(union) => {
                let name = union.ident.to_string();
                union.attrs.extend(texts.of_type(&name, &owners));
                let mut fields = Fields::Named(union.fields.clone());
                texts.add_to_fields(&name, &mut fields, &owners);
                if let Fields::Named(fields) = fields {
                    union.fields = fields;
                }
            }
            Item::Type(alias) => alias.attrs.extend(texts.of_type(&alias.ident.to_string(), &owners)),
            Item::Const(constant) if constant.ident != "_" => {
                let name = constant.ident.to_string();
                constant.attrs.extend(texts.attribute(&name, texts.constants.get(&name).cloned()));
            }
            Item::Impl(block) if block.trait_.is_none() => {
                let owner = block.self_ty.to_token_stream().to_string();
                for item in &mut block.items {
                    if let ImplItem::Const(constant) = item {
                        let name = constant.ident.to_string();
                        let text = texts.types.get(&owner).and_then(|of| of.values.get(&name)).cloned();
                        constant.attrs.extend(texts.attribute(&name, text));
                    }
                }
            }
            _ => {}
        }
        documented.push(item);
    }
    Ok(documented)
}

impl Texts {
    /// Returns what each text is about, the type that it belongs to, and the text.
    pub(crate) fn all(&self) -> Vec<(String, Option<&str>, &str)> {
        let mut all = Vec::new();
        for Type { name, summary, fields, values } in self.types.values() {
            let owner = Some(name.as_str());
            all.push((name.clone(), None, summary.as_str()));
            all.extend(fields.iter().map(|(field, text)| (format!("{name}.{field}"), owner, text.as_str())));
            all.extend(values.iter().map(|(value, text)| (value.clone(), owner, text.as_str())));
        }
        all.extend(self.constants.iter().map(|(name, text)| (name.clone(), None, text.as_str())));
        all
    }

    pub(crate) fn read() -> Result<Self> {
        let mut types = HashMap::new();
        for File { path, text, .. } in TYPES {
            let areas: Types = toml::from_str(text).context(*path)?;
            for documented in areas.r#type {
                if let Some(twice) = types.insert(documented.name.clone(), documented) {
                    bail!("{path} documents {} a second time", twice.name);
                }
            }
        }
        let additions: BTreeMap<String, BTreeSet<String>> =
            toml::from_str(include_str!("../additions.toml")).context("cannot parse additions.toml")?;
        let release = |set: &str| set.rsplit_once('.').map_or(set, |(release, _)| release).to_owned();
        let releases = additions
            .iter()
            .flat_map(|(set, names)| names.iter().map(move |name| (name.clone(), release(set))))
            .collect();
        let constants: Constants =
            toml::from_str(include_str!("../constants.toml")).context("cannot parse constants.toml")?;
        let constants = constants.constant.into_iter().map(|constant| (constant.name, constant.summary)).collect();
        Ok(Self { types, constants, releases })
    }

    /// Returns the documentation of a type. An unnamed type of C is named after the member that has it.
    fn of_type(&self, name: &str, owners: &HashMap<String, (String, String)>) -> Option<syn::Attribute> {
        let text = match owners.get(name) {
            Some((owner, member)) => Some(format!("The type of [`{owner}::{member}`].")),
            None => self.types.get(name).map(|documented| documented.summary.clone()),
        };
        self.attribute(name, text)
    }

    fn add_to_fields(&self, name: &str, fields: &mut Fields, owners: &HashMap<String, (String, String)>) {
        let (mut root, mut path) = (name.to_owned(), String::new());
        while let Some((owner, member)) = owners.get(&root) {
            if member != "anonymous" {
                path = format!("{member}.{path}");
            }
            root.clone_from(owner);
        }
        for field in fields {
            let Some(ident) = &field.ident else { continue };
            let member = format!("{path}{}", ident.to_string().trim_end_matches('_'));
            let text = self.types.get(&root).and_then(|of| of.fields.get(&member)).cloned();
            field.attrs.extend(self.attribute(&format!("{root}.{member}"), text));
        }
    }

    /// Returns the documentation with the release. Names that the oldest headers have need no release.
    fn attribute(&self, name: &str, text: Option<String>) -> Option<syn::Attribute> {
        let release = self.releases.get(name).map(|release| format!("Since CUDA {release} at the latest."));
        let text = match (text, release) {
            (None, None) => return None,
            (Some(text), None) => text.trim().to_owned(),
            (None, Some(release)) => release,
            (Some(text), Some(release)) => format!("{} {release}", text.trim()),
        };
        let text = format!(" {text}");
        Some(syn::parse_quote!(#[doc = #text]))
    }
}
