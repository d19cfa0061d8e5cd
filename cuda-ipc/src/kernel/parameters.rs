//! The types of a kernel's parameters, and how a launch passes them.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::memory::DeviceSlice;
use crate::sys::CUdeviceptr;
use crate::vmm::Access;
use crate::{Context, Error};

/// A slice that the kernel reads: the address of its first value, and its length as a 64-bit number.
pub struct Read<T>(PhantomData<fn(T)>);

/// A slice that the kernel reads and writes: the address of its first value, and its length as a 64-bit number.
pub struct Write<T>(PhantomData<fn(T)>);

/// One value in device memory that the kernel reads: its address.
pub struct ReadOne<T>(PhantomData<fn(T)>);

/// One value in device memory that the kernel reads and writes: its address.
pub struct WriteOne<T>(PhantomData<fn(T)>);

/// The type of a parameter: [`Read`], [`Write`], [`ReadOne`], [`WriteOne`], or any type of values without padding, such
/// as `u32`.
///
/// Device memory may hold any bytes, so the values of slices are [`AnyBitPattern`].
pub trait Parameter: sealed::Parameter {
    /// The argument that a launch takes for the parameter.
    type Argument<'scope>;

    /// What the kernel is given.
    #[doc(hidden)]
    type Passed;

    /// Checks an argument for a launch in a context.
    #[doc(hidden)]
    fn pass(argument: Self::Argument<'_>, context: &Context) -> Result<Self::Passed, Error>;

    /// Adds pointers to what the kernel is given.
    #[doc(hidden)]
    fn point(passed: &mut Self::Passed, pointers: &mut Pointers);
}

/// The types of a kernel's parameters: a tuple of up to 12 of them.
pub trait Parameters: sealed::Parameters {
    /// The arguments that a launch takes: a tuple with the argument of each parameter.
    type Arguments<'scope>;

    /// Checks the arguments for a launch in a context, and launches with pointers to what the kernel is given.
    #[doc(hidden)]
    fn launch(
        arguments: Self::Arguments<'_>,
        context: &Context,
        launch: impl FnOnce(&mut [*mut c_void]) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

/// Nothing outside this crate can name these, so there are no other parameters.
mod sealed {
    pub trait Parameter {}
    pub trait Parameters {}
}

/// The largest number of pointers: a tuple has at most 12 parameters, and a slice takes two pointers.
const MOST: usize = 24;

/// The pointers to what a kernel is given, in place, because a launch allocates nothing.
pub struct Pointers {
    list: [*mut c_void; MOST],
    length: usize,
}

impl Pointers {
    fn add<T>(&mut self, value: &mut T) {
        self.list[self.length] = ptr::from_mut(value).cast();
        self.length += 1;
    }
}

impl<T: NoUninit> sealed::Parameter for T {}

impl<T: NoUninit> Parameter for T {
    type Argument<'scope> = T;
    type Passed = T;

    fn pass(argument: T, _: &Context) -> Result<T, Error> {
        Ok(argument)
    }

    fn point(passed: &mut T, pointers: &mut Pointers) {
        pointers.add(passed);
    }
}

/// Defines a parameter that is a slice with its length, and one that is a slice of one value without it.
macro_rules! slices {
    ($($slice:ident, $one:ident: $access:ident;)*) => {$(
        impl<T> sealed::Parameter for $slice<T> {}

        impl<T: AnyBitPattern> Parameter for $slice<T> {
            type Argument<'scope> = DeviceSlice<'scope, T>;
            type Passed = (CUdeviceptr, u64);

            fn pass(slice: DeviceSlice<'_, T>, context: &Context) -> Result<Self::Passed, Error> {
                slice.memory().require_access(context, Access::$access)?;
                Ok((slice.pointer(), slice.len() as u64))
            }

            fn point((pointer, length): &mut Self::Passed, pointers: &mut Pointers) {
                pointers.add(pointer);
                pointers.add(length);
            }
        }

        impl<T> sealed::Parameter for $one<T> {}

        impl<T: AnyBitPattern> Parameter for $one<T> {
            type Argument<'scope> = DeviceSlice<'scope, T>;
            type Passed = CUdeviceptr;

            fn pass(value: DeviceSlice<'_, T>, context: &Context) -> Result<Self::Passed, Error> {
                value.require_length(1)?;
                value.memory().require_access(context, Access::$access)?;
                Ok(value.pointer())
            }

            fn point(pointer: &mut Self::Passed, pointers: &mut Pointers) {
                pointers.add(pointer);
            }
        }
    )*};
}

slices! {
    Read, ReadOne: Read;
    Write, WriteOne: ReadWrite;
}

macro_rules! tuples {
    ($($($parameter:ident)*;)*) => {$(
        impl<$($parameter: Parameter),*> sealed::Parameters for ($($parameter,)*) {}

        #[allow(non_snake_case, unused_variables, unused_mut, reason = "the variables have the names of the types")]
        impl<$($parameter: Parameter),*> Parameters for ($($parameter,)*) {
            type Arguments<'scope> = ($($parameter::Argument<'scope>,)*);

            fn launch(
                ($($parameter,)*): Self::Arguments<'_>,
                context: &Context,
                launch: impl FnOnce(&mut [*mut c_void]) -> Result<(), Error>,
            ) -> Result<(), Error> {
                let ($(mut $parameter,)*) = ($(<$parameter as Parameter>::pass($parameter, context)?,)*);
                let mut pointers = Pointers { list: [ptr::null_mut(); MOST], length: 0 };
                $(<$parameter as Parameter>::point(&mut $parameter, &mut pointers);)*
                launch(&mut pointers.list[..pointers.length])
            }
        }
    )*};
}

tuples! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}
