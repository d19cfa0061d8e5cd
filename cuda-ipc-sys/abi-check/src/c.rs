//! Asks the C compiler: translates Rust types to C, lists the names in the headers, and evaluates expressions.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use cuda_ipc_sys_generator::PROFILER;
use quote::ToTokens as _;
use syn::{ReturnType, Type};

use crate::bindings::{Bindings, inner};
use crate::probe::{Answer, Probe};

/// cudaProfilerTypedefs.h is an error if its types are not those of [`PROFILER`].
const INCLUDES: &str = "#include <cuda.h>\n#include <cudaTypedefs.h>\n#include <cudaProfilerTypedefs.h>\n\
                        #include <cuda_runtime_api.h>\n";

/// What cudaProfilerTypedefs.h needs of cudaProfiler.h, which the header sets lack.
const PROFILER_HEADER: &str = "typedef int CUoutput_mode;\n";

/// With this macro, cuda.h declares every version of a function under the name that the library exports.
const EXPORTED: &str = "#define __CUDA_API_VERSION_INTERNAL\n";

/// Translates a type of the bindings to C, in a form that is valid wherever C allows a type.
pub(crate) fn c_type(ty: &Type) -> Result<String> {
    let name = match inner(ty) {
        Type::Ptr(pointer) => {
            let target = c_type(&pointer.elem)?;
            let constant = if pointer.const_token.is_some() { "const " } else { "" };
            format!("{constant}{target} *")
        }
        Type::Array(array) => format!("{}[{}]", c_type(&array.elem)?, length(&array.len)),
        Type::BareFn(function) => {
            let mut inputs = Vec::new();
            for input in &function.inputs {
                inputs.push(c_type(&input.ty)?);
            }
            let inputs = if inputs.is_empty() { "void".to_owned() } else { inputs.join(", ") };
            let output = match &function.output {
                ReturnType::Default => "void".to_owned(),
                ReturnType::Type(_, ty) => c_type(ty)?,
            };
            format!("{output} (*)({inputs})")
        }
        Type::Path(path) => {
            let name = path.path.segments.last().context("a type has no name")?.ident.to_string();
            return Ok(plain(&name).to_owned());
        }
        other => bail!("cannot translate the type {} to C", other.to_token_stream()),
    };
    Ok(format!("__typeof__({name})"))
}

fn length(length: &syn::Expr) -> String {
    length.to_token_stream().to_string().trim_end_matches("usize").to_owned()
}

fn plain(name: &str) -> &str {
    match name {
        "c_void" => "void",
        "c_char" => "char",
        "c_schar" => "signed char",
        "c_uchar" => "unsigned char",
        "c_short" => "short",
        "c_ushort" => "unsigned short",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_long" => "long",
        "c_ulong" => "unsigned long",
        "c_longlong" => "long long",
        "c_ulonglong" => "unsigned long long",
        "usize" => "size_t",
        "u8" => "uint8_t",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "i64" => "int64_t",
        "f32" => "float",
        "f64" => "double",
        other => other,
    }
}

/// The headers of one release, and the names in them.
pub(crate) struct Headers {
    include: PathBuf,
    folder: tempfile::TempDir,
    text: String,
    names: HashSet<String>,
    /// The types whose name had another meaning in some release, with the name that has one meaning.
    versioned: Vec<(String, String)>,
    /// The lines of a program before its statements, for the names of programs and for those that the library exports.
    beginnings: [String; 2],
}

impl Headers {
    pub(crate) fn read(include: &Path, bindings: &Bindings) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("headers.c");
        std::fs::write(&source, format!("{EXPORTED}{INCLUDES}{PROFILER}"))?;
        std::fs::write(folder.path().join("cudaProfiler.h"), PROFILER_HEADER)?;
        // -dD keeps the macros, because some constants are macros.
        let text = run(compiler(include, folder.path()).args(["-E", "-dD"]).arg(&source))?;
        let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let names: HashSet<_> = words.map(str::to_owned).collect();
        let versioned = bindings.versioned();
        let beginnings = Default::default();
        let mut headers = Self { include: include.to_owned(), folder, text, names, versioned, beginnings };
        headers.beginnings = [headers.beginning(bindings, false)?, headers.beginning(bindings, true)?];
        Ok(headers)
    }

    /// Returns whether a name occurs outside of comments.
    pub(crate) fn declare(&self, name: &str) -> bool {
        let versioned = self.versioned.iter().find(|(known, _)| known == name);
        self.names.contains(versioned.map_or(name, |(_, versioned)| versioned))
    }

    /// Returns the value of each probe's expression.
    pub(crate) fn ask(&self, probes: &[&Probe]) -> Result<Vec<Answer>> {
        let mut answers = vec![None; probes.len()];
        for exported in [false, true] {
            let mut program = self.beginnings[usize::from(exported)].clone();
            program.push_str("int main(void) {\n");
            for (index, probe) in probes.iter().enumerate().filter(|(_, probe)| probe.exported == exported) {
                writeln!(program, "printf(\"{index} %lld\\n\", (long long)({}));", probe.expression)?;
            }
            program.push_str("}\n");
            for line in self.execute(&program)?.lines() {
                let (index, value) = line.split_once(' ').context("the probe program printed an unexpected line")?;
                answers[index.parse::<usize>()?] = Some(value.parse()?);
            }
        }
        answers.into_iter().map(|answer| answer.context("the probe program printed no value for a probe")).collect()
    }

    /// Returns whether all statements hold. One about a member that the headers lack does not.
    pub(crate) fn hold(&self, probes: &[&Probe]) -> Result<bool> {
        for exported in [false, true] {
            let mut program = self.beginnings[usize::from(exported)].clone();
            let of_these: Vec<_> = probes.iter().filter(|probe| probe.exported == exported).collect();
            if of_these.is_empty() {
                continue;
            }
            for probe in of_these {
                writeln!(program, "_Static_assert(({}) == ({}), \"\");", probe.expression, probe.expected)?;
            }
            let source = self.folder.path().join("assertions.c");
            std::fs::write(&source, program)?;
            let mut check = compiler(&self.include, self.folder.path());
            let output = check.args(["-w", "-fsyntax-only"]).arg(&source).output()?;
            if !output.status.success() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn beginning(&self, bindings: &Bindings, exported: bool) -> Result<String> {
        let mut program = if exported { EXPORTED.to_owned() } else { String::new() };
        program.push_str("#include <stdint.h>\n#include <stdio.h>\n");
        program.push_str(INCLUDES);
        program.push_str(PROFILER);
        for name in &bindings.tags {
            if let Some(keyword) = self.keyword(name) {
                writeln!(program, "typedef {keyword} {name} {name};")?;
            }
        }
        for (name, versioned) in self.versioned.iter().filter(|(name, _)| self.declare(name)) {
            writeln!(program, "#define {name} {versioned}")?;
        }
        Ok(program)
    }

    /// Returns `struct` if C has `struct X`, because `X` alone may then not be a type; likewise for unions and enums.
    fn keyword(&self, name: &str) -> Option<&'static str> {
        let is_tag = |keyword: &&str| {
            let goes_on = |rest: &str| rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            self.text.split(&format!("{keyword} {name}")).skip(1).any(|rest| !goes_on(rest))
        };
        ["struct", "union", "enum"].into_iter().find(is_tag)
    }

    fn execute(&self, program: &str) -> Result<String> {
        let (source, executable) = (self.folder.path().join("probe.c"), self.folder.path().join("probe"));
        std::fs::write(&source, program)?;
        // The program names functions only where C does not evaluate them, as in sizeof, so it links without libcuda.
        let mut compile = compiler(&self.include, self.folder.path());
        run(compile.args(["-w", "-O0"]).arg(&source).arg("-o").arg(&executable))?;
        run(&mut Command::new(&executable))
    }
}

fn compiler(include: &Path, stand_ins: &Path) -> Command {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let compiler = cc::Build::new().cargo_metadata(false).opt_level(0).target(&target).host(&target).get_compiler();
    let mut command = Command::new(compiler.path());
    command.arg("-I").arg(include).arg("-I").arg(stand_ins);
    command
}

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} printed text that is not UTF-8"))
}
