//! `Debug` of enumerations and flags: the names of the enumerators.

use std::fmt;

/// An enumeration of C has 32 bits.
const WIDTH: i64 = 0xffff_ffff;

/// A value of a type, and its name.
type Name = (i64, &'static str);

/// Writes the name of a value, or the type and the number.
pub(crate) fn write_name(f: &mut fmt::Formatter<'_>, of: &str, value: i64, names: &[Name]) -> fmt::Result {
    match names.iter().find(|(known, _)| *known == value) {
        Some((_, name)) => f.write_str(name),
        None => write!(f, "{of}({value})"),
    }
}

/// Writes the name of a value, or the names of its bits and what remains as a hexadecimal number.
pub(crate) fn write_flags(f: &mut fmt::Formatter<'_>, of: &str, value: i64, names: &[Name]) -> fmt::Result {
    if value == 0 || names.iter().any(|(known, _)| *known == value) {
        return write_name(f, of, value, names);
    }
    let mut rest = value;
    let mut separator = "";
    for (bit, name) in names {
        if bit.count_ones() == 1 && rest & bit != 0 {
            write!(f, "{separator}{name}")?;
            (rest, separator) = (rest & !bit, " | ");
        }
    }
    if rest != 0 { write!(f, "{separator}{of}({:#x})", rest & WIDTH) } else { Ok(()) }
}

/// Implements what an enumeration does not derive, because a derived `Eq` adds a function to compile for each type.
macro_rules! number {
    ($($type:ident)*) => {$(
        impl Eq for $type {}

        impl ::core::hash::Hash for $type {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }
    )*};
}

/// Implements the traits of enumerations.
macro_rules! enumeration {
    ($($type:ident { $($name:ident)* })*) => { $crate::names::named!(write_name: $($type { $($name)* })*); };
}

/// Implements the traits of enumerations whose values can be combined.
macro_rules! flags {
    ($($type:ident { $($name:ident)* })*) => { $crate::names::named!(write_flags: $($type { $($name)* })*); };
}

macro_rules! named {
    ($write:ident: $($type:ident { $($name:ident)* })*) => {$(
        $crate::names::number! { $type }

        impl ::core::fmt::Debug for $type {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                const NAMES: &[(i64, &str)] = &[$(($type::$name.0 as i64, stringify!($name))),*];
                $crate::names::$write(f, stringify!($type), self.0 as i64, NAMES)
            }
        }
    )*};
}

pub(crate) use {enumeration, flags, named, number};
