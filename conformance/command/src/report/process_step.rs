//! A step that calls no driver function, in C: what a process does with its own memory, descriptors and children.

use super::program::Program;
use super::story::{Step, Unwritable};
use super::text::{Token, answered, tokens};
use super::values::Kind;
use super::{call, child, descriptor, prototype};

/// Writes a step of a participant.
pub(crate) fn write(program: &mut Program, me: usize, step: &Step) -> Result<(), Unwritable> {
    let name = step.name();
    let missing = || Unwritable::new(format!("a field of {name} is missing"));
    let number = |field: &str| step.number(field).ok_or_else(missing);
    match name {
        "heap_alloc" => {
            let length = number("size")?;
            let (host, place) =
                program.variable(me, Kind::Object, "void *", "host", answered(&step.answer).ok_or_else(missing)?);
            program.line(me, format!("{host} = buffer({});", call::size(length)));
            program.values.get_mut(place).size = length;
        }
        "stack_address" => word_of_the_stack(program, me, answered(&step.answer).ok_or_else(missing)?),
        "can_bind_memory" => {
            // Only the answer of a process that may can be of a driver that misbehaves.
            let binds = "syscall(SYS_mbind, 0, 0, 0, 0, 0, 0)";
            if step.answer == "true" {
                program.line(
                    me,
                    format!(
                        "if ({binds})\n    end(CANNOT_RUN, \"cannot run: no memory can be bound to a NUMA node\");"
                    ),
                );
            }
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
        "cuda_get_error_name" => {
            let function = "cudaGetErrorName";
            program.functions.insert(function.to_owned());
            debug_assert!(prototype::of(function).is_some(), "the program needs a prototype of it");
            let text = text(step).ok_or_else(missing)?;
            let (found, place) = program.variable(me, Kind::Text, "const char *", "name", 1);
            program.values.get_mut(place).bytes = text.into_bytes();
            program.line(me, format!("{found} = {function}({});", number("code")?));
        }
        _ => {
            if !descriptor::write(program, me, step)? && !child::write(program, me, step)? {
                return Err(Unwritable::new(format!("the program cannot do what the step `{name}` does")));
            }
        }
    }
    Ok(())
}

/// Returns the text in the result of a step.
pub(crate) fn text(step: &Step) -> Option<String> {
    tokens(&step.answer).into_iter().find_map(|token| match token {
        Token::Text(text) => Some(text),
        _ => None,
    })
}

/// Declares a word on the stack of a participant, whose address was this number.
fn word_of_the_stack(program: &mut Program, me: usize, address: u64) {
    const BYTES: u64 = 8;
    let (stack, place) = program.variable(me, Kind::Object, "void *", "stack", address);
    program.declare(me, "unsigned long long", &format!("{stack}_word"));
    program.line(me, format!("{stack} = &{stack}_word;"));
    program.values.get_mut(place).size = BYTES;
}

/// Declares the words on the stack that a step passes to the driver as addresses.
pub(crate) fn words_of_the_stack(program: &mut Program, me: usize, step: &Step) {
    for called in &step.calls {
        let Some(prototype) = prototype::of(&called.call.function) else { continue };
        for (parameter, argument) in prototype.parameters.iter().zip(&called.call.arguments) {
            let is_address = parameter.kind == "CUdeviceptr" && argument.value != 0;
            if is_address && program.values.place(me, argument.value).is_none_or(|(_, offset)| offset != 0) {
                word_of_the_stack(program, me, argument.value);
            }
        }
    }
}

/// Adds a number that the process counts.
pub(crate) fn counted(program: &mut Program, me: usize, step: &Step, text: &str) {
    counted_as(program, me, step, "wrong_words", text);
}

/// The same, with the stem of a name.
pub(crate) fn counted_as(program: &mut Program, me: usize, step: &Step, stem: &str, text: &str) {
    let number = step.answer.parse().unwrap_or(u64::MAX);
    let (count, _) = program.variable(me, Kind::Number, "unsigned long long", stem, number);
    program.line(me, format!("{count} = {text};"));
}
