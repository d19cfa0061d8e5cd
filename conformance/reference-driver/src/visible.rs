//! `CUDA_VISIBLE_DEVICES`: the devices of the machine that a process sees, and their order.
//!
//! The list holds ordinals or UUIDs. A UUID may be shortened to any prefix that only one device has. The first entry
//! that names no device ends the list. Three rules follow an H200. The first entry decides whether the list holds
//! ordinals or UUIDs. An ordinal is read as C's `atoi` reads it. `cuInit` fails if a device is named twice.

use crate::answer::{INVALID_DEVICE, Result};

const UUID_DIGITS: usize = 32;

/// The indices of the devices that a list names, in its order. UUIDs begin with a prefix: `GPU-`, or `MIG-` for instances
/// of a device.
pub(crate) fn select(list: &str, uuids: &[[u8; 16]], prefix: &str) -> Result<Vec<usize>> {
    let has_uuids = list.starts_with(prefix);
    let find = |entry| if has_uuids { by_uuid(entry, uuids, prefix) } else { by_ordinal(entry, uuids.len()) };
    let mut selected = Vec::new();
    for index in list.split(',').map_while(find) {
        if selected.contains(&index) {
            return Err(INVALID_DEVICE);
        }
        selected.push(index);
    }
    Ok(selected)
}

/// Reads an ordinal: a number after optional blanks and an optional sign. What follows the number is ignored.
fn by_ordinal(entry: &str, count: usize) -> Option<usize> {
    let entry = entry.trim_start();
    let (number, is_negative) = match entry.strip_prefix('-') {
        Some(number) => (number, true),
        None => (entry.strip_prefix('+').unwrap_or(entry), false),
    };
    let end = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
    let ordinal: usize = number[..end].parse().ok()?;
    (ordinal < count && (ordinal == 0 || !is_negative)).then_some(ordinal)
}

/// Reads a UUID, or a prefix of one that no other device shares. Dashes are ignored, and so is what follows a complete
/// UUID.
fn by_uuid(entry: &str, uuids: &[[u8; 16]], prefix: &str) -> Option<usize> {
    let mut digits = String::new();
    for character in entry.strip_prefix(prefix)?.chars().filter(|character| *character != '-') {
        if digits.len() == UUID_DIGITS {
            break;
        }
        digits.push(character.is_ascii_hexdigit().then(|| character.to_ascii_lowercase())?);
    }
    let hexadecimal = |uuid: &[u8; 16]| uuid.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let is_named = |(_, uuid): &(usize, &[u8; 16])| !digits.is_empty() && hexadecimal(uuid).starts_with(&digits);
    let mut named = uuids.iter().enumerate().filter(is_named).map(|(index, _)| index);
    named.next().filter(|_| named.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUIDS: [[u8; 16]; 3] = [[0x32; 16], [0x35; 16], [0xAB; 16]];

    #[test]
    fn ordinals_are_read_as_c_reads_them() {
        for (entry, ordinal) in
            [("1", 1), (" 1", 1), ("+1", 1), ("01", 1), ("1x", 1), ("1.5", 1), ("1 0", 1), ("0x1", 0), ("-0", 0)]
        {
            assert_eq!(by_ordinal(entry, 3), Some(ordinal), "{entry:?}");
        }
        for entry in ["", " ", "-1", "-", "+", "x1", "all", "3", "99999999999999999999", "GPU-32"] {
            assert_eq!(by_ordinal(entry, 3), None, "{entry:?}");
        }
    }

    #[test]
    fn a_uuid_may_be_shortened_as_long_as_one_device_has_it() {
        let whole = "32".repeat(16);
        for entry in ["32", "32-32", "32-", &whole, &format!("{whole}0"), &format!("{whole} z")] {
            assert_eq!(by_uuid(&format!("GPU-{entry}"), &UUIDS, "GPU-"), Some(0), "{entry}");
        }
        assert_eq!(by_uuid("GPU-aB", &UUIDS, "GPU-"), Some(2));
        for entry in ["GPU-", "GPU-3", "GPU-33", "GPU-32z", "GPU-32 ", " GPU-32", "gpu-32", "32", "GPU"] {
            assert_eq!(by_uuid(entry, &UUIDS, "GPU-"), None, "{entry:?}");
        }
    }

    #[test]
    fn the_first_entry_that_names_nothing_ends_the_list() {
        for (list, devices) in [
            ("2,0", &[2, 0][..]),
            ("0,7,1", &[0]),
            ("0,-1,1", &[0]),
            ("0,,1", &[0]),
            ("0, 1", &[0, 1]),
            ("GPU-35,GPU-32", &[1, 0]),
            ("GPU-35,GPU-3,GPU-32", &[1]),
            ("GPU-35,0", &[1]),
            ("0,GPU-35", &[0]),
            ("", &[]),
            (",0", &[]),
        ] {
            assert_eq!(select(list, &UUIDS, "GPU-").as_deref(), Ok(devices), "{list:?}");
        }
    }

    #[test]
    fn a_device_is_not_named_twice() {
        for list in ["0,0", "0,1,0", "GPU-35,GPU-3535"] {
            assert_eq!(select(list, &UUIDS, "GPU-"), Err(INVALID_DEVICE), "{list}");
        }
        assert_eq!(select("0,x,0", &UUIDS, "GPU-"), Ok(vec![0]), "the list ended before the second 0");
    }
}
