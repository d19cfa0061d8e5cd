//! The checks of a case, as conditions in C.

use conformance::trace::Comparison;

use super::call::quoted;
use super::condition::Condition;
use super::program::Program;
use super::story::Unwritable;
use super::structure;
use super::text::{Token, tokens};
use super::usage;
use super::values::{COMPUTED, Kind, Value};

/// A number below this is a size or a code and not an address.
const FIRST_ADDRESS: i128 = 1 << 32;
/// How many of the newest values a number in a check can be.
const NEWEST: usize = 24;
/// The longest list whose numbers are each found by their values.
const FEW: usize = 8;

/// A side of a comparison in C.
struct Side {
    text: String,
    value: Option<usize>,
}

/// What the right side of a comparison is in the source of its case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    /// A number or a constant.
    Literal,
    /// A variable of the case.
    Variable,
    Any,
}

/// Writes a comparison in C. `None` if it compares nothing that a call returned.
pub(crate) fn comparison(
    program: &mut Program,
    acting: usize,
    compared: &Comparison,
    text: &str,
    holds: bool,
) -> Result<Option<Condition>, Unwritable> {
    if let Some(growth) = usage::comparison(program, acting, compared, text) {
        return growth.map(Some);
    }
    if let Some(condition) = descriptors(program, acting, compared) {
        return Ok(Some(condition));
    }
    if compared.operator == "are distinct" {
        return distinct(program, acting, compared, holds);
    }
    let (left, right) = (tokens(beginning(&compared.left)), tokens(beginning(&compared.right)));
    let is_equality = matches!(&*compared.operator, "==" | "!=");
    // What the case compares with a number or a constant in its source is that number.
    let right_text = text.rsplit_once(&compared.operator).map(|(_, right)| right.trim().replace('_', ""));
    let right_is_literal = right_text.as_ref().is_some_and(|right| {
        right.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()) || right.ends_with("NULL")
    });
    let right_is_variable =
        right_text.is_some_and(|right| !right.is_empty() && right.bytes().all(|byte| byte.is_ascii_lowercase()));
    let is_value = |token: &Token| !matches!(token, Token::Word(_));
    let differ = |(one, other): &(&Token, &Token)| one != other;
    let has_one_shape = left.len() == right.len()
        && left.iter().zip(&right).filter(differ).all(|(one, other)| is_value(one) && is_value(other));
    if !has_one_shape {
        return if holds { Ok(None) } else { Err(Unwritable::new("the compared values have different shapes")) };
    }
    // How a child ended: one word.
    if let ([Token::Word(one)], [Token::Word(other)]) = (&*left, &*right)
        && let Some(value) = program.values.text(one)
    {
        let name = program.values.get(value).name.clone();
        let is = if compared.operator == "==" { "!" } else { "" };
        let text = format!("{is}strcmp({name}, {})", quoted(other));
        return Ok(Some(Condition { participant: program.values.get(value).owner, text }));
    }
    if matches!(&*compared.operator, "%" | "is a power of") {
        let condition = arithmetic(program, acting, &compared.operator, &left, &right);
        return match condition {
            None if !holds => Err(Unwritable::new("the program has no variable for the checked number")),
            condition => Ok(condition),
        };
    }
    // A number that the case computes is not the result of a call, even if the two are equal. If it computes the right side from
    // the left one, that number is wrong if what the driver returned was wrong.
    let is_computed = text.split_once(&format!(" {} ", compared.operator)).is_some_and(|(left, right)| {
        let is_left = [" * ", " / ", " % "].iter().any(|operator| outside(left).contains(operator));
        is_left || computes_with(right, left)
    });
    if is_computed {
        return if holds { Ok(None) } else { Err(Unwritable::new("the condition is computed in the case")) };
    }
    if is_equality && let (Some(left), Some(right)) = (bytes(&left), bytes(&right)) {
        if let Some(condition) = unwritten(program, &left, &right, &compared.operator) {
            return Ok(Some(condition));
        }
        match contents(program, &left, &right, &compared.operator) {
            Some(condition) => return Ok(Some(condition)),
            // The bytes of a long list are too many to find each by its value.
            None if left.len() > FEW && holds => return Ok(None),
            None if left.len() > FEW => return Err(Unwritable::new("the program does not read the compared bytes")),
            None => {}
        }
    }
    let pairs = left.iter().zip(&right).enumerate().filter(|(_, (one, other))| is_value(one) && is_value(other));
    let are_equal = left == right;
    let mut conditions = Vec::new();
    let mut participant = acting;
    for (place, (one, other)) in pairs {
        if is_equality && !are_equal && one == other {
            continue;
        }
        let of_a_field = member(program, &left, place).zip(number_of(other));
        let sides = match of_a_field {
            Some((member, right)) => Some((member, Side { text: literal(right), value: None })),
            None => {
                let called = called(text, &compared.operator);
                let right = match (right_is_literal, right_is_variable && program.has_failed) {
                    (true, _) => Right::Literal,
                    // Small numbers are often equal by chance. A check that holds need not be in the program of a failure.
                    (_, true) if holds && number_of(one).is_some_and(|number| !is_an_id(number)) => continue,
                    (_, true) if !holds => Right::Variable,
                    _ => Right::Any,
                };
                sides(program, acting, one, other, is_equality, right, &called)
            }
        };
        let Some((mut left, mut right)) = sides else {
            continue;
        };
        if let (Token::Text(_), Some(value)) = (other, left.value) {
            participant = program.values.get(value).owner;
            // As with every pair, that they are equal: `!=` negates the whole.
            conditions.push(format!("{0} && !strcmp({0}, {1})", left.text, right.text));
            continue;
        }
        let first = left.value.or(right.value).map(|value| program.values.get(value).owner);
        if conditions.is_empty() {
            participant = first.unwrap_or(acting);
        }
        let is_handle = matches!(one, Token::Handle(_));
        for side in [&mut left, &mut right] {
            let Some(value) = side.value else { continue };
            program.turn(participant);
            let name = program.values.get(value).name.clone();
            side.text = side.text.replace(&name, &program.bring(value, participant));
        }
        let operator = if compared.operator == "!=" { "==" } else { &compared.operator };
        conditions.push(if is_handle {
            format!("memcmp(&{}, &{}, 64) {operator} 0", left.text, right.text)
        } else {
            let (left, right) = same_type(program, left, right);
            format!("{left} {operator} {right}")
        });
    }
    if conditions.is_empty() {
        return if holds {
            Ok(None)
        } else {
            Err(Unwritable::new("the program has no variable for the compared values"))
        };
    }
    let all = conditions.join(" && ");
    Ok(Some(Condition { participant, text: if compared.operator == "!=" { format!("!({all})") } else { all } }))
}

/// Writes a comparison of two descriptors of a participant.
fn descriptors(program: &Program, acting: usize, compared: &Comparison) -> Option<Condition> {
    let number = |side: &str| side.strip_prefix("Descriptor(")?.strip_suffix(')')?.parse().ok();
    let (left, right): (i32, i32) = (number(&compared.left)?, number(&compared.right)?);
    let all = |number: i32| {
        let is_own = |value: &Value| value.owner == acting && value.kind == Kind::Descriptor;
        program.values.equal_to(number.cast_unsigned().into(), is_own)
    };
    let (left, right) = match (&*all(left), &*all(right)) {
        ([.., one, other], _) if left == right => (*one, *other),
        ([.., one], [.., other]) if left != right => (*one, *other),
        _ => return None,
    };
    let [left, right] = [left, right].map(|value| &program.values.get(value).name);
    Some(Condition { participant: acting, text: format!("{left} {} {right}", compared.operator) })
}

/// Assigns a number that the case computed. `{0}` and `{1}` in the expression stand for what calls returned, `from`. Writes
/// nothing if the program has no variable for one of them.
pub(crate) fn computed(program: &mut Program, acting: usize, value: u64, expression: &str, from: &[u64]) {
    let mut text = expression.to_owned();
    let mut is_address = false;
    for (place, number) in from.iter().enumerate() {
        let is_own = |value: &Value| value.owner == acting && matches!(value.kind, Kind::Number | Kind::Object);
        let Some(found) = program.values.equal_to(*number, is_own).last().copied() else { return };
        let found = program.values.get(found);
        is_address |= found.kind == Kind::Object;
        text = text.replace(&format!("{{{place}}}"), &found.name);
    }
    let (kind, of) = if is_address { (Kind::Object, "CUdeviceptr") } else { (Kind::Number, COMPUTED) };
    let (name, _) = program.variable(acting, kind, of, "computed", value);
    program.line(acting, format!("{name} = {text};"));
}

/// Writes that the numbers of a list, which calls returned one after another, are distinct.
fn distinct(
    program: &mut Program,
    acting: usize,
    compared: &Comparison,
    holds: bool,
) -> Result<Option<Condition>, Unwritable> {
    let missing = || Unwritable::new("the program has no variables for the compared numbers");
    let list = tokens(&compared.left);
    let mut wanted: Vec<u64> =
        list.iter().filter_map(number_of).filter_map(|number| u64::try_from(number).ok()).collect();
    if wanted.len() < 2 && holds {
        return Ok(None);
    }
    let mut names = Vec::new();
    for place in program.values.all_that(|value| value.owner == acting && value.kind == Kind::Number).iter().rev() {
        let value = program.values.get(*place);
        if wanted.pop_if(|number| *number == value.number).is_some() {
            names.push(value.name.clone());
        }
    }
    if !wanted.is_empty() || names.len() < 2 {
        return Err(missing());
    }
    names.reverse();
    program.helpers.insert("distinct");
    let text = format!("are_distinct((unsigned long long[]){{ {} }}, {})", names.join(", "), names.len());
    Ok(Some(Condition { participant: acting, text }))
}

/// The fields of the suite's structures, and the members of CUDA's structures that they are.
const MEMBERS: [(&str, &str); 4] = [
    ("allocation_type", ".type"),
    ("handle_types", ".requestedHandleTypes"),
    ("location_type", ".location.type"),
    ("location", ".location.id"),
];

const fn number_of(token: &Token) -> Option<i128> {
    match token {
        Token::Number(number) => Some(*number),
        _ => None,
    }
}

/// Returns the newest member of a structure that is the value of a field, such as the 1 of `handle_types: 1`.
fn member(program: &Program, tokens: &[Token], place: usize) -> Option<Side> {
    let (Token::Word(field), Token::Word(colon)) = (tokens.get(place.checked_sub(2)?)?, &tokens[place - 1]) else {
        return None;
    };
    let (_, suffix) = MEMBERS.into_iter().find(|(name, _)| name == field && colon == ":")?;
    let number = u64::try_from(number_of(&tokens[place])?).ok()?;
    // `.location.type` ends with `.type` too.
    let is_it = |name: &str| name.find('.').is_some_and(|start| &name[start..] == suffix);
    let members = program.values.equal_to(number, |value| is_it(&value.name));
    let value = *members.last()?;
    Some(Side { text: program.values.get(value).name.clone(), value: Some(value) })
}

/// Writes a comparison of bytes that lie one after another in something a process has read.
fn contents(program: &Program, left: &[u8], right: &[u8], operator: &str) -> Option<Condition> {
    let (name, owner) = program.values.run_of(left)?;
    let other = program.values.run_of(right).filter(|(other, of)| *of == owner && *other != name);
    let other = other.map(|(other, _)| format!("&{other}"));
    let list = || right.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let other = other.unwrap_or_else(|| format!("((unsigned char[]){{ {} }})", list()));
    let text = format!("memcmp(&{name}, {other}, {}) {operator} 0", left.len());
    Some(Condition { participant: owner, text })
}

/// Writes whether a handle still has the byte everywhere with which the suite filled its memory before the call.
fn unwritten(program: &Program, handle: &[u8], filling: &[u8], operator: &str) -> Option<Condition> {
    let first = *filling.first().filter(|_| filling.len() == 64)?;
    let value = program.values.get(*program.values.handles(handle).last()?);
    filling.iter().all(|byte| *byte == first).then(|| {
        let is = if operator == "==" { "" } else { "!" };
        let name = &value.name;
        let text =
            format!("{is}(*(unsigned char *)&{name} == {first:#x} && !memcmp(&{name}, (char *)&{name} + 1, 63))");
        Condition { participant: value.owner, text }
    })
}

/// Returns the first bytes of a list of at least two: as many as a program knows of what a process has read.
fn bytes(tokens: &[Token]) -> Option<Vec<u8>> {
    let is = |token: &Token, sign: &str| matches!(token, Token::Word(word) if word == sign);
    let (_, inner) = tokens.split_first().filter(|(first, _)| is(first, "["))?;
    let inner = inner.iter().filter(|token| !is(token, ",") && !is(token, "]"));
    let bytes: Option<Vec<u8>> =
        inner.take(super::READ_AT_MOST).map(|token| u8::try_from(number_of(token)?).ok()).collect();
    bytes.filter(|bytes| bytes.len() > 1)
}

/// Writes that a number is a multiple of another, or a power of two.
fn arithmetic(
    program: &mut Program,
    acting: usize,
    operator: &str,
    left: &[Token],
    right: &[Token],
) -> Option<Condition> {
    let ([.., Token::Number(left)], [.., Token::Number(right)]) = (left, right) else { return None };
    let value = *candidates(program, acting, *left).last()?;
    let participant = program.values.get(value).owner;
    let number = program.values.get(value).name.clone();
    let text = if operator == "%" {
        let divisors = candidates(program, participant, *right).into_iter().map(|value| program.values.get(value));
        // An object of the driver can have the same number, such as the context 256 of the reference driver.
        let is_size = |value: &&Value| value.owner == participant && value.kind == Kind::Number;
        let divisor = divisors.rev().find(is_size).map(|value| value.name.clone());
        format!("{number} % {} == 0", divisor.unwrap_or_else(|| literal(*right)))
    } else {
        format!("{number} != 0 && ({number} & ({number} - 1)) == 0")
    };
    Some(Condition { participant, text })
}

/// Returns what of an expression is in no parentheses: not the arguments of calls.
fn outside(expression: &str) -> String {
    let mut depth = 0;
    let is_outside = |c: &char| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    };
    expression.chars().filter(is_outside).collect()
}

/// Whether an expression computes a number with a variable, such as `accepted | mask & FABRIC` with `mask`.
fn computes_with(expression: &str, variable: &str) -> bool {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':');
    let is_condition = ["&&", "||"].iter().any(|operator| expression.contains(operator));
    expression != variable && !is_condition && expression.split(|c| !is_of_a_name(c)).any(|word| word == variable)
}

/// Returns the part of a value that a check can compare: a program has few of the bytes that a process reads.
pub(crate) fn beginning(text: &str) -> &str {
    const LONG: usize = 16 << 10;
    text.get(..LONG).unwrap_or(text)
}

/// Returns both sides with one type: the runtime's addresses are pointers, and those of the driver are numbers.
fn same_type(program: &Program, left: Side, right: Side) -> (String, String) {
    let is_pointer = |side: &Side| {
        let of = side.value.map(|value| program.values.get(value).of);
        of.is_some_and(|of| of == "void *" || structure::is_object(of))
    };
    let cast = |side: Side| format!("(CUdeviceptr)(uintptr_t){}", side.text);
    match (is_pointer(&left), is_pointer(&right)) {
        (true, false) => (cast(left), right.text),
        (false, true) => (left.text, cast(right)),
        _ => (left.text, right.text),
    }
}

/// Returns two values as the program has them.
fn sides(
    program: &Program,
    acting: usize,
    left: &Token,
    right: &Token,
    is_equality: bool,
    right_is: Right,
    called: &str,
) -> Option<(Side, Side)> {
    let side = |value: usize| Side { text: program.values.get(value).name.clone(), value: Some(value) };
    match (left, right) {
        (Token::Handle(left), Token::Handle(right)) => {
            let (lefts, rights) = (program.values.handles(left), program.values.handles(right));
            let (left, right) = (*lefts.last()?, *rights.first()?);
            (left != right).then(|| (side(left), side(right)))
        }
        (Token::Text(left), Token::Text(right)) => {
            let value = program.values.text(left)?;
            Some((side(value), Side { text: quoted(right), value: None }))
        }
        (Token::Code(left), Token::Code(right)) => {
            let of = |code: u32| program.values.equal_to(code.into(), |value| value.kind == Kind::Code);
            let literal = |code: &u32| Side { text: code.to_string(), value: None };
            match (&*of(*left), &*of(*right)) {
                ([.., one, other], _) if left == right => Some((side(*one), side(*other))),
                ([.., one], [.., other]) if left != right => Some((side(*one), side(*other))),
                ([.., one], _) => Some((side(*one), literal(right))),
                (_, [.., other]) => Some((literal(left), side(*other))),
                _ => None,
            }
        }
        (Token::Number(left), Token::Number(right)) => {
            let lefts = candidates(program, acting, *left);
            let rights = if right_is == Right::Literal { Vec::new() } else { candidates(program, acting, *right) };
            let literal = |number: i128| Side { text: literal(number), value: None };
            // Several numbers can be equal. The program has some under the name that they have in the case.
            let is_called = |place: &&usize| without_number(&program.values.get(**place).name) == called;
            match (lefts.iter().rfind(is_called).or_else(|| lefts.last()), rights.first()) {
                // Two numbers that calls returned, such as the ids of two buffers.
                (Some(one), Some(other))
                    if one != other && left == right && (is_an_id(*left) || right_is == Right::Variable) =>
                {
                    Some((side(*one), side(*other)))
                }
                // One value and another that was there before.
                (Some(one), Some(other)) if one != other && (is_object(program, acting, *left) || left != right) => {
                    Some((side(*one), side(*other)))
                }
                (Some(one), Some(_)) if is_object(program, acting, *left) && left == right => {
                    let (base, offset) =
                        program.values.place_besides(acting, u64::try_from(*right).ok()?, Some(*one))?;
                    is_equality
                        .then(|| (side(*one), Side { text: offset_from(program, base, offset), value: Some(base) }))
                }
                (Some(one), _) if *right < FIRST_ADDRESS || right_is == Right::Literal => {
                    Some((side(*one), literal(*right)))
                }
                (None, Some(other)) if *left < FIRST_ADDRESS => Some((literal(*left), side(*other))),
                (Some(one), None) => {
                    let (base, offset) = program.values.place(acting, u64::try_from(*right).ok()?)?;
                    Some((side(*one), Side { text: offset_from(program, base, offset), value: Some(base) }))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns what the left side of a comparison is called in its case: the `lines` of `lines == 0`, and the `values[2]` of
/// `values [2] == 0`.
fn called(text: &str, operator: &str) -> String {
    let left = text.split_once(&format!(" {operator} ")).map_or(text, |(left, _)| left);
    left.split_whitespace().collect()
}

/// Returns the name of a variable without its number: `values[2]` for `values1[2]`.
fn without_number(name: &str) -> String {
    let (variable, element) = name.split_at(name.find('[').unwrap_or(name.len()));
    format!("{}{element}", variable.trim_end_matches(|c: char| c.is_ascii_digit()))
}

fn offset_from(program: &Program, base: usize, offset: i64) -> String {
    let name = &program.values.get(base).name;
    match offset {
        0 => name.clone(),
        1.. => format!("{name} + {offset}"),
        _ => format!("{name} - {}", offset.unsigned_abs()),
    }
}

fn literal(number: i128) -> String {
    if number >= 1 << 31 { format!("{number:#x}ULL") } else { number.to_string() }
}

/// Returns the values that a number can be, oldest first.
fn candidates(program: &Program, acting: usize, number: i128) -> Vec<usize> {
    let is_object = is_object(program, acting, number);
    let Ok(number) = u64::try_from(number) else { return signed_candidates(program, number) };
    if is_object {
        return program.values.equal_to(number, |value| value.owner == acting);
    }
    let newest = program.values.newest(NEWEST);
    program
        .values
        .equal_to(number, |value| value.kind == Kind::Number || value.kind == Kind::Text && number == 0)
        .into_iter()
        .filter(|place| *place >= newest)
        .collect()
}

/// Whether a number is neither a count or code that many calls return, nor a size.
const fn is_an_id(number: i128) -> bool {
    number > 1 && number % 1024 != 0
}

/// Whether a number is an address, or an object that a call of the participant returned.
fn is_object(program: &Program, acting: usize, number: i128) -> bool {
    const FIRST_OBJECT: i128 = 256;
    let is_known = |number: u64| {
        !program.values.equal_to(number, |value| value.owner == acting && value.kind == Kind::Object).is_empty()
    };
    number >= FIRST_ADDRESS || number >= FIRST_OBJECT && u64::try_from(number).is_ok_and(is_known)
}

/// Negative numbers are kept as the 32 bits that the driver wrote.
fn signed_candidates(program: &Program, number: i128) -> Vec<usize> {
    let Ok(bits) = i32::try_from(number) else { return Vec::new() };
    let newest = program.values.newest(NEWEST);
    // A descriptor that a call did not write is still -1.
    let is_it = |value: &Value| {
        value.kind == Kind::Number || value.kind == Kind::Descriptor && value.name.starts_with("descriptor")
    };
    let all = program.values.equal_to(u64::from(bits.cast_unsigned()), is_it);
    all.into_iter().filter(|place| *place >= newest).collect()
}

/// Writes a condition that is only a call, such as `importer.device_can_access_peer(0, 1)?`, with its last result.
pub(crate) fn of_answer(program: &Program, answer: &str, holds: bool) -> Option<Condition> {
    let was_true = match answer {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    let newest = program.values.last_number()?;
    let value = program.values.get(newest);
    // If the check failed, the other result is the right one.
    let is_right = was_true == holds;
    Some(Condition {
        participant: value.owner,
        text: format!("{} {} 0", value.name, if is_right { "!=" } else { "==" }),
    })
}

#[cfg(test)]
mod tests {
    use super::{computes_with, outside};

    /// The arguments of a call are not computed values.
    #[test]
    fn arguments_are_inside() {
        assert_eq!(outside("importer.mismatches(here, SIZE / 2, 7) ? "), "importer.mismatches) ? ");
        assert_eq!(outside("f(a)? * 2"), "f)? * 2");
    }

    /// A field is another variable, and the variable itself is not computed.
    #[test]
    fn a_right_side_can_use_the_left_one() {
        assert!(computes_with("accepted | mask & FABRIC", "mask"), "the variable is not found");
        for other in ["mask", "other.mask | 1", "masks | 1", "used && (mask > 0 || used == 0)"] {
            assert!(!computes_with(other, "mask"), "{other} counts as computed");
        }
    }
}
