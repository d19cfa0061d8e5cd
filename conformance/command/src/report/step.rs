//! A step of a case in C: its driver calls with what the case expects of them, and what its process does beside them.

use conformance::trace::Expectation;
use cuda_ipc_sys::CUresult;

use super::call::{self, Written, length};
use super::launch::launch;
use super::program::{PARENT, Program};
use super::story::{Called, Expected, Step, Unwritable};
use super::text::{Token, number, tokens};
use super::values::{Kind, Value};
use super::{descriptor, log, process_step, threads};

/// Gives work that must stay pending the time to end wrongly, because a program makes its calls faster than the case did. A
/// sound driver sends no signal here, so there is nothing to wait for.
const A_MOMENT: &str = "nanosleep(&(struct timespec){ 0, 50000000 }, NULL);";

/// The calls of a step that missed its deadline may take an eighth of it in a program. A sound driver needs far less time.
/// A faulty one can need less than in the recorded run, which also wrote the trace, perhaps on a busier machine.
const SHARE: u64 = 8;

/// Writes a step of a participant. If it missed its deadline in many calls, perhaps none of them hung, but each was slow. So
/// the program measures how long they take.
pub(crate) fn write(program: &mut Program, step: &Step) -> Result<(), Unwritable> {
    let me = step.role + 1;
    program.turn(me);
    if step.is_begun {
        program.turn(PARENT);
    }
    program.steps += 1;
    if step.calls.is_empty() {
        return process_step::write(program, me, step);
    }
    program.line(me, format!("/* step {}: {} */", program.steps, step.name()));
    let Some(deadline) = step.missed_deadline() else { return calls(program, me, step) };
    program.helpers.insert("now");
    let took = program.name("milliseconds");
    program.declare(me, "unsigned long long", &took);
    program.line(me, format!("{took} = now();"));
    calls(program, me, step)?;
    program.line(me, format!("{took} = now() - {took};"));
    let (most, number) = (deadline / SHARE, program.steps);
    program.line(me, format!("compares({took}, <=, {most}, \"the duration of step {number}\");"));
    program.checks += 1;
    Ok(())
}

/// Writes the calls of a step, and what its process does beside them.
fn calls(program: &mut Program, me: usize, step: &Step) -> Result<(), Unwritable> {
    // Another step may have other memory at the same address.
    program.read = None;
    let name = step.name().to_owned();
    if name == "fail_and_listen" {
        log::listened_before(program, me);
    }
    if name.starts_with("fail") {
        process_step::words_of_the_stack(program, me, step);
    }
    if step.calls.iter().any(|called| called.thread.is_some()) {
        return threads::write(program, me, step);
    }
    let is_success = step.expectation == Expected::Success;
    let mut chain = Vec::new();
    let mut buffer = None;
    let folded = fold(program, me, step)?;
    let mut last = None;
    let mut ends_contexts = false;
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
            if step.opens_repeatedly() && written.text.starts_with("cuEventQuery(") {
                // The work that was recorded is pending during all rounds.
                program.line(me, format!("refuses({}, {});", written.text, CUresult::CUDA_ERROR_NOT_READY.0));
            } else if code.is_some_and(|code| code != 0) && step.has_output {
                kept_code(program, me, code, &format!("tries({})", written.text));
            } else {
                program.line(me, format!("succeeds({});", written.text));
            }
        } else {
            chain.push(written.text.clone());
        }
        const ENDS_CONTEXTS: [&str; 3] = ["cuCtxDestroy", "cuDevicePrimaryCtxReset", "cudaDeviceReset"];
        ends_contexts |= ENDS_CONTEXTS.iter().any(|function| written.text.starts_with(function));
        let unregisters = written.text.starts_with("cuLogsUnregisterCallback");
        let shown = written.buffer.clone().filter(|_| is_success && step.opens_repeatedly());
        if program.has_failed && is_success && code == Some(0) {
            same_outputs(program, me, &written);
        }
        written.register(program, me);
        if let (Some(buffer), Some(seed)) = (shown, step.number("seed")) {
            program.helpers.insert("pattern");
            let wrong = format!("wrong_words({buffer}, 1, {})", call::word(seed));
            program.line(me, format!("compares({wrong}, ==, 0, \"an import shows what was shared\");"));
            program.checks += 1;
        }
        if name.ends_with("export_and_close") {
            let descriptor = program.values.last_descriptor().unwrap_or_default();
            program.line(me, format!("close({descriptor});"));
            descriptor::released(program, me, &descriptor);
        }
        if unregisters {
            log::heard_so_far(program, me, step);
        }
    }
    if let Expected::Other(expectation) = &step.expectation {
        if ended_early(expectation, last) {
            program.line(me, A_MOMENT);
        }
        let calls = chain.join(" ?: ");
        let text = if step.discloses { format!("reaches({calls})") } else { expected(&calls, expectation, last)? };
        if step.keeps_code && text.starts_with("refuses(") {
            kept_code(program, me, last, &text);
        } else {
            program.line(me, format!("{text};"));
        }
    }
    if ends_contexts && last == Some(0) {
        // The template removes the line if the program has no kernels.
        program.line(me, super::FORGET);
    }
    answered(program, me, step, &name, buffer, last)
}

/// Adds a line for each output of a call that equals an earlier one, or is null. Later steps can then mean either of them,
/// so the program goes on only if the driver does the same again.
fn same_outputs(program: &mut Program, me: usize, written: &Written) {
    const OF: [&str; 4] = ["CUdeviceptr", "CUevent", "CUmemoryPool", "CUstream"];
    for output in &written.outputs {
        let differ = match output.kind {
            Kind::Object if !OF.contains(&output.of) => None,
            Kind::Object if output.number == 0 => Some(format!("{} != 0", output.name)),
            Kind::Object => program.values.same_as(output).map(|known| format!("{} != {}", output.name, known.name)),
            Kind::Handle => {
                let known = program.values.handles(&output.bytes);
                let own = known.iter().map(|place| program.values.get(*place)).rfind(|known| known.owner == me);
                own.map(|known| format!("memcmp(&{}, &{}, 64)", output.name, known.name))
            }
            _ => None,
        };
        if let Some(differ) = differ {
            program.line(me, format!("takes_the_path({differ}, 0);"));
        }
    }
}

/// Whether work had ended that the case expected to be pending.
fn ended_early(expectation: &Expectation, last: Option<u32>) -> bool {
    let not_ready = CUresult::CUDA_ERROR_NOT_READY.0;
    last == Some(0) && matches!(expectation, Expectation::Refused(codes) if codes.contains(&not_ready))
}

/// Adds a call whose code the case looks at.
fn kept_code(program: &mut Program, me: usize, code: Option<u32>, call: &str) {
    let (name, _) = program.variable(me, Kind::Code, "CUresult", "code", code.unwrap_or_default().into());
    program.line(me, format!("{name} = {call};"));
}

/// Writes calls of which the case does not simply expect success.
fn expected(calls: &str, expectation: &Expectation, last: Option<u32>) -> Result<String, Unwritable> {
    let list = |codes: &[u32]| codes.iter().map(|code| format!(", {code}")).collect::<String>();
    Ok(match (expectation, last) {
        (Expectation::Refused(codes), _) if codes.is_empty() => format!("refuses({calls}, ANY_ERROR)"),
        (Expectation::Refused(codes), _) => format!("refuses({calls}{})", list(codes)),
        // If the case does not accept the code, no sound driver returns it, so the path is that of success.
        (Expectation::Among(codes), Some(code)) if code == 0 || !codes.contains(&code) => {
            format!("returns({calls}, 0{})", list(codes))
        }
        (Expectation::Among(codes), Some(code)) => format!("returns({calls}, {code}, 0{})", list(codes)),
        (Expectation::Any | Expectation::Survives, Some(code)) => format!("takes_the_path({calls}, {code})"),
        // The process died in the call. If it survives, whatever the call returns is right, and the story of the process is over.
        (Expectation::Any, None) => format!("tries({calls})"),
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
        return mismatches(program, me, step);
    }
    if step.name() == "first_mismatch_of_many" {
        return patterns(program, me, step);
    }
    let mut parts = Vec::new();
    let launches = step.calls.iter().any(|called| called.call.function.starts_with("cuLaunchKernel"));
    for called in &step.calls {
        match &*called.call.function {
            "cuCtxGetCurrent" | "cuModuleLoadData" | "cuModuleGetFunction" if launches => {
                if called.returned.as_ref().is_some_and(|returned| returned.code != 0) {
                    return Err(Unwritable::new("a kernel could not be loaded"));
                }
            }
            "cuIpcGetMemHandle" if step.name() == "ipc_get_mem_handle_between_others" => {
                parts.push(between(program, me, called));
            }
            "cuLaunchKernelEx" => parts.push(launch_with_event(program, me, step, called)?),
            "cuPointerGetAttributes" => parts.push(attributes(program, me, step, called)?),
            "cuLaunchKernel" => {
                let code = called.returned.as_ref().map(|returned| returned.code);
                parts.push(Part::Helper { text: launch(program, me, step, called)?, code });
            }
            _ => parts.push(Part::Call(called)),
        }
    }
    Ok(parts)
}

/// Counts the wrong words of memory.
fn mismatches<'step>(program: &mut Program, me: usize, step: &'step Step) -> Result<Vec<Part<'step>>, Unwritable> {
    let field = |name| step.number(name).ok_or_else(|| Unwritable::new("a field of the step is missing"));
    let (pointer, words, seed) = (field("pointer")?, field("size")? / 4, field("seed")?);
    let wrong = program.name("wrong_words");
    program.declare(me, "unsigned long long", &wrong);
    let pointer = call::address(program, me, pointer);
    let text = format!("count_wrong_words({pointer}, {words}, {}, &{wrong})", call::word(seed));
    needs_verify(program);
    let last = step.calls.last().and_then(|called| called.returned.as_ref()).map(|it| it.code);
    let number = step.answer.parse().unwrap_or(u64::MAX);
    program.values.add(Value::new(me, Kind::Number, "unsigned long long", wrong, number));
    Ok(vec![Part::Helper { text, code: last }])
}

/// Adds what the program needs to count wrong words.
fn needs_verify(program: &mut Program) {
    program.helpers.insert("verify");
    program.kernels.insert("verify".to_owned());
    let functions = ["cuMemHostAlloc", "cuMemHostGetDevicePointer", "cuStreamSynchronize", "cuMemFreeHost"];
    program.functions.extend(functions.map(str::to_owned));
}

/// Writes the checks of many buffers. Each seed is one more than the last.
fn patterns<'step>(program: &mut Program, me: usize, step: &'step Step) -> Result<Vec<Part<'step>>, Unwritable> {
    let field = |name| step.number(name).ok_or_else(|| Unwritable::new("a field of the step is missing"));
    let (words, first) = (field("size")? / 4, field("seed")?);
    needs_verify(program);
    program.helpers.insert("contains");
    let last = step.calls.last().and_then(|called| called.returned.as_ref()).map(|it| it.code);
    let pointers = step.text.split("Pointer(").skip(1).filter_map(|rest| number(rest.split(')').next()?));
    let pointers: Vec<u64> = pointers.filter_map(|pointer| u64::try_from(pointer).ok()).collect();
    let part = |(place, pointer): (usize, u64)| {
        program.checks += 1;
        let seed = call::word(first.wrapping_add(place as u64) & u64::from(u32::MAX));
        let text = format!("verify_pattern({}, {words}, {seed})", call::address(program, me, pointer));
        Part::Helper { text, code: last }
    };
    Ok(pointers.into_iter().enumerate().map(part).collect())
}

/// An export into memory between other bytes.
fn between<'step>(program: &mut Program, me: usize, called: &Called) -> Part<'step> {
    program.helpers.insert("between");
    program.functions.insert(called.call.function.clone());
    program.checks += 1;
    let pointer = call::address(program, me, called.call.arguments[1].value);
    let code = called.returned.as_ref().map(|returned| returned.code);
    Part::Helper { text: format!("export_between({pointer})"), code }
}

/// A launch with an event in an attribute of the launch.
fn launch_with_event<'step>(
    program: &mut Program,
    me: usize,
    step: &Step,
    called: &Called,
) -> Result<Part<'step>, Unwritable> {
    let field = |name| step.number(name).ok_or_else(|| Unwritable::new("a field of the step is missing"));
    let (attribute, event, stream) = (field("attribute")?, field("event")?, field("stream")?);
    let object = |number: u64, of: &str| {
        let known = program.values.equal_to(number, |value| value.owner == me && value.of == of);
        known.last().map_or("NULL".to_owned(), |place| program.values.get(*place).name.clone())
    };
    let (event, stream) = (object(event, "CUevent"), object(stream, "CUstream"));
    program.helpers.insert("launch_with_event");
    program.functions.insert(called.call.function.clone());
    program.kernels.insert("spin".to_owned());
    let code = called.returned.as_ref().map(|returned| returned.code);
    Ok(Part::Helper { text: format!("launch_with_event({attribute}, {event}, {stream})"), code })
}

/// Several attributes of a pointer in one call.
fn attributes<'step>(
    program: &mut Program,
    me: usize,
    step: &Step,
    called: &Called,
) -> Result<Part<'step>, Unwritable> {
    let unknown = || Unwritable::new("a field of the step is missing");
    let list = |text: &str| -> Vec<i128> {
        let numbers = tokens(text).into_iter().filter_map(|token| match token {
            Token::Number(number) => Some(number),
            _ => None,
        });
        numbers.collect()
    };
    let (_, fields) = step.text.split_once('[').ok_or_else(unknown)?;
    let attributes = list(fields.split_once(']').ok_or_else(unknown)?.0);
    let found = list(&step.answer);
    let values = program.name("values");
    program.declare(me, "unsigned long long", &format!("{values}[{}]", attributes.len()));
    program.line(me, format!("memset({values}, 0xa5, sizeof {values});"));
    let pointer = call::address(program, me, called.call.arguments.get(3).ok_or_else(unknown)?.value);
    let outputs: Vec<_> = (0..attributes.len()).map(|place| format!("&{values}[{place}]")).collect();
    let names: Vec<_> = attributes.iter().map(ToString::to_string).collect();
    let text = format!(
        "cuPointerGetAttributes({}, (unsigned[]){{ {} }}, (void *[]){{ {} }}, {pointer})",
        names.len(),
        names.join(", "),
        outputs.join(", ")
    );
    for (place, number) in found.into_iter().enumerate() {
        let (name, number) = (format!("{values}[{place}]"), u64::try_from(number).unwrap_or_default());
        program.values.add(Value::new(me, Kind::Number, "unsigned long long", name, number));
    }
    program.functions.insert(called.call.function.clone());
    let code = called.returned.as_ref().map(|returned| returned.code);
    Ok(Part::Helper { text, code })
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
    if step.has_output && name == "fail_and_listen" {
        log::heard_afterwards(program, me, step);
    }
    if last != Some(0) {
        return Ok(());
    }
    match (name, buffer) {
        ("mismatches_by_copy", Some(buffer)) => {
            program.helpers.insert("pattern");
            let text = format!("wrong_words({buffer}, {}, {})", number("size")? / 4, call::word(number("seed")?));
            process_step::counted(program, me, step, &text);
        }
        ("other_bytes", Some(buffer)) => {
            program.helpers.insert("other_bytes");
            let text = format!("other_bytes({buffer}, {}, {})", length(program, me, number("size")?), number("value")?);
            process_step::counted_as(program, me, step, "other_bytes", &text);
        }
        ("read", Some(buffer)) => {
            let bytes: Option<Vec<u8>> = tokens(super::check::beginning(&step.answer))
                .into_iter()
                .filter_map(|token| match token {
                    Token::Number(byte) => Some(u8::try_from(byte).ok()),
                    _ => None,
                })
                .collect();
            let bytes = bytes.unwrap_or_default();
            for (place, byte) in bytes.iter().enumerate().take(super::READ_AT_MOST) {
                let name = format!("{buffer}[{place}]");
                program.values.add(Value::new(me, Kind::Number, "unsigned long long", name, (*byte).into()));
            }
        }
        ("get_error_name", _) => {
            let text = tokens(&step.answer).into_iter().find_map(|token| match token {
                Token::Text(text) => Some(text),
                _ => None,
            });
            if let (Some(text), Some(place)) = (text, program.values.last_text()) {
                program.values.get_mut(place).bytes = text.into_bytes();
            }
        }
        _ => {}
    }
    Ok(())
}
