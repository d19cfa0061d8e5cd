//! Values as their debug text shows them.

/// A part of a value's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name, or a sign such as a bracket.
    Word(String),
    Number(i128),
    /// The 64 bytes of a handle.
    Handle(Vec<u8>),
    /// A code: `CUDA_ERROR_INVALID_VALUE (1)`.
    Code(u32),
    /// A text in quotation marks, without them.
    Text(String),
}

/// Parses a decimal or hexadecimal number.
pub(crate) fn number(word: &str) -> Option<i128> {
    let (sign, digits) = word.strip_prefix('-').map_or((1, word), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).ok()?),
        None => digits.parse().ok()?,
    };
    Some(sign * number)
}

/// Splits the text of a value: `Some(Pointer(0x10))` is two names, two brackets, the number 16 and two more brackets.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if first.is_whitespace() {
            rest = rest.trim_start();
        } else if let Some((code, after)) = code(rest) {
            rest = after;
            tokens.push(Token::Code(code));
        } else if let Some((text, after)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            rest = after;
            tokens.push(Token::Text(text.to_owned()));
        } else if is_of_a_word(first) {
            let end = rest.find(|c| !is_of_a_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            tokens.push(match (number(word), handle(word)) {
                (_, Some(bytes)) => Token::Handle(bytes),
                (Some(number), _) => Token::Number(number),
                _ => Token::Word(word.to_owned()),
            });
        } else {
            tokens.push(Token::Word(first.to_string()));
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

/// Parses a code at the beginning of a text. Returns it with the rest.
fn code(text: &str) -> Option<(u32, &str)> {
    if let Some(number) = text.strip_prefix("CUDA error ") {
        let (number, after) = number.split_at(number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len()));
        let after = after.strip_prefix(", which has no name in these bindings").unwrap_or(after);
        return Some((number.parse().ok()?, after));
    }
    let (name, rest) = text.strip_prefix("CUDA_")?.split_once(" (")?;
    let (number, after) = rest.split_once(')')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_name.then_some((number.parse().ok()?, after))
}

fn handle(word: &str) -> Option<Vec<u8>> {
    const DIGITS: usize = 128;
    (word.len() == DIGITS && word.is_ascii())
        .then(|| (0..DIGITS / 2).map(|place| u8::from_str_radix(&word[2 * place..2 * place + 2], 16).ok()).collect())?
}

/// Returns the number in a result.
pub(crate) fn answered(answer: &str) -> Option<u64> {
    tokens(answer).into_iter().find_map(|token| match token {
        Token::Number(number) => u64::try_from(number).ok(),
        _ => None,
    })
}

/// Returns the name of a role as a C identifier. A number is added if roles share it.
pub(crate) fn identifier(role: &str) -> String {
    role.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}
