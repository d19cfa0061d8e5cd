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
/// a known size, with a value, or of another module.
pub(crate) fn variables(tokens: &[&str]) -> Result<Vec<(String, u64)>, String> {
    let mut variables = Vec::new();
    let (mut depth, mut is_of_another_module) = (0_usize, false);
    for (place, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            ".extern" => is_of_another_module = true,
            ".global" | ".const" if depth == 0 => {
                let declaration: Vec<_> = tokens[place..].iter().copied().take_while(|token| *token != ";").collect();
                let declared = declared(&declaration[1..]).filter(|_| !is_of_another_module);
                variables.extend(declared.ok_or_else(|| without_value(&declaration))?);
            }
            _ => {}
        }
        if matches!(*token, ";" | "}") {
            is_of_another_module = false;
        }
    }
    Ok(variables)
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

fn number(text: &str) -> Option<u64> {
    let text = text.trim_end_matches('U');
    text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16)).ok()
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
