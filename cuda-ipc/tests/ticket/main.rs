//! Tickets: bytes that were written as a ticket are read, and all others are refused.

mod altered;
mod beside;
mod debug;
mod error;
mod generate;
mod golden;
mod hostile;
mod own_process;
mod python;
mod round_trip;
mod rules;
#[cfg(feature = "mac")]
mod seal;
#[cfg(feature = "serde")]
mod serde;

use cuda_ipc::ticket::{Contents, Handle};
use cuda_ipc::{ExporterIdentity, ProcessIdentity, sys::CudaVersion};

const CHECKSUM: usize = 4;

/// Returns the contents of the golden tickets, with the given handle.
fn contents(handle: Handle) -> Contents {
    Contents {
        exporter: ExporterIdentity {
            process: ProcessIdentity {
                pid: 4711,
                pid_namespace: 4_026_531_836,
                start_time: 123_456_789,
                boot_id: counting_from(0x80),
            },
            nonce: counting_from(0x90),
        },
        device: counting_from(0x10),
        driver: CudaVersion(13000),
        generation: 0x0102_0304_0506_0708,
        size: 6 << 20,
        offset: 0x1000,
        length: 0x23456,
        handle,
    }
}

fn counting_from<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|index| first.wrapping_add(index as u8))
}

/// Returns the ticket after a change to the bytes before the checksum, with the new length and checksum.
fn rewritten(ticket: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = ticket[..ticket.len() - CHECKSUM].to_vec();
    change(&mut bytes);
    let length = (bytes.len() + CHECKSUM) as u32;
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}
