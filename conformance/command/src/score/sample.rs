//! Samples of the faults, for runs that have little time.

/// One fault in so many is in the sample of a run of the cases.
const OF_THE_CASES: u32 = 4;

/// One fault in so many is in the sample of a run of the models, which takes longer.
const OF_THE_MODELS: u32 = 8;

/// Whether a fault is in the sample of a run of the cases, which does not change if others come or go.
pub(super) fn is_sample(name: &str) -> bool {
    is_one_of(name, OF_THE_CASES)
}

/// The same for a run of the models.
pub(super) fn is_sample_for_models(name: &str) -> bool {
    is_one_of(name, OF_THE_MODELS)
}

fn is_one_of(name: &str, share: u32) -> bool {
    crc32fast::hash(name.as_bytes()).is_multiple_of(share)
}
