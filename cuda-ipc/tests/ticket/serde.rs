//! Tickets in serde's formats: hexadecimal digits in formats for people, bytes in others. Every ticket is checked when
//! it is read.

use cuda_ipc::ticket::Ticket;
use proptest::prelude::*;
use rstest::rstest;

use crate::generate;
use crate::golden::{LEGACY_MEMORY, UNSEALED};

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn version_2() {
    for bytes in UNSEALED {
        let ticket = Ticket::from_bytes(bytes).unwrap();
        assert_eq!(serde_json::to_string(&ticket).unwrap(), format!("\"{}\"", digits(bytes)));
        assert_eq!(postcard::to_stdvec(&ticket).unwrap(), postcard::to_stdvec(bytes).unwrap());
    }
}

proptest! {
    #[test]
    fn every_ticket_comes_back(ticket in generate::ticket()) {
        let text = serde_json::to_string(&ticket).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Ticket>(&text).unwrap(), &ticket);
        let bytes = postcard::to_stdvec(&ticket).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Ticket>(&bytes).unwrap(), ticket);
    }
}

#[rstest]
#[case::altered(digits(LEGACY_MEMORY).replacen("4041", "4040", 1), "the bytes were altered")]
#[case::cut(digits(&LEGACY_MEMORY[..100]), "100 of at least 192 bytes")]
#[case::odd(digits(LEGACY_MEMORY) + "0", "as pairs of the digits")]
#[case::capitals(digits(LEGACY_MEMORY).to_uppercase(), "as pairs of the digits")]
#[case::other_letters(digits(LEGACY_MEMORY).replace('4', "g"), "as pairs of the digits")]
#[case::other_characters(digits(LEGACY_MEMORY).replace('4', "é"), "as pairs of the digits")]
#[case::too_long("0".repeat(2 * Ticket::MAX_LENGTH + 2), "as pairs of the digits")]
fn text_that_is_no_ticket(#[case] text: String, #[case] message: &str) {
    let error = serde_json::from_str::<Ticket>(&format!("\"{text}\"")).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn bytes_that_are_no_ticket() {
    for present in 0..LEGACY_MEMORY.len() {
        let bytes = postcard::to_stdvec(&LEGACY_MEMORY[..present]).unwrap();
        assert!(postcard::from_bytes::<Ticket>(&bytes).is_err(), "{present}");
    }
}
