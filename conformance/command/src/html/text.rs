//! Formats numbers and texts for people.

use conformance::catalogue::RowNeeds;
use serde_json::Value;

pub(super) use crate::plural::count;

/// A piece of a text: words, or an address that becomes a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Words(&'a str),
    Address(&'a str),
}

/// Splits a text into words and web addresses. Only `https` addresses may become links.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(start) = rest.find("https://") {
        let (words, address) = rest.split_at(start);
        let is_end = |letter: char| letter.is_whitespace() || "()<>\"'`,;".contains(letter);
        let (address, after) = address.split_at(address.find(is_end).unwrap_or(address.len()));
        pieces.extend((!words.is_empty()).then_some(Piece::Words(words)));
        pieces.push(Piece::Address(address));
        rest = after;
    }
    pieces.extend((!rest.is_empty()).then_some(Piece::Words(rest)));
    pieces
}

/// Formats an observation: a string as it is, any other value as JSON.
pub(super) fn value(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Formats a duration with about three significant digits.
pub(super) fn duration(milliseconds: f64) -> String {
    match milliseconds {
        long if long >= 10_000.0 => format!("{:.1} s", long / 1000.0),
        long if long >= 1000.0 => format!("{:.2} s", long / 1000.0),
        middle if middle >= 100.0 => format!("{middle:.0} ms"),
        middle if middle >= 10.0 => format!("{middle:.1} ms"),
        short if short >= 0.1 => format!("{short:.2} ms"),
        shortest => format!("{:.0} µs", shortest * 1000.0),
    }
}

/// Formats a number of bytes in the largest binary unit that is not larger than it, with at most one decimal.
pub(super) fn bytes(bytes: u64) -> String {
    const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match UNITS.iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) if bytes.trailing_zeros() >= *shift => format!("{} {unit}", bytes >> shift),
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / (1u64 << shift) as f64),
        None => format!("{bytes} B"),
    }
}

/// Returns the id of the case's element. An id may contain anything except white space.
pub(super) fn anchor(case: &str) -> String {
    format!("case:{}", case.split_whitespace().collect::<Vec<_>>().join("_"))
}

/// Describes what a row needs.
pub(super) fn needs(needs: &RowNeeds) -> String {
    let gpus = count(needs.gpus as usize, "GPU");
    let processes =
        if needs.processes == 1 { "1 process".to_owned() } else { format!("{} processes", needs.processes) };
    let mut words = vec![processes, gpus];
    words.extend(needs.gpus_wanted.map(|wanted| format!("checks more with {wanted} GPUs")));
    words.extend(needs.privileged.then(|| "root, for namespaces or another user".to_owned()));
    words.extend(needs.environment.then(|| "a special environment".to_owned()));
    words.join(", ")
}
