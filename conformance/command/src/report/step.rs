//! A step of a case in C: its driver calls with what the case expects of them, and what its process does beside them.

use conformance::trace::{Bytes, Expectation};

use super::call::{self, Written, descriptor, size};
use super::program::{PARENT, Program};
use super::story::{Called, Expected, Step, Unwritable};
use super::values::{Kind, Value};

/// Writes a step of a participant.
pub(crate) fn write(program: &mut Program, step: &Step) -> Result<(), Unwritable> {
    let me = step.role + 1;
    let name = step.name().to_owned();
    program.turn(me);
    if name.starts_with("cuda_") {
        return Err(Unwritable::new("the case calls the runtime, and the program only knows the driver"));
    }
    if step.is_begun {
        program.turn(PARENT);
    }
    if step.calls.is_empty() {
        return without_calls(program, me, step, &name);
    }
    program.steps += 1;
    program.line(me, format!("/* step {}: {name} */", program.steps));
    let is_success = step.expectation == Expected::Success;
    let mut chain = Vec::new();
    let mut buffer = None;
    let folded = fold(program, me, step)?;
    let mut last = None;
    for part in folded {
        let (written, code) = match part {
            Part::Call(called) => {
                (call::write(program, me, called)?, called.returned.as_ref().map(|returned| returned.code))
            }
            Part::Helper { text, code } => (Written::of(text), code),
        };
        buffer = written.buffer.clone().or(buffer);
        last = code;
        if is_success {
            program.line(me, format!("succeeds({});", written.text));
            if written.text.starts_with("cuCtxDestroy") || written.text.starts_with("cuDevicePrimaryCtxReset") {
                // The template removes the line if the program has no kernels.
                program.line(me, super::FORGET);
            }
        } else {
            chain.push(written.text.clone());
        }
        written.register(program, me);
    }
    if let Expected::Other(expectation) = &step.expectation {
        let calls = chain.join(" ?: ");
        program.line(
            me,
            match step.discloses {
                true => format!("reaches({calls});"),
                false => expected(&calls, expectation, last)?,
            },
        );
    }
    answered(program, me, step, &name, buffer, last)
}

/// Writes calls of which the case does not simply expect success.
fn expected(calls: &str, expectation: &Expectation, last: Option<u32>) -> Result<String, Unwritable> {
    let list = |codes: &[u32]| codes.iter().map(|code| format!(", {code}")).collect::<String>();
    Ok(match (expectation, last) {
        (Expectation::Refused(codes), _) if codes.is_empty() => format!("refuses({calls}, ANY_ERROR);"),
        (Expectation::Refused(codes), _) => format!("refuses({calls}{});", list(codes)),
        (Expectation::Among(codes), Some(0)) => format!("returns({calls}, 0{});", list(codes)),
        (Expectation::Among(codes), Some(code)) => format!("returns({calls}, {code}, 0{});", list(codes)),
        (Expectation::Any | Expectation::Survives, Some(code)) => format!("takes_the_path({calls}, {code});"),
        (_, None) => return Err(Unwritable::new("a process is allowed to end in a call, and it did")),
    })
}

enum Part<'step> {
    Call(&'step Called),
    /// Several calls that a function of the program makes.
    Helper {
        text: String,
        code: Option<u32>,
    },
}

/// Returns the parts of a step. A launch is one part: the program loads a kernel where it is first launched.
fn fold<'step>(program: &mut Program, me: usize, step: &'step Step) -> Result<Vec<Part<'step>>, Unwritable> {
    if step.name() == "mismatches" {
        let field = |name| step.number(name).ok_or_else(|| Unwritable::new("a field of the step is missing"));
        let (pointer, words, seed) = (field("pointer")?, field("size")? / 4, field("seed")?);
        let wrong = program.name("wrong_words");
        program.declare(me, "unsigned long long", &wrong);
        let pointer = call::address(program, me, pointer);
        let text = format!("count_wrong_words({pointer}, {words}, {}, &{wrong})", call::word(seed));
        program.helpers.insert("verify");
        program.kernels.insert("verify".to_owned());
        let functions = ["cuMemHostAlloc", "cuMemHostGetDevicePointer", "cuStreamSynchronize", "cuMemFreeHost"];
        program.functions.extend(functions.map(str::to_owned));
        let last = step.calls.last().and_then(|called| called.returned.as_ref()).map(|it| it.code);
        let number = step.answer.parse().unwrap_or(u64::MAX);
        let value = Value {
            name: wrong,
            of: "unsigned long long",
            owner: me,
            kind: Kind::Number,
            number,
            bytes: Vec::new(),
            size: 0,
            is_released: false,
            holders: vec![me],
        };
        program.values.add(value);
        return Ok(vec![Part::Helper { text, code: last }]);
    }
    let mut parts = Vec::new();
    let launches = step.calls.iter().any(|called| called.call.function == "cuLaunchKernel");
    for called in &step.calls {
        match &*called.call.function {
            "cuCtxGetCurrent" | "cuModuleLoadData" | "cuModuleGetFunction" if launches => {
                if called.returned.as_ref().is_some_and(|returned| returned.code != 0) {
                    return Err(Unwritable::new("a kernel could not be loaded"));
                }
            }
            "cuLaunchKernel" => parts.push(launch(program, me, step, called)?),
            _ => parts.push(Part::Call(called)),
        }
    }
    Ok(parts)
}

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

fn launch<'step>(program: &mut Program, me: usize, step: &Step, called: &Called) -> Result<Part<'step>, Unwritable> {
    let unknown = || Unwritable::new("the program does not know a kernel that is launched");
    let named = step.text.split("entry: \"").nth(1).and_then(|rest| rest.split('"').next());
    let kernel = named.unwrap_or(step.name());
    let kernel = if kernel.starts_with("fill") { "fill" } else { kernel };
    let parameters = parameters(kernel).ok_or_else(unknown)?;
    let arguments = &called.call.arguments;
    let given = arguments[9].bytes.as_ref().and_then(Bytes::bytes).ok_or_else(unknown)?;
    let mut texts = Vec::new();
    for (place, (width, is_address)) in parameters.iter().enumerate() {
        let mut number = [0; 8];
        number[..*width].copy_from_slice(&given[8 * place..8 * place + width]);
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
        _ => "NULL".to_owned(),
    };
    program.kernels.insert(kernel.to_owned());
    let code = called.returned.as_ref().map(|returned| returned.code);
    Ok(Part::Helper { text: format!("launch_{kernel}({}, {stream})", texts.join(", ")), code })
}

/// Adds what the step does with the bytes that it copied.
fn answered(
    program: &mut Program,
    me: usize,
    step: &Step,
    name: &str,
    buffer: Option<String>,
    last: Option<u32>,
) -> Result<(), Unwritable> {
    let missing = || Unwritable::new(format!("a field of {name} is missing"));
    let number = |field: &str| step.number(field).ok_or_else(missing);
    if last != Some(0) {
        return Ok(());
    }
    match (name, buffer) {
        ("mismatches_by_copy", Some(buffer)) => {
            program.helpers.insert("pattern");
            let text = format!("wrong_words({buffer}, {}, {})", number("size")? / 4, call::word(number("seed")?));
            counted(program, me, step, &text);
        }
        ("other_bytes", Some(buffer)) => {
            program.helpers.insert("other_bytes");
            let text = format!("other_bytes({buffer}, {}, {})", size(number("size")?), number("value")?);
            counted(program, me, step, &text);
        }
        ("read", Some(buffer)) => {
            let bytes: Option<Vec<u8>> = super::text::tokens(&step.answer)
                .into_iter()
                .filter_map(|token| match token {
                    super::text::Token::Number(byte) => Some(u8::try_from(byte).ok()),
                    _ => None,
                })
                .collect();
            let bytes = bytes.unwrap_or_default();
            for (place, byte) in bytes.iter().enumerate().take(super::READ_AT_MOST) {
                number_of(program, me, format!("{buffer}[{place}]"), (*byte).into());
            }
        }
        _ => {}
    }
    Ok(())
}

/// Adds a number that the process counts.
fn counted(program: &mut Program, me: usize, step: &Step, text: &str) {
    let wrong = program.name("wrong_words");
    program.declare(me, "unsigned long long", &wrong);
    program.line(me, format!("{wrong} = {text};"));
    number_of(program, me, wrong, step.answer.parse().unwrap_or(u64::MAX));
}

fn number_of(program: &mut Program, me: usize, name: String, number: u64) {
    let of = "unsigned long long";
    let holders = vec![me];
    program.values.add(Value {
        name,
        of,
        owner: me,
        kind: Kind::Number,
        number,
        bytes: Vec::new(),
        size: 0,
        is_released: false,
        holders,
    });
}

/// Writes a step that calls no driver function.
fn without_calls(program: &mut Program, me: usize, step: &Step, name: &str) -> Result<(), Unwritable> {
    let missing = || Unwritable::new(format!("a field of {name} is missing"));
    let number = |field: &str| step.number(field).ok_or_else(missing);
    let answer = || {
        super::text::tokens(&step.answer).into_iter().find_map(|token| match token {
            super::text::Token::Number(number) => Some(number),
            _ => None,
        })
    };
    let object = |program: &mut Program, kind: Kind, of: &'static str, name: String, number: u64, size: u64| {
        let holders = vec![me];
        program.values.add(Value {
            name,
            of,
            owner: me,
            kind,
            number,
            bytes: Vec::new(),
            size,
            is_released: false,
            holders,
        })
    };
    match name {
        "heap_alloc" => {
            let (length, host) = (number("size")?, program.name("host"));
            program.declare(me, "void *", &host);
            program.line(me, format!("{host} = buffer({});", size(length)));
            object(program, Kind::Object, "void *", host, answer().ok_or_else(missing)? as u64, length);
        }
        "stack_address" => {
            let stack = program.name("stack");
            program.declare(me, "unsigned long long", &format!("{stack}_word"));
            program.declare(me, "void *", &stack);
            program.line(me, format!("{stack} = &{stack}_word;"));
            object(program, Kind::Object, "void *", stack, answer().ok_or_else(missing)? as u64, 8);
        }
        "set_host_flag" => {
            let flag = call::host(program, me, number("pointer")?);
            program.line(me, format!("*(volatile unsigned *){flag} = {};", number("value")?));
        }
        "fill_by_host" => {
            program.helpers.insert("pattern");
            let host = call::host(program, me, number("pointer")?);
            program
                .line(me, format!("write_pattern({host}, {}, {});", number("size")? / 4, call::word(number("seed")?)));
        }
        "mismatches_by_host" => {
            program.helpers.insert("pattern");
            let host = call::host(program, me, number("pointer")?);
            let text = format!("wrong_words({host}, {}, {})", number("size")? / 4, call::word(number("seed")?));
            counted(program, me, step, &text);
        }
        "send_descriptor_to_the_runner" => {
            let known = descriptor(program, me, i32::try_from(number("descriptor")?).map_err(|_| missing())?);
            let sent = program.name("sent");
            program.declare(me, "int", &sent);
            program.line(me, format!("{sent} = dup({known});"));
            let place = object(program, Kind::Descriptor, "int", sent, u64::MAX, 0);
            program.sent.push(place);
        }
        "keep_descriptor" => {
            let sent = program.sent.last().copied();
            let sent = sent.ok_or_else(|| Unwritable::new("the case passes a descriptor that no process made"))?;
            let name = program.bring(sent, me);
            let kept = program.name("descriptor");
            program.declare(me, "int", &kept);
            program.line(me, format!("{kept} = dup({name});"));
            object(program, Kind::Descriptor, "int", kept, answer().ok_or_else(missing)? as u64, 0);
        }
        "close_descriptor" => {
            let known = descriptor(program, me, i32::try_from(number("descriptor")?).map_err(|_| missing())?);
            program.line(me, format!("close({known});"));
        }
        "duplicate_descriptor" => {
            let known = descriptor(program, me, i32::try_from(number("descriptor")?).map_err(|_| missing())?);
            let copy = program.name("descriptor");
            program.declare(me, "int", &copy);
            program.line(me, format!("{copy} = fcntl({known}, F_DUPFD_CLOEXEC, {});", number("least")?));
            object(program, Kind::Descriptor, "int", copy, answer().ok_or_else(missing)? as u64, 0);
        }
        _ => return Err(Unwritable::new(format!("the program cannot do what the step `{name}` does"))),
    }
    Ok(())
}
