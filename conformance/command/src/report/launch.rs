//! A launch of one of our kernels in C.

use conformance::trace::Bytes;

use super::call;
use super::program::Program;
use super::story::{Called, Step, Unwritable};

/// The parameters of our kernels: the sizes of each, and whether it is an address.
fn parameters(kernel: &str) -> Option<&'static [(usize, bool)]> {
    const ADDRESS: (usize, bool) = (8, true);
    const LONG: (usize, bool) = (8, false);
    const WORD: (usize, bool) = (4, false);
    Some(match kernel {
        "fill" | "scale" => &[ADDRESS, LONG, WORD],
        "verify" => &[ADDRESS, LONG, WORD, ADDRESS],
        "latch" => &[ADDRESS, WORD],
        "spin" => &[LONG],
        "add" => &[ADDRESS, WORD, LONG],
        _ => return None,
    })
}

/// Writes a launch.
pub(crate) fn launch(program: &mut Program, me: usize, step: &Step, called: &Called) -> Result<String, Unwritable> {
    let unknown = || Unwritable::new("the case launches a kernel that the program does not contain");
    let named = step.text.split("entry: \"").nth(1).and_then(|rest| rest.split('"').next());
    let kernel = named.unwrap_or(step.name());
    let kernel = if kernel.starts_with("fill") { "fill" } else { kernel };
    let parameters = parameters(kernel).ok_or_else(unknown)?;
    let arguments = &called.call.arguments;
    let given = arguments[9].bytes.as_ref().and_then(Bytes::bytes).ok_or_else(unknown)?;
    let mut texts = Vec::new();
    for (place, (width, is_address)) in parameters.iter().enumerate() {
        let mut number = [0; 8];
        number[..*width].copy_from_slice(given.get(8 * place..8 * place + width).ok_or_else(unknown)?);
        let number = u64::from_le_bytes(number);
        texts.push(match is_address {
            true => call::address(program, me, number),
            false if *width == 4 => call::word(number),
            false => number.to_string(),
        });
    }
    let stream = arguments[8].value;
    let stream = match program.values.equal_to(stream, |value| value.owner == me && value.of == "CUstream").last() {
        Some(place) if stream != 0 => program.values.get(*place).name.clone(),
        _ if stream == 0 => "NULL".to_owned(),
        // A default stream by its handle.
        _ => format!("(void *){stream:#x}ULL"),
    };
    program.kernels.insert(kernel.to_owned());
    Ok(format!("launch_{kernel}({}, {stream})", texts.join(", ")))
}
