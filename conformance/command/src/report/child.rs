//! Steps with children of a process, in C: a fork, and a program that the process starts.

use super::call;
use super::program::Program;
use super::story::{Step, Unwritable};
use super::values::Kind;

/// What a child does if the driver works for it.
const USE: [&str; 8] = [
    "cuInit",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuMemAlloc",
    "cuMemsetD8",
    "cuMemcpyDtoH",
    "cuMemFree",
    "cuDevicePrimaryCtxRelease",
];
const IMPORT: [&str; 5] =
    ["cuMemImportFromShareableHandle", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess", "cuMemcpyDtoH"];

/// Writes a step of a participant. Returns false if it is none of these.
pub(crate) fn write(program: &mut Program, me: usize, step: &Step) -> Result<bool, Unwritable> {
    let name = step.name();
    let missing = || Unwritable::new(format!("a field of {name} is missing"));
    let device = program.devices[me];
    let descriptor = |program: &mut Program| {
        let number = step.number("descriptor").and_then(|number| i32::try_from(number).ok());
        Ok::<_, Unwritable>(call::descriptor(program, me, number.ok_or_else(missing)?))
    };
    let end = match name {
        "fork_and_use_the_driver" => {
            let begins = u32::from(step.text.contains("Init"));
            program.helpers.insert("use_the_driver");
            program.functions.extend(USE.map(str::to_owned));
            format!("forked(use_the_driver({device}, {begins}))")
        }
        "fork_and_leave" => "forked(0)".to_owned(),
        "fork_and_exit" => "forked((exit(0), 1))".to_owned(),
        "exec_and_use_the_driver" => {
            program.helpers.insert("use_the_driver");
            program.helpers.insert("program");
            program.functions.extend(USE.map(str::to_owned));
            format!("forked(become_a_program({device}))")
        }
        "fork_and_import" => {
            let descriptor = descriptor(program)?;
            let field = |field| step.number(field).ok_or_else(missing);
            let (size, seed) = (field("size")?, field("seed")?);
            program.helpers.extend(["pattern", "import"]);
            program.functions.extend(USE.into_iter().chain(IMPORT).map(str::to_owned));
            format!("forked(import_and_verify({device}, {descriptor}, {}, {}))", call::size(size), call::word(seed))
        }
        "exec_and_hold" => {
            let descriptor = descriptor(program)?;
            program.helpers.insert("holder");
            program.line(me, format!("start_holder({descriptor});"));
            return Ok(true);
        }
        "end_holder" => {
            program.line(me, "end_holder();");
            return Ok(true);
        }
        _ => return Ok(false),
    };
    program.helpers.insert("fork");
    let (child, place) = program.variable(me, Kind::Text, "const char *", "child", 1);
    program.values.get_mut(place).bytes = step.answer.clone().into_bytes();
    program.line(me, format!("{child} = {end};"));
    Ok(true)
}
