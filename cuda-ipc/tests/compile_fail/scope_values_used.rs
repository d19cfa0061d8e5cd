//! A copy writes to host values until the scope ends, so nothing else can use them in the scope.

use cuda_ipc::{DeviceBuffer, Error, Stream};

fn main() {}

fn look(buffer: &DeviceBuffer, stream: &Stream) -> Result<(), Error> {
    let mut values = [0_u8; 4];
    stream.scope(|stream| {
        stream.read(buffer.slice(..4)?, &mut values)?;
        println!("{}", values[0]);
        Ok(())
    })
}

fn read_twice(buffer: &DeviceBuffer, stream: &Stream) -> Result<(), Error> {
    let mut values = [0_u8; 4];
    stream.scope(|stream| {
        stream.read(buffer.slice(..4)?, &mut values)?;
        stream.read(buffer.slice(..4)?, &mut values)
    })
}

fn change(buffer: &DeviceBuffer, stream: &Stream) -> Result<(), Error> {
    let mut values = [0_u8; 4];
    stream.scope(|stream| {
        stream.write(buffer.slice(..4)?, &values)?;
        values[0] = 1;
        Ok(())
    })
}
