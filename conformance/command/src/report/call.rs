//! A driver call in C: its arguments, and the variables for its outputs.

use std::mem::offset_of;

use conformance::trace::{Argument, Bytes};
use cuda_ipc_sys::CUDA_MEMCPY2D;

use super::program::Program;
use super::prototype::{self, Parameter};
use super::story::{Called, Unwritable};
use super::structure::{initialiser, is_object, long};
use super::values::{COMPUTED, Kind, Value};
use crate::output::is_a_command;

/// Functions that give an address back.
const GIVE_BACK: [&str; 4] = ["cuMemFree", "cuMemFreeAsync", "cuIpcCloseMemHandle", "cuMemAddressFree"];

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

/// A call in C.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(super) outputs: Vec<Value>,
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
        debug_assert!(self.outputs.iter().all(|value| value.owner == participant), "they are those of its call");
        for value in self.outputs {
            program.values.add(value);
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

/// Writes a number of bytes, which the case may have computed.
pub(crate) fn length(program: &Program, participant: usize, number: u64) -> String {
    let is_own = |known: &Value| known.owner == participant && known.of == COMPUTED;
    let computed = program.values.equal_to(number, is_own).last().copied();
    computed.map_or_else(|| size(number), |place| program.values.get(place).name.clone())
}

/// Writes a number of 32 bits.
pub(crate) fn word(number: u64) -> String {
    if number > 0xFFFF { format!("{number:#x}") } else { number.to_string() }
}

/// Writes an address of a participant.
pub(crate) fn address(program: &mut Program, participant: usize, address: u64) -> String {
    let known = if address == 0 { None } else { program.values.place(participant, address) };
    let Some((place, offset)) = known.or_else(|| program.values.unwritten(participant, address)) else {
        return if address == 0 { "0".to_owned() } else { format!("{address:#x}ULL") };
    };
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
    let (name, place) = program.variable(participant, Kind::Object, "void *", "host", number);
    program.line(participant, format!("{name} = buffer({});", size(length)));
    program.values.get_mut(place).size = length;
    name
}

/// Returns what an address lies in, and not only near, as host memory may lie near device memory by chance.
fn holder(program: &Program, participant: usize, address: u64) -> Option<&Value> {
    let (place, offset) = program.values.place(participant, address)?;
    let value = program.values.get(place);
    u64::try_from(offset).is_ok_and(|offset| offset == 0 || offset < value.size).then_some(value)
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

/// Writes a call of a participant. Lines that prepare it are added to the program.
pub(crate) fn write(program: &mut Program, participant: usize, called: &Called) -> Result<Written, Unwritable> {
    let function = &*called.call.function;
    let known = || Unwritable::new(format!("the program cannot write a call of {function}"));
    let prototype = prototype::of(function).ok_or_else(known)?;
    let arguments = &called.call.arguments;
    if prototype.parameters.len() != arguments.len() {
        return Err(Unwritable::new(format!("{function} has other parameters than its prototype")));
    }
    program.functions.insert(function.to_owned());
    let mut written = Written { text: String::new(), outputs: Vec::new(), buffer: None };
    let mut texts = Vec::new();
    for (place, (parameter, argument)) in prototype.parameters.iter().zip(arguments).enumerate() {
        let after = called
            .returned
            .as_ref()
            .filter(|it| it.code == 0 || function == "cuGetErrorName")
            .and_then(|it| it.outputs.get(place)?.as_ref());
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
        "cuMemAllocPitch" => Some(arguments[2].value.saturating_mul(arguments[3].value)),
        // An import is as large as its allocation, which is not known here.
        "cuIpcOpenMemHandle" | "cuMemPoolImportPointer" | "cuMemHostGetDevicePointer" | "cuModuleGetGlobal" => {
            Some(program.values.largest())
        }
        _ => None,
    };
    if let (Some(size), Some(output)) = (size, written.outputs.first_mut()) {
        output.size = size.max(1);
    }
    // A refused call returned no object, so nothing after it means this one.
    if called.returned.as_ref().is_some_and(|returned| returned.code != 0) {
        let objects = written.outputs.iter_mut().filter(|output| output.kind == Kind::Object && output.number == 0);
        objects.for_each(|output| output.is_released = true);
    }
    written.text = format!("{function}({})", texts.join(", "));
    Ok(written)
}

/// A call's argument, for which C is written.
pub(super) struct Writer<'call> {
    pub(super) program: &'call mut Program,
    pub(super) participant: usize,
    pub(super) function: &'call str,
    pub(super) arguments: &'call [Argument],
    pub(super) parameter: &'static Parameter,
    pub(super) argument: &'call Argument,
    /// What the argument points to after the call.
    pub(super) after: Option<&'call Bytes>,
    pub(super) succeeded: bool,
}

impl Writer<'_> {
    /// Writes the argument. `None` if that is not possible.
    fn write(self, written: &mut Written) -> Option<String> {
        let Self { participant, function, argument, .. } = self;
        let program = &mut *self.program;
        let kind = self.parameter.kind;
        let value = argument.value;
        match kind {
            // A driver that wrote no address of several imports refuses to close them. Each close stands for one of them.
            "CUdeviceptr" if GIVE_BACK.contains(&function) && value == 0 && !self.succeeded => {
                let released = program.values.release_unwritten(participant).map(|value| value.name.clone());
                return Some(released.unwrap_or_else(|| address(program, participant, value)));
            }
            "CUdeviceptr" if GIVE_BACK.contains(&function) && self.succeeded => {
                let name = |value: &Value| match value.of {
                    "void *" => format!("(CUdeviceptr)(uintptr_t){}", value.name),
                    _ => value.name.clone(),
                };
                let released = program.values.release(participant, value).map(name);
                return Some(released.unwrap_or_else(|| address(program, participant, value)));
            }
            "void *" if matches!(function, "cudaFree" | "cudaIpcCloseMemHandle") && self.succeeded => {
                let released = program.values.release(participant, value);
                let of_host = released.filter(|value| value.of == kind).map(|value| value.name.clone());
                return Some(of_host.unwrap_or_else(|| host(program, participant, value)));
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
            // A driver may have returned one handle for several imports. Each release, also one that the driver refused, then
            // stands for one of these imports.
            "CUmemGenericAllocationHandle" if function == "cuMemRelease" && value != 0 => {
                let released = program.values.release_handle(participant, kind, value).map(|value| value.name.clone());
                return Some(released.unwrap_or_else(|| self.object("")));
            }
            // A new object may get the address of a destroyed one.
            "CUmemoryPool" | "CUevent" | "CUstream" if function.ends_with("Destroy") && self.succeeded => {
                let released = program.values.release_handle(participant, kind, value).map(|value| value.name.clone());
                return Some(released.unwrap_or_else(|| self.object("(void *)")));
            }
            "CUmemGenericAllocationHandle" => return Some(self.object("")),
            _ if is_object(kind) => return Some(self.object("(void *)")),
            "CUlogsCallback" => {
                program.helpers.insert("log");
                return Some("hear".to_owned());
            }
            "size_t" => return Some(length(program, participant, value)),
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
        // A null pointer means descriptor 0 there.
        if value == 0 && !(function.ends_with("ImportFromShareableHandle") && kind == "void *") {
            return Some("NULL".to_owned());
        }
        match (function, self.parameter.name) {
            // Page-locked memory stays that: a buffer of the program would not be.
            ("cuMemcpyHtoD" | "cuMemcpyHtoDAsync", "srcHost") | ("cuMemcpyDtoH" | "cuMemcpyDtoHAsync", "dstHost")
                if holder(program, participant, value).is_some_and(|it| it.of == "void *" && !it.is_released) =>
            {
                Some(host(program, participant, value))
            }
            ("cuMemImportFromShareableHandle", "osHandle") | ("cuMemPoolImportFromShareableHandle", "handle") => {
                self.shared()
            }
            ("cuMemHostRegister", _) if holder(program, participant, value).is_none() => {
                Some(registered(program, participant, value, self.arguments[1].value))
            }
            ("cuMemcpyHtoD" | "cuMemcpyHtoDAsync", "srcHost") => self.source(written),
            ("cuMemcpyDtoH" | "cuMemcpyDtoHAsync", "dstHost") => {
                let buffer = program.name("read");
                program.declare(participant, "unsigned char *", &buffer);
                program.line(
                    participant,
                    format!("{buffer} = buffer({});", length(program, participant, self.arguments[2].value)),
                );
                program.read = Some((value, buffer.clone()));
                written.buffer = Some(buffer.clone());
                Some(buffer)
            }
            ("cuPointerSetAttribute" | "cuMemPoolSetAttribute", "value") => {
                let bytes = argument.bytes.as_ref()?.bytes()?;
                let wide = bytes.len() == 8;
                let mut number = [0; 8];
                number.get_mut(..bytes.len())?.copy_from_slice(&bytes);
                let of = if wide { "unsigned long long" } else { "unsigned" };
                let number = u64::from_le_bytes(number);
                let suffix = if i64::try_from(number).is_ok() { "" } else { "ULL" };
                Some(format!("&({of}){{ {number}{suffix} }}"))
            }
            (_, "dependencies") | ("cuLaunchKernelEx" | "cuPointerGetAttributes", _) => None,
            ("cuLogsRegisterCallback", "userData") => Some("NULL".to_owned()),
            ("cuGetErrorName", "pStr") => self.text(written),
            (_, "image" | "name" | "symbol") => match argument.bytes.as_ref()? {
                Bytes::Text(text) => Some(quoted(text)),
                _ => None,
            },
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
            ("cuMemcpy2D" | "cuMemcpy2DAsync" | "cuMemcpy2DUnaligned", "pCopy") => {
                rectangle(program, participant, &argument.bytes.as_ref()?.bytes()?)
            }
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
        let known =
            program.values.equal_to(argument.value, |value| value.owner == participant && value.of == parameter.kind);
        match known.last() {
            // A driver that writes no object leaves null, and a sound one does not. That no context is current is no mistake.
            Some(place) if argument.value != 0 || parameter.kind != "CUcontext" => {
                program.values.get(*place).name.clone()
            }
            _ if argument.value == 0 => if cast.is_empty() { "0" } else { "NULL" }.to_owned(),
            _ => format!("{cast}{:#x}ULL", argument.value),
        }
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
        if let Some((_, buffer)) = program.read.as_ref().filter(|(address, _)| *address == argument.value) {
            return Some(buffer.clone());
        }
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
}

/// Writes a copy of rows between device memory.
fn rectangle(program: &mut Program, participant: usize, bytes: &[u8]) -> Option<String> {
    let field = |place: usize| bytes.get(place..place + 8).map(|field| long(field, 0));
    let (source, target) = (field(offset_of!(CUDA_MEMCPY2D, srcDevice))?, field(offset_of!(CUDA_MEMCPY2D, dstDevice))?);
    let [source_pitch, target_pitch, width] = [
        field(offset_of!(CUDA_MEMCPY2D, srcPitch))?,
        field(offset_of!(CUDA_MEMCPY2D, dstPitch))?,
        field(offset_of!(CUDA_MEMCPY2D, WidthInBytes))?,
    ]
    .map(size);
    let height = field(offset_of!(CUDA_MEMCPY2D, Height))?;
    let (source, target) = (address(program, participant, source), address(program, participant, target));
    Some(format!(
        "&(CUDA_MEMCPY2D){{ .srcMemoryType = 2, .srcDevice = {source}, .srcPitch = {source_pitch}, .dstMemoryType = 2, \
         .dstDevice = {target}, .dstPitch = {target_pitch}, .WidthInBytes = {width}, .Height = {height} }}"
    ))
}

/// Writes a descriptor of a participant.
pub(crate) fn descriptor(program: &mut Program, participant: usize, number: i32) -> String {
    let is_own = |value: &Value| value.owner == participant && value.kind == Kind::Descriptor;
    let known = program.values.equal_to(number.cast_unsigned().into(), is_own);
    known.last().map_or_else(|| number.to_string(), |place| program.values.get(*place).name.clone())
}

/// Writes a text of C, a line for each of its lines.
pub(crate) fn quoted(text: &str) -> String {
    let line = |line: &str| format!("\"{}\"", escaped(line));
    text.split_inclusive('\n').map(line).collect::<Vec<_>>().join("\n    ")
}

fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\\' | '"' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            // A compiler of the ISO standard reads `??/` as a backslash.
            '?' if escaped.ends_with('?') => escaped.push_str("\\?"),
            // Otherwise an editor could show other code than the compiler reads.
            _ if is_a_command(c) => escaped.extend(c.to_string().bytes().map(|byte| format!("\\{byte:03o}"))),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use conformance::trace::{Argument, Call};
    use rstest::rstest;

    use super::{Called, Kind, Program, quoted, write};
    use crate::report::act::Returned;

    /// A destroyed object is given back, so a later one with its address is not taken for it.
    #[rstest]
    #[case::event("cuEventDestroy", "CUevent")]
    #[case::stream("cuStreamDestroy", "CUstream")]
    #[case::pool("cuMemPoolDestroy", "CUmemoryPool")]
    fn a_destroyed_object_is_given_back(#[case] function: &str, #[case] of: &'static str) {
        let mut program = Program::new(std::iter::once("ROLE".to_owned()));
        let (name, place) = program.variable(1, Kind::Object, of, "object", 7);
        let argument = Argument { kind: of.to_owned(), value: 7, bytes: None };
        let call = Call { process: 1, thread: 1, function: function.to_owned(), arguments: vec![argument] };
        let returned = Some(Returned { code: 0, outputs: vec![None] });
        let written = write(&mut program, 1, &Called { call, thread: None, returned });
        assert_eq!(written.ok().map(|written| written.text), Some(format!("{function}({name})")));
        assert!(program.values.get(place).is_released, "{name} does not count as destroyed");
    }

    /// The program allocates host memory that a call registers, even if it lay beside device memory.
    #[rstest]
    #[case::before(0x1000_0000 - 0x2000)]
    #[case::behind(0x1000_0000 + 0x1000)]
    fn registered_memory_is_not_placed_beside_other_memory(#[case] address: u64) {
        let mut program = Program::new(std::iter::once("ROLE".to_owned()));
        let (_, place) = program.variable(1, Kind::Object, "CUdeviceptr", "pointer", 0x1000_0000);
        program.values.get_mut(place).size = 0x1000;
        let argument = |kind: &str, value: u64| Argument { kind: kind.to_owned(), value, bytes: None };
        let arguments = vec![argument("*mut c_void", address), argument("usize", 0x2000), argument("c_uint", 2)];
        let call = Call { process: 1, thread: 1, function: "cuMemHostRegister".to_owned(), arguments };
        let returned = Some(Returned { code: 0, outputs: vec![None; 3] });
        let written = write(&mut program, 1, &Called { call, thread: None, returned });
        let text = written.ok().map(|written| written.text);
        assert!(text.is_some_and(|text| text.starts_with("cuMemHostRegister(host")), "{address:#x}");
    }

    /// A text stays one in C, whatever it contains.
    #[rstest]
    #[case::marks(r#"a"; b\"#, r#""a\"; b\\""#)]
    #[case::lines("a\nb", "\"a\\n\"\n    \"b\"")]
    #[case::trigraph("??/", r#""?\?/""#)]
    #[case::control("\r\u{1b}[2J7", r#""\015\033[2J7""#)]
    #[case::direction("\u{202e}", r#""\342\200\256""#)]
    fn a_text_ends_with_its_mark(#[case] text: &str, #[case] c: &str) {
        assert_eq!(quoted(text), c);
    }
}
