//! Reads the buffer that `exporter.rs` shares.

use std::error::Error;
use std::time::Duration;

use cuda_ipc::Parcel;
use cuda_ipc::transport::{Address, Connection};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("pass the path of a socket")?;
    let timeout = Some(Duration::from_secs(60));
    let exporter = Connection::connect_when_listening(&Address::Path(path.into()), timeout)?;
    let parcel = Parcel::receive(&exporter)?;
    let memory = parcel.map(&parcel.context()?)?;
    let mut values = [0.0_f32; 3];
    memory.read(0, &mut values)?;
    println!("{values:?}");
    Ok(())
}
