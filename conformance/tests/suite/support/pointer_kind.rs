//! Pointers of every kind that a process can hold.

use super::constants::DESCRIPTOR;
use conformance::{KIB, MIB, Needs, Pointer, Role, Stop, need};
use cuda_ipc_sys::CU_MEMHOSTALLOC_WRITECOMBINED;

/// The origin of a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PointerKind {
    Linear,
    Interior,
    Pitched,
    Null,
    OnePastTheEnd,
    Freed,
    Heap,
    Stack,
    Pinned,
    PinnedMapped,
    WriteCombined,
    Registered,
    Managed,
    ManagedTouched,
    DefaultPool,
    DescriptorPool,
    PrivatePool,
    VirtualMemory,
    ShareableVirtualMemory,
    GraphOwned,
    Global,
}

impl PointerKind {
    /// What the kind needs of a machine.
    fn needs(self) -> Needs {
        match self {
            Self::Managed | Self::ManagedTouched => Needs::none().managed_memory(),
            Self::DefaultPool | Self::PrivatePool | Self::GraphOwned => Needs::none().memory_pools(),
            Self::DescriptorPool => Needs::none().pool_descriptors(),
            Self::VirtualMemory => Needs::none().virtual_memory(),
            Self::ShareableVirtualMemory => Needs::none().memory_descriptors(),
            _ => Needs::none(),
        }
    }

    /// Makes a pointer of this kind. Most kinds have 2 MiB of memory.
    pub(crate) fn make(self, role: &Role) -> Result<Pointer, Stop> {
        need(&self.needs())?;
        const SIZE: u64 = 2 * MIB;
        let descriptors = DESCRIPTOR;
        match self {
            Self::Linear => role.mem_alloc(SIZE),
            Self::Interior => Ok(role.mem_alloc(SIZE)?.offset(4 * KIB)),
            Self::Pitched => role.mem_alloc_pitch(1000, 2000),
            Self::Null => Ok(Pointer::NULL),
            Self::OnePastTheEnd => Ok(role.mem_alloc(SIZE)?.offset(SIZE)),
            Self::Freed => {
                let pointer = role.mem_alloc(SIZE)?;
                role.mem_free(pointer)?;
                Ok(pointer)
            }
            Self::Heap => role.heap_alloc(SIZE),
            Self::Stack => role.stack_address(),
            Self::Pinned => role.mem_alloc_host(SIZE),
            Self::PinnedMapped => {
                let host = role.mem_host_alloc(SIZE, 0)?;
                role.mem_host_get_device_pointer(host)
            }
            Self::WriteCombined => {
                let host = role.mem_host_alloc(SIZE, CU_MEMHOSTALLOC_WRITECOMBINED)?;
                role.mem_host_get_device_pointer(host)
            }
            Self::Registered => {
                let host = role.mem_host_register(SIZE)?;
                role.mem_host_get_device_pointer(host)
            }
            Self::Managed => role.mem_alloc_managed(SIZE),
            Self::ManagedTouched => {
                let pointer = role.mem_alloc_managed(SIZE)?;
                role.memset_d8(pointer, 1, SIZE)?;
                role.ctx_synchronize()?;
                Ok(pointer)
            }
            Self::DefaultPool => role.mem_alloc_async(SIZE),
            Self::DescriptorPool => role.mem_alloc_from_pool_async(SIZE, role.mem_pool_create(descriptors)?),
            Self::PrivatePool => role.mem_alloc_from_pool_async(SIZE, role.mem_pool_create(0)?),
            Self::VirtualMemory => role.mem_create_and_map(SIZE, 0),
            Self::ShareableVirtualMemory => role.mem_create_and_map(SIZE, descriptors),
            Self::GraphOwned => role.graph_mem_alloc(SIZE),
            Self::Global => role.module_get_global(),
        }
    }
}
