//! Two processes share memory and events. The other process is this executable again, in a role of its own.

mod common;

use std::any::Any;
use std::ffi::c_void;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{context, driver};
use cuda_ipc::event::InterprocessEvent;
use cuda_ipc::ipc::{EventHandle, ImportedBuffer, ImportedEvent, MemHandle};
use cuda_ipc::sys::{self, CUresult};
use cuda_ipc::{Context, DeviceBuffer, DeviceMemory, DropError, Stream, set_drop_hook};

const SIZE: usize = 3 << 20;
const ROLE: &str = "CUDA_IPC_TEST_ROLE";

/// Another process: bytes go to it, lines come from it.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    /// Start this executable with one of the roles at the end of this file.
    fn start(role: &str) -> Self {
        let program = std::env::current_exe().expect("a test executable has a path");
        let mut command = Command::new(program);
        command.args(["--exact", role, "--ignored", "--nocapture"]).env(ROLE, role);
        command.env("CUDA_IPC_DRIVER", driver().path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        Self { child, to, from: BufReader::new(from) }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("the peer listens");
    }

    /// The next line that the peer said, past the lines of the test runner.
    fn hear(&mut self) -> String {
        let lines = self.from.by_ref().lines().map(|line| line.expect("text"));
        let said = lines.filter_map(|line| line.strip_prefix("> ").map(str::to_owned)).next();
        said.expect("the peer ended without a word")
    }

    fn finish(mut self) {
        drop(self.to);
        assert!(self.child.wait().expect("our child").success());
    }

    fn kill(mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

fn say(text: &str) {
    println!("\n> {text}");
}

/// Bytes from the process that started this one, which is gone where they do not come.
fn receive<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    std::io::stdin().read_exact(&mut bytes).expect("the other process lives");
    bytes
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|index| (index as u8).wrapping_mul(31) ^ (index >> 8) as u8 ^ seed).collect()
}

fn contents(memory: &DeviceMemory) -> Vec<u8> {
    let mut bytes = vec![0_u8; memory.size()];
    memory.read(0, &mut bytes).unwrap();
    bytes
}

/// Perform a driver call past the safe layer, in a context, which must succeed.
fn raw(context: &Context, call: impl FnOnce(&sys::Driver) -> Result<CUresult, sys::MissingSymbol>) {
    let driver = driver().raw();
    // SAFETY: the context is live, and what is popped is what was pushed.
    let answers = unsafe {
        [driver.cuCtxPushCurrent(context.raw()), call(driver), driver.cuCtxPopCurrent(&mut std::ptr::null_mut())]
    };
    assert_eq!(answers, [Ok(CUresult::CUDA_SUCCESS); 3]);
}

fn open_memory(context: &Context, bytes: [u8; 64]) -> Result<ImportedBuffer, cuda_ipc::Error> {
    // SAFETY: the bytes came through a pipe from a process that keeps the memory as long as this one runs, or the test
    // asks what the driver does where it did not.
    unsafe { ImportedBuffer::open(context, &MemHandle::from_bytes(bytes)) }
}

fn open_event(context: &Context, bytes: [u8; 64]) -> ImportedEvent {
    // SAFETY: as above.
    unsafe { ImportedEvent::open(context, &EventHandle::from_bytes(bytes)) }.unwrap()
}

#[test]
fn a_buffer_is_read_and_written_from_another_process() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    buffer.write(0, &pattern(1)).unwrap();
    let mut importer = Peer::start("role_reads_and_writes");
    importer.send(&buffer.ipc_handle().unwrap().to_bytes());
    assert_eq!(importer.hear(), "written");
    assert!(contents(&buffer) == pattern(2));
    importer.finish();
    assert!(contents(&buffer) == pattern(2));
    buffer.free().unwrap();
}

#[test]
fn an_event_orders_the_work_of_two_processes() {
    static GATE_IS_OPEN: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn wait_at_the_gate(_: *mut c_void) {
        while !GATE_IS_OPEN.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
    let context = context();
    let stream = Stream::non_blocking(&context).unwrap();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    assert!(event.query().unwrap(), "before any record there is nothing to wait for");
    buffer.fill(1).unwrap();
    // SAFETY: the function takes no data and calls nothing of CUDA.
    raw(&context, |driver| unsafe {
        driver.cuLaunchHostFunc(stream.raw(), Some(wait_at_the_gate), std::ptr::null_mut())
    });
    // SAFETY: the buffer lives to the end of the test, which waits for the stream.
    unsafe { buffer.fill_async(2, &stream) }.unwrap();
    event.record(&stream).unwrap();
    assert!(!event.query().unwrap() && !stream.query().unwrap());

    let mut importer = Peer::start("role_waits_and_records");
    importer.send(&buffer.ipc_handle().unwrap().to_bytes());
    importer.send(&event.ipc_handle().unwrap().to_bytes());
    assert_eq!(importer.hear(), "pending");
    GATE_IS_OPEN.store(true, Ordering::Release);
    assert_eq!(importer.hear(), "recorded");
    // The record is the importer's now.
    stream.wait(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(event.query().unwrap());
    assert!(contents(&buffer).iter().all(|byte| *byte == 3));
    importer.finish();
}

#[test]
fn imports_are_dropped_in_every_order_and_twice_opened() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let event = InterprocessEvent::new(&context).unwrap();
    buffer.fill(9).unwrap();
    let mut importer = Peer::start("role_drops_in_every_order");
    importer.send(&buffer.ipc_handle().unwrap().to_bytes());
    importer.send(&event.ipc_handle().unwrap().to_bytes());
    assert_eq!(importer.hear(), "dropped");
    importer.finish();
    // Nothing of it touched what is ours.
    event.record(&Stream::default_of(&context)).unwrap();
    event.synchronize().unwrap();
    assert!(contents(&buffer).iter().all(|byte| *byte == 9));
}

#[test]
fn an_import_is_neither_exported_again_nor_closed_twice() {
    let context = context();
    let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
    let mut importer = Peer::start("role_misuses_an_import");
    importer.send(&buffer.ipc_handle().unwrap().to_bytes());
    assert_eq!(importer.hear(), "refused");
    importer.finish();
}

#[test]
fn an_import_outlives_its_exporter_but_the_handle_does_not() {
    let mut exporter = Peer::start("role_exports");
    let text = exporter.hear();
    let hex = |place: usize| u8::from_str_radix(&text[2 * place..2 * place + 2], 16).expect("two digits");
    let handle = std::array::from_fn(hex);
    let context = context();
    let import = open_memory(&context, handle).unwrap();
    assert_eq!(import.size(), SIZE);
    exporter.kill();
    assert!(contents(&import) == pattern(5));
    import.close().unwrap();
    let error = open_memory(&context, handle).unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE), "{error}");
    assert!(error.to_string().contains("the exporter has ended"), "{error}");
}

/// A role that hangs ends, and with it the test that listens to it.
fn end_in_time() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(60));
        eprintln!("the role took too long");
        std::process::exit(1);
    });
}

/// A role runs in a process that a test started; started otherwise, it has nothing to do.
macro_rules! roles {
    ($(fn $name:ident() $body:block)*) => {$(
        #[test]
        #[ignore = "a role, which a test starts in a process of its own"]
        fn $name() {
            if std::env::var(ROLE).is_ok_and(|role| role == stringify!($name)) {
                end_in_time();
                $body
            }
        }
    )*};
}

roles! {
    fn role_reads_and_writes() {
        let context = context();
        let import = open_memory(&context, receive()).unwrap();
        assert_eq!(import.size(), SIZE);
        assert!(contents(&import) == pattern(1));
        import.write(0, &pattern(2)).unwrap();
        say("written");
        import.close().unwrap();
    }

    fn role_waits_and_records() {
        let context = context();
        let (import, event) = (open_memory(&context, receive()).unwrap(), open_event(&context, receive()));
        assert!(contents(&import).iter().all(|byte| *byte == 1));
        assert!(!event.query().unwrap());
        let stream = Stream::new(&context).unwrap();
        stream.wait(&event).unwrap();
        // SAFETY: the memory stays open until the stream is done.
        unsafe { import.fill_async(3, &stream) }.unwrap();
        say("pending");
        event.synchronize().unwrap();
        event.record(&stream).unwrap();
        say("recorded");
        stream.synchronize().unwrap();
        assert!(event.query().unwrap());
        event.close().unwrap();
        import.close().unwrap();
    }

    fn role_drops_in_every_order() {
        static MET: Mutex<Vec<DropError>> = Mutex::new(Vec::new());
        set_drop_hook(|error| MET.lock().unwrap().push(error));
        let (memory, event) = (receive(), receive());
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 1, 3], [1, 3, 0, 2], [2, 3, 1, 0]] {
            let context = Context::primary(common::device()).unwrap();
            let (one, other) = (open_memory(&context, memory).unwrap(), open_memory(&context, memory).unwrap());
            assert_eq!(one.pointer(), other.pointer());
            let event = open_event(&context, event);
            event.synchronize().unwrap();
            drop(one);
            assert!(contents(&other).iter().all(|byte| *byte == 9));
            let one = open_memory(&context, memory).unwrap();
            let mut values: [Option<Box<dyn Any>>; 4] =
                [Some(Box::new(context)), Some(Box::new(one)), Some(Box::new(other)), Some(Box::new(event))];
            for place in order {
                values[place] = None;
            }
            let errors = std::mem::take(&mut *MET.lock().unwrap());
            assert!(errors.is_empty(), "{order:?}: {errors:?}");
        }
        say("dropped");
    }

    fn role_misuses_an_import() {
        let context = context();
        let import = open_memory(&context, receive()).unwrap();
        let error = MemHandle::of_pointer(&context, import.pointer()).unwrap_err();
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}");
        assert!(error.to_string().contains("imported memory"), "{error}");

        // SAFETY: closed behind the value's back, so that its own close is one too many; it is not used in between.
        raw(&context, |driver| unsafe { driver.cuIpcCloseMemHandle(import.pointer()) });
        let error = import.close().unwrap_err();
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}");
        assert!(error.to_string().contains("cuIpcCloseMemHandle(0x"), "{error}");
        say("refused");
    }

    fn role_exports() {
        let context = context();
        let buffer = DeviceBuffer::new(&context, SIZE).unwrap();
        buffer.write(0, &pattern(5)).unwrap();
        let handle = buffer.ipc_handle().unwrap().to_bytes();
        say(&handle.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        // Until the other process kills this one, or ends.
        let _ = std::io::stdin().read(&mut [0]);
    }
}
