//! What kernels of an importer reach beside an import.

use conformance::{Expect as _, Outcome, Pointer, Role, disclose, observe, seed};

/// Memory of the exporter that was never exported.
pub(crate) struct Unshared<'case> {
    /// Its name in observations, such as `the neighbour`.
    pub(crate) name: &'case str,
    /// Its name in disclosures, for a reader who does not know the case.
    pub(crate) what: &'case str,
    pub(crate) exporter: &'case Role,
    /// Its address in the exporter.
    pub(crate) there: Pointer,
    /// The address in the importer that is as far from the import as `there` is from the exported memory.
    pub(crate) here: Pointer,
    pub(crate) size: u64,
}

impl Unshared<'_> {
    /// Records whether a copy of the importer reads the memory.
    pub(crate) fn reach_by_copy(&self, sacrifice: &Role) -> Outcome {
        let Self { name, exporter, there, here, size, .. } = *self;
        let secret = seed();
        exporter.fill(there, size, secret)?;
        let found = sacrifice.mismatches_by_copy(here, size, secret).recorded(&format!("read of {name}"))?;
        observe(&format!("{name} is readable"), found == Some(0));
        Ok(())
    }

    /// Records whether a kernel of the importer reads the memory, and whether it writes it. Each that it does is a
    /// disclosure. The importer may be damaged afterwards, so the case must kill it.
    pub(crate) fn reach_by_kernel(&self, sacrifice: &Role) -> Outcome {
        let Self { name, what, exporter, there, here, size } = *self;
        let (secret, written) = (seed(), seed());
        exporter.fill(there, size, secret)?;
        let found = sacrifice.mismatches(here, size, secret).survived_or_not(&format!("kernel's read of {name}"))?;
        observe(&format!("a kernel reads {name}"), found == Some(0));
        if found != Some(0) {
            // Whatever else lies there belongs to somebody else, so nothing is written to it.
            return Ok(());
        }
        disclose(&format!("a kernel of the importer reads {what}, which was never exported"));
        sacrifice.fill(here, size, written).survived_or_not(&format!("kernel's write of {name}"))?;
        let is_written = exporter.mismatches(there, size, secret)? > 0;
        observe(&format!("a kernel writes {name}"), is_written);
        if is_written {
            disclose(&format!("a kernel of the importer writes {what}, which was never exported"));
        }
        Ok(())
    }
}
