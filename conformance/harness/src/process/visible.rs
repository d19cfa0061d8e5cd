//! The devices that a role sees.

/// The value of `CUDA_VISIBLE_DEVICES` that makes devices of the runner visible. The runner's own value is a list of
/// ordinals or UUIDs.
pub(crate) fn visible_devices(own: Option<&str>, ordinals: &str) -> String {
    let Some(own) = own else { return ordinals.to_owned() };
    let entry = |ordinal: &str| ordinal.parse().ok().and_then(|ordinal| own.split(',').nth(ordinal));
    ordinals.split(',').map(|ordinal| entry(ordinal).unwrap_or(ordinal)).collect::<Vec<_>>().join(",")
}
