//! Managed tensors of DLPack, in and out. The crate `dlpark` is the other side.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cuda_ipc::foreign::ForeignError;
use cuda_ipc::foreign::dlpack::{
    Abi, DataType, Device, Element, Managed, ManagedVersioned, RawTensor, Tensor, TensorError,
};
use cuda_ipc::vmm::{Access, Allocation, HandleTypes, Mapping, granularity};
use cuda_ipc::{Context, DeviceBuffer, Error};
use dlpark::allocation::dynamic::Allocation as TheirAllocation;
use dlpark::ffi;

use crate::common::{context, device};

#[test]
fn the_structures_have_the_layout_of_the_header() {
    macro_rules! same {
        ($($ours:ty, $theirs:ty: $($our:ident = $their:ident),*;)*) => {$(
            assert_eq!((size_of::<$ours>(), align_of::<$ours>()), (size_of::<$theirs>(), align_of::<$theirs>()));
            $(assert_eq!(offset_of!($ours, $our), offset_of!($theirs, $their), stringify!($our));)*
        )*};
    }
    same! {
        Device, ffi::DLDevice: kind = device_type, ordinal = device_id;
        DataType, ffi::DLDataType: code = code, bits = bits, lanes = lanes;
        RawTensor, ffi::DLTensor: data = data, device = device, dimensions = ndim, data_type = dtype, shape = shape,
            strides = strides, byte_offset = byte_offset;
        Managed, ffi::DLManagedTensor: tensor = dl_tensor, context = manager_ctx, deleter = deleter;
        ManagedVersioned, ffi::DLManagedTensorVersioned: major = version, context = manager_ctx, deleter = deleter,
            flags = flags, tensor = dl_tensor;
    }
    assert_eq!(offset_of!(ManagedVersioned, minor), offset_of!(ffi::DLPackVersion, minor));
    assert_eq!(Device::CUDA, ffi::DLDeviceType::CUDA.0.cast_signed());
    assert_eq!(ManagedVersioned::MAJOR, ffi::DLPACK_MAJOR_VERSION);
    assert_eq!(ManagedVersioned::READ_ONLY, u64::from(ffi::DLPACK_FLAG_BITMASK_READ_ONLY));
    let codes = [i16::TYPE.code, u16::TYPE.code, f64::TYPE.code];
    assert_eq!(codes, [ffi::DLDataTypeCode::INT.0, ffi::DLDataTypeCode::UINT.0, ffi::DLDataTypeCode::FLOAT.0]);
    assert_eq!((f32::TYPE.bits, u8::TYPE.bits, u8::TYPE.lanes), (32, 8, 1));
}

fn buffer(size: usize) -> Arc<DeviceBuffer> {
    Arc::new(DeviceBuffer::new(&context(), size).unwrap())
}

/// A value that derefs to the memory, and whose drop can be seen.
struct Seen(Arc<DeviceBuffer>);

impl std::ops::Deref for Seen {
    type Target = cuda_ipc::DeviceMemory;

    fn deref(&self) -> &cuda_ipc::DeviceMemory {
        &self.0
    }
}

#[test]
fn another_crate_reads_an_exported_tensor_and_releases_it() {
    let memory = buffer(4096);
    let tensor = Tensor::<ManagedVersioned>::export::<f32, _>(Seen(Arc::clone(&memory)), 64, &[2, 3, 4]).unwrap();
    // SAFETY: the tensor is handed over, and the two structures are one.
    let theirs = unsafe { dlpark::versioned::Dlpack::from_raw(tensor.read_only().into_raw().cast()) }.unwrap();
    assert!(theirs.flags().contains(dlpark::DlpackFlags::READ_ONLY));
    let tensor = theirs.validate_export().unwrap();
    assert_eq!((tensor.shape(), tensor.strides()), (&[2, 3, 4][..], Some(&[12, 4, 1][..])));
    assert_eq!(tensor.device(), ffi::DLDevice::cuda(device().raw()));
    assert_eq!((tensor.dtype(), tensor.num_bytes()), (ffi::DLDataType::F32, 96));
    assert_eq!(tensor.data_ptr().addr() as u64 + tensor.byte_offset(), memory.pointer() + 64);
    assert_eq!(Arc::strong_count(&memory), 2);
    drop(theirs);
    assert_eq!(Arc::strong_count(&memory), 1);

    let tensor = Tensor::<Managed>::export::<u8, _>(Seen(Arc::clone(&memory)), 0, &[]).unwrap();
    // SAFETY: as above.
    let theirs = unsafe { dlpark::legacy::Dlpack::from_raw(tensor.into_raw().cast()) }.unwrap();
    assert_eq!(theirs.validate_export().unwrap().num_bytes(), 1);
    drop(theirs);
    assert_eq!(Arc::strong_count(&memory), 1);
}

#[test]
fn a_tensor_of_another_crate_is_borrowed_and_released() {
    let memory = buffer(4096);
    memory.write(8, &[1.5_f64, 2.5]).unwrap();
    let mut shape = [2_i64];
    let owner = Box::new(Arc::clone(&memory));
    let mut theirs = TheirAllocation::<ffi::DLManagedTensor>::allocate(0).unwrap().initialize(owner, 1).unwrap();
    theirs.set_data(ptr::without_provenance_mut(memory.pointer() as usize)).set_byte_offset(8);
    theirs.set_device(ffi::DLDevice::cuda(device().raw())).set_dtype(ffi::DLDataType::F64);
    theirs.tensor_mut().shape = shape.as_mut_ptr();
    // SAFETY: the shape outlives the tensor, and the buffer is its owner.
    let raw = unsafe { theirs.finish() }.into_raw();
    // SAFETY: as above, and the two structures are one.
    let tensor = unsafe { Tensor::<Managed>::from_raw(raw.cast()) }.unwrap();
    assert_eq!((tensor.data_type().unwrap(), tensor.shape().unwrap()), (f64::TYPE, &[2_i64][..]));
    let borrowed = tensor.memory(&context()).unwrap();
    let mut values = [0.0_f64; 2];
    borrowed.read(0, &mut values).unwrap();
    assert_eq!((values, borrowed.size()), ([1.5, 2.5], 16));
    assert_eq!((Arc::strong_count(&memory), borrowed.owner().shape().unwrap()), (2, &[2_i64][..]));
    drop(borrowed);
    assert_eq!(Arc::strong_count(&memory), 1);
}

#[test]
fn an_exported_tensor_comes_back() {
    fn comes_back<A: Abi>() {
        let memory = buffer(64);
        let tensor = Tensor::<A>::export::<u16, _>(Seen(Arc::clone(&memory)), 2, &[3]).unwrap();
        let raw = tensor.into_raw();
        // SAFETY: the tensor was handed over just now.
        let borrowed = unsafe { Tensor::from_raw(raw) }.unwrap().memory(&context()).unwrap();
        let mut bytes = [0_u8; 9];
        memory.write(0, &[0_u8; 9]).unwrap();
        borrowed.fill(7).unwrap();
        memory.read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [0, 0, 7, 7, 7, 7, 7, 7, 0]);
        drop(borrowed.into_owner());
        assert_eq!(Arc::strong_count(&memory), 1);
    }
    comes_back::<Managed>();
    comes_back::<ManagedVersioned>();
}

#[test]
fn what_is_not_within_the_memory_is_not_exported() {
    let memory = buffer(64);
    let export = |offset, shape: &[usize]| {
        let exported = Tensor::<Managed>::export::<u32, _>(Seen(Arc::clone(&memory)), offset, shape);
        exported.map(drop).unwrap_err()
    };
    assert!(matches!(export(0, &[17]), Error::OutOfBounds { length: 68, .. }));
    assert!(matches!(export(4, &[4, 4]), Error::OutOfBounds { .. }));
    assert!(matches!(export(2, &[1]), Error::Misaligned { alignment: 4, .. }));
    for shape in [&[usize::MAX][..], &[1 << 40, 1 << 40], &[0, 1 << 40, 1 << 40]] {
        assert!(matches!(export(0, shape), Error::Tensor(TensorError::TooLarge)), "{shape:?}");
    }
    assert_eq!(Arc::strong_count(&memory), 1);
}

/// Counts the calls of a tensor's deleter.
unsafe extern "C" fn count(managed: *mut ManagedVersioned) {
    // SAFETY: the tensor is the first field of the value.
    unsafe { (*managed.cast::<Counted>()).deleted.fetch_add(1, Ordering::Relaxed) };
}

#[repr(C)]
struct Counted {
    _managed: ManagedVersioned,
    deleted: AtomicUsize,
}

/// Imports an altered tensor of 2 × 3 numbers, and returns the error after checking that the deleter was called once.
fn import(alter: impl FnOnce(&mut ManagedVersioned)) -> Error {
    let (mut shape, mut strides) = ([2_i64, 3], [3_i64, 1]);
    let tensor = RawTensor {
        data: ptr::without_provenance_mut::<c_void>(0x1000),
        device: Device { kind: Device::CUDA, ordinal: device().raw() },
        dimensions: 2,
        data_type: f32::TYPE,
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let deleter = Some(count as unsafe extern "C" fn(_));
    let mut managed = ManagedVersioned { major: 1, minor: 1, context: ptr::null_mut(), deleter, flags: 0, tensor };
    alter(&mut managed);
    let mut counted = Counted { _managed: managed, deleted: AtomicUsize::new(0) };
    // SAFETY: the arrays are long enough, and the memory is not used, because the tensor is refused.
    let tensor = unsafe { Tensor::from_raw((&raw mut counted).cast::<ManagedVersioned>()) }.unwrap();
    let error = tensor.memory(&context()).map(drop).unwrap_err();
    assert_eq!(counted.deleted.load(Ordering::Relaxed), 1);
    error
}

#[test]
fn a_hostile_tensor_is_an_error_and_is_released_once() {
    type Alter = fn(&mut ManagedVersioned);
    let cases: [(Alter, &str); 17] = [
        (|managed| managed.major = 2, "the tensor has the layout of DLPack 2.1"),
        (|managed| managed.tensor.device.kind = 1, "the tensor is on a device of kind 1 with ordinal 0"),
        (|managed| managed.flags = 1, "the tensor is read-only"),
        (|managed| managed.tensor.data = ptr::null_mut(), "24 bytes at offset 0 of 0x0 are not in memory"),
        (|managed| managed.tensor.byte_offset = u64::MAX, "24 bytes at offset 18446744073709551615 of 0x1000"),
        (|managed| managed.tensor.byte_offset = u64::MAX - 0x1010, "24 bytes at offset 18446744073709547503 of 0x1000"),
        (|managed| managed.tensor.dimensions = -1, "-1 is not a number of dimensions"),
        (|managed| managed.tensor.shape = ptr::null_mut(), "the shape is missing"),
        (|managed| managed.tensor.data_type.bits = 4, "elements of 1 lanes of 4 bits are not whole bytes"),
        (|managed| managed.tensor.data_type.lanes = 0, "elements of 0 lanes of 32 bits are not whole bytes"),
        (|managed| shape(managed, [2, -3]), "-3 is not a number of dimensions or elements"),
        (|managed| shape(managed, [-2, -3]), "-2 is not a number of dimensions or elements"),
        (|managed| shape(managed, [i64::MAX, 3]), "the tensor's size does not fit"),
        (|managed| shape(managed, [1 << 31, 1 << 31]), "the tensor's size does not fit"),
        (|managed| strides(managed, [1, 2]), "the tensor's elements are not next to each other"),
        (|managed| strides(managed, [4, 1]), "the tensor's elements are not next to each other"),
        (|managed| strides(managed, [0, 1]), "the tensor's elements are not next to each other"),
    ];
    for (alter, expected) in cases {
        let error = import(alter);
        assert!(matches!(error, Error::Tensor(_)) && error.to_string().contains(expected), "{error}; not: {expected}");
    }
}

/// A tensor names its device, and not its context. The contexts of a device reach each other's memory.
#[test]
fn a_tensor_of_another_context_is_borrowed() {
    let memory = buffer(64);
    let tensor = Tensor::<Managed>::export::<u8, _>(Seen(Arc::clone(&memory)), 0, &[8]).unwrap();
    let borrowed = tensor.memory(&Context::new(device()).unwrap()).unwrap();
    borrowed.fill(7).unwrap();
    assert_eq!(memory.snapshot::<u8>(..8).unwrap()[..], [7; 8]);
}

/// Memory that the device does not reach, as a tensor.
#[test]
fn a_tensor_without_access_is_refused() {
    let size = granularity(device(), HandleTypes::NONE).unwrap();
    let allocation = Allocation::new(device(), size, HandleTypes::NONE).unwrap();
    let mapping = Mapping::new(&context(), &[&allocation], Access::ReadWrite).unwrap();
    mapping.set_access(device(), Access::None).unwrap();
    let tensor = Tensor::<Managed>::export::<u8, _>(mapping, 0, &[8]).unwrap();
    let refused = tensor.memory(&context());
    assert!(matches!(refused, Err(Error::NoAccess { found: Access::None, .. })), "{refused:?}");
}

#[test]
fn a_tensor_of_another_device_or_null_is_refused() {
    let error = import(|managed| managed.tensor.device.ordinal += 1);
    assert!(matches!(error, Error::Foreign(ForeignError::OtherDevice { found: 1, expected: 0, .. })), "{error}");
    // SAFETY: a null pointer is refused.
    let refused = unsafe { Tensor::<Managed>::from_raw(ptr::null_mut()) };
    assert_eq!(refused.err(), Some(TensorError::Null));
}

/// The array of two numbers belongs to `import`.
fn shape(managed: &mut ManagedVersioned, lengths: [i64; 2]) {
    // SAFETY: see above.
    unsafe { *managed.tensor.shape.cast() = lengths };
}

fn strides(managed: &mut ManagedVersioned, distances: [i64; 2]) {
    // SAFETY: as for the shape.
    unsafe { *managed.tensor.strides.cast() = distances };
}
