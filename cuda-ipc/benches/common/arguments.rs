//! The command line of a bench: options with values, such as `--sizes 2M,64M`.

use std::error::Error;

/// Sets every option. Cargo's `--bench` and the words in `ignored` have no value and set nothing.
pub(crate) fn set_each(
    arguments: &[String],
    ignored: &[&str],
    mut set: impl FnMut(&str, &str) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut arguments = arguments.iter();
    while let Some(option) = arguments.next() {
        if option == "--bench" || ignored.contains(&option.as_str()) {
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{option}: unknown, or without a value"))?;
        set(option, value).map_err(|error| format!("{option} {value}: {error}"))?;
    }
    Ok(())
}

pub(crate) fn list<T>(
    values: &str,
    parse: impl Fn(&str) -> Result<T, Box<dyn Error>>,
) -> Result<Vec<T>, Box<dyn Error>> {
    values.split(',').map(parse).collect()
}

pub(crate) fn positive(value: &str) -> Result<usize, Box<dyn Error>> {
    let number = value.parse()?;
    if number == 0 { Err("must be at least 1".into()) } else { Ok(number) }
}

/// Parses a list of sizes such as `4096`, `64K`, `2M` or `1G`, of which `unit` is a divisor.
pub(crate) fn sizes(values: &str, unit: usize) -> Result<Vec<usize>, Box<dyn Error>> {
    list(values, |value| {
        let letters = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
        let found = letters.iter().find_map(|(letter, factor)| Some((value.strip_suffix(*letter)?, *factor)));
        let (number, factor) = found.unwrap_or((value, 1));
        let bytes = positive(number)?.checked_mul(factor).ok_or("too large")?;
        if bytes.is_multiple_of(unit) { Ok(bytes) } else { Err(format!("must be a multiple of {unit} bytes").into()) }
    })
}

/// Parses a list of pairs of devices such as `0-0,0-1`: where the memory comes from, and who opens it.
pub(crate) fn devices(values: &str) -> Result<Vec<(usize, usize)>, Box<dyn Error>> {
    list(values, |value| {
        let (one, other) = value.split_once('-').ok_or("expected two devices, such as 0-1")?;
        Ok((one.parse()?, other.parse()?))
    })
}
