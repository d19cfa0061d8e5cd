//! Memory as kernels see it.

use conformance::{Outcome, Pointer, Role, Stop, Stream, check};

/// Writes the pattern of a seed over the range with a kernel, and waits for its end.
pub(crate) fn fill_by_kernel(role: &Role, pointer: Pointer, size: u64, seed: u32) -> Outcome {
    role.launch("fill".into(), vec![pointer.into(), (size / 4).into(), seed.into()], Stream::DEFAULT)?;
    role.ctx_synchronize()
}

/// Returns how many words of the range differ from the pattern of a seed, as a kernel reads them.
pub(crate) fn mismatches_by_kernel(role: &Role, pointer: Pointer, size: u64, seed: u32) -> Result<u64, Stop> {
    let counter = role.mem_alloc(8)?;
    role.memset_d8(counter, 0, 8)?;
    let arguments = vec![pointer.into(), (size / 4).into(), seed.into(), counter.into()];
    role.launch("verify".into(), arguments, Stream::DEFAULT)?;
    role.ctx_synchronize()?;
    let bytes = role.read(counter, 8)?;
    role.mem_free(counter)?;
    Ok(bytes.iter().rev().fold(0, |count, byte| count << 8 | u64::from(*byte)))
}

/// Checks that each of two processes reads what the other wrote: all of it with kernels, and both ends with copies.
pub(crate) fn both_see(one: (&Role, Pointer), other: (&Role, Pointer), size: u64) -> Outcome {
    for (seed, (writer, there), (reader, here)) in [(7, one, other), (8, other, one)] {
        let (from, to) = (writer.name(), reader.name());
        fill_by_kernel(writer, there, size, seed)?;
        let wrong = mismatches_by_kernel(reader, here, size, seed)?;
        check!(wrong == 0, "a kernel of {to} read {wrong} wrong words of those that a kernel of {from} wrote");
        for offset in [0, size - 4] {
            let bytes = vec![seed as u8; 4];
            writer.write(there.offset(offset), bytes.clone())?;
            let found = reader.read(here.offset(offset), 4)?;
            check!(found == bytes, "{to} copied {found:?} from offset {offset}, where {from} had copied {bytes:?}");
        }
    }
    Ok(())
}
