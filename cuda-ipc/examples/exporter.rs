//! Shares a buffer with one importer: the first program of the README, with `importer.rs`.

use std::error::Error;

use cuda_ipc::transport::{Address, Listener};
use cuda_ipc::{Context, Driver, SharedBuffer};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("pass the path of a socket")?;
    let context = Context::primary(Driver::get()?.device(0)?)?;
    let buffer = SharedBuffer::new(&context, 4096)?; // 4096 bytes
    buffer.write(0, &[1.0_f32, 2.0, 3.0])?; // from byte 0 on
    let importer = Listener::bind(&Address::Path(path.into()))?.accept(None)?;
    buffer.share()?.send(&importer)?;
    println!("sent");
    Ok(())
}
