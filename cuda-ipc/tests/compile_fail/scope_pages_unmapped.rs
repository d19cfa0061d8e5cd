use cuda_ipc::host::SharedPages;
use cuda_ipc::stream::WaitValue;
use cuda_ipc::{Error, Stream};

fn wait(stream: &Stream, pages: SharedPages<u32>) -> Result<(), Error> {
    stream.scope(|stream| {
        stream.wait_value(pages.memory().slice::<u32>(..1)?, WaitValue::Equal, 1)?;
        pages.unmap()
    })
}

fn main() {}
