//! Pointer attributes.

use std::ffi::c_void;
use std::ptr;

use cuda_ipc_sys::CUpointer_attribute;

use crate::Pointer;

/// The contents of an attribute's output before the call. Each half is a number that no attribute has.
pub const UNWRITTEN: u64 = 0xA5A5_A5A5_A5A5_A5A5;

calls! {
    /// `cuPointerGetAttribute` of an attribute that is an `int` or an `unsigned int`.
    fn pointer_get_attribute(session, attribute: CUpointerAttribute, pointer: Pointer) -> u32 {
        let mut value = UNWRITTEN as u32;
        let output = ptr::from_mut(&mut value).cast();
        cuda!(session.cuPointerGetAttribute(output, CUpointer_attribute(attribute), pointer.0));
        // The documentation calls some attributes booleans and does not say how wide they are.
        let is_byte = value >> 8 == UNWRITTEN as u32 >> 8;
        Ok(if is_byte { value & 0xFF } else { value })
    }

    /// `cuPointerGetAttribute` of an attribute that is an address, a handle or a 64-bit number.
    fn pointer_get_wide_attribute(session, attribute: CUpointerAttribute, pointer: Pointer) -> u64 {
        let mut value = UNWRITTEN;
        let output = ptr::from_mut(&mut value).cast();
        cuda!(session.cuPointerGetAttribute(output, CUpointer_attribute(attribute), pointer.0));
        // The documentation does not say how wide a mask of handle types is.
        let is_narrow = value >> 32 == UNWRITTEN >> 32;
        Ok(if is_narrow { value & 0xFFFF_FFFF } else { value })
    }

    /// `cuPointerGetAttributes` of several attributes at once. Each output is a 64-bit number that is [`UNWRITTEN`]
    /// before the call.
    fn pointer_get_attributes(session, attributes: Vec<CUpointerAttribute>, pointer: Pointer) -> Vec<u64> {
        let mut names: Vec<_> = attributes.into_iter().map(CUpointer_attribute).collect();
        let mut values = vec![UNWRITTEN; names.len()];
        let mut outputs: Vec<*mut c_void> = values.iter_mut().map(|value| ptr::from_mut(value).cast()).collect();
        let count = names.len() as u32;
        cuda!(session.cuPointerGetAttributes(count, names.as_mut_ptr(), outputs.as_mut_ptr(), pointer.0));
        Ok(values)
    }

    /// `cuMemAlloc`, `cuPointerGetAttribute` of `CU_POINTER_ATTRIBUTE_BUFFER_ID` and `cuMemFree`, a number of times.
    /// Returns the ids.
    fn buffer_ids_of_new_memory(session, size: u64, times: u64) -> Vec<u64> {
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_BUFFER_ID;
        let mut ids = Vec::new();
        for _ in 0..times {
            let (mut pointer, mut id) = (0, UNWRITTEN);
            cuda!(session.cuMemAlloc(&mut pointer, size as usize));
            let output = ptr::from_mut(&mut id).cast();
            cuda!(session.cuPointerGetAttribute(output, attribute, pointer));
            cuda!(session.cuMemFree(pointer));
            ids.push(id);
        }
        Ok(ids)
    }

    /// `cuPointerSetAttribute` of `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`.
    fn pointer_set_sync_memops(session, pointer: Pointer, value: bool) -> () {
        let value = u32::from(value);
        let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
        cuda!(session.cuPointerSetAttribute(ptr::from_ref(&value).cast(), attribute, pointer.0));
        Ok(())
    }
}

/// The number of a `CUpointer_attribute`.
pub type CUpointerAttribute = u32;
