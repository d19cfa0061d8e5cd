//! Reads PTX: which kernel it has, and its variables.

/// The words and signs of a text, without comments. `None` if a comment or a string has no end.
pub(crate) fn tokens(text: &str) -> Option<Vec<&str>> {
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_$%".contains(&byte) || !byte.is_ascii();
    let mut tokens = Vec::new();
    let mut rest = text.trim_ascii_start();
    while let Some(first) = rest.bytes().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else {
            let length = match first {
                b'"' => string(rest)?,
                // A directive ends where the next one begins, but an instruction such as `ld.global.u32` is one word.
                b'.' => 1 + rest.bytes().skip(1).take_while(|byte| is_of_word(*byte)).count(),
                _ => rest.bytes().take_while(|byte| is_of_word(*byte) || *byte == b'.').count().max(1),
            };
            tokens.push(&rest[..length]);
            length
        };
        rest = rest[length..].trim_ascii_start();
    }
    Some(tokens)
}

/// The length of a string with its quotes.
fn string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return Some(place + 1),
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    None
}

/// The name of the first kernel.
pub(crate) fn kernel<'text>(tokens: &[&'text str]) -> Option<&'text str> {
    // A directive may follow a word without a blank: `.target sm_70.entry`.
    let place = tokens.iter().position(|token| token.ends_with(".entry"))?;
    Some(tokens.get(place + 1).copied().unwrap_or_default())
}

/// The names and sizes of the variables in global and constant memory. An error is the declaration of a variable without
/// a known size, with a value, or of another module. A variable inside a function is checked too, but not returned,
/// because only the function can name it.
pub(crate) fn variables(tokens: &[&str]) -> Result<Vec<(String, u64)>, String> {
    let mut variables = Vec::new();
    let (mut depth, mut is_of_another_module) = (0_usize, false);
    for (place, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            ".extern" => is_of_another_module = true,
            // In a function, an instruction may have a state space after a blank: `ld .global.u32`.
            ".global" | ".const" if depth == 0 || begins_a_statement(&tokens[..place]) => {
                let declaration: Vec<_> = tokens[place..].iter().copied().take_while(|token| *token != ";").collect();
                let declared = declared(&declaration[1..]).filter(|_| !is_of_another_module);
                let declared = declared.ok_or_else(|| without_value(&declaration))?;
                if depth == 0 {
                    variables.extend(declared);
                }
            }
            _ => {}
        }
        if matches!(*token, ";" | "}") {
            is_of_another_module = false;
        }
    }
    Ok(variables)
}

/// Whether no instruction has begun with the last of these tokens. `.loc` and `.file` end without a semicolon, with a number
/// or a string.
fn begins_a_statement(before: &[&str]) -> bool {
    let last = before.iter().rfind(|token| !matches!(**token, ".extern" | ".visible" | ".weak" | ".common"));
    last.is_none_or(|token| !token.starts_with(|first: char| first.is_ascii_alphabetic()))
}

/// The text of a declaration, without the value, which may be long.
fn without_value(declaration: &[&str]) -> String {
    declaration.split(|token| *token == "=").next().unwrap_or_default().join(" ")
}

/// Reads a declaration after its state space: `.align 4 .v2 .f32 one[2][3], other`.
fn declared(declaration: &[&str]) -> Option<Vec<(String, u64)>> {
    let mut tokens = declaration.iter();
    let mut count = 1;
    let element = loop {
        match *tokens.next()? {
            ".align" => drop(tokens.next()?),
            ".attribute" => drop(tokens.find(|token| **token == ")")?),
            ".v2" => count = 2,
            ".v4" => count = 4,
            name => break size_of(name)?,
        }
    };
    tokens.as_slice().split(|token| *token == ",").map(|one| variable(one, element * count)).collect()
}

/// Reads a name and its dimensions: `one[2][3]`.
fn variable(tokens: &[&str], element: u64) -> Option<(String, u64)> {
    let (name, dimensions) = tokens.split_first()?;
    let mut size = element;
    for dimension in dimensions.chunks(3) {
        let &["[", length, "]"] = dimension else { return None };
        size = size.checked_mul(number(length)?).filter(|size| *size > 0)?;
    }
    Some(((*name).to_owned(), size))
}

/// Reads a literal such as `12`, `0x1F`, `017` or `0b101`, which may end in `U`.
fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, base) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', ..] => (text, 8),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, base).ok()
}

/// The bytes of a fundamental type.
fn size_of(name: &str) -> Option<u64> {
    match name {
        ".b8" | ".u8" | ".s8" => Some(1),
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => Some(2),
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => Some(4),
        ".b64" | ".u64" | ".s64" | ".f64" => Some(8),
        ".b128" => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<(String, u64)>, String> {
        variables(&tokens(text).unwrap())
    }

    #[test]
    fn a_length_is_read_in_its_base() {
        for (length, expected) in
            [("10", 10), ("010", 8), ("0x10", 16), ("0X1f", 31), ("0b101", 5), ("0B11", 3), ("12U", 12), ("0x2U", 2)]
        {
            assert_eq!(of(&format!(".global .b8 x[{length}];")), Ok(vec![("x".to_owned(), expected)]), "{length}");
        }
    }

    #[test]
    fn a_length_that_is_not_understood_is_refused() {
        for length in ["0", "08", "0x", "0xg", "0b2", "1UU", "1u", "1_0", "ten", "2 * 3", "0x10000000000000000"] {
            assert!(of(&format!(".global .b8 x[{length}];")).is_err(), "{length}");
        }
    }

    /// The driver refuses an initial value inside a function too, because it would not store the value.
    #[test]
    fn a_variable_inside_a_function_is_checked_and_has_no_name_outside() {
        for variable in [".global .u32 x = 5;", ".const .b8 x[2] = {1, 2};", ".global .texref x;", ".global .b8 x[];"] {
            assert!(of(&format!(".func f() {{ {variable} ret; }}")).is_err(), "{variable}");
            assert!(of(&format!(".func f() {{ {{ {variable} }} ret; }}")).is_err(), "{variable}");
        }
        let text = ".func f() { .global .u32 x; ld.global.u32 %r1, [x]; ret; } .global .u64 y;";
        assert_eq!(of(text), Ok(vec![("y".to_owned(), 8)]));
    }

    /// An instruction of a function may have a blank before its state space. What it names is no declaration.
    #[test]
    fn a_state_space_of_an_instruction_declares_nothing() {
        for instruction in ["ld .global.u32 %r1, [x]", "st .global .u32 [x], %r1", "@p ld .const .u32 %r1, [x]"] {
            assert_eq!(of(&format!(".func f() {{ {instruction}; ret; }}")), Ok(Vec::new()), "{instruction}");
        }
        for before in ["ret; .visible", ".loc 1 1 1\n", ".file 1 \"a.cu\"\n", "L: "] {
            assert!(of(&format!(".func f() {{ {before} .global .u32 x = 5; ret; }}")).is_err(), "{before}");
        }
        assert_eq!(of(".func f() { .loc 1 1 1\n ld .global.u32 %r1, [x]; ret; }"), Ok(Vec::new()));
    }
}
