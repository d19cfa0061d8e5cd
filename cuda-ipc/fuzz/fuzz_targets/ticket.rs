//! Checks that `Ticket::from_bytes` on any bytes returns an error, or a ticket whose only encoding is these bytes.
//!
//! Run it in this crate's folder, on stable Rust, with the golden tickets as the first inputs:
//!
//! ```sh
//! mkdir -p corpus/ticket
//! cargo run --release --bin ticket -- corpus/ticket ../tests/ticket/golden -max_total_time=60
//! ```
//!
//! `cargo fuzz` does the same: in `cuda-ipc`, `cargo fuzz run -s none ticket fuzz/corpus/ticket tests/ticket/golden`.
//! Inputs that reach new code are kept in the first folder. Inputs that fail are written to `crash-…` in this folder.
#![no_main]

use cuda_ipc::Ticket;
use libfuzzer_sys::fuzz_target;

const HEAD: usize = 16;
const CHECKSUM: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Corrects the length and the checksum, which would stop nearly every input.
    if let Some(body) = bytes.get(HEAD..bytes.len().saturating_sub(CHECKSUM)) {
        let length = ((HEAD + body.len() + CHECKSUM) as u32).to_le_bytes();
        let mut bytes = [&bytes[..12], &length, body].concat();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        check(&bytes);
    }
});

fn check(bytes: &[u8]) {
    if let Ok(ticket) = Ticket::from_bytes(bytes) {
        assert_eq!(ticket.to_bytes(), bytes);
    }
}
