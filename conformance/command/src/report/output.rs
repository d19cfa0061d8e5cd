//! The outputs of a driver call in C: a variable for each.

use conformance::trace::Bytes;

use super::call::{Writer, Written};
use super::structure::{initialiser, is_object};
use super::values::{Kind, Value};

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
        "CUlogsCallbackHandle" => "callback",
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

impl Writer<'_> {
    /// Declares a variable for a text. Returns its address.
    pub(super) fn text(self, written: &mut Written) -> Option<String> {
        let Self { program, participant, argument, after, .. } = self;
        let is_null = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
        let before = argument.bytes.as_ref()?.bytes()?;
        let after = after.and_then(Bytes::bytes).unwrap_or_else(|| before.clone());
        let name = program.name("name");
        let initial = if is_null(&before) { "NULL" } else { "\"unwritten\"" };
        program.declare_as(participant, "const char *", &name, initial);
        let number = after.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        written.outputs.push(Value::new(participant, Kind::Text, "const char *", name.clone(), number));
        Some(format!("&{name}"))
    }

    /// Declares a variable for an output. Returns its address.
    pub(super) fn output(self, written: &mut Written) -> Option<String> {
        let Self { program, participant, function, argument, after, .. } = self;
        let before = argument.bytes.as_ref()?.bytes()?;
        let bytes = after.and_then(Bytes::bytes).unwrap_or_else(|| before.clone());
        if bytes.len() != before.len() || before.is_empty() {
            return None;
        }
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
        if before.len() < width {
            return None;
        }
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
            let pointer = Value::new(participant, Kind::Object, of, format!("{name}.dptr"), number);
            written.outputs.push(Value { size, ..pointer });
            return Some(format!("&{name}"));
        }
        if before.len() == 64 {
            if before[0] == 0 {
                program.declare_as(participant, of, &name, "{ { 0 } }");
            } else {
                program.declare(participant, of, &name);
                program.line(participant, format!("memset(&{name}, {:#04x}, sizeof {name});", before[0]));
            }
            let handle = Value::new(participant, Kind::Handle, of, name.clone(), 0);
            written.outputs.push(Value { bytes, ..handle });
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
                written.outputs.push(Value::new(participant, Kind::Number, "unsigned", name, number));
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
        let number = match function {
            // The suite reads flags of 32 bits, and the greatest number stands for any longer one.
            "cuMemGetAccess" => u32::try_from(number_of(&bytes)).unwrap_or(u32::MAX).into(),
            _ => number_of(&bytes),
        };
        written.outputs.push(Value::new(participant, kind, of, name.clone(), number));
        Some(format!("&{name}"))
    }
}
