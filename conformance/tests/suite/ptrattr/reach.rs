//! What kernels of the current context may do with memory of another GPU.

use conformance::{Expect as _, MemProperties, Outcome, Pointer, Role, Stop, check};
use cuda_ipc_sys::CUpointer_attribute as Attribute;
use rstest::rstest;

use crate::support::constants::{INVALID_VALUE, NONE, READ_WRITE};
use crate::support::fixtures::observer;
use crate::support::shared_pool::SIZE;

const DEVICE_POINTER: u32 = Attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER.0;
const ACCESS: u32 = Attribute::CU_POINTER_ATTRIBUTE_ACCESS_FLAGS.0;

/// Memory of the first GPU, and what gives the second GPU access to it.
enum Memory {
    Linear,
    Pool,
    Mapped,
}

/// `DEVICE_POINTER` is refused while the current context's GPU has no access to the memory, and is the address while it
/// has.
#[rstest]
#[case::linear(Memory::Linear)]
#[case::pool(Memory::Pool)]
#[case::mapped(Memory::Mapped)]
#[conformance::test("PTRATTR-018", needs(gpus = 2, peer_access, memory_pools, virtual_memory))]
fn the_device_pointer_of_memory_of_another_gpu(observer: Role, #[case] memory: Memory) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let (pointer, access) = memory.make(&observer)?;
    let look = || observer.pointer_get_wide_attribute(DEVICE_POINTER, pointer);
    check!(look()? == pointer.0);
    observer.ctx_set_current(Some(peer))?;
    look().refused(INVALID_VALUE)?;
    for _ in 0..2 {
        access(true)?;
        check!(look()? == pointer.0);
        access(false)?;
        look().refused(INVALID_VALUE)?;
    }
    observer.ctx_set_current(Some(own))
}

/// `DEVICE_POINTER` of an address in memory of the current context's GPU is that address.
#[rstest]
#[case::linear(Memory::Linear)]
#[case::pool(Memory::Pool)]
#[case::mapped(Memory::Mapped)]
#[conformance::test("PTRATTR-018", needs(memory_pools, virtual_memory))]
fn the_device_pointer_of_own_memory_is_its_address(observer: Role, #[case] memory: Memory) -> Outcome {
    let (pointer, _) = memory.make(&observer)?;
    for address in [pointer, pointer.offset(1), pointer.offset(SIZE - 1)] {
        check!(observer.pointer_get_wide_attribute(DEVICE_POINTER, address)? == address.0);
    }
    Ok(())
}

/// `ACCESS_FLAGS` of linear and of pool memory does not depend on the access of the current context's GPU.
#[rstest]
#[case::linear(Memory::Linear)]
#[case::pool(Memory::Pool)]
#[conformance::test("PTRATTR-019", needs(gpus = 2, peer_access, memory_pools))]
fn the_access_flags_of_memory_of_another_gpu(observer: Role, #[case] memory: Memory) -> Outcome {
    let (own, peer) = (observer.ctx_get_current()?, observer.device_primary_ctx_retain_of(1)?);
    let (pointer, access) = memory.make(&observer)?;
    observer.ctx_set_current(Some(peer))?;
    check!(observer.pointer_get_attribute(ACCESS, pointer)? == READ_WRITE);
    access(true)?;
    check!(observer.pointer_get_attribute(ACCESS, pointer)? == READ_WRITE);
    access(false)?;
    observer.ctx_set_current(Some(own))
}

/// Gives the second GPU access to memory, or takes it away.
type SetAccess<'role> = Box<dyn Fn(bool) -> Outcome + 'role>;

impl Memory {
    /// Makes the memory. The function gives the second GPU access to it, or takes it away.
    fn make<'role>(&self, role: &'role Role) -> Result<(Pointer, SetAccess<'role>), Stop> {
        let flags = |is_given: bool| if is_given { READ_WRITE } else { NONE };
        match self {
            Self::Linear => {
                let own = role.ctx_get_current()?;
                let access = move |is_given: bool| match is_given {
                    true => role.ctx_enable_peer_access(own),
                    false => role.ctx_disable_peer_access(own),
                };
                Ok((role.mem_alloc(SIZE)?, Box::new(access)))
            }
            Self::Pool => {
                let pool = role.mem_pool_create(0)?;
                let pointer = role.mem_alloc_from_pool_async(SIZE, pool)?;
                role.ctx_synchronize()?;
                Ok((pointer, Box::new(move |is_given| role.mem_pool_set_access(pool, 1, flags(is_given)))))
            }
            Self::Mapped => {
                let address = role.mem_address_reserve(SIZE, 0, Pointer::NULL, 0)?;
                role.mem_map(address, SIZE, 0, role.mem_create(SIZE, MemProperties::device(0), 0)?, 0)?;
                role.mem_set_access(address, SIZE, 0, READ_WRITE)?;
                Ok((address, Box::new(move |is_given| role.mem_set_access(address, SIZE, 1, flags(is_given)))))
            }
        }
    }
}
