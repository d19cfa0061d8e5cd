//! `Debug` of enumerations and flags: the names of the enumerators.

use std::fmt;

/// An enumeration of C has 32 bits.
const WIDTH: i64 = 0xffff_ffff;

/// The values of a type, and a text of their names with white space between them. One text is quicker to compile than
/// many.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) values: &'static [i64],
    pub(crate) names: &'static str,
}

impl Names {
    fn of(self, value: i64) -> Option<&'static str> {
        let place = self.values.iter().position(|known| *known == value)?;
        self.names.split_ascii_whitespace().nth(place)
    }
}

/// Writes the name of a value, or the type and the number.
pub(crate) fn write_name(f: &mut fmt::Formatter<'_>, of: &str, value: i64, names: Names) -> fmt::Result {
    match names.of(value) {
        Some(name) => f.write_str(name),
        None => write!(f, "{of}({value})"),
    }
}

/// Writes the name of a value, or the names of its bits and what remains as a hexadecimal number.
pub(crate) fn write_flags(f: &mut fmt::Formatter<'_>, of: &str, value: i64, names: Names) -> fmt::Result {
    if value == 0 || names.of(value).is_some() {
        return write_name(f, of, value, names);
    }
    let mut rest = value;
    let mut separator = "";
    for bit in names.values {
        if bit.count_ones() == 1 && rest & bit != 0 {
            f.write_str(separator)?;
            write_name(f, of, *bit, names)?;
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
                let values = const { &[$($type::$name.0 as i64),*] };
                let names = $crate::names::Names { values, names: stringify!($($name)*) };
                $crate::names::$write(f, stringify!($type), self.0 as i64, names)
            }
        }
    )*};
}

pub(crate) use {enumeration, flags, named, number};
