//! The prototypes of the driver functions.

use std::sync::OnceLock;

/// A function of the driver in C.
#[derive(Debug)]
pub(crate) struct Prototype {
    /// The name in source code: `cuMemAlloc`.
    pub(crate) name: String,
    /// The name that the library exports: `cuMemAlloc_v2`.
    pub(crate) exported: &'static str,
    /// The type of what it returns.
    pub(crate) returns: &'static str,
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    /// The type: `CUdeviceptr *`.
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
}

impl Prototype {
    /// Whether it is a function of the runtime. The runtime's codes have the numbers of the driver's.
    pub(crate) fn is_of_the_runtime(&self) -> bool {
        self.exported.starts_with("cuda")
    }
}

impl Parameter {
    /// Returns the type that a pointer points to: `CUdeviceptr`.
    pub(crate) fn target(&self) -> Option<&'static str> {
        let target = self.kind.strip_suffix('*')?.trim_end();
        Some(target.strip_prefix("const ").unwrap_or(target))
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.kind.starts_with("const ")
    }
}

/// Finds the prototype of a function by its name in source code.
pub(crate) fn of(name: &str) -> Option<&'static Prototype> {
    static ALL: OnceLock<Vec<Prototype>> = OnceLock::new();
    let all = ALL.get_or_init(|| include_str!("prototypes.h").lines().filter_map(parse).collect());
    all.iter().find(|prototype| prototype.name == name)
}

fn parse(line: &'static str) -> Option<Prototype> {
    let (declared, rest) = line.split_once('(')?;
    let (returns, exported) = declared.split_at(declared.rfind([' ', '*'])? + 1);
    let name = exported.rsplit_once("_v").filter(|(_, version)| version.parse::<u32>().is_ok());
    let parameters = rest.strip_suffix(");")?.split(", ").filter(|parameter| *parameter != "void");
    let parameter = |text: &'static str| {
        let end = text.rfind([' ', '*'])? + 1;
        Some(Parameter { kind: text[..end].trim_end(), name: &text[end..] })
    };
    Some(Prototype {
        name: name.map_or(exported, |(name, _)| name).to_owned(),
        exported,
        returns,
        parameters: parameters.map(parameter).collect::<Option<_>>()?,
    })
}
