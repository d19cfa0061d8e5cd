//! Code that `producer` and `consumer` share: their arguments, and the patterns of numbers.
#![allow(dead_code, reason = "each of the two needs some of it")]

use std::iter::successors;
use std::path::PathBuf;
use std::time::Duration;

/// The numbers in the memory, of 8 bytes each: 2 MiB, so that no other allocation shares the memory's block.
pub(crate) const NUMBERS: usize = (2 << 20) / size_of::<u64>();

/// The arguments of both programs: `PATH [--wait SECONDS] [--pattern NAME]`.
pub(crate) struct Arguments {
    pub(crate) path: PathBuf,
    /// How long the consumer waits for the file.
    pub(crate) wait: Duration,
    /// The numbers that the producer writes, and that the consumer expects.
    pub(crate) pattern: Vec<u64>,
}

impl Arguments {
    pub(crate) fn get() -> Result<Self, Box<dyn std::error::Error>> {
        let mut arguments = std::env::args().skip(1);
        let path = arguments.next().ok_or("the path of the file is missing")?.into();
        let mut all = Self { path, wait: Duration::from_secs(10), pattern: pattern("fibonacci")? };
        while let Some(option) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{option} needs a value"))?;
            match &*option {
                "--wait" => all.wait = Duration::try_from_secs_f64(value.parse()?)?,
                "--pattern" => all.pattern = pattern(&value)?,
                _ => return Err(format!("unknown option {option}; expected --wait or --pattern").into()),
            }
        }
        Ok(all)
    }
}

/// Returns the numbers of a pattern, modulo 2^64.
fn pattern(name: &str) -> Result<Vec<u64>, String> {
    let next: fn((u64, u64)) -> (u64, u64) = match name {
        "fibonacci" => |(one, other)| (other, one.wrapping_add(other)),
        "powers" => |(one, _)| (one.wrapping_mul(3), 0),
        _ => return Err(format!("unknown pattern {name}; expected fibonacci or powers")),
    };
    let first = if name == "fibonacci" { (0, 1) } else { (1, 0) };
    Ok(successors(Some(first), |pair| Some(next(*pair))).map(|(number, _)| number).take(NUMBERS).collect())
}
