//! Which process something comes from.

/// What tells one process from every other on every machine: numbers alone do not, since containers have numbers of
/// their own and numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProcessIdentity {
    /// The process's number in its own PID namespace.
    pub pid: u32,
    /// The inode of that namespace, `/proc/self/ns/pid`.
    pub pid_namespace: u64,
    /// When the process started, in clock ticks since the machine did: field 22 of `/proc/self/stat`.
    pub start_time: u64,
    /// The machine's boot, `/proc/sys/kernel/random/boot_id`.
    pub boot_id: [u8; 16],
}
