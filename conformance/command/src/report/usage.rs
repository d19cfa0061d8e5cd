//! What a process or a device uses, in C: measurements, and comparisons with earlier ones.

use conformance::trace::Comparison;

use super::call::size;
use super::condition::Condition;
use super::program::{PARENT, Program};
use super::story::{Step, Unwritable};
use super::text::identifier;
use super::values::{COMPUTED, Kind, Value};

/// The beginning of a comparison of growth: `after.mappings <= before.mappings + 64`.
const AFTER: &str = "after.";
/// The beginning of a comparison of the files that a process has left.
const LEFT: &str = "files left by ";

/// What a program measures: the fields of `struct usage`.
const MEASURED: [&str; 6] = ["resident", "mapped", "mappings", "descriptors", "children", "shared_files"];

/// Measures what a process uses: the participant itself or another one.
pub(crate) fn measure(program: &mut Program, me: usize, step: &Step) -> Result<(), Unwritable> {
    if step.name() == "usage_of" && step.other.is_none() {
        return Err(Unwritable::new("the case measures a process that is none of its own"));
    }
    let other = step.other.map_or(me, |role| role + 1);
    if other != me && program.is_new(me) {
        return Err(Unwritable::new("a program cannot measure a process for one that has replaced its program"));
    }
    program.helpers.insert("usage");
    let name = program.name("usage");
    program.declare(me, "struct usage", &name);
    let process = match other {
        _ if other == me => "getpid()".to_owned(),
        _ => format!("processes[{}]", program.participants[other]),
    };
    program.line(me, format!("{name} = usage_of({process});"));
    program.values.add(Value::new(me, Kind::Usage, "struct usage", name, other as u64));
    Ok(())
}

/// Writes a comparison of growth. Returns `None` for any other comparison.
pub(crate) fn comparison(
    program: &mut Program,
    acting: usize,
    compared: &Comparison,
    text: &str,
) -> Option<Result<Condition, Unwritable>> {
    if let Some(name) = text.strip_prefix(LEFT) {
        return Some(files(program, name).ok_or_else(|| Unwritable::new(format!("no process is called {name}"))));
    }
    let (what, rest) = text.strip_prefix(AFTER)?.split_once(' ')?;
    if !rest.contains("before.") {
        return None;
    }
    let missing = || Unwritable::new(format!("the program has no value for `{text}`"));
    Some(if what == "free" {
        free(program, acting, compared, rest).ok_or_else(missing)
    } else {
        usage(program, acting, what, rest).ok_or_else(missing)
    })
}

/// Compares the newest measurement of a process with the first one.
fn usage(program: &Program, acting: usize, what: &str, rest: &str) -> Option<Condition> {
    let what = MEASURED.into_iter().find(|field| *field == what)?;
    let (_, slack) = rest.rsplit_once("+ ")?;
    let slack: u64 = slack.parse().ok()?;
    let values = &program.values;
    let newest = *values.all_that(|value| value.kind == Kind::Usage && value.owner == acting).last()?;
    let process = values.get(newest).number;
    let of_it = values.all_that(|it| it.kind == Kind::Usage && it.owner == acting && it.number == process);
    let (first, newest) = (&values.get(*of_it.first()?).name, &values.get(newest).name);
    if what == "shared_files" {
        let text = format!("new_files(&{first}, &{newest}) <= {slack}");
        return Some(Condition { participant: acting, text });
    }
    let slack = if slack == 0 { String::new() } else { format!(" + {}", size(slack)) };
    Some(Condition { participant: acting, text: format!("{newest}.{what} <= {first}.{what}{slack}") })
}

/// Compares the free memory. Waits until enough is free, because a driver may free memory after a delay, unless the case
/// wants it at once. What was free before has a name of its own if the case measured it several times.
fn free(program: &mut Program, acting: usize, compared: &Comparison, rest: &str) -> Option<Condition> {
    let [after, before]: [u64; 2] = [compared.left.parse().ok()?, compared.right.parse().ok()?];
    let slack: u64 = rest.strip_prefix("+ ")?.split(' ').next()?.parse().ok()?;
    let of = |number: u64, is_it: fn(&Value) -> bool| {
        program.values.equal_to(number, |value| value.owner == acting && value.kind == Kind::Number && is_it(value))
    };
    let is_free = |value: &Value| value.name.starts_with("free");
    let named = of(before, |value| value.of == COMPUTED).last().copied();
    let before = named.or_else(|| of(before, is_free).first().copied())?;
    let after = *of(after, is_free).last()?;
    let [after, before] = [after, before].map(|place| program.values.get(place).name.clone());
    let text = if compared.operator == ">=" && !rest.ends_with("at once") {
        becomes_free(program, acting, &before, slack)
    } else {
        format!("{after} + {} {} {before}", size(slack), compared.operator)
    };
    Some(Condition { participant: acting, text })
}

/// Makes a participant wait until as much memory is free as before, except for some bytes. Returns the condition that it is.
pub(crate) fn becomes_free(program: &mut Program, participant: usize, before: &str, slack: u64) -> String {
    const NAME: &str = "free_at_last";
    program.turn(participant);
    program.helpers.insert("free");
    program.functions.insert("cuMemGetInfo".to_owned());
    program.declare(participant, "size_t", NAME);
    let slack = size(slack);
    program.line(participant, format!("{NAME} = once_free({before} - {slack});"));
    format!("{NAME} + {slack} >= {before}")
}

/// Makes the parent count the files that an ended process has left.
fn files(program: &mut Program, name: &str) -> Option<Condition> {
    let name = identifier(name).to_uppercase();
    let process = program.participants.iter().rfind(|participant| **participant == name)?;
    let text = format!("remove_files_left_by(processes[{process}]) == 0");
    program.helpers.insert("files");
    Some(Condition { participant: PARENT, text })
}
