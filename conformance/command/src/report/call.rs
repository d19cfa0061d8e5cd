//! A driver call in C: its arguments, and the variables for its outputs.

use conformance::trace::{Argument, Bytes};

use super::program::Program;
use super::prototype::{self, Parameter};
use super::story::{Called, Unwritable};
use super::structure::{initialiser, is_object};
use super::values::{Kind, Value};

/// Functions that give an address back.
const GIVE_BACK: [&str; 4] = ["cuMemFree", "cuMemFreeAsync", "cuIpcCloseMemHandle", "cuMemAddressFree"];

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

/// A value that a call returns.
struct Output {
    name: String,
    of: &'static str,
    kind: Kind,
    number: u64,
    bytes: Vec<u8>,
    size: u64,
}

/// A call in C.
pub(crate) struct Written {
    pub(crate) text: String,
    outputs: Vec<Output>,
    /// The host buffer of a copy.
    pub(crate) buffer: Option<String>,
}

impl Written {
    /// A call of a function of the program.
    pub(crate) const fn of(text: String) -> Self {
        Self { text, outputs: Vec::new(), buffer: None }
    }

    /// Makes the outputs known, for the calls after this one.
    pub(crate) fn register(self, program: &mut Program, participant: usize) {
        for Output { name, of, kind, number, bytes, size } in self.outputs {
            let holders = vec![participant];
            program.values.add(Value {
                name,
                of,
                owner: participant,
                kind,
                number,
                bytes,
                size,
                is_released: false,
                holders,
            });
        }
    }
}

/// Writes a number that is a count of bytes.
pub(crate) fn size(number: u64) -> String {
    match number {
        0 => "0".to_owned(),
        _ if number >= 1 << 48 => format!("{number:#x}ULL"),
        _ if number.is_multiple_of(MIB) => format!("{} * MiB", number / MIB),
        _ if number.is_multiple_of(KIB) => format!("{} * KiB", number / KIB),
        _ if number >= 1 << 31 => format!("{number}ULL"),
        _ => number.to_string(),
    }
}

/// Writes a number of 32 bits.
pub(crate) fn word(number: u64) -> String {
    if number > 0xFFFF { format!("{number:#x}") } else { number.to_string() }
}

/// Writes an address of a participant.
pub(crate) fn address(program: &mut Program, participant: usize, address: u64) -> String {
    if address == 0 {
        return "0".to_owned();
    }
    let Some((place, offset)) = program.values.place(participant, address) else { return format!("{address:#x}ULL") };
    let value = program.values.get(place);
    let name =
        if value.of == "void *" { format!("(CUdeviceptr)(uintptr_t){}", value.name) } else { value.name.clone() };
    match offset {
        0 => name,
        1.. => format!("{name} + {}", size(offset.unsigned_abs())),
        _ => format!("{name} - {}", size(offset.unsigned_abs())),
    }
}

/// Writes the address of host memory that a call registers: the program allocates it.
fn registered(program: &mut Program, participant: usize, number: u64, length: u64) -> String {
    let name = program.name("host");
    program.declare(participant, "void *", &name);
    program.line(participant, format!("{name} = buffer({});", size(length)));
    program.values.add(Value {
        name: name.clone(),
        of: "void *",
        owner: participant,
        kind: Kind::Object,
        number,
        bytes: Vec::new(),
        size: length,
        is_released: false,
        holders: vec![participant],
    });
    name
}

/// Writes the address of host memory of a participant.
pub(crate) fn host(program: &mut Program, participant: usize, value: u64) -> String {
    match program.values.place(participant, value) {
        Some((place, 0)) if program.values.get(place).of == "void *" => program.values.get(place).name.clone(),
        Some((place, offset)) if program.values.get(place).of == "void *" => {
            format!("(char *){} + {offset}", program.values.get(place).name)
        }
        _ => format!("(void *)(uintptr_t)({})", address(program, participant, value)),
    }
}

/// Writes a handle of 64 bytes.
fn handle(program: &mut Program, participant: usize, of: &'static str, bytes: &[u8]) -> String {
    if let Some(place) = program.values.handles(bytes).last().copied() {
        let name = program.bring(place, participant);
        let same = program.values.get(place).of == of;
        return if same { name } else { format!("*({of} *)&{name}") };
    }
    let similar = program.values.similar_handle(bytes);
    if let Some((place, bits)) = similar.filter(|(place, _)| program.values.get(*place).of == of) {
        let name = program.bring(place, participant);
        let copy = program.name("altered");
        program.declare(participant, of, &copy);
        program.line(participant, format!("{copy} = {name};"));
        for bit in bits {
            program.line(participant, format!("{copy}.bytes[{}] ^= {:#04x};", bit / 8, 1 << (bit % 8)));
        }
        return copy;
    }
    let values: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    if bytes.iter().all(|byte| *byte == 0) {
        format!("({of}){{ {{ 0 }} }}")
    } else {
        format!("({of}){{ {{ {} }} }}", values.join(", "))
    }
}

/// Returns the stem of a variable's name.
fn stem(of: &str, parameter: &str) -> String {
    match of {
        "CUdeviceptr" => "pointer",
        "CUcontext" => "context",
        "CUstream" => "stream",
        "CUevent" => "event",
        "CUmemoryPool" => "pool",
        "CUmemGenericAllocationHandle" => "memory",
        "CUipcMemHandle" => "handle",
        "CUipcEventHandle" => "event_handle",
        "CUmemPoolPtrExportData" => "pointer_data",
        "CUmemFabricHandle" => "fabric_handle",
        "CUgraph" => "graph",
        "CUgraphExec" => "executable",
        "CUgraphNode" => "node",
        "CUmodule" => "module",
        "void *" => "host",
        "float" => "milliseconds",
        _ => match parameter {
            "psize" => "size",
            "granularity" => "granularity",
            "free" => "free_bytes",
            "total" => "total_bytes",
            "count" => "count",
            _ => "value",
        },
    }
    .to_owned()
}

/// Writes a call of a participant. Lines that prepare it are added to the program.
pub(crate) fn write(program: &mut Program, participant: usize, called: &Called) -> Result<Written, Unwritable> {
    let function = &*called.call.function;
    let known = || Unwritable::new(format!("the program cannot write a call of {function}"));
    if function.starts_with("cuLogs") {
        return Err(known());
    }
    let prototype = prototype::of(function).ok_or_else(known)?;
    let arguments = &called.call.arguments;
    if prototype.parameters.len() != arguments.len() {
        return Err(Unwritable::new(format!("{function} has other parameters than its prototype")));
    }
    program.functions.insert(function.to_owned());
    let mut written = Written { text: String::new(), outputs: Vec::new(), buffer: None };
    let mut texts = Vec::new();
    for (place, (parameter, argument)) in prototype.parameters.iter().zip(arguments).enumerate() {
        let after = called.returned.as_ref().filter(|it| it.code == 0).and_then(|it| it.outputs.get(place)?.as_ref());
        let succeeded = called.returned.as_ref().is_some_and(|returned| returned.code == 0);
        let writer =
            Writer { program: &mut *program, participant, function, arguments, parameter, argument, after, succeeded };
        texts.push(writer.write(&mut written).ok_or_else(known)?);
    }
    // What is known of the memory behind an address.
    let size = match function {
        "cuMemAlloc"
        | "cuMemAllocManaged"
        | "cuMemAllocHost"
        | "cuMemHostAlloc"
        | "cuMemAddressReserve"
        | "cuMemAllocAsync"
        | "cuMemAllocFromPoolAsync" => arguments.get(1).map(|argument| argument.value),
        "cuMemAllocPitch" => Some(arguments[2].value * arguments[3].value),
        // An import is as large as its allocation, which is not known here.
        "cuIpcOpenMemHandle" | "cuMemPoolImportPointer" | "cuMemHostGetDevicePointer" | "cuModuleGetGlobal" => {
            Some(program.values.largest())
        }
        _ => None,
    };
    if let (Some(size), Some(output)) = (size, written.outputs.first_mut()) {
        output.size = size.max(1);
    }
    written.text = format!("{function}({})", texts.join(", "));
    Ok(written)
}

struct Writer<'call> {
    program: &'call mut Program,
    participant: usize,
    function: &'call str,
    arguments: &'call [Argument],
    parameter: &'static Parameter,
    argument: &'call Argument,
    /// What the argument points to after the call.
    after: Option<&'call Bytes>,
    succeeded: bool,
}

impl Writer<'_> {
    /// Writes the argument. `None` if that is not possible.
    fn write(self, written: &mut Written) -> Option<String> {
        let Self { participant, function, argument, .. } = self;
        let program = &mut *self.program;
        let kind = self.parameter.kind;
        let value = argument.value;
        match kind {
            "CUdeviceptr" if GIVE_BACK.contains(&function) && self.succeeded => {
                let released = program.values.release(participant, value).map(|value| value.name.clone());
                return Some(released.unwrap_or_else(|| address(program, participant, value)));
            }
            "CUdeviceptr" => return Some(address(program, participant, value)),
            "CUipcMemHandle" | "CUipcEventHandle" => {
                return Some(handle(program, participant, kind, &argument.bytes.as_ref()?.bytes()?));
            }
            "CUcontext" if value != 0 => {
                let known = program.values.equal_to(value, |known| known.owner == participant && known.of == kind);
                return Some(
                    known.last().map_or("primary_context".to_owned(), |place| program.values.get(*place).name.clone()),
                );
            }
            "CUmemGenericAllocationHandle" => return Some(self.object("")),
            _ if is_object(kind) => return Some(self.object("(void *)")),
            "size_t" => return Some(size(value)),
            _ if !kind.ends_with('*') => {
                let is_signed = kind == "int" || kind == "CUdevice";
                return Some(match u32::try_from(value) {
                    Ok(number) if is_signed => number.cast_signed().to_string(),
                    Ok(number) if number > 0xFFFF => format!("{number:#x}"),
                    Ok(number) => number.to_string(),
                    Err(_) => format!("{value:#x}ULL"),
                });
            }
            _ => {}
        }
        if value == 0 && !matches!(function, "cuMemImportFromShareableHandle" | "cuMemPoolImportFromShareableHandle") {
            return Some("NULL".to_owned());
        }
        match (function, self.parameter.name) {
            ("cuMemImportFromShareableHandle", "osHandle") | ("cuMemPoolImportFromShareableHandle", "handle") => {
                self.shared()
            }
            ("cuMemHostRegister", _) if program.values.place(participant, value).is_none() => {
                Some(registered(program, participant, value, self.arguments[1].value))
            }
            ("cuMemcpyHtoD", _) => self.source(written),
            ("cuMemcpyDtoH", _) => {
                let buffer = program.name("read");
                program.declare(participant, "unsigned char *", &buffer);
                program.line(participant, format!("{buffer} = buffer({});", size(self.arguments[2].value)));
                written.buffer = Some(buffer.clone());
                Some(buffer)
            }
            ("cuPointerSetAttribute" | "cuMemPoolSetAttribute", "value") => {
                let bytes = argument.bytes.as_ref()?.bytes()?;
                let wide = bytes.len() == 8;
                let mut number = [0; 8];
                number[..bytes.len()].copy_from_slice(&bytes);
                let of = if wide { "unsigned long long" } else { "unsigned" };
                Some(format!("&({of}){{ {} }}", u64::from_le_bytes(number)))
            }
            (_, "dependencies") | ("cuLaunchKernelEx" | "cuPointerGetAttributes" | "cuGetProcAddress", _) => None,
            ("cuModuleLoadData" | "cuModuleGetFunction" | "cuModuleGetGlobal", "image" | "name") => {
                match argument.bytes.as_ref()? {
                    Bytes::Text(text) => Some(quoted(text)),
                    _ => None,
                }
            }
            ("cuMemPoolImportPointer", "shareData") => {
                let text = handle(program, participant, "CUmemPoolPtrExportData", &argument.bytes.as_ref()?.bytes()?);
                Some(format!("&{text}"))
            }
            ("cuMemSetAccess", "desc") | ("cuMemPoolSetAccess", "map") => {
                let bytes = argument.bytes.as_ref()?.bytes()?;
                let all: Option<Vec<_>> = bytes.chunks(12).map(|one| initialiser("CUmemAccessDesc", one)).collect();
                Some(format!("(CUmemAccessDesc[]){{ {} }}", all?.join(", ")))
            }
            ("cuMemPoolGetAccess", "location") => self.structure(),
            _ if kind == "void *"
                && !matches!(
                    function,
                    "cuPointerGetAttribute"
                        | "cuMemPoolGetAttribute"
                        | "cuMemGetHandleForAddressRange"
                        | "cuMemExportToShareableHandle"
                        | "cuMemPoolExportToShareableHandle"
                ) =>
            {
                Some(host(program, participant, value))
            }
            _ if self.parameter.is_constant() => self.structure(),
            _ => self.output(written),
        }
    }

    /// Writes an object of the driver.
    fn object(self, cast: &str) -> String {
        let Self { program, participant, argument, parameter, .. } = self;
        if argument.value == 0 {
            return if cast.is_empty() { "0" } else { "NULL" }.to_owned();
        }
        let known =
            program.values.equal_to(argument.value, |value| value.owner == participant && value.of == parameter.kind);
        known
            .last()
            .map_or_else(|| format!("{cast}{:#x}ULL", argument.value), |place| program.values.get(*place).name.clone())
    }

    /// Writes what an import gets: a descriptor in place of a pointer, or the address of a handle.
    fn shared(self) -> Option<String> {
        let Self { program, participant, argument, .. } = self;
        if let Some(bytes) = &argument.bytes {
            let bytes = bytes.bytes()?;
            if bytes.len() == 64 {
                return Some(format!("&{}", handle(program, participant, "CUmemFabricHandle", &bytes)));
            }
            let mut number = [0; 4];
            number.copy_from_slice(bytes.get(..4)?);
            let descriptor = descriptor(program, participant, i32::from_le_bytes(number));
            return Some(format!("&(int){{ {descriptor} }}"));
        }
        let number = i64::from_le_bytes(argument.value.to_le_bytes());
        Some(match i32::try_from(number) {
            Ok(number) => format!("(void *)(intptr_t){}", descriptor(program, participant, number)),
            Err(_) => host(program, participant, argument.value),
        })
    }

    /// Writes the source of a copy.
    fn source(self, written: &mut Written) -> Option<String> {
        let Self { program, participant, argument, .. } = self;
        let length = size(self.arguments[2].value);
        let text = match argument.bytes.as_ref()? {
            Bytes::Pattern { seed, words } => {
                program.helpers.insert("pattern");
                let buffer = program.name("source");
                program.declare(participant, "unsigned char *", &buffer);
                program.line(participant, format!("{buffer} = buffer({length});"));
                program.line(participant, format!("write_pattern({buffer}, {words}, {});", word((*seed).into())));
                written.buffer = Some(buffer.clone());
                buffer
            }
            Bytes::Same { byte, .. } => {
                let buffer = program.name("source");
                program.declare(participant, "unsigned char *", &buffer);
                program.line(participant, format!("{buffer} = memset(buffer({length}), {byte}, {length});"));
                buffer
            }
            bytes => {
                let values: Vec<_> = bytes.bytes()?.iter().map(ToString::to_string).collect();
                format!("(unsigned char[]){{ {} }}", values.join(", "))
            }
        };
        Some(text)
    }

    fn structure(self) -> Option<String> {
        let (of, bytes) = (self.parameter.target()?, self.argument.bytes.as_ref()?.bytes()?);
        Some(format!("&({of}){}", initialiser(of, &bytes)?))
    }

    /// Declares a variable for an output. Returns its address.
    fn output(self, written: &mut Written) -> Option<String> {
        let Self { program, participant, function, argument, after, .. } = self;
        let before = argument.bytes.as_ref()?.bytes()?;
        let bytes = after.and_then(Bytes::bytes).unwrap_or_else(|| before.clone());
        let is_filled = before.iter().all(|byte| *byte == 0xa5);
        let of = match (function, self.parameter.target()?) {
            (_, "void") if function.ends_with("ShareableHandle") && before.len() == 64 => "CUmemFabricHandle",
            (_, "void") if function.contains("Handle") => "int",
            ("cuPointerGetAttribute", "void") if !is_filled => "unsigned",
            (_, "void") => "unsigned long long",
            (_, "void *") => "void *",
            (_, of) => of,
        };
        let is_descriptor = of == "int" && function.contains("Handle");
        let stem = if is_descriptor { "descriptor".to_owned() } else { stem(of, self.parameter.name) };
        let name = program.name(&stem);
        let width = if of == "unsigned" { 4 } else { before.len().min(8) };
        let number_of = |bytes: &[u8]| {
            let mut number = [0; 8];
            number[..width].copy_from_slice(&bytes[..width]);
            u64::from_le_bytes(number)
        };
        if of == "CUDA_MEM_ALLOC_NODE_PARAMS" {
            program.declare_as(participant, of, &name, &initialiser(of, &before)?);
            let mut dptr = [0; 8];
            dptr.copy_from_slice(bytes.get(112..120)?);
            let size = number_of(&bytes[104..]);
            let number = u64::from_le_bytes(dptr);
            let of = "CUdeviceptr";
            written.outputs.push(Output {
                name: format!("{name}.dptr"),
                of,
                kind: Kind::Object,
                number,
                bytes: Vec::new(),
                size,
            });
            return Some(format!("&{name}"));
        }
        if before.len() == 64 {
            if before[0] == 0 {
                program.declare_as(participant, of, &name, "{ { 0 } }");
            } else {
                program.declare(participant, of, &name);
                program.line(participant, format!("memset(&{name}, {:#04x}, sizeof {name});", before[0]));
            }
            written.outputs.push(Output { name: name.clone(), of, kind: Kind::Handle, number: 0, bytes, size: 0 });
            return Some(format!("&{name}"));
        }
        if of == "CUmemAllocationProp" || of == "CUuuid" {
            program.declare(participant, of, &name);
            program.line(participant, format!("memset(&{name}, {:#04x}, sizeof {name});", before[0]));
            let fields: &[(&str, usize)] = match of {
                "CUuuid" => &[],
                _ => &[("type", 0), ("requestedHandleTypes", 4), ("location.type", 8), ("location.id", 12)],
            };
            for (field, place) in fields {
                let mut number = [0; 8];
                number[..4].copy_from_slice(bytes.get(*place..place + 4)?);
                let number = u64::from_le_bytes(number);
                let name = format!("{name}.{field}");
                written.outputs.push(Output {
                    name,
                    of: "unsigned",
                    kind: Kind::Number,
                    number,
                    bytes: Vec::new(),
                    size: 0,
                });
            }
            return Some(format!("&{name}"));
        }
        let initial = number_of(&before);
        let shown = match of {
            "int" => (initial as u32).cast_signed().to_string(),
            _ if is_object(of) || of == "void *" => "NULL".to_owned(),
            "float" => "0".to_owned(),
            _ if initial > 0xFFFF => format!("{initial:#x}{}", if width == 8 { "ULL" } else { "" }),
            _ => initial.to_string(),
        };
        program.declare_as(participant, of, &name, &shown);
        let kind = match of {
            _ if is_descriptor => Kind::Descriptor,
            "CUdeviceptr" | "void *" | "CUmemGenericAllocationHandle" => Kind::Object,
            _ if is_object(of) => Kind::Object,
            _ => Kind::Number,
        };
        let number = number_of(&bytes);
        written.outputs.push(Output { name: name.clone(), of, kind, number, bytes: Vec::new(), size: 0 });
        Some(format!("&{name}"))
    }
}

/// Writes a descriptor of a participant.
pub(crate) fn descriptor(program: &mut Program, participant: usize, number: i32) -> String {
    let is_own = |value: &Value| value.owner == participant && value.kind == Kind::Descriptor;
    let known = program.values.equal_to(number.cast_unsigned().into(), is_own);
    known.last().map_or_else(|| number.to_string(), |place| program.values.get(*place).name.clone())
}

/// Writes a text of C, a line for each of its lines.
pub(crate) fn quoted(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let escaped = line.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
        format!("\"{escaped}\"")
    });
    lines.collect::<Vec<_>>().join("\n    ")
}
