//! Waiting for the work of a scope fails.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use cuda_ipc::event::Awaited;
use cuda_ipc::stream::{self, WaitValue};
use cuda_ipc::sys::CUresult;
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Error, Stream, set_drop_hook};
use rstest::rstest;

use crate::context;
use crate::peer::roles;

/// Not a code that is known to end all work.
const UNKNOWN: CUresult = CUresult::CUDA_ERROR_UNKNOWN;

/// A process that is dead.
struct Dead;

impl Awaited for Dead {
    fn dies_within(&self, _: Duration) -> Result<bool, Error> {
        Ok(true)
    }
}

/// Makes the driver fail to wait for streams.
const STREAMS: &str = "WAITING_FOR_A_STREAM_FAILS";
/// Makes the driver fail to wait for contexts.
const CONTEXTS: &str = "WAITING_FOR_A_CONTEXT_FAILS";
/// Makes the driver fail to say whether a stream is done.
const QUESTIONS: &str = "ASKING_A_STREAM_FAILS";

/// Runs a role whose driver fails.
fn run(role: &str, failures: &[&str]) -> std::process::Output {
    let (mut command, _channel) = ::peer::command().unwrap();
    let name = format!("scope::{role}");
    command.args(["--exact", &name, "--ignored", "--nocapture"]).env("CUDA_IPC_TEST_ROLE", role);
    failures.iter().for_each(|failure| _ = command.env(failure, UNKNOWN.0.to_string()));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_stream_that_cannot_be_awaited_is_awaited_by_its_context() {
    let output = run("role_waits_for_its_context", &[STREAMS]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_scope_waits_for_its_other_streams_after_an_error() {
    let output = run("role_waits_for_two_contexts", &[STREAMS]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_copy_that_cannot_wait_for_its_stream_waits_for_its_context() {
    let output = run("role_copies_late", &[STREAMS]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_watching_scope_ends_although_nothing_tells_that_its_stream_is_done() {
    let output = run("role_cannot_ask", &[QUESTIONS]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Such a scope may never end, so it cannot return the error. Errors of other calls before it change nothing.
#[rstest]
#[case::alone(&[])]
#[case::after_questions_failed(&[QUESTIONS])]
fn a_watching_scope_reports_at_once_that_it_cannot_end_a_wait(#[case] failures: &[&str]) {
    let output = run("role_cannot_write", failures);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[rstest]
#[case::scope("role_cannot_wait")]
#[case::copy("role_cannot_wait_for_a_copy")]
fn a_process_that_cannot_wait_for_its_work_is_aborted(#[case] role: &str) {
    let output = run(role, &[STREAMS, CONTEXTS]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{said}");
    assert!(said.contains("cannot wait for its work (cuStreamSynchronize(): CUDA_ERROR_UNKNOWN"), "{said}");
    assert!(said.contains("nor for its context (cuCtxSynchronize(): CUDA_ERROR_UNKNOWN"), "{said}");
}

roles! {
    fn role_waits_for_its_context(_connection) {
        let context = context();
        let [waiting, opening] = [(); 2].map(|()| Stream::non_blocking(&context).unwrap());
        let memory = DeviceBuffer::new(&context, 8).unwrap();
        // The fill is done, though its wait fails too.
        assert_eq!(memory.fill(0).unwrap_err().code(), Some(UNKNOWN));
        let number = memory.slice::<u32>(..1).unwrap();
        let (told, enqueued) = channel();
        let failed = std::thread::scope(|threads| {
            let scope = threads.spawn(|| stream::scope(|scope| {
                let waiting = scope.on(&waiting);
                waiting.wait_value(number, WaitValue::Equal, 1)?;
                waiting.fill(memory.slice(1..)?, 2_u32)?;
                told.send(()).unwrap();
                Ok(())
            }));
            enqueued.recv().unwrap();
            // SAFETY: the memory outlives the threads, and with them the wait for this.
            unsafe { opening.write_value32(&memory, 0, 1) }.unwrap();
            let failed = scope.join().unwrap();
            // At once: the scope has waited.
            assert!(waiting.query().unwrap());
            failed
        });
        assert_eq!(failed.unwrap_err().code(), Some(UNKNOWN));
        assert_eq!(memory.snapshot::<u32>(1..).unwrap()[..], [2]);
    }

    fn role_waits_for_two_contexts(_connection) {
        let contexts = [context(), Context::new(context().device()).unwrap()];
        let streams = contexts.each_ref().map(|context| Stream::non_blocking(context).unwrap());
        let opening = Stream::non_blocking(&contexts[1]).unwrap();
        let memory = contexts.each_ref().map(|context| DeviceBuffer::new(context, 8).unwrap());
        assert_eq!(memory[1].fill(0).unwrap_err().code(), Some(UNKNOWN));
        let number = memory[1].slice::<u32>(..1).unwrap();
        let (told, events) = channel();
        let failed = std::thread::scope(|threads| {
            let (streams, memory) = (&streams, &memory);
            let scope = threads.spawn(move || {
                let failed = stream::scope(|scope| {
                    scope.on(&streams[0]).fill(memory[0].slice(..)?, 2_u32)?;
                    scope.on(&streams[1]).wait_value(number, WaitValue::Equal, 1)
                });
                told.send("returned").unwrap();
                failed
            });
            assert_eq!(events.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
            // SAFETY: the memory outlives the threads, and with them the wait for this.
            unsafe { opening.write_value32(&memory[1], 0, 1) }.unwrap();
            scope.join().unwrap()
        });
        assert_eq!(failed.unwrap_err().code(), Some(UNKNOWN));
        assert!(streams[1].query().unwrap());
    }

    fn role_copies_late(_connection) {
        let context = context();
        // The default stream waits for this one.
        let [blocking, opening] = [Stream::new(&context).unwrap(), Stream::non_blocking(&context).unwrap()];
        let [memory, from] = [(); 2].map(|()| DeviceBuffer::new(&context, 8).unwrap());
        assert_eq!(memory.fill(0).unwrap_err().code(), Some(UNKNOWN));
        assert_eq!(from.fill(9).unwrap_err().code(), Some(UNKNOWN));
        let (told, events) = channel();
        // SAFETY: the memory outlives the wait, which ends below.
        unsafe { blocking.wait_value32(&memory, 0, WaitValue::Equal, 1) }.unwrap();
        let failed = std::thread::scope(|threads| {
            let (memory, from) = (&memory, &from);
            let copy = threads.spawn(move || {
                let failed = memory.copy_from(4, from, 0, 4);
                told.send("returned").unwrap();
                failed
            });
            assert_eq!(events.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
            // SAFETY: as above.
            unsafe { opening.write_value32(memory, 0, 1) }.unwrap();
            copy.join().unwrap()
        });
        assert_eq!(failed.unwrap_err().code(), Some(UNKNOWN));
        assert!(blocking.query().unwrap());
        assert_eq!(memory.snapshot::<u8>(4..).unwrap()[..], [9; 4]);
    }

    fn role_cannot_wait_for_a_copy(_connection) {
        let memory = DeviceBuffer::new(&context(), 8).unwrap();
        let answer = memory.fill(1);
        unreachable!("the call returned {answer:?}");
    }

    fn role_cannot_ask(_connection) {
        let context = context();
        let (stream, number) = (Stream::non_blocking(&context).unwrap(), DeviceBuffer::new(&context, 4).unwrap());
        number.fill(0).unwrap();
        let (told, ended) = channel();
        // A thread, because a scope that asks for ever should fail the test and not hang it.
        std::thread::spawn(move || {
            let answer = stream::scope_watching(&Dead, |scope| {
                scope.on(&stream).wait_value(number.slice::<u32>(..)?, WaitValue::Equal, 1)
            });
            told.send((answer, number.snapshot::<u32>(..).unwrap()[0])).unwrap();
        });
        let (answer, number) = ended.recv_timeout(Duration::from_secs(60)).expect("the scope ends");
        assert!(matches!(answer, Err(Error::PeerDied)), "{answer:?}");
        assert_eq!(number, 1, "the scope wrote the number itself");
    }

    fn role_cannot_write(_connection) {
        static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
        static REPORTED: Condvar = Condvar::new();
        let context = context();
        let size = granularity(context.device(), HandleTypes::NONE).unwrap();
        let allocation = Allocation::new(context.device(), size, HandleTypes::NONE).unwrap();
        let memory = Mapping::new(&context, &[&allocation], Access::ReadWrite).unwrap();
        memory.fill(0).unwrap();
        let stream = Stream::non_blocking(&context).unwrap();
        set_drop_hook(|error| {
            REPORTS.lock().unwrap().push(error.to_string());
            REPORTED.notify_all();
        });
        let ended = std::thread::scope(|threads| {
            let scope = threads.spawn(|| {
                stream::scope_watching(&Dead, |scope| {
                    scope.on(&stream).wait_value(memory.slice::<u32>(..1)?, WaitValue::Equal, 1)?;
                    memory.set_access(context.device(), Access::Read)
                })
            });
            let (reports, limit) = (REPORTS.lock().unwrap(), Duration::from_secs(60));
            let (reports, _) = REPORTED.wait_timeout_while(reports, limit, |reports| reports.is_empty()).unwrap();
            if !reports.first().is_some_and(|report| report.contains("cuStreamWriteValue32")) || scope.is_finished() {
                eprintln!("the scope has reported {reports:?}");
                // A panic would wait for the scope, which may never end.
                std::process::exit(1);
            }
            drop(reports);
            memory.set_access(context.device(), Access::ReadWrite).unwrap();
            scope.join().unwrap()
        });
        assert!(matches!(ended, Err(Error::PeerDied)), "{ended:?}");
        assert_eq!(REPORTS.lock().unwrap().len(), 1, "the error is reported once");
    }

    fn role_cannot_wait(_connection) {
        let context = context();
        let (stream, memory) = (Stream::non_blocking(&context).unwrap(), DeviceBuffer::new(&context, 8).unwrap());
        let answer = stream.scope(|scoped| scoped.fill(memory.slice(..)?, 2_u32));
        unreachable!("the scope returned {answer:?}");
    }
}
