//! The names of error codes, and the effects of failing calls.

use conformance::calls::error::FailingCall;
use conformance::calls::ipc::UNWRITTEN;
use conformance::{Expect as _, Outcome, Role, Stop, check, observe};
use cuda_ipc_sys::CUresult;
use rstest::rstest;

use crate::support::SIZE;
use crate::support::constants::INVALID_VALUE;
use crate::support::fixtures::observer;

/// Codes that the calls for inter-process memory return, and their names.
const NAMES: [(u32, &str); 37] = [
    (0, "CUDA_SUCCESS"),
    (1, "CUDA_ERROR_INVALID_VALUE"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY"),
    (3, "CUDA_ERROR_NOT_INITIALIZED"),
    (4, "CUDA_ERROR_DEINITIALIZED"),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    (101, "CUDA_ERROR_INVALID_DEVICE"),
    (201, "CUDA_ERROR_INVALID_CONTEXT"),
    (205, "CUDA_ERROR_MAP_FAILED"),
    (206, "CUDA_ERROR_UNMAP_FAILED"),
    (208, "CUDA_ERROR_ALREADY_MAPPED"),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    (304, "CUDA_ERROR_OPERATING_SYSTEM"),
    (400, "CUDA_ERROR_INVALID_HANDLE"),
    (401, "CUDA_ERROR_ILLEGAL_STATE"),
    (500, "CUDA_ERROR_NOT_FOUND"),
    (600, "CUDA_ERROR_NOT_READY"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"),
    (705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"),
    (708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
    (711, "CUDA_ERROR_TOO_MANY_PEERS"),
    (800, "CUDA_ERROR_NOT_PERMITTED"),
    (801, "CUDA_ERROR_NOT_SUPPORTED"),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (805, "CUDA_ERROR_MPS_CONNECTION_FAILED"),
    (806, "CUDA_ERROR_MPS_RPC_FAILURE"),
    (807, "CUDA_ERROR_MPS_SERVER_NOT_READY"),
    (808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"),
    (809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"),
    (810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"),
    (910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"),
    (911, "CUDA_ERROR_EXTERNAL_DEVICE"),
    (912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"),
    (999, "CUDA_ERROR_UNKNOWN"),
];

/// Checks the name of a code. If the driver does not know the code, the reason says which one it is.
fn has_its_name(observer: &Role, code: u32, expected: &str) -> Outcome {
    let name = observer.get_error_name(code).map_err(|stop| match stop {
        Stop::Refused(refusal) => {
            Stop::Unexpected { refusal, expected: format!("the name of code {code}, {expected}") }
        }
        other => other,
    })?;
    check!(name == expected, "cuGetErrorName({code}) returned {name}, expected {expected}");
    Ok(())
}

/// `cuGetErrorName` returns the name that the header gives a code.
#[rstest]
#[conformance::test("ERR-001")]
fn codes_have_their_names(observer: Role) -> Outcome {
    NAMES.into_iter().try_for_each(|(code, expected)| has_its_name(&observer, code, expected))
}

/// `cuGetErrorName` returns the header's name of a code that was added in CUDA 12.4 or earlier.
#[rstest]
#[case::function_not_loaded(913, "CUDA_ERROR_FUNCTION_NOT_LOADED")]
#[case::invalid_resource_type(914, "CUDA_ERROR_INVALID_RESOURCE_TYPE")]
#[conformance::test("ERR-001", needs(cuda = 12_040))]
fn newer_codes_have_their_names(observer: Role, #[case] code: u32, #[case] expected: &str) -> Outcome {
    has_its_name(&observer, code, expected)
}

/// `cuGetErrorName` returns the header's name of the code that CUDA 12.8 added.
#[rstest]
#[conformance::test("ERR-001", needs(cuda = 12_080))]
fn a_contained_error_has_its_name(observer: Role) -> Outcome {
    has_its_name(&observer, 226, "CUDA_ERROR_CONTAINED")
}

/// `cuGetErrorName` returns the header's name of the code that CUDA 13.4 added.
#[rstest]
#[conformance::test("ERR-001", needs(cuda = 13_040))]
fn a_fabric_that_is_not_ready_has_its_name(observer: Role) -> Outcome {
    has_its_name(&observer, 919, "CUDA_ERROR_FABRIC_NOT_READY")
}

/// `cuGetErrorName` refuses a number that is not a code, and writes a null pointer.
#[rstest]
#[conformance::test("ERR-002")]
fn unknown_numbers_have_no_name(observer: Role, #[values(1000, 123_456, 0xffff_fffe)] number: u32) -> Outcome {
    observer.get_error_name(number).refused(INVALID_VALUE)?;
    let answer = observer.get_error_name_or_not(number)?;
    let name = answer.output.iter().take(size_of::<usize>()).rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    check!(name == 0, "cuGetErrorName wrote {name:#x}, expected a null pointer");
    Ok(())
}

/// A failing call leaves the context usable. The case records the code, and whether the call wrote the output.
#[rstest]
#[conformance::test("ERR-004", needs(pool_descriptors, memory_descriptors))]
fn a_failing_call_leaves_the_context_usable(
    observer: Role,
    #[values(
        FailingCall::GetUnknownAttribute,
        FailingCall::AllocNothing,
        FailingCall::GetRangeOfHeap,
        FailingCall::GetAttributeOfHeap,
        FailingCall::GetMemHandleOfHeap,
        FailingCall::OpenMemHandleOfZeros,
        FailingCall::OpenEventHandleOfZeros,
        FailingCall::ReserveNothing,
        FailingCall::CreateNothing,
        FailingCall::ImportNoDescriptor,
        FailingCall::ImportPoolOfNoDescriptor
    )]
    call: FailingCall,
) -> Outcome {
    let buffer = observer.mem_alloc(SIZE)?;
    let answer = observer.fail(call)?;
    let code = CUresult(answer.code);
    check!(code != CUresult::CUDA_SUCCESS, "{call:?} returned CUDA_SUCCESS, expected an error");
    observe("code", code.to_string());
    observe("the output is untouched", (answer.output == UNWRITTEN).to_string());
    observer.ctx_synchronize()?;
    observer.fill(buffer, SIZE, 7)?;
    check!(observer.mismatches(buffer, SIZE, 7)? == 0);
    Ok(())
}

/// A log callback receives text about each failing call, also when the call fails again.
#[rstest]
#[conformance::test("ERR-003", needs(cuda = 12_090, pool_descriptors, memory_descriptors))]
fn a_log_callback_hears_of_failing_calls(
    observer: Role,
    #[values(
        FailingCall::GetMemHandleOfHeap,
        FailingCall::OpenMemHandleOfZeros,
        FailingCall::CloseMemHandleOfHeap,
        FailingCall::GetEventHandleOfNothing,
        FailingCall::OpenEventHandleOfZeros,
        FailingCall::ExportNothing,
        FailingCall::ImportNoDescriptor,
        FailingCall::ImportPoolOfNoDescriptor,
        FailingCall::ExportPoolPointerOfHeap
    )]
    call: FailingCall,
) -> Outcome {
    let is_text = |line: &&String| line.contains(char::is_alphabetic);
    for _ in 0..2 {
        let heard = observer.fail_and_listen(call)?;
        let texts = heard.registered.iter().filter(is_text).count();
        check!(texts > 0, "the callback received {:?}", heard.registered);
    }
    observer.ctx_synchronize()
}

/// A log callback receives nothing after it was unregistered. The lines that it received before, about a failing call,
/// are recorded.
#[rstest]
#[conformance::test("ERR-003", needs(cuda = 12_090, pool_descriptors, memory_descriptors))]
fn an_unregistered_log_callback_receives_nothing(
    observer: Role,
    #[values(
        FailingCall::GetMemHandleOfHeap,
        FailingCall::OpenMemHandleOfZeros,
        FailingCall::OpenEventHandleOfZeros,
        FailingCall::ImportNoDescriptor,
        FailingCall::ImportPoolOfNoDescriptor
    )]
    call: FailingCall,
) -> Outcome {
    let heard = observer.fail_and_listen(call)?;
    let lines = heard.afterwards.len();
    check!(lines == 0, "the unregistered callback received {:?}", heard.afterwards);
    observe("log", heard.registered.iter().map(|line| without_numbers(line)).collect::<Vec<_>>());
    observer.ctx_synchronize()
}

/// Replaces the parts of a line that differ from run to run: times, addresses and process ids.
fn without_numbers(line: &str) -> String {
    let is_number = |word: &str| {
        let word = word.trim_matches(|character: char| !character.is_ascii_alphanumeric());
        let digits = word.strip_prefix("0x").unwrap_or(word);
        digits.contains(|character: char| character.is_ascii_digit())
            && digits.chars().all(|character| character.is_ascii_hexdigit() || !character.is_ascii_alphanumeric())
    };
    let words = line.split_whitespace().map(|word| if is_number(word) { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}
