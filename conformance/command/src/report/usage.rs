//! What a process or a device uses, in C: measurements, and comparisons with earlier ones.

use conformance::trace::Comparison;

use super::assemble::identifier;
use super::call::size;
use super::check::Condition;
use super::program::{PARENT, Program};
use super::story::{Step, Unwritable};
use super::values::{Kind, Value};

/// The beginning of a comparison of growth: `after.mappings <= before.mappings + 64`.
const AFTER: &str = "after.";
/// The beginning of a comparison of the files that a process has left.
const LEFT: &str = "files left by ";

/// Measures what a process uses: the participant itself or another one.
pub(crate) fn measure(program: &mut Program, me: usize, step: &Step) {
    let other = step.other.map_or(me, |role| role + 1);
    program.helpers.insert("usage");
    let name = program.name("usage");
    program.declare(me, "struct usage", &name);
    let process = match other {
        _ if other == me => "getpid()".to_owned(),
        _ => format!("processes[{}]", program.participants[other]),
    };
    program.line(me, format!("{name} = usage_of({process});"));
    program.values.add(Value::new(me, Kind::Usage, "struct usage", name, other as u64));
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
        free(program, acting, compared).ok_or_else(missing)
    } else {
        usage(program, acting, what, rest).ok_or_else(missing)
    })
}

/// Compares the newest measurement of a process with the first one.
fn usage(program: &Program, acting: usize, what: &str, rest: &str) -> Option<Condition> {
    let (_, slack) = rest.rsplit_once("+ ")?;
    let slack: u64 = slack.parse().ok()?;
    let values = &program.values;
    let newest = *values.all_that(|value| value.kind == Kind::Usage && value.owner == acting).last()?;
    let process = values.get(newest).number;
    let of_it = values.all_that(|it| it.kind == Kind::Usage && it.owner == acting && it.number == process);
    let (first, newest) = (&values.get(*of_it.first()?).name, &values.get(newest).name);
    let slack = if slack == 0 { String::new() } else { format!(" + {}", size(slack)) };
    Some(Condition { participant: acting, text: format!("{newest}.{what} <= {first}.{what}{slack}") })
}

/// Waits until the memory is free: a driver may free memory after a delay.
fn free(program: &mut Program, acting: usize, compared: &Comparison) -> Option<Condition> {
    let least: u64 = compared.right.parse().ok()?;
    let values = &program.values;
    let is_free = |value: &Value| value.owner == acting && value.name.starts_with("free");
    let before = values.all_that(|value| is_free(value) && value.number >= least);
    let before = values.get(*before.first()?);
    let slack = before.number - least;
    let slack = if slack == 0 { String::new() } else { format!(" - {}", size(slack)) };
    let text = becomes_free(program, &format!("{}{slack}", before.name));
    Some(Condition { participant: acting, text })
}

/// Makes the parent count the files that an ended process has left.
fn files(program: &mut Program, name: &str) -> Option<Condition> {
    let name = identifier(name).to_uppercase();
    let process = program.participants.iter().rfind(|participant| **participant == name)?;
    let text = format!("remove_files_left_by(processes[{process}]) == 0");
    program.helpers.insert("files");
    Some(Condition { participant: PARENT, text })
}

/// Writes the condition that so much memory becomes free.
pub(crate) fn becomes_free(program: &mut Program, least: &str) -> String {
    program.helpers.insert("free");
    program.functions.insert("cuMemGetInfo".to_owned());
    format!("becomes_free({least})")
}
