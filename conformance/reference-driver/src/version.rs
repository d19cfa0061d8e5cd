//! The CUDA version that the driver serves. The default is that of the profile: 13.0 for the H200 that the driver is
//! compared with. `REFERENCE_DRIVER_VERSION` names another one, from 11.8 to 13.5. Functions and attributes that came
//! later are hidden, and values that the version rejects are rejected.

use std::ffi::c_int;
use std::sync::OnceLock;

use crate::environment::read;
use crate::profile::profile;

/// The releases of CUDA from the oldest to the newest that the driver serves.
const RELEASES: [c_int; 16] = [
    11_080, 12_000, 12_010, 12_020, 12_030, 12_040, 12_050, 12_060, 12_080, 12_090, 13_000, 13_010, 13_020, 13_030,
    13_040, 13_050,
];

/// `CU_DEVICE_ATTRIBUTE_MAX`, one more than the last attribute number of a device, in the header of each version that
/// added attributes.
const ATTRIBUTES_END: [(c_int, u32); 10] = [
    (11_080, 125),
    (12_000, 130),
    (12_010, 133),
    (12_020, 135),
    (12_050, 136),
    (12_080, 144),
    (13_000, 148),
    (13_010, 149),
    (13_030, 157),
    (13_040, 162),
];

/// The served version: 1000 × major + 10 × minor.
pub(crate) fn cuda_version() -> c_int {
    static VERSION: OnceLock<c_int> = OnceLock::new();
    *VERSION.get_or_init(|| {
        read("VERSION", |text| parse(text).ok_or("expected a release of CUDA from 11.8 to 13.5"))
            // A fault that only another version shows would be no fault in the default one.
            .or_else(|| crate::fault::active()?.machine.version.and_then(parse))
            .unwrap_or(profile().cuda_version)
    })
}

fn parse(text: &str) -> Option<c_int> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor): (c_int, c_int) = (major.parse().ok()?, minor.parse().ok()?);
    let version = major.checked_mul(1000)?.checked_add(minor.checked_mul(10)?)?;
    ((0..100).contains(&minor) && RELEASES.contains(&version)).then_some(version)
}

/// One more than the last attribute number of a device in the served version.
pub(crate) fn attributes_end() -> u32 {
    end_at(cuda_version())
}

fn end_at(version: c_int) -> u32 {
    ATTRIBUTES_END.iter().rev().find(|(since, _)| *since <= version).map_or(ATTRIBUTES_END[0].1, |(_, end)| *end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_that_can_be_served() {
        assert_eq!((parse("11.8"), parse("12.4"), parse("13.5")), (Some(11_080), Some(12_040), Some(13_050)));
        for text in ["", "12", "11.7", "12.7", "12.35", "13.6", "12.x", "12.-1", "99999999.0"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn attributes_end_where_the_version_does() {
        let ends = [11_080, 11_090, 12_040, 12_060, 12_090, 13_000, 13_020, 13_050].map(end_at);
        assert_eq!(ends, [125, 125, 135, 136, 144, 148, 149, 162]);
    }
}
