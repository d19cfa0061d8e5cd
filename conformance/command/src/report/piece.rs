//! A line of C as its texts, literals and variables.

use std::collections::BTreeSet;

/// Begins the lines of a thread.
pub(crate) const MARK: &str = "/* on a thread of its own */";

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// A literal, and whether it is hexadecimal.
    Literal(u64, bool),
    /// A variable: the stem of its name, and its number.
    Variable(String, u64),
}

impl Piece {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Literal(number, true) => format!("{number:#x}"),
            Self::Literal(number, false) => number.to_string(),
            Self::Variable(stem, number) => format!("{stem}{number}"),
        }
    }

    pub(super) fn name(&self) -> Option<String> {
        matches!(self, Self::Variable(..)).then(|| self.text())
    }

    pub(super) const fn number(&self) -> Option<u64> {
        match self {
            Self::Text(_) => None,
            Self::Literal(number, _) | Self::Variable(_, number) => Some(*number),
        }
    }
}

/// Splits a line into texts, literals and variables.
pub(super) fn pieces(line: &str, names: &BTreeSet<String>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = line;
    let mut is_quoted = false;
    while let Some(first) = rest.chars().next() {
        let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if is_of_a_word(first) {
            rest.find(|c| !is_of_a_word(c)).unwrap_or(rest.len())
        } else {
            is_quoted ^= first == '"';
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (stem, number) = word.split_at(word.len() - digits);
        let piece = match (number.parse(), word.strip_prefix("0x")) {
            _ if is_quoted => None,
            (Ok(number), _) if names.contains(word) => Some(Piece::Variable(stem.to_owned(), number)),
            (Ok(number), None) if stem.is_empty() => Some(Piece::Literal(number, false)),
            (_, Some(hexadecimal)) => {
                u64::from_str_radix(hexadecimal, 16).ok().map(|number| Piece::Literal(number, true))
            }
            _ => None,
        };
        match (piece, pieces.last_mut()) {
            (Some(piece), _) => pieces.push(piece),
            (None, Some(Piece::Text(text))) => *text += word,
            (None, _) => pieces.push(Piece::Text(word.to_owned())),
        }
    }
    pieces
}

/// Returns a line without its numbers.
pub(super) fn shape(pieces: &[Piece]) -> String {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Literal(..) => "\u{0}".to_owned(),
        Piece::Variable(stem, _) => format!("\u{1}{stem}\u{1}"),
    };
    pieces.iter().map(part).collect()
}
