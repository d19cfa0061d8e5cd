//! Copies and fills of rows that begin a pitch apart.

use cuda_ipc_sys::{CUDA_MEMCPY2D, CUmemorytype};

use crate::{Pointer, Stream};

calls! {
    /// `cuMemcpy2D` of every other row of 4 KiB of a range, of the rows between, and of what is left. Then
    /// `cuCtxSynchronize`.
    fn memcpy_2d(session, to: Pointer, from: Pointer, count: u64) -> () {
        for rows in Rows::of(count) {
            cuda!(session.cuMemcpy2D(&rows.copy(to, from)));
        }
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpy2DUnaligned` of every other row of 4 KiB of a range, of the rows between, and of what is left. Then
    /// `cuCtxSynchronize`.
    fn memcpy_2d_unaligned(session, to: Pointer, from: Pointer, count: u64) -> () {
        for rows in Rows::of(count) {
            cuda!(session.cuMemcpy2DUnaligned(&rows.copy(to, from)));
        }
        cuda!(session.cuCtxSynchronize());
        Ok(())
    }

    /// `cuMemcpy2DAsync` of every other row of 4 KiB of a range, of the rows between, and of what is left.
    fn memcpy_2d_async(session, to: Pointer, from: Pointer, count: u64, stream: Stream) -> () {
        for rows in Rows::of(count) {
            cuda!(session.cuMemcpy2DAsync(&rows.copy(to, from), stream.0 as _));
        }
        Ok(())
    }

    /// `cuMemsetD2D8` of every other row of 4 KiB of a range, of the rows between, and of what is left.
    fn memset_2d(session, pointer: Pointer, value: u8, count: u64) -> () {
        for Rows { begin, width, height } in Rows::of(count) {
            cuda!(session.cuMemsetD2D8(pointer.offset(begin).0, PITCH, value, width, height));
        }
        Ok(())
    }

    /// `cuMemsetD2D8Async` of every other row of 4 KiB of a range, of the rows between, and of what is left.
    fn memset_2d_async(session, pointer: Pointer, value: u8, count: u64, stream: Stream) -> () {
        for Rows { begin, width, height } in Rows::of(count) {
            cuda!(session.cuMemsetD2D8Async(pointer.offset(begin).0, PITCH, value, width, height, stream.0 as _));
        }
        Ok(())
    }
}

const WIDTH: usize = 4096;
const PITCH: usize = 2 * WIDTH;

/// Rows of a range: where the first one begins, how long they are, and their number.
struct Rows {
    begin: u64,
    width: usize,
    height: usize,
}

impl Rows {
    /// Divides a range into every other row, the rows between them, and the bytes after the last whole row.
    fn of(count: u64) -> impl Iterator<Item = Self> {
        let (whole, left) = (count as usize / WIDTH, count as usize % WIDTH);
        let even = Self { begin: 0, width: WIDTH, height: whole.div_ceil(2) };
        let odd = Self { begin: WIDTH as u64, width: WIDTH, height: whole / 2 };
        let rest = Self { begin: (whole * WIDTH) as u64, width: left, height: 1 };
        [even, odd, rest].into_iter().filter(|rows| rows.width * rows.height > 0)
    }

    /// A copy of the rows between two ranges of device memory.
    fn copy(&self, to: Pointer, from: Pointer) -> CUDA_MEMCPY2D {
        CUDA_MEMCPY2D {
            srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcDevice: from.offset(self.begin).0,
            srcPitch: PITCH,
            dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstDevice: to.offset(self.begin).0,
            dstPitch: PITCH,
            WidthInBytes: self.width,
            Height: self.height,
            ..Default::default()
        }
    }
}
