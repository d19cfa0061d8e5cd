//! What one user may have in a store.

/// The limits of each user. A request beyond them is refused, and everything else goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The bytes of device memory. An object counts with the whole multiples of the granularity that it needs, until
    /// it is deleted and no client holds it.
    pub bytes_per_user: u64,
    /// The objects, until they are deleted and no client holds them. Each costs the daemon one descriptor. The same
    /// number limits the names, and the names that clients wait for.
    pub objects_per_user: u64,
    /// The clients that are connected at the same time. Each costs the daemon one descriptor.
    pub clients_per_user: u64,
}

impl Default for Limits {
    /// Returns no limit of bytes (the device has one), 4096 objects and 256 clients.
    fn default() -> Self {
        Self { bytes_per_user: u64::MAX, objects_per_user: 4096, clients_per_user: 256 }
    }
}
