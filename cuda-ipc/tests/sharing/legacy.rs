//! Legacy handles that are sent as bytes.

use cuda_ipc::ipc::{ImportedBuffer, MemHandle};
use cuda_ipc::sys::CUresult;
use cuda_ipc::transport::Connection;
use cuda_ipc::{Context, DeviceBuffer, Error};

use crate::common::{context, driver};
use crate::peer::{Peer, roles, wait_for_the_end};
use crate::{SIZE, contents, pattern};

fn receive_handle(connection: &Connection) -> MemHandle {
    MemHandle::from_bytes(connection.receive().unwrap().bytes.try_into().expect("64 bytes"))
}

fn open(context: &Context, handle: &MemHandle) -> Result<ImportedBuffer, Error> {
    // SAFETY: the bytes came from a process that keeps the memory as long as this one runs, or the test checks what the
    // driver does if that process has ended.
    unsafe { ImportedBuffer::open(context, handle) }
}

#[test]
fn a_buffer_is_read_and_written_from_another_process() {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    buffer.write(0, &pattern(1)).unwrap();
    let mut importer = Peer::start(module_path!(), "role_reads_and_writes");
    importer.connection.send(&buffer.ipc_handle().unwrap().to_bytes(), &[]).unwrap();
    assert_eq!(importer.process.hear(), "written");
    assert!(contents(&buffer) == pattern(2));
    importer.finish();
    assert!(contents(&buffer) == pattern(2));
    buffer.free().unwrap();
}

#[test]
fn an_import_is_neither_exported_again_nor_closed_twice() {
    let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
    let importer = Peer::start(module_path!(), "role_misuses_an_import");
    importer.connection.send(&buffer.ipc_handle().unwrap().to_bytes(), &[]).unwrap();
    importer.finish();
}

#[test]
fn an_import_outlives_its_exporter_but_the_handle_does_not() {
    let mut exporter = Peer::start(module_path!(), "role_exports");
    let handle = receive_handle(&exporter.connection);
    let context = context();
    let import = open(&context, &handle).unwrap();
    assert_eq!(import.size(), SIZE);
    exporter.process.kill();
    assert!(contents(&import) == pattern(5));
    import.close().unwrap();
    let error = open(&context, &handle).unwrap_err();
    assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_HANDLE), "{error}");
    assert!(error.to_string().contains("the exporter has ended"), "{error}");
}

roles! {
    fn role_reads_and_writes(connection) {
        let import = open(&context(), &receive_handle(&connection)).unwrap();
        assert_eq!(import.size(), SIZE);
        assert!(contents(&import) == pattern(1));
        import.write(0, &pattern(2)).unwrap();
        crate::peer::say("written");
        import.close().unwrap();
    }

    fn role_misuses_an_import(connection) {
        let context = context();
        let import = open(&context, &receive_handle(&connection)).unwrap();
        let error = MemHandle::of_pointer(&context, import.pointer()).unwrap_err();
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}");
        assert!(error.to_string().contains("imported memory"), "{error}");

        // SAFETY: closed behind the value's back, so that the value's own close is the second. The value is not used in
        // between.
        let close = || unsafe { driver().raw().cuIpcCloseMemHandle(import.pointer()) };
        assert_eq!(context.within(close).unwrap(), Ok(CUresult::CUDA_SUCCESS));
        let error = import.close().unwrap_err();
        assert_eq!(error.code(), Some(CUresult::CUDA_ERROR_INVALID_VALUE), "{error}");
        assert!(error.to_string().contains("cuIpcCloseMemHandle(0x"), "{error}");
    }

    fn role_exports(connection) {
        let buffer = DeviceBuffer::new(&context(), SIZE).unwrap();
        buffer.write(0, &pattern(5)).unwrap();
        connection.send(&buffer.ipc_handle().unwrap().to_bytes(), &[]).unwrap();
        wait_for_the_end();
    }
}
